/**
 * A column of values that many games share: a list of the different values, and for each slot a number of one to four
 * bytes that says which of them it has. Pure: used by the catalog worker, on the page and in tests.
 */

/** Slots a new column has room for. */
const FIRST_ROOM = 256;

/**
 * The values of one member of all rows, by slot.
 *
 * @template T
 */
export class SharedColumn {
  /**
   * The different values by code. One that no game has any more stays.
   *
   * @type {T[]}
   */
  values = [];
  /**
   * Which value each slot has; longer than the number of slots.
   *
   * @type {Uint8Array | Uint16Array | Uint32Array}
   */
  codes = new Uint8Array(FIRST_ROOM);
  /** @type {Map<unknown, number>} */
  #known = new Map();
  #keyOf;
  /** The code that was asked for last. */
  #last = 0;
  /** Codes in a message, plus one, by the code here; all 0 between messages. */
  #sent = new Uint32Array(FIRST_ROOM);

  /** @param {(value: T) => unknown} [keyOf] equal for equal values; the value itself without one */
  constructor(keyOf = (value) => value) {
    this.#keyOf = keyOf;
  }

  /**
   * @param {T} value
   * @returns {number} its code, a new one for a value seen for the first time
   */
  codeOf(value) {
    // Neighbours are often equal.
    if (this.#last < this.values.length && this.values[this.#last] === value) return this.#last;
    const key = this.#keyOf(value);
    let code = this.#known.get(key);
    if (code === undefined) {
      code = this.values.push(value) - 1;
      this.#known.set(key, code);
    }
    this.#last = code;
    return code;
  }

  /**
   * @param {number} slot
   * @returns {T} of a slot that was set
   */
  at(slot) {
    return /** @type {T} */ (this.values[this.codes[slot] ?? 0]);
  }

  /**
   * @param {number} slot
   * @param {T} value
   */
  set(slot, value) {
    this.setCode(slot, this.codeOf(value));
  }

  /**
   * @param {number} slot
   * @param {number} code of one of the values
   */
  setCode(slot, code) {
    if (slot >= this.codes.length || code >= 256 ** this.codes.BYTES_PER_ELEMENT) this.#grow(slot, code);
    this.codes[slot] = code;
  }

  /**
   * @param {number} slot
   * @param {number} code
   */
  #grow(slot, code) {
    const before = this.codes;
    const room = Math.max(slot + 1, slot < before.length ? before.length : 2 * before.length);
    const bytes = Math.max(before.BYTES_PER_ELEMENT, code < 256 ? 1 : code < 65_536 ? 2 : 4);
    this.codes = bytes === 1 ? new Uint8Array(room) : bytes === 2 ? new Uint16Array(room) : new Uint32Array(room);
    this.codes.set(before);
  }
  /**
   * The values of some slots as a message to another column.
   *
   * @param {readonly number[]} slots at most 65,536
   * @returns {App.PackedColumn}
   */
  pack(slots) {
    if (this.#sent.length < this.values.length) this.#sent = new Uint32Array(2 * this.values.length);
    /** @type {number[]} */
    const sent = [];
    const codes = Uint16Array.from(slots, (slot) => {
      const code = this.codes[slot] ?? 0;
      if (this.#sent[code] === 0) this.#sent[code] = sent.push(code);
      return (this.#sent[code] ?? 1) - 1;
    });
    for (const code of sent) this.#sent[code] = 0;
    return { values: sent.map((code) => this.values[code]), codes };
  }

  /**
   * @param {Uint32Array} slots
   * @param {App.PackedColumn} column their values as another column packed them
   */
  unpack(slots, { values, codes }) {
    const own = values.map((value) => this.codeOf(/** @type {T} */ (value)));
    slots.forEach((slot, at) => {
      this.setCode(slot, own[codes[at] ?? 0] ?? 0);
    });
  }
}
