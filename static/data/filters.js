/**
 * The filters of the library: their form in the address, whether a game passes them, the counts beside their values,
 * and what of them a preset can keep. Pure: runs in the catalog worker, on the page and in tests.
 */

import { FLAG } from './game.js';
import { passesAll, viewTests } from './ordering.js';
import { compareFolded, fold, parseQuery } from './search.js';

/** Fields with values to choose from; a game passes with one of the chosen ones. */
export const CHOICES = Object.freeze(['platform', 'category', 'genre', 'progress', 'tags', 'decade', 'developer',
  'publisher', 'series', 'region', 'esrb', 'source']);

/** Fields with a least value: a game passes with that much or more. */
export const MINIMA = Object.freeze(['rating', 'stars']);

/** Questions with yes or no for an answer. */
export const QUESTIONS = Object.freeze(['favorite', 'installed', 'saves', 'achievements', 'highscores', 'media',
  'broken', 'portable', 'hidden']);

/** Every filter, in the order of the panel; all of them are keys of the address. */
export const FILTERS = Object.freeze([...CHOICES.slice(0, 6), ...MINIMA, ...QUESTIONS.slice(0, 8), ...CHOICES.slice(6),
  'hidden']);

/** Values listed under one filter. */
const SHOWN_VALUES = 80;

/** Fields a rule of a preset compares by "contains" when no game has exactly that value. */
const LOOSE = Object.freeze(['genre', 'developer', 'publisher']);

/** @type {Readonly<Record<string, number>>} */
const BITS = Object.freeze({
  favorite: FLAG.favorite,
  installed: FLAG.installed,
  saves: FLAG.saves,
  achievements: FLAG.achievements,
  highscores: FLAG.highscores,
  broken: FLAG.broken,
  portable: FLAG.portable,
  hidden: FLAG.hidden,
});

/** Rules of a preset with a yes or no, and the questions they are. */
const FLAG_RULES = Object.freeze(/** @type {const} */ ([
  ['favorite', 'favorite'],
  ['hidden', 'hidden'],
  ['has_saves', 'saves'],
  ['has_achievements', 'achievements'],
  ['has_missing_media', 'media'],
  ['has_highscores', 'highscores'],
]));

/** Rules of a preset with a text, and the filters they are. */
const TEXT_RULES = Object.freeze(/** @type {const} */ ([
  ['platform', 'platform'],
  ['platform_category', 'category'],
  ['genre', 'genre'],
  ['developer', 'developer'],
  ['publisher', 'publisher'],
  ['esrb', 'esrb'],
  ['progress', 'progress'],
]));

/**
 * A genre repeated on thousands of games is taken apart once.
 *
 * @type {Map<string, readonly string[]>}
 */
const parts = new Map();

/**
 * The filters of an address. Unknown keys are no filters.
 *
 * @param {Record<string, string | undefined>} query
 * @returns {App.Filters}
 */
export function readFilters(query) {
  /** @type {App.Filters} */
  const filters = {};
  for (const key of FILTERS) {
    const text = query[key];
    if (text)
      filters[key] = text.split('|').map((
        value,
      ) => (value === '-' ? '' : value.replaceAll('%7C', '|').replaceAll('%2D', '-').replaceAll('%25', '%')));
  }
  return filters;
}

/**
 * @param {App.Filters} filters
 * @returns {Record<string, string | undefined>} every key of an address, so that writing it also takes filters away
 */
export function writeFilters(filters) {
  /** @type {Record<string, string | undefined>} */
  const query = {};
  for (const key of FILTERS) {
    const values = filters[key];
    query[key] = values && values.length > 0
      ? values.map((
        value,
      ) => (value === '' ? '-' : value === '-' ? '%2D' : value.replaceAll('%', '%25').replaceAll('|', '%7C'))).join('|')
      : undefined;
  }
  return query;
}

/**
 * The filters with one value more, or without it when it was there. A least value replaces the one before, and so does
 * an answer.
 *
 * @param {App.Filters} filters
 * @param {string} key
 * @param {string} value
 * @returns {App.Filters}
 */
export function toggleFilter(filters, key, value) {
  const before = filters[key] ?? [];
  const has = before.includes(value);
  const isSingle = MINIMA.includes(key) || QUESTIONS.includes(key);
  const next = has ? before.filter((other) => other !== value) : isSingle ? [value] : [...before, value];
  const { [key]: _, ...rest } = filters;
  return next.length > 0 ? { ...rest, [key]: next } : rest;
}

/**
 * The values of a game under a filter.
 *
 * @param {App.Row} row
 * @param {string} key
 * @returns {readonly string[]}
 */
export function valuesOf(row, key) {
  switch (key) {
    case 'genre':
      return partsOf(row.genre);
    case 'tags':
      return row.tags.length > 0 ? row.tags : [''];
    case 'decade':
      return [decadeOf(row.year)];
    case 'media':
      return [(row.flags & (FLAG.cover | FLAG.background)) === (FLAG.cover | FLAG.background) ? 'no' : 'yes'];
    case 'rating':
      return steps(row.rating);
    case 'stars':
      return steps(row.stars);
    case 'platform':
    case 'category':
    case 'progress':
    case 'developer':
    case 'publisher':
    case 'series':
    case 'region':
    case 'esrb':
    case 'source':
      return [row[key]];
    default:
      return [row.flags & (BITS[key] ?? 0) ? 'yes' : 'no'];
  }
}

/**
 * @param {string} genre
 * @returns {readonly string[]}
 */
function partsOf(genre) {
  const known = parts.get(genre);
  if (known) return known;
  const cut = [...new Set(genre.split(',').map((part) => part.trim()).filter(Boolean))];
  const made = cut.length > 0 ? cut : [''];
  parts.set(genre, made);
  return made;
}

/**
 * @param {string} year
 * @returns {string} `1990`, or the empty string
 */
function decadeOf(year) {
  const found = /\d{4}/.exec(year);
  return found ? `${found[0].slice(0, 3)}0` : '';
}

/**
 * Every least value a rating reaches; a rating of 4.3 reaches 4, 3, 2 and 1.
 *
 * @param {number} rating
 * @returns {readonly string[]}
 */
function steps(rating) {
  return STEPS[Math.max(0, Math.min(5, Math.floor(rating)))] ?? [];
}

/** @type {readonly (readonly string[])[]} */
const STEPS = Object.freeze([[], ['1'], ['2', '1'], ['3', '2', '1'], ['4', '3', '2', '1'], ['5', '4', '3', '2', '1']]);

/**
 * Turns filters into tests, one for each.
 *
 * @param {App.Filters} filters
 * @param {(key: string, value: string) => boolean} isKnown whether some game has exactly this value
 * @returns {App.FilterTest[]}
 */
export function compileFilters(filters, isKnown) {
  return Object.entries(filters).map(([key, wanted]) => {
    const loose = LOOSE.includes(key) ? wanted.filter((value) => value !== '' && !isKnown(key, value)).map(fold) : [];
    return {
      key,
      passes: (row) => {
        for (const value of valuesOf(row, key)) if (wanted.includes(value)) return true;
        if (loose.length === 0) return false;
        const text = fold(String(row[/** @type {'genre'} */ (key)]));
        return loose.some((value) => text.includes(value));
      },
    };
  });
}

/**
 * The member of a row that a filter looks at.
 *
 * @param {string} key of a filter
 * @returns {App.SharedMember}
 */
export function memberOf(key) {
  if (key === 'decade') return 'year';
  return CHOICES.includes(key) || MINIMA.includes(key) ? /** @type {App.SharedMember} */ (key) : 'flags';
}

/**
 * Tests of rows as tests of slots.
 *
 * @param {import('./row-table.js').RowTable} table
 * @param {readonly App.FilterTest[]} tests
 * @returns {App.SlotTest[]}
 */
export function slotTests(table, tests) {
  return tests.map(({ key, passes }) => table.test(memberOf(key), passes));
}

/**
 * Which games stand in a filter playlist or answer a preset.
 *
 * @param {import('./row-table.js').RowTable} table
 * @param {import('./search-index.js').SearchIndex} index of its games
 * @param {App.CompiledRules} rules
 * @returns {(slot: number) => boolean}
 */
export function ruleTest(table, index, { view, phrase, tests }) {
  const asksHidden = tests.some(({ key }) => key === 'hidden');
  const all = [...viewTests(table, view, asksHidden), ...slotTests(table, tests)];
  const marks = phrase === '' ? null : index.selectPhrase(phrase);
  return (slot) => passesAll(all, slot) && (marks === null || marks[slot] === 1);
}

/**
 * @param {Record<string, unknown>} rules of a preset or a filter playlist
 * @param {(key: string, value: string) => boolean} isKnown
 * @returns {App.CompiledRules}
 */
export function compileRules(rules, isKnown) {
  const { view, phrase, filters } = filtersOf(rules);
  return { view, phrase: fold(phrase), tests: compileFilters(filters, isKnown) };
}

/**
 * What stored rules are as a view, a phrase and filters.
 *
 * @param {Record<string, unknown>} rules
 * @returns {{view: string, phrase: string, filters: App.Filters}}
 */
export function filtersOf(rules) {
  /** @type {App.Filters} */
  const filters = {};
  for (const [rule, key] of TEXT_RULES) {
    const value = rules[rule];
    if (typeof value === 'string' && value !== '')
      filters[key] = [value === 'Unplayed' && key === 'progress' ? '' : value];
  }
  for (const [rule, key] of FLAG_RULES) {
    const value = String(rules[rule] ?? '');
    if (value === 'true' || value === 'false') filters[key] = [value === 'true' ? 'yes' : 'no'];
  }
  const installed = String(rules['installed'] ?? '');
  if (installed === 'installed' || installed === 'true') filters['installed'] = ['yes'];
  if (installed === 'uninstalled' || installed === 'false') filters['installed'] = ['no'];
  return { view: typeof rules['view'] === 'string' ? rules['view'] : 'all',
    phrase: typeof rules['query'] === 'string' ? rules['query'] : '', filters };
}

/**
 * The rules that say what the library shows now, and the filters no rule can say: several values of one field, or a
 * field rules do not know.
 *
 * @param {App.LibraryQuery} query
 * @param {'preset' | 'playlist'} kind playlists know fewer rules
 * @returns {{rules: Record<string, string | boolean>, lost: string[]}}
 */
export function rulesOf({ view, text, filters, playlist, collection }, kind) {
  /** @type {Record<string, string | boolean>} */
  const rules = {};
  const lost = [playlist ? 'playlist' : '', collection ? 'collection' : ''].filter(Boolean);
  if (view !== 'all') rules['view'] = view;
  const phrase = phraseOf(text);
  if (phrase) rules['query'] = phrase;
  else if (text.trim()) lost.push('query');
  for (const [key, values] of Object.entries(filters)) {
    const value = values.length === 1 ? (values[0] ?? '') : null;
    const named = TEXT_RULES.find(([, filter]) => filter === key)?.[0];
    const flag = FLAG_RULES.find(([, filter]) => filter === key)?.[0];
    if (key === 'installed') rules[key] = value === 'yes' ? 'installed' : 'uninstalled';
    else if (flag && (kind === 'preset' || flag === 'favorite' || flag === 'hidden')) rules[flag] = value === 'yes';
    else if (named && value) rules[named] = value;
    else if (key === 'progress' && value === '') rules[key] = 'Unplayed';
    else lost.push(key);
  }
  return { rules, lost };
}

/**
 * A search that is one phrase: a bare word, or words in quotes.
 *
 * @param {string} text
 * @returns {string} the empty string when it is something else
 */
function phraseOf(text) {
  const terms = parseQuery(text);
  const [term] = terms;
  return terms.length === 1 && term && term.key === '' && !term.negated ? term.value : '';
}

/**
 * The search that stands for a phrase.
 *
 * @param {string} phrase
 * @returns {string}
 */
export function searchFor(phrase) {
  return /[\s:]|^-/.test(phrase) ? `"${phrase.replaceAll('"', '')}"` : phrase;
}

/** Counts games beside the values of the filters. */
export class FilterCounts {
  /** @type {Map<string, Map<string, number>>} */
  #counts = new Map(FILTERS.map((key) => [key, new Map()]));

  /**
   * Counts a game under every filter, or under the only one that keeps it out: what choosing another of its values
   * would bring.
   *
   * @param {App.Row} row
   * @param {string | null} only
   * @param {number} [times] how many games there are that the filter does not tell from this one
   */
  add(row, only, times = 1) {
    for (const [key, counts] of this.#counts) {
      if (only !== null && key !== only) continue;
      for (const value of valuesOf(row, key)) counts.set(value, (counts.get(value) ?? 0) + times);
    }
  }

  /**
   * The most frequent values of each filter; chosen ones are there in any case.
   *
   * @param {App.Filters} filters
   * @returns {Record<string, [string, number][]>}
   */
  result(filters) {
    /** @type {Record<string, [string, number][]>} */
    const result = {};
    for (const [key, counts] of this.#counts) {
      const sorted = [...counts].sort(([a, left], [b, right]) => right - left || compareFolded(a, b)).slice(0,
        SHOWN_VALUES);
      const missing = (filters[key] ?? []).filter((value) => !sorted.some(([other]) => other === value));
      result[key] = [...missing.map((value) => /** @type {[string, number]} */ ([value, counts.get(value) ?? 0])),
        ...sorted];
    }
    return result;
  }
}
