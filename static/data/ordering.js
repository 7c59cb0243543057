/**
 * The smart views, the sort orders and the counts beside them. Pure: runs in the catalog worker and in tests.
 */

import { FLAG, isMissing, PROGRESS } from './game.js';
import { fold } from './search.js';

/** Smart views in the order of the sidebar. */
export const VIEWS = Object.freeze(['all', 'favorites', 'recent', 'never', 'playing', 'completed', 'missing',
  'hidden']);

/** Sort orders of the library, named like the fields of a game, as in the setting `list_sort`. */
export const SORTS = Object.freeze(['name', 'added_at', 'last_played', 'playtime_seconds', 'play_count', 'rating',
  'user_rating', 'year', 'platform', 'genre']);

/** Columns the list can show, named like the fields of a game, as in the setting `list_columns`. Each of them sorts. */
export const COLUMNS = Object.freeze([
  'name',
  'platform',
  'genre',
  'developer',
  'publisher',
  'series',
  'region',
  'year',
  'esrb',
  'progress',
  'rating',
  'user_rating',
  'tags',
  'source',
  'last_played',
  'play_count',
  'playtime_seconds',
  'added_at',
]);

/** Orders that begin with the largest or newest. */
const DESCENDING = Object.freeze(['added_at', 'last_played', 'recent_activity', 'playtime_seconds', 'play_count',
  'rating', 'user_rating', 'year']);

/**
 * Whether a game stands in a view. Every view but `hidden` leaves hidden games out, unless the query asks for them.
 *
 * @param {App.Row} row
 * @param {string} view
 * @param {boolean} [withHidden]
 * @returns {boolean}
 */
export function inView(row, view, withHidden = false) {
  const hidden = (row.flags & FLAG.hidden) !== 0;
  if (view === 'hidden') return hidden;
  if (hidden && !withHidden) return false;
  switch (view) {
    case 'favorites':
      return (row.flags & FLAG.favorite) !== 0;
    case 'recent':
      return row.last !== '';
    case 'never':
      return row.plays === 0;
    case 'playing':
      return row.progress === 'Playing' || row.progress === 'Paused';
    case 'completed':
      return row.progress === 'Beaten' || row.progress === 'Completed' || row.progress === 'Mastered';
    case 'missing':
      return isMissing(row);
    case 'installed':
      return (row.flags & FLAG.installed) !== 0;
    case 'owned':
      return (row.flags & (FLAG.owned | FLAG.installed)) === FLAG.owned;
    case 'saves':
      return (row.flags & FLAG.saves) !== 0;
    default:
      return true;
  }
}

/** Letters that are one sign without an accent to take away, and what people write where they lack them. */
const WHOLE_LETTERS = Object.freeze(
  /** @type {Record<string, string>} */ ({ ł: 'l', ø: 'o', đ: 'd', ð: 'd', þ: 'th', æ: 'ae', œ: 'oe', ß: 'ss', ı: 'i',
    ħ: 'h', ŧ: 't' }),
);

/** What stands for the Spanish ñ in a sort key: it comes after every other n, and before o. */
const ENYE = 'n\uffff';

/**
 * A text whose plain order is the order people expect: no case, no accents, numbers by value, no leading article. The
 * letters stand where the language of the page has them.
 *
 * @param {string} name
 * @param {string} [locale]
 * @returns {string}
 */
export function sortKey(name, locale = 'en') {
  const spelled = locale === 'es' ? name.normalize('NFC').replace(/ñ/gi, ENYE) : name;
  const plain = fold(spelled).replace(/[łøđðþæœßıħŧ]/g, (letter) => WHOLE_LETTERS[letter] ?? letter);
  return plain.replace(/^(?:the|a|an) (?=\S)/, '').replace(/\d+/g, (digits) => digits.padStart(8, '0'))
    .replace(/^[^\p{L}\p{N}]+/u, '');
}

/**
 * Slots of the rows in a sort order, empty values last, ties by name.
 *
 * @param {readonly (App.Row | null)[]} rows `null` for a removed game
 * @param {Uint32Array} rank position of each slot in the order by name
 * @param {string} sort
 * @returns {Uint32Array}
 */
export function orderRows(rows, rank, sort) {
  const slots = liveSlots(rows);
  const byName = (/** @type {number} */ a, /** @type {number} */ b) => (rank[a] ?? 0) - (rank[b] ?? 0);
  if (sort === 'name') return slots.sort(byName);
  const values = rows.map((row) => (row ? sortValue(row, sort) : ''));
  const direction = DESCENDING.includes(sort) ? -1 : 1;
  return slots.sort((a, b) => {
    const [left, right] = [values[a] ?? '', values[b] ?? ''];
    if (left === right) return byName(a, b);
    if (left === '' || left === 0) return 1;
    if (right === '' || right === 0) return -1;
    return left < right ? -direction : direction;
  });
}

/**
 * @param {App.Row} row
 * @param {string} sort
 * @returns {string | number}
 */
function sortValue(row, sort) {
  switch (sort) {
    case 'added_at':
      return row.added;
    case 'last_played':
      return row.last;
    case 'recent_activity':
      return row.last > row.added ? row.last : row.added;
    case 'random':
      return scatter(row.id);
    case 'playtime_seconds':
      return row.seconds;
    case 'play_count':
      return row.plays;
    case 'rating':
      return row.rating;
    case 'user_rating':
      return row.stars;
    case 'year':
      return row.year;
    case 'progress':
      return PROGRESS.indexOf(row.progress);
    case 'tags':
      return fold(row.tags.join(' '));
    case 'genre':
    case 'developer':
    case 'publisher':
    case 'series':
    case 'region':
    case 'esrb':
    case 'source':
      return fold(row[sort]);
    default:
      return fold(row.platform);
  }
}

/** Makes the order by chance another one each time the page is opened. */
const CHANCE = Math.floor(Math.random() * 4_294_967_296);

/**
 * A number that has nothing to do with the name of a game, and stays the same for as long as the page lives.
 *
 * @param {string} id
 * @returns {number}
 */
function scatter(id) {
  let hash = CHANCE;
  for (let index = 0; index < id.length; index += 1) hash = Math.imul(hash ^ id.charCodeAt(index), 16777619);
  hash = Math.imul(hash ^ (hash >>> 15), 2246822519);
  return ((hash ^ (hash >>> 13)) >>> 0) + 1;
}

/**
 * The letter a sort key stands under: `#` for digits and everything that is no letter.
 *
 * @param {string} key as `sortKey` makes it
 * @returns {string}
 */
export function letterOf(key) {
  if (key.startsWith(ENYE)) return 'Ñ';
  const first = String.fromCodePoint(key.codePointAt(0) ?? 35);
  return /\p{L}/u.test(first) ? first.toUpperCase() : '#';
}

/**
 * The position of each slot in the order by name, and what it is sorted by.
 *
 * @param {readonly (App.Row | null)[]} rows
 * @param {string} [locale]
 * @returns {{rank: Uint32Array, keys: string[]}}
 */
export function rankKeys(rows, locale) {
  const keys = rows.map((row) => (row ? sortKey(row.sort, locale) : ''));
  const slots = liveSlots(rows).sort((a, b) => {
    const [left, right] = [keys[a] ?? '', keys[b] ?? ''];
    return left < right ? -1 : left > right ? 1 : a - b;
  });
  const rank = new Uint32Array(rows.length);
  slots.forEach((slot, position) => {
    rank[slot] = position;
  });
  return { rank, keys };
}

/**
 * @param {readonly (App.Row | null)[]} rows
 * @returns {Uint32Array}
 */
function liveSlots(rows) {
  const slots = new Uint32Array(rows.length);
  let count = 0;
  for (let slot = 0; slot < rows.length; slot += 1) if (rows[slot]) slots[count++] = slot;
  return slots.slice(0, count);
}

/**
 * Counts for the sidebar. Platforms leave hidden games out, as every view but `hidden` does.
 *
 * @param {readonly (App.Row | null)[]} rows
 * @returns {App.Facets}
 */
export function countFacets(rows) {
  /** @type {Record<string, number>} */
  const views = Object.fromEntries(VIEWS.map((view) => [view, 0]));
  /** @type {Map<string, number>} */
  const platforms = new Map();
  let total = 0;
  /** @type {Set<string>} */
  const genres = new Set();
  /** @type {Set<string>} */
  const tags = new Set();
  for (const row of rows) {
    if (!row) continue;
    total += 1;
    if (row.genre) genres.add(row.genre);
    for (const tag of row.tags) tags.add(tag);
    for (const view of VIEWS) if (inView(row, view)) views[view] = (views[view] ?? 0) + 1;
    if ((row.flags & FLAG.hidden) === 0) platforms.set(row.platform, (platforms.get(row.platform) ?? 0) + 1);
  }
  const sorted = [...platforms].sort((a, b) => (fold(a[0]) < fold(b[0]) ? -1 : 1));
  const parts = new Set([...genres].flatMap((genre) => genre.split(',').map((part) => part.trim()).filter(Boolean)));
  return { total, views, platforms: sorted, genres: byFold(parts), tags: byFold(tags), playlists: {} };
}

/**
 * @param {Iterable<string>} names
 * @returns {string[]} at most as many as the user looks through
 */
function byFold(names) {
  return [...names].sort((a, b) => (fold(a) < fold(b) ? -1 : 1)).slice(0, 500);
}
