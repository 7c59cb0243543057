/**
 * Counts beside the values of the filters for the games of a table: by the codes of its columns, so that a value is
 * looked at once and not for each game. Pure: runs in the catalog worker and in tests.
 */

import { FilterCounts, FILTERS, memberOf, slotTests } from './filters.js';

/** The members that filters look at. */
const MEMBERS = Object.freeze([...new Set(FILTERS.map(memberOf))]);

/** Counts games that pass all filters, or all but one. */
export class FilterTally {
  #table;
  #keys;
  #tests;
  /** Games that pass all filters, for each member by code. */
  #passing;
  /** Games that one filter alone keeps out, for each filter by the code of its member. */
  #failing;

  /**
   * @param {import('./row-table.js').RowTable} table
   * @param {readonly App.FilterTest[]} filters
   */
  constructor(table, filters) {
    const room = (/** @type {App.SharedMember} */ member) => new Uint32Array(table.columns[member].values.length);
    this.#table = table;
    this.#keys = filters.map(({ key }) => key);
    this.#tests = slotTests(table, filters);
    this.#passing = MEMBERS.map((member) => ({ codes: table.columns[member].codes, counts: room(member) }));
    this.#failing = this.#keys.map((key) => room(memberOf(key)));
  }

  /** @param {number} slot */
  add(slot) {
    let failed = -1;
    for (let at = 0; at < this.#tests.length; at += 1) {
      const test = this.#tests[at];
      if (test?.passes[test.codes[slot] ?? 0] === 1) continue;
      if (failed >= 0) return;
      failed = at;
    }
    const [test, failing] = [this.#tests[failed], this.#failing[failed]];
    if (test && failing) count(failing, test.codes[slot] ?? 0);
    else for (const { codes, counts } of this.#passing) count(counts, codes[slot] ?? 0);
  }

  /**
   * The most frequent values of each filter; chosen ones are there in any case.
   *
   * @param {App.Filters} filters
   * @returns {Record<string, [string, number][]>}
   */
  result(filters) {
    const counts = new FilterCounts();
    for (const key of FILTERS) {
      const member = memberOf(key);
      const [passing, failing] = [this.#passing[MEMBERS.indexOf(member)]?.counts,
        this.#failing[this.#keys.indexOf(key)]];
      let code = 0;
      this.#table.mapValues(member, (row) => {
        const games = (passing?.[code] ?? 0) + (failing?.[code] ?? 0);
        code += 1;
        if (games > 0) counts.add(row, key, games);
      });
    }
    return counts.result(filters);
  }
}

/**
 * @param {Uint32Array} counts
 * @param {number} code
 */
function count(counts, code) {
  counts[code] = (counts[code] ?? 0) + 1;
}
