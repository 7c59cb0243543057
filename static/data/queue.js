/**
 * The play queue: what to play next, in order. A game may stand in it more than once.
 */

import { ApiError } from '../core/client.js';
import { coalesce, Turns } from '../core/coalesce.js';

/** Follows `GET /api/queue`. */
export class Queue {
  #client;
  #bus;
  #isLoaded = false;
  #turns = new Turns();
  /** Changes that are on their way. */
  #pending = 0;
  /** @type {Api.QueueEntry[]} */
  list = [];
  /** Why the queue could not be read the last time. */
  /** @type {ApiError | null} */
  error = null;
  /** The game of the queue that was started last. */
  current = '';

  /** Reads the queue anew. */
  refresh = coalesce(() => this.#load());

  /**
   * @param {import('../core/client.js').Client} client
   * @param {import('../core/bus.js').Bus} bus
   */
  constructor(client, bus) {
    this.#client = client;
    this.#bus = bus;
    bus.on('sections', ({ names }) => {
      if (names.includes('queue')) void this.refresh();
    });
    bus.on('live:behind', () => {
      if (this.#isLoaded) void this.refresh();
    });
    bus.on('session:event', ({ kind, stable_game_id: id }) => {
      if (kind === 'started' && id && this.has(id)) this.current = id;
    });
  }

  get isLoaded() {
    return this.#isLoaded;
  }

  /**
   * @param {string} id
   * @returns {boolean}
   */
  has(id) {
    return this.list.some((entry) => entry.game_id === id);
  }

  /**
   * Appends games, or puts them behind the one that is played now.
   *
   * @param {string[]} ids
   * @param {{next?: boolean}} [options]
   */
  async add(ids, { next = false } = {}) {
    const at = this.list.findIndex((entry) => entry.game_id === this.current) + 1;
    await this.#change({ action: 'enqueue', game_ids: ids, ...(next ? { position: at } : {}) });
  }

  /**
   * Takes a game out, wherever it stands in the queue, at once: what is asked for next is about the queue without it.
   *
   * @param {string} id
   */
  async remove(id) {
    this.#show(this.list.filter((entry) => entry.game_id !== id));
    await this.#change({ action: 'remove', game_ids: [id] });
  }

  /**
   * Puts one entry at another place, at once: what is asked for next is about the new order.
   *
   * @param {number} from
   * @param {number} to
   */
  async move(from, to) {
    const list = [...this.list];
    list.splice(to, 0, ...list.splice(from, 1));
    this.#show(list);
    await this.#change({ action: 'reorder', ordered_game_ids: list.map((entry) => entry.game_id) });
  }

  /** Takes everything out. */
  async clear() {
    await this.#change({ action: 'remove', game_ids: [...new Set(this.list.map((entry) => entry.game_id))] });
  }

  /**
   * The entry to play after the one that was started last.
   *
   * @returns {Promise<Reply.QueueRow | null>}
   */
  async advance() {
    const answer = await this.#change({ action: 'advance', current_game_id: this.current });
    return answer.next;
  }

  /**
   * Sends a change. Only the answer to the last one that is on its way is shown, because the others know less; after a
   * refusal the queue is read anew.
   *
   * @param {object} body
   * @returns {Promise<Reply.ChangedQueue>}
   */
  async #change(body) {
    this.#pending += 1;
    try {
      return await this.#turns.change(async () => {
        const answer = await this.#client.post('/api/queue', body);
        if (this.#pending === 1) this.#take(answer);
        return answer;
      });
    } catch (error) {
      void this.refresh();
      throw error;
    } finally {
      this.#pending -= 1;
    }
  }

  async #load() {
    try {
      this.#take(await this.#turns.read(() => this.#client.get('/api/queue')));
    } catch (error) {
      this.error = ApiError.from(error);
      this.#bus.emit('queue', this.list);
    }
  }

  /** @param {Api.QueueAnswer} answer */
  #take({ queue }) {
    this.#isLoaded = true;
    this.error = null;
    this.#show(queue);
  }

  /** @param {Api.QueueEntry[]} list */
  #show(list) {
    this.list = list;
    if (!this.has(this.current)) this.current = '';
    this.#bus.emit('queue', list);
  }
}
