/**
 * What the server has to say and keeps until somebody clears it.
 */

import { ApiError } from '../core/client.js';
import { coalesce, Turns } from '../core/coalesce.js';

/** Follows `GET /api/notifications`. */
export class Notices {
  #client;
  #bus;
  /** @type {Set<string> | null} */
  #known = null;
  /** The newest first. */
  /** @type {Api.Notice[]} */
  list = [];
  unread = 0;
  #turns = new Turns();

  /** Reads the list anew. */
  refresh = coalesce(() => this.#load());

  /**
   * @param {import('../core/client.js').Client} client
   * @param {import('../core/bus.js').Bus} bus
   */
  constructor(client, bus) {
    this.#client = client;
    this.#bus = bus;
    bus.on('sections', ({ names }) => {
      if (names.includes('notifications')) void this.refresh();
    });
    bus.on('live:behind', () => {
      if (this.#known) void this.refresh();
    });
  }

  /** Marks everything as read. */
  async read() {
    if (this.unread > 0) await this.#change({ action: 'read' });
  }

  /** @param {string[]} ids none for all */
  async clear(ids) {
    await this.#change({ action: 'clear', ids });
  }

  /** @param {object} body */
  async #change(body) {
    await this.#turns.change(async () => this.#take(await this.#client.post('/api/notifications', body)));
  }

  async #load() {
    try {
      this.#take(await this.#turns.read(() => this.#client.get('/api/notifications')));
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'NO_ANSWER')) this.#bus.emit('failure', error);
    }
  }

  /** @param {Api.NoticeList} answer */
  #take({ notifications, unread }) {
    const known = this.#known;
    this.#known = new Set(notifications.map(({ id }) => id));
    this.list = notifications;
    this.unread = unread;
    this.#bus.emit('notices', notifications);
    // The first answer tells what was there before this page was opened.
    if (known) {
      for (const notice of [...notifications].reverse())
        if (!notice.read && !known.has(notice.id))
          this.#bus.emit('notice:new', notice);
    }
  }
}
