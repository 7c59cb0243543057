/**
 * Texts by slot, kept as a few large texts with a line for each slot, so that a search reads them in one go and the
 * browser keeps no object for each. Pure: runs in the catalog worker and in tests.
 */

/** Lines of one block: the whole block is made anew when one of them changes. */
const BLOCK = 256;

/** Texts without line ends, by slot. */
export class LineStore {
  /**
   * Full blocks, lines separated by line ends.
   *
   * @type {string[]}
   */
  #blocks = [];
  /** Where each line of a full block ends in it. */
  #ends = new Uint32Array(BLOCK);
  /**
   * The lines behind the last full block.
   *
   * @type {string[]}
   */
  #open = [];

  /** Slots with a text. */
  get length() {
    return this.#blocks.length * BLOCK + this.#open.length;
  }

  /**
   * @param {number} slot
   * @returns {string} the empty string for a slot without a text
   */
  get(slot) {
    const text = this.#blocks[Math.floor(slot / BLOCK)];
    if (text === undefined) return this.#open[slot - this.#blocks.length * BLOCK] ?? '';
    return text.slice(slot % BLOCK === 0 ? 0 : (this.#ends[slot - 1] ?? 0) + 1, this.#ends[slot]);
  }

  /**
   * The beginning of a text.
   *
   * @param {number} slot
   * @param {string} mark that is part of the text
   * @returns {string} what stands before its first mark
   */
  before(slot, mark) {
    const text = this.#blocks[Math.floor(slot / BLOCK)];
    if (text === undefined) {
      const line = this.get(slot);
      return line.slice(0, line.indexOf(mark));
    }
    const start = slot % BLOCK === 0 ? 0 : (this.#ends[slot - 1] ?? 0) + 1;
    return text.slice(start, text.indexOf(mark, start));
  }

  /**
   * Sets a text. Slots before it that have none get the empty one.
   *
   * @param {number} slot
   * @param {string} line without line ends
   */
  set(slot, line) {
    const block = Math.floor(slot / BLOCK);
    const text = this.#blocks[block];
    if (text !== undefined) {
      const lines = text.split('\n');
      lines[slot % BLOCK] = line;
      this.#close(block, lines);
      return;
    }
    while (this.length < slot) this.#push('');
    if (slot === this.length) this.#push(line);
    else this.#open[slot - this.#blocks.length * BLOCK] = line;
  }

  /** @param {string} line */
  #push(line) {
    this.#open.push(line);
    if (this.#open.length < BLOCK) return;
    this.#close(this.#blocks.length, this.#open);
    this.#open = [];
  }

  /**
   * @param {number} block
   * @param {readonly string[]} lines as many as a block has
   */
  #close(block, lines) {
    if (this.#ends.length < (block + 1) * BLOCK) {
      const before = this.#ends;
      this.#ends = new Uint32Array(2 * before.length);
      this.#ends.set(before);
    }
    let end = -1;
    lines.forEach((line, index) => {
      end += line.length + 1;
      this.#ends[block * BLOCK + index] = end;
    });
    this.#blocks[block] = lines.join('\n');
  }

  /**
   * Sets the mark of every slot whose text contains another one.
   *
   * @param {string} part not empty
   * @param {Uint8Array} marks by slot
   */
  mark(part, marks) {
    if (part.includes('\n')) return;
    const ends = this.#ends;
    this.#blocks.forEach((text, block) => {
      let slot = block * BLOCK;
      for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, ends[slot - 1])) {
        while ((ends[slot] ?? 0) < at) slot += 1;
        marks[slot] = 1;
        slot += 1;
        if (slot % BLOCK === 0) break;
      }
    });
    const first = this.#blocks.length * BLOCK;
    this.#open.forEach((line, index) => {
      if (line.includes(part)) marks[first + index] = 1;
    });
  }
}
