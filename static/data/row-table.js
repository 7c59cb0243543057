/**
 * The rows of all games by slot, kept in columns: an object for each game would take four times as much memory. Pure:
 * used by the catalog worker, on the page and in tests.
 */

import { NO_ROW } from './game.js';
import { SharedColumn } from './shared-column.js';
import { TextBytes, TextIndex } from './text-bytes.js';

/** Members of a row that are kept in columns: all but the id and the names, which few games share. */
const MEMBERS = Object.freeze(
  /** @type {App.SharedMember[]} */ (Object.keys(NO_ROW).filter((key) => !['id', 'name', 'sort'].includes(key))),
);

/** Rows by slot and by id. A slot is used once: a game that went and came back has another one. */
export class RowTable {
  /** @type {App.Columns} */
  columns = makeColumns();
  /** Slots that are or were used. */
  length = 0;
  /** Games that are there. */
  count = 0;
  #ids = new TextBytes();
  #names = new TextBytes();
  /**
   * The names to sort by that differ from the name.
   *
   * @type {Map<number, string>}
   */
  #sorts = new Map();
  #slots = new TextIndex(this.#ids);
  /** Whether the game of a slot is there, 0 or 1. */
  #isThere = new Uint8Array(256);

  /**
   * @param {string} id
   * @returns {number | undefined} its slot, also when the game went
   */
  slotOf(id) {
    return this.#slots.find(id);
  }

  /**
   * @param {string} id
   * @returns {number | undefined} its slot while the game is there
   */
  find(id) {
    const slot = this.#slots.find(id);
    return slot !== undefined && this.has(slot) ? slot : undefined;
  }

  /**
   * @param {number} slot
   * @returns {boolean} whether its game is there
   */
  has(slot) {
    return this.#isThere[slot] === 1;
  }

  /** The slots of the games that are there, in their order. */
  *slots() {
    for (let slot = 0; slot < this.length; slot += 1) if (this.#isThere[slot] === 1) yield slot;
  }

  /**
   * @param {number} slot
   * @returns {string} the id of its game, also of one that went; the empty string for a slot that was never used
   */
  idAt(slot) {
    return this.#ids.get(slot);
  }

  /**
   * @param {number} slot of a game that is or was there
   * @returns {string}
   */
  nameAt(slot) {
    return this.#names.get(slot);
  }

  /**
   * @param {number} slot of a game that is or was there
   * @returns {string} the name to sort by
   */
  sortAt(slot) {
    return this.#sorts.get(slot) ?? this.nameAt(slot);
  }

  /**
   * @param {number} slot
   * @returns {App.Row | undefined} a new object each time; also of a game that went
   */
  row(slot) {
    const [id, name, { columns }] = [this.idAt(slot), this.nameAt(slot), this];
    if (id === '') return undefined;
    return {
      id,
      name,
      sort: this.#sorts.get(slot) ?? name,
      platform: columns.platform.at(slot),
      year: columns.year.at(slot),
      genre: columns.genre.at(slot),
      developer: columns.developer.at(slot),
      publisher: columns.publisher.at(slot),
      series: columns.series.at(slot),
      region: columns.region.at(slot),
      esrb: columns.esrb.at(slot),
      source: columns.source.at(slot),
      category: columns.category.at(slot),
      tags: columns.tags.at(slot),
      progress: columns.progress.at(slot),
      rating: columns.rating.at(slot),
      stars: columns.stars.at(slot),
      flags: columns.flags.at(slot),
      plays: columns.plays.at(slot),
      seconds: columns.seconds.at(slot),
      last: columns.last.at(slot),
      added: columns.added.at(slot),
    };
  }

  /**
   * @param {number} slot
   * @param {App.Row} row
   */
  set(slot, row) {
    const isNew = this.idAt(slot) !== row.id;
    if (isNew) this.#ids.set(slot, row.id);
    if (isNew || this.nameAt(slot) !== row.name) this.#names.set(slot, row.name);
    this.#enter(slot, isNew, row.sort === row.name ? undefined : row.sort);
    for (const member of MEMBERS) this.#column(member).set(slot, row[member]);
  }

  /**
   * @param {number} slot whose id and name were set
   * @param {boolean} isNew whether it had another id or none
   * @param {string | undefined} sort the name to sort by when it is not the name
   */
  #enter(slot, isNew, sort) {
    if (slot >= this.#isThere.length) {
      const before = this.#isThere;
      this.#isThere = new Uint8Array(Math.max(slot + 1, 2 * before.length));
      this.#isThere.set(before);
    }
    this.count += 1 - (this.#isThere[slot] ?? 0);
    this.#isThere[slot] = 1;
    this.length = Math.max(this.length, slot + 1);
    if (isNew) this.#slots.add(slot);
    if (sort !== undefined) this.#sorts.set(slot, sort);
    else this.#sorts.delete(slot);
  }

  /**
   * @param {string} id
   * @returns {boolean} whether it was there
   */
  remove(id) {
    const slot = this.find(id);
    if (slot === undefined) return false;
    this.#isThere[slot] = 0;
    this.count -= 1;
    return true;
  }

  /**
   * Which values of a member pass a test of rows that looks at no other member.
   *
   * @param {App.SharedMember} member
   * @param {(row: App.Row) => boolean} passes
   * @returns {App.SlotTest}
   */
  test(member, passes) {
    return { codes: this.#column(member).codes, passes: Uint8Array.from(this.mapValues(member, passes), Number) };
  }

  /**
   * What a function of rows that looks at one member only makes of each of its values, by code.
   *
   * @template R
   * @param {App.SharedMember} member
   * @param {(row: App.Row) => R} make
   * @returns {R[]}
   */
  mapValues(member, make) {
    const probe = { ...NO_ROW };
    return this.#column(member).values.map((value) => make(Object.assign(probe, { [member]: value })));
  }

  /**
   * How many games that are there have each value of a member, by code.
   *
   * @param {App.SharedMember} member
   * @returns {Uint32Array}
   */
  countValues(member) {
    const { codes, values } = this.#column(member);
    const counts = new Uint32Array(values.length);
    for (let slot = 0; slot < this.length; slot += 1)
      if (this.#isThere[slot] === 1) counts[codes[slot] ?? 0] = (counts[codes[slot] ?? 0] ?? 0) + 1;
    return counts;
  }

  /**
   * The rows of some slots as a message to another table.
   *
   * @param {readonly number[]} slots at most 65,536
   * @returns {App.PackedRows}
   */
  pack(slots) {
    return {
      slots: Uint32Array.from(slots),
      ids: slots.map((slot) => this.idAt(slot)),
      names: this.#names.pack(slots),
      sorts: slots.flatMap((slot, index) => {
        const sort = this.#sorts.get(slot);
        return sort === undefined ? [] : [/** @type {[number, string]} */ ([index, sort])];
      }),
      columns: MEMBERS.map((member) => this.#column(member).pack(slots)),
    };
  }

  /** @param {App.PackedRows} rows as another table packed them */
  unpack({ slots, ids, names, sorts, columns }) {
    const sortOf = new Map(sorts);
    let at = 0;
    slots.forEach((slot, index) => {
      const id = ids[index] ?? '';
      const isNew = this.idAt(slot) !== id;
      if (isNew) this.#ids.set(slot, id);
      const end = at + (names.lengths[index] ?? 0);
      this.#names.setBytes(slot, names.bytes.subarray(at, end));
      at = end;
      this.#enter(slot, isNew, sortOf.get(index));
    });
    MEMBERS.forEach((member, index) => {
      const column = columns[index];
      if (column) this.#column(member).unpack(slots, column);
    });
  }

  /**
   * @param {App.SharedMember} member
   * @returns {SharedColumn<unknown>}
   */
  #column(member) {
    return /** @type {SharedColumn<unknown>} */ (this.columns[member]);
  }
}

/** @returns {App.Columns} */
function makeColumns() {
  const columns = Object.fromEntries(MEMBERS.map((member) => [member, new SharedColumn()]));
  return /** @type {App.Columns} */ (/** @type {unknown} */ ({
    ...columns,
    tags: new SharedColumn((/** @type {readonly string[]} */ tags) => tags.join('\n')),
  }));
}
