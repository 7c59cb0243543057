/**
 * What searches look into, for all games: names, initials and notes as lines of a few large texts, everything else
 * once for each different value. Pure: runs in the catalog worker and in tests.
 */

import { FLAG } from './game.js';
import { LineStore } from './line-store.js';
import { FLAG_KEYS, fold, isAcronym, oneLine } from './search.js';
import { SharedColumn } from './shared-column.js';

/** Fields that are part of a row, and those that only searches look into. */
const ROW_FIELDS = Object.freeze(
  /** @type {const} */ (['platform', 'genre', 'developer', 'publisher', 'series', 'region', 'source', 'progress',
    'tags']),
);
const OWN_FIELDS = Object.freeze(/** @type {const} */ (['play', 'status', 'controller', 'rating']));

/** Fields that the rule `query` of a preset looks into. */
const PHRASE_FIELDS = Object.freeze(['title', 'platform', 'genre', 'developer', 'publisher', 'series', 'notes']);

/** Fields a bare word looks into. */
const BARE_FIELDS = Object.freeze(['title', 'notes', ...ROW_FIELDS, 'play', 'status', 'controller']);

/** Answers searches of the games of a table. */
export class SearchIndex {
  #table;
  #titles = new LineStore();
  #initials = new LineStore();
  #notes = new LineStore();
  /** @type {Record<string, SharedColumn<string>>} */
  #own = Object.fromEntries(OWN_FIELDS.map((field) => [field, new SharedColumn()]));
  /**
   * The values of fields as searches see them, by code; completed when a search needs them.
   *
   * @type {Map<string, string[]>}
   */
  #folded = new Map();

  /** @param {import('./row-table.js').RowTable} table */
  constructor(table) {
    this.#table = table;
  }

  /**
   * @param {number} slot
   * @param {App.SearchDoc} doc of its game
   * @returns {boolean} whether the slot is new here, or some query may answer otherwise than before
   */
  set(slot, doc) {
    const isNew = slot >= this.#titles.length;
    let isOther = isNew;
    for (const [lines, line]
      of /** @type {const} */ ([[this.#titles, doc.title], [this.#initials, doc.initials], [this.#notes, doc.notes]])) {
      if (!isNew && lines.get(slot) === line) continue;
      lines.set(slot, line);
      isOther = true;
    }
    for (const field of OWN_FIELDS) {
      const column = this.#ownColumn(field);
      if (!isNew && column.at(slot) === doc[field]) continue;
      column.set(slot, doc[field]);
      isOther = true;
    }
    return isOther;
  }

  /**
   * Which slots answer all terms.
   *
   * @param {readonly App.Term[]} terms
   * @returns {Uint8Array | null} 0 or 1 for each slot; `null` without terms, which every game answers
   */
  select(terms) {
    /** @type {Uint8Array | null} */
    let all = null;
    for (const term of terms) {
      const marks = this.#select(term);
      const unwanted = term.negated ? 1 : 0;
      for (let slot = 0; slot < marks.length; slot += 1)
        marks[slot] = marks[slot] !== unwanted && (all === null || all[slot] === 1) ? 1 : 0;
      all = marks;
    }
    return all;
  }

  /**
   * @param {App.Term} term
   * @returns {Uint8Array} which slots have it, negated or not
   */
  #select({ key, value }) {
    const flag = FLAG_KEYS.find((name) => name === key);
    if (flag) return this.#markFlag(FLAG[flag], value);
    if (key !== '') return this.#mark([key], value);
    return this.#mark(BARE_FIELDS, value, true);
  }

  /**
   * Which slots answer the rule `query` of a preset: one phrase as it stands, or initials.
   *
   * @param {string} phrase folded
   * @returns {Uint8Array} 0 or 1 for each slot
   */
  selectPhrase(phrase) {
    return this.#mark(PHRASE_FIELDS, phrase, true);
  }

  /**
   * @param {readonly string[]} fields
   * @param {string} value
   * @param {boolean} [withInitials]
   * @returns {Uint8Array}
   */
  #mark(fields, value, withInitials = false) {
    const marks = new Uint8Array(this.#table.length);
    for (const field of fields) {
      if (field === 'title') this.#titles.mark(value, marks);
      else if (field === 'notes') this.#notes.mark(value, marks);
      else this.#markShared(field, value, marks);
    }
    if (withInitials && isAcronym(value)) this.#initials.mark(value, marks);
    return marks;
  }

  /**
   * @param {string} field
   * @param {string} value
   * @param {Uint8Array} marks
   */
  #markShared(field, value, marks) {
    const column = this.#shared(field);
    let isAny = false;
    const passes = Uint8Array.from(this.#foldedValues(field, column), (text) => {
      const isIn = text.includes(value);
      isAny ||= isIn;
      return isIn ? 1 : 0;
    });
    if (isAny) markCodes(column.codes, passes, marks);
  }

  /**
   * @param {number} bit of `Row.flags`
   * @param {string} value part of `yes` or `no`
   * @returns {Uint8Array}
   */
  #markFlag(bit, value) {
    const marks = new Uint8Array(this.#table.length);
    const { codes, passes } = this.#table.test('flags', ({ flags }) => (flags & bit ? 'yes' : 'no').includes(value));
    markCodes(codes, passes, marks);
    return marks;
  }

  /**
   * How well names answer a query, smaller is better: starts with it, has a word that starts with it, contains it,
   * other field.
   *
   * @param {readonly App.Term[]} terms
   * @returns {(slot: number) => 0 | 1 | 2 | 3}
   */
  relevance(terms) {
    const words = terms.filter(({ key, negated }) => key === '' && !negated).map(({ value }) => value);
    if (words.length === 0) return () => 3;
    const [whole, inner] = [words.join(' '), words.map((word) => ` ${word}`)];
    return (slot) => {
      const name = this.#titles.before(slot, '\t');
      if (name.startsWith(whole)) return 0;
      if (words.every((word, at) => name.startsWith(word) || name.includes(inner[at] ?? ''))) return 1;
      return words.every((word) => name.includes(word)) ? 2 : 3;
    };
  }

  /**
   * @param {string} field
   * @returns {SharedColumn<unknown>}
   */
  #shared(field) {
    const member = ROW_FIELDS.find((name) => name === field);
    return /** @type {SharedColumn<unknown>} */ (member ? this.#table.columns[member] : this.#ownColumn(field));
  }

  /** @param {string} field */
  #ownColumn(field) {
    return /** @type {SharedColumn<string>} */ (this.#own[field]);
  }

  /**
   * @param {string} field
   * @param {SharedColumn<unknown>} column
   * @returns {string[]}
   */
  #foldedValues(field, column) {
    let folded = this.#folded.get(field);
    if (!folded) this.#folded.set(field, folded = []);
    for (let code = folded.length; code < column.values.length; code += 1) {
      const value = column.values[code];
      folded.push(oneLine(fold(Array.isArray(value) ? value.join('\t') : String(value))));
    }
    return folded;
  }
}

/**
 * Sets the marks of the slots whose code passes.
 *
 * @param {App.SlotTest['codes']} codes
 * @param {Uint8Array} passes by code
 * @param {Uint8Array} marks by slot
 */
function markCodes(codes, passes, marks) {
  for (let slot = 0; slot < marks.length; slot += 1) if (passes[codes[slot] ?? 0] === 1) marks[slot] = 1;
}
