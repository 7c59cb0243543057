/**
 * The order of all games by name and the letter each stands under. Pure: runs in the catalog worker and in tests.
 */

import { letterOf, sortKey } from './ordering.js';
import { SharedColumn } from './shared-column.js';
import { TextBytes } from './text-bytes.js';

/** Where fewer than one game of so many has another name, the others are not sorted again. */
const FEW = 16;

/** Slots in the order of their names. */
export class NameOrder {
  /**
   * The slots of the games that are there.
   *
   * @type {Uint32Array}
   */
  slots = new Uint32Array(0);
  /**
   * The letter of each slot, as `letterOf` names it.
   *
   * @type {SharedColumn<string>}
   */
  letters = new SharedColumn();
  /**
   * Slots that were added, went or have another name since the last update.
   *
   * @type {Set<number>}
   */
  #changed = new Set();
  /** @type {string | undefined} */
  #locale;

  /** @param {number} slot whose game is new, went or has another name */
  note(slot) {
    this.#changed.add(slot);
  }

  /**
   * Brings the order up to date.
   *
   * @param {import('./row-table.js').RowTable} table
   * @param {string} [locale] whose alphabet counts
   * @returns {boolean} whether it is another one
   */
  update(table, locale) {
    const isOther = locale !== this.#locale;
    if (!isOther && this.#changed.size === 0) return false;
    this.#locale = locale;
    const isFew = !isOther && this.#changed.size * FEW < this.slots.length;
    /** @type {Map<number, string>} */
    const keys = new Map();
    const keyOf = (/** @type {number} */ slot) => {
      const known = keys.get(slot);
      if (known !== undefined) return known;
      const key = sortKey(table.sortAt(slot), locale);
      keys.set(slot, key);
      return key;
    };
    if (isFew) {
      const fresh = [...this.#changed].filter((slot) => table.has(slot));
      for (const slot of fresh) this.letters.set(slot, letterOf(keyOf(slot)));
      this.slots = merged(this.slots.filter((slot) => !this.#changed.has(slot)), fresh, keyOf);
    } else {
      this.slots = this.#sorted(table, locale);
    }
    this.#changed.clear();
    return true;
  }

  /**
   * @param {import('./row-table.js').RowTable} table
   * @param {string} [locale]
   */
  #sorted(table, locale) {
    const keys = new TextBytes();
    // Most names differ in their first letters, and numbers are compared faster than texts.
    const heads = new Float64Array(table.length);
    for (let slot = 0; slot < table.length; slot += 1) {
      const key = table.has(slot) ? sortKey(table.sortAt(slot), locale) : '';
      keys.set(slot, key);
      heads[slot] = keys.head(slot);
      this.letters.set(slot, letterOf(key));
    }
    return Uint32Array.from(table.slots()).sort((a, b) =>
      (heads[a] ?? 0) - (heads[b] ?? 0) || keys.compare(a, b) || a - b
    );
  }
}

/**
 * An order with more slots put into it.
 *
 * @param {Uint32Array} order
 * @param {number[]} fresh slots that are not part of it
 * @param {(slot: number) => string} keyOf what slots are sorted by
 * @returns {Uint32Array}
 */
function merged(order, fresh, keyOf) {
  const compare = (/** @type {number} */ a, /** @type {number} */ b) => byKey(keyOf(a), keyOf(b)) || a - b;
  const result = new Uint32Array(order.length + fresh.length);
  let taken = 0;
  fresh.sort(compare).forEach((slot, before) => {
    let [least, most] = [taken, order.length];
    while (least < most) {
      const middle = (least + most) >> 1;
      if (compare(order[middle] ?? 0, slot) < 0) least = middle + 1;
      else most = middle;
    }
    result.set(order.subarray(taken, least), taken + before);
    result[least + before] = slot;
    taken = least;
  });
  result.set(order.subarray(taken), taken + fresh.length);
  return result;
}

/**
 * @param {string} a
 * @param {string} b
 * @returns {number}
 */
function byKey(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
