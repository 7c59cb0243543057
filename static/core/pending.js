/**
 * Values that are on their way to the server: sent one after the other, so that the last one counts, and shown
 * meanwhile.
 */

/** Pending values by what they are about. */
export class Pending {
  /** @type {Map<string, {value: unknown}>} */
  #open = new Map();
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /**
   * Sends a value after those before it. One that a newer value replaced meanwhile is not sent.
   *
   * @param {string} about
   * @param {unknown} value
   * @param {() => Promise<unknown>} send
   */
  async add(about, value, send) {
    const entry = { value };
    this.#open.set(about, entry);
    const isNewest = () => this.#open.get(about) === entry;
    const sent = this.#last.then(() => (isNewest() ? send() : undefined));
    this.#last = sent.catch(() => undefined);
    try {
      await sent;
    } finally {
      if (isNewest()) this.#open.delete(about);
    }
  }

  /**
   * @template T
   * @param {string} about
   * @param {T} known what holds when nothing is pending
   * @returns {T}
   */
  get(about, known) {
    const entry = this.#open.get(about);
    return entry ? /** @type {T} */ (entry.value) : known;
  }
}
