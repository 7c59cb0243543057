/**
 * Running games: polls the server, keeps a clock for each game that leaves pauses out, and tells what started and ended.
 */

const FAST = 2000;
const SLOW = 10_000;

/** Follows `GET /api/running`. */
export class Sessions {
  #client;
  #bus;
  /** @type {App.Timer} */
  #timer;
  #last = -1;
  #failed = false;
  /** Launches somebody asked to end here; their exit code is no failure. */
  /** @type {Set<string>} */
  #ended = new Set();
  /** @type {Map<string, App.Session>} */
  #running = new Map();
  /** @type {Api.Abandoned[]} */
  abandoned = [];

  /**
   * @param {import('./client.js').Client} client
   * @param {import('./bus.js').Bus} bus
   */
  constructor(client, bus) {
    this.#client = client;
    this.#bus = bus;
    document.addEventListener('visibilitychange', () => {
      clearTimeout(this.#timer);
      if (!document.hidden) void this.poll();
    });
  }

  /** Running games, the newest last. */
  get list() {
    return [...this.#running.values()];
  }

  /**
   * @param {string} gameId
   * @returns {App.Session | undefined}
   */
  of(gameId) {
    return this.list.find((session) => session.gameId === gameId);
  }

  /** Asks now and plans the next time. Never plans one while the page is hidden. */
  async poll() {
    clearTimeout(this.#timer);
    try {
      /** @type {Api.Running} */
      const answer = await this.#client.get('/api/running', this.#last < 0 ? {} : { after: this.#last });
      this.#take(answer);
      if (this.#failed) this.#bus.emit('connection', { lost: false });
      this.#failed = false;
    } catch (error) {
      if (!this.#failed) this.#bus.emit('connection', { lost: true, error });
      this.#failed = true;
    }
    clearTimeout(this.#timer);
    if (!document.hidden) this.#timer = setTimeout(() => void this.poll(), this.#running.size > 0 || this.#failed ? FAST : SLOW);
  }

  /**
   * @param {string} launchId
   * @param {string} action pause, resume, stop, restart or kill
   */
  async control(launchId, action) {
    if (action !== 'pause' && action !== 'resume') this.#ended.add(launchId);
    await this.#client.post('/api/session/control', { launch_id: launchId, action });
    await this.poll();
  }

  /**
   * Whether a game ended because somebody asked for it on this page.
   *
   * @param {string} launchId
   */
  wasEnded(launchId) {
    return this.#ended.has(launchId);
  }

  /** @param {string} launchId */
  async forget(launchId) {
    await this.#client.post('/api/session/cleanup', { launch_id: launchId });
    await this.poll();
  }

  /** @param {Api.Running} answer */
  #take(answer) {
    const before = this.#running;
    this.#running = new Map();
    for (const entry of answer.running) {
      const known = before.get(entry.launch_id);
      this.#running.set(entry.launch_id, known ? follow(known, entry) : begin(entry));
    }
    this.abandoned = answer.abandoned ?? [];
    const isFirst = this.#last < 0;
    this.#last = answer.last_event ?? 0;
    this.#bus.emit('sessions', this.list);
    // The events of the first answer happened before this page was opened.
    if (!isFirst) for (const event of answer.events ?? []) this.#bus.emit('session:event', event);
  }
}

/**
 * @param {Api.RunningEntry} entry
 * @returns {App.Session}
 */
function begin(entry) {
  const started = Date.parse(entry.started);
  const seconds = typeof entry.seconds === 'number' ? entry.seconds : Math.max(0, (Date.now() - (started || Date.now())) / 1000);
  return {
    launchId: entry.launch_id, gameId: entry.stable_game_id ?? '', name: entry.game, paused: Boolean(entry.paused), seconds,
    measuredAt: performance.now(),
  };
}

/**
 * @param {App.Session} session
 * @param {Api.RunningEntry} entry
 * @returns {App.Session}
 */
function follow(session, entry) {
  const seconds = typeof entry.seconds === 'number' ? entry.seconds : elapsed(session);
  return { ...session, paused: Boolean(entry.paused), seconds, measuredAt: performance.now() };
}

/**
 * Seconds played until now.
 *
 * @param {App.Session} session
 * @returns {number}
 */
export function elapsed(session) {
  return session.paused ? session.seconds : session.seconds + (performance.now() - session.measuredAt) / 1000;
}
