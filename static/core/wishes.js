/**
 * What a person wants a value to be while it is on its way to the server: told one after the other, so that the last
 * word counts, and shown meanwhile.
 */

/** Wishes by what they are about. */
export class Wishes {
  /** @type {Map<string, {value: unknown}>} */
  #open = new Map();
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /**
   * Tells a wish when those before it are told. One that another took the place of meanwhile is not told any more.
   *
   * @param {string} about
   * @param {unknown} value
   * @param {() => Promise<unknown>} tell
   */
  async keep(about, value, tell) {
    const wish = { value };
    this.#open.set(about, wish);
    const isNewest = () => this.#open.get(about) === wish;
    const told = this.#last.then(() => (isNewest() ? tell() : undefined));
    this.#last = told.catch(() => undefined);
    try {
      await told;
    } finally {
      if (isNewest()) this.#open.delete(about);
    }
  }

  /**
   * @template T
   * @param {string} about
   * @param {T} known what holds when nothing else is wished
   * @returns {T}
   */
  of(about, known) {
    const wish = this.#open.get(about);
    return wish ? /** @type {T} */ (wish.value) : known;
  }
}
