/**
 * Which games can go on from where somebody left them. Asked for by game, because the answer looks at the disk; kept
 * until the game is played again.
 */

import { coalesce, Turns } from '../core/coalesce.js';

/** Games whose answer is kept; the oldest go. */
const KEPT = 200;

/** Follows `GET /api/v2/resume/status`. */
export class Resumes {
  #client;
  #bus;
  /** @type {Map<string, App.Resume>} */
  #known = new Map();
  /** Whether quick resume is switched on, as far as is known. */
  #isOn = true;
  /** Questions that are on their way. */
  /** @type {Map<string, () => Promise<unknown>>} */
  #asked = new Map();
  /** What is deleted while somebody asks about it is not there in an answer from before. */
  #turns = new Turns();

  /**
   * @param {import('../core/client.js').Client} client
   * @param {import('../core/bus.js').Bus} bus
   */
  constructor(client, bus) {
    this.#client = client;
    this.#bus = bus;
    bus.on('session:event', ({ kind, stable_game_id: id }) => {
      if (kind === 'stopped' && id && this.#known.has(id)) void this.read(id);
    });
    bus.on('settings', (settings) => {
      const isOn = settings['quick_resume_enabled'] !== false;
      if (isOn === this.#isOn) return;
      this.#isOn = isOn;
      for (const id of this.#known.keys()) void this.read(id);
    });
  }

  /**
   * What is known of a game; `none` while nothing is.
   *
   * @param {string} id
   * @returns {App.Resume}
   */
  of(id) {
    return this.#known.get(id) ?? { state: 'none', at: '' };
  }

  /**
   * Asks about a game. A refusal is told to nobody: the game starts as it always does then.
   *
   * @param {string} id
   * @returns {Promise<App.Resume>}
   */
  async read(id) {
    const ask = this.#asked.get(id) ?? coalesce(() => this.#ask(id));
    this.#asked.set(id, ask);
    await ask();
    this.#asked.delete(id);
    return this.of(id);
  }

  /**
   * Starts a game from its kept state.
   *
   * @param {string} id
   * @param {boolean} [isStale] also from one of another emulator
   */
  async go(id, isStale = false) {
    await this.#client.post('/api/v2/resume', { game_id: id, ...(isStale ? { allow_stale: true } : {}) });
  }

  /**
   * Deletes the kept state of a game.
   *
   * @param {string} id
   */
  async discard(id) {
    await this.#turns.change(async () => {
      await this.#client.post('/api/v2/resume/discard', { game_id: id });
      this.#take(id, { state: 'none', at: '' });
    });
  }

  /** @param {string} id */
  async #ask(id) {
    try {
      const status = await this.#turns.read(() => this.#client.get('/api/v2/resume/status', { game_id: id }));
      const can = status.enabled && status.capable && status.available;
      this.#take(id, { state: !can ? 'none' : status.stale ? 'stale' : 'ready', at: status.state?.captured_at ?? '' });
    } catch {
      this.#take(id, { state: 'none', at: '' });
    }
  }

  /**
   * @param {string} id
   * @param {App.Resume} resume
   */
  #take(id, resume) {
    const before = this.of(id);
    this.#known.delete(id);
    this.#known.set(id, resume);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= KEPT) break;
      this.#known.delete(oldest);
    }
    if (before.state !== resume.state || before.at !== resume.at) this.#bus.emit('resume', { id });
  }
}
