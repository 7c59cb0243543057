/**
 * Which games are chosen for an action on many: single ones, ranges from an anchor, all. Knows ids and an order, no
 * elements. Pure.
 */

/** A set of chosen games and the place a range starts from. */
export class Selection {
  /** @type {Set<string>} */
  #ids = new Set();
  /**
   * What was chosen before the range that is being drawn.
   *
   * @type {Set<string>}
   */
  #base = new Set();
  #anchor = '';
  #mayChoose;

  /** @param {() => boolean} [mayChoose] whether games can be chosen now; those that are chosen can always be let go */
  constructor(mayChoose = () => true) {
    this.#mayChoose = mayChoose;
  }

  get size() {
    return this.#ids.size;
  }

  /** @returns {string[]} */
  get ids() {
    return [...this.#ids];
  }

  /** @param {string} id */
  has(id) {
    return this.#ids.has(id);
  }

  /**
   * Adds or takes away one game, from which the next range starts.
   *
   * @param {string} id
   */
  toggle(id) {
    if (!this.#ids.delete(id) && this.#mayChoose()) this.#ids.add(id);
    this.#anchor = id;
    this.#base = new Set(this.#ids);
  }

  /**
   * Chooses everything between the anchor and a game, besides what was chosen before; the next range from the same
   * anchor replaces this one.
   *
   * @param {number} from where the range starts when nothing was chosen before
   * @param {number} to
   * @param {(index: number) => string} idAt
   * @param {(id: string) => number} indexOf -1 for a game that is not in the list
   */
  range(from, to, idAt, indexOf) {
    if (!this.#mayChoose()) return;
    const anchored = this.#anchor === '' ? -1 : indexOf(this.#anchor);
    const start = anchored >= 0 ? anchored : from;
    if (anchored < 0) {
      this.#anchor = idAt(start);
      this.#base = new Set(this.#ids);
    }
    this.#ids = new Set(this.#base);
    for (let index = Math.min(start, to); index <= Math.max(start, to); index += 1) this.#ids.add(idAt(index));
  }

  /** @param {Iterable<string>} ids */
  replace(ids) {
    this.#ids = new Set(this.#mayChoose() ? ids : []);
    this.#base = new Set(this.#ids);
    this.#anchor = '';
  }

  /**
   * Forgets games that are gone.
   *
   * @param {(id: string) => boolean} exists
   * @returns {boolean} whether there were any
   */
  keep(exists) {
    const kept = [...this.#ids].filter(exists);
    const isSmaller = kept.length < this.#ids.size;
    if (isSmaller) this.replace(kept);
    return isSmaller;
  }

  clear() {
    this.replace([]);
  }
}
