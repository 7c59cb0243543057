/**
 * Texts by slot as UTF-8 in one array of bytes, where the browser neither keeps an object for each nor looks at them
 * when it collects garbage; and where to find a text again. Pure: used by the catalog worker, on the page and in tests.
 */

/** Bytes a new store has room for. */
const FIRST_ROOM = 4096;

/** Most bytes of UTF-8 for one unit of a text. */
const BYTES_OF_UNIT = 3;

/** Bytes of a text that a number holds. */
const HEAD = 6;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Texts by slot. A text that is set again leaves its old bytes behind, which is rare. */
export class TextBytes {
  #bytes = new Uint8Array(FIRST_ROOM);
  #used = 0;
  /** Where the text of a slot begins and ends, at twice the slot and behind it. */
  #places = new Uint32Array(512);
  /** Slots that have a text. */
  length = 0;

  /**
   * @param {number} slot
   * @returns {string} the empty string for a slot without a text
   */
  get(slot) {
    return slot < this.length ? decoder.decode(this.bytesAt(slot)) : '';
  }

  /**
   * @param {number} slot
   * @returns {Uint8Array} the text itself, valid until the next one is set
   */
  bytesAt(slot) {
    return this.#bytes.subarray(this.#places[2 * slot] ?? 0, this.#places[2 * slot + 1] ?? 0);
  }

  /**
   * The first bytes of a text as a number: a text with a smaller one comes first, texts with an equal one are compared.
   *
   * @param {number} slot
   * @returns {number}
   */
  head(slot) {
    const [start, end] = [this.#places[2 * slot] ?? 0, this.#places[2 * slot + 1] ?? 0];
    let head = 0;
    for (let index = start; index < start + HEAD; index += 1)
      head = head * 256 + (index < end ? this.#bytes[index] ?? 0 : 0);
    return head;
  }

  /**
   * @param {number} a
   * @param {number} b
   * @returns {number} below 0 when the text of the first slot comes before that of the other, 0 when they are equal
   */
  compare(a, b) {
    const places = this.#places;
    const [start, other] = [places[2 * a] ?? 0, places[2 * b] ?? 0];
    const [length, otherLength] = [(places[2 * a + 1] ?? 0) - start, (places[2 * b + 1] ?? 0) - other];
    const common = Math.min(length, otherLength);
    for (let index = 0; index < common; index += 1) {
      const difference = (this.#bytes[start + index] ?? 0) - (this.#bytes[other + index] ?? 0);
      if (difference !== 0) return difference;
    }
    return length - otherLength;
  }

  /**
   * @param {number} slot
   * @param {string} text
   */
  set(slot, text) {
    this.#makeRoom(BYTES_OF_UNIT * text.length);
    const { written } = encoder.encodeInto(text, this.#bytes.subarray(this.#used));
    this.#place(slot, written);
  }

  /**
   * @param {number} slot
   * @param {Uint8Array} bytes of a text
   */
  setBytes(slot, bytes) {
    const start = this.#places[2 * slot] ?? 0;
    if (bytes.length <= (this.#places[2 * slot + 1] ?? 0) - start) {
      this.#bytes.set(bytes, start);
      this.#places[2 * slot + 1] = start + bytes.length;
      return;
    }
    this.#makeRoom(bytes.length);
    this.#bytes.set(bytes, this.#used);
    this.#place(slot, bytes.length);
  }

  /**
   * @param {number} slot
   * @param {Uint8Array} bytes that begin with a text
   * @param {number} length of the text in bytes
   * @returns {boolean} whether it is the text of the slot
   */
  isAt(slot, bytes, length) {
    const start = this.#places[2 * slot] ?? 0;
    if ((this.#places[2 * slot + 1] ?? 0) - start !== length) return false;
    for (let index = 0; index < length; index += 1) if (this.#bytes[start + index] !== bytes[index]) return false;
    return true;
  }

  /** @param {number} bytes that are about to be added */
  #makeRoom(bytes) {
    if (this.#used + bytes <= this.#bytes.length) return;
    const before = this.#bytes;
    this.#bytes = new Uint8Array(Math.max(this.#used + bytes, 2 * before.length));
    this.#bytes.set(before);
  }

  /**
   * @param {number} slot
   * @param {number} bytes that were written for it
   */
  #place(slot, bytes) {
    if (2 * slot + 1 >= this.#places.length) {
      const before = this.#places;
      this.#places = new Uint32Array(Math.max(2 * slot + 2, 2 * before.length));
      this.#places.set(before);
    }
    this.#places[2 * slot] = this.#used;
    this.#used += bytes;
    this.#places[2 * slot + 1] = this.#used;
    this.length = Math.max(this.length, slot + 1);
  }

  /**
   * The texts of some slots as a message to another store.
   *
   * @param {readonly number[]} slots
   * @returns {App.PackedTexts}
   */
  pack(slots) {
    const lengths = Uint32Array.from(slots, (slot) => this.bytesAt(slot).length);
    const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
    let at = 0;
    for (const slot of slots) {
      bytes.set(this.bytesAt(slot), at);
      at += this.bytesAt(slot).length;
    }
    return { bytes, lengths };
  }
}

/** Finds the slot of a text in a store of different texts, by a table of slots with open addressing. */
export class TextIndex {
  #texts;
  /** Slots plus one by the hash of their text, 0 where nothing is. At most half of it is in use. */
  #table = new Uint32Array(512);
  #count = 0;

  /** A text that is looked for. */
  #wanted = new Uint8Array(256);

  /** @param {TextBytes} texts */
  constructor(texts) {
    this.#texts = texts;
  }

  /**
   * @param {string} text
   * @returns {number | undefined} its slot
   */
  find(text) {
    const most = BYTES_OF_UNIT * text.length;
    if (most > this.#wanted.length) this.#wanted = new Uint8Array(most);
    const { written } = encoder.encodeInto(text, this.#wanted);
    const slot = this.#table[this.#placeOf(this.#wanted, written)] ?? 0;
    return slot === 0 ? undefined : slot - 1;
  }

  /**
   * Takes a slot whose text was set. It replaces another slot with the same text.
   *
   * @param {number} slot
   */
  add(slot) {
    if (2 * (this.#count + 1) > this.#table.length) this.#grow();
    const place = this.#placeOfSlot(slot);
    if (this.#table[place] === 0) this.#count += 1;
    this.#table[place] = slot + 1;
  }

  #grow() {
    const before = this.#table;
    this.#table = new Uint32Array(2 * before.length);
    for (const slot of before) if (slot > 0) this.#table[this.#placeOfSlot(slot - 1)] = slot;
  }

  /** @param {number} slot */
  #placeOfSlot(slot) {
    const bytes = this.#texts.bytesAt(slot);
    return this.#placeOf(bytes, bytes.length);
  }

  /**
   * @param {Uint8Array} bytes that begin with a text
   * @param {number} length of the text in bytes
   * @returns {number} where the text is in the table, or where it would be
   */
  #placeOf(bytes, length) {
    const last = this.#table.length - 1;
    let place = hashOf(bytes, length) & last;
    for (let slot = this.#table[place] ?? 0; slot > 0; slot = this.#table[place] ?? 0) {
      if (this.#texts.isAt(slot - 1, bytes, length)) break;
      place = (place + 1) & last;
    }
    return place;
  }
}

/**
 * @param {Uint8Array} bytes
 * @param {number} length
 */
function hashOf(bytes, length) {
  let hash = 2166136261;
  for (let index = 0; index < length; index += 1) hash = Math.imul(hash ^ (bytes[index] ?? 0), 16777619);
  return hash ^ (hash >>> 15);
}
