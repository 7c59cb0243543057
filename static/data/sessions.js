/**
 * Running games: what the server says whenever something about them changes, a clock for each game that leaves pauses
 * out, and what started and ended.
 */

import { ApiError } from '../core/client.js';
import { coalesce } from '../core/coalesce.js';

/** Events of the live stream that are about a running game. */
const EVENTS = Object.freeze(['started', 'stopped', 'paused', 'resumed']);

/** Follows `GET /api/running`. */
export class Sessions {
  #client;
  #bus;
  #last = -1;
  /** Launches somebody asked to end here; their exit code is no failure. */
  /** @type {Set<string>} */
  #ended = new Set();
  /** @type {Map<string, App.Session>} */
  #running = new Map();
  /** @type {Api.Abandoned[]} */
  abandoned = [];

  /** Asks the server. */
  refresh = coalesce(() => this.#ask());

  /**
   * @param {import('../core/client.js').Client} client
   * @param {import('../core/bus.js').Bus} bus
   */
  constructor(client, bus) {
    this.#client = client;
    this.#bus = bus;
    bus.on('live:event', ({ name }) => {
      if (EVENTS.includes(name)) void this.refresh();
    });
    bus.on('live:behind', () => {
      if (this.#last >= 0) void this.refresh();
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

  async #ask() {
    try {
      this.#take(await this.#client.get('/api/running', this.#last < 0 ? {} : { after: this.#last }));
    } catch (error) {
      // The live stream tells that the server is gone, and asks again when it is back.
      if (!(error instanceof ApiError && error.code === 'NO_ANSWER')) this.#bus.emit('failure', error);
    }
  }

  /**
   * @param {string} launchId
   * @param {string} action pause, resume, stop, restart or kill
   */
  async control(launchId, action) {
    if (action !== 'pause' && action !== 'resume') this.#ended.add(launchId);
    await this.#client.post('/api/session/control', { launch_id: launchId, action });
    await this.refresh();
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
    await this.refresh();
  }

  /** @param {Api.Running} answer */
  #take(answer) {
    const before = this.#running;
    this.#running = new Map();
    for (const entry of answer.running) {
      const known = before.get(entry.launch_id);
      this.#running.set(entry.launch_id, known ? follow(known, entry) : begin(entry));
    }
    this.abandoned = /** @type {Api.Abandoned[]} */ (answer.abandoned);
    const isFirst = this.#last < 0;
    this.#last = answer.last_event;
    this.#bus.emit('sessions', this.list);
    // The events of the first answer happened before this page was opened.
    if (!isFirst) { for (const event of answer.events ?? []) this.#bus.emit('session:event', event); }
  }
}

/**
 * @param {Api.RunningEntry} entry
 * @returns {App.Session}
 */
function begin(entry) {
  const started = Date.parse(entry.started);
  const seconds = typeof entry.seconds === 'number'
    ? entry.seconds
    : Math.max(0, (Date.now() - (started || Date.now())) / 1000);
  return {
    launchId: entry.launch_id,
    gameId: entry.stable_game_id ?? '',
    name: entry.game,
    paused: Boolean(entry.paused),
    seconds,
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
