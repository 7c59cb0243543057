/**
 * The smart views, the sort orders and the counts beside them. Pure: runs in the catalog worker and in tests.
 */

import { FLAG, isMissing, PROGRESS } from './game.js';
import { compareFolded, fold } from './search.js';
import { SharedColumn } from './shared-column.js';

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
 * The member that decides in a sort order, where its name is another one.
 *
 * @type {Readonly<Record<string, App.SharedMember>>}
 */
const SORT_MEMBERS = Object.freeze({ added_at: 'added', last_played: 'last', playtime_seconds: 'seconds',
  play_count: 'plays', user_rating: 'stars' });

/** Orders by one member whose name they have. */
const MEMBER_SORTS = Object.freeze(
  /** @type {const} */ (['rating', 'year', 'progress', 'tags', 'genre', 'developer', 'publisher', 'series', 'region',
    'esrb', 'source']),
);

/**
 * The games of a table in a sort order, empty values last, ties by name.
 *
 * @param {import('./row-table.js').RowTable} table
 * @param {Uint32Array} byName the slots of its games in the order by name
 * @param {string} sort
 * @returns {Uint32Array}
 */
export function orderRows(table, byName, sort) {
  if (sort === 'name') return byName.slice();
  const { codes, values } = sortColumn(table, sort);
  const direction = DESCENDING.includes(sort) ? -1 : 1;
  const sorted = [...new Set(values)].sort((left, right) => {
    if (left === '' || left === 0) return 1;
    if (right === '' || right === 0) return -1;
    return left < right ? -direction : direction;
  });
  const places = new Map(sorted.map((value, place) => [value, place]));
  return distribute(byName, codes, values.map((value) => places.get(value) ?? 0), sorted.length).order;
}

/**
 * What games are sorted by: values by code, and the code of each slot.
 *
 * @param {import('./row-table.js').RowTable} table
 * @param {string} sort
 * @returns {{codes: App.SlotTest['codes'], values: (string | number)[]}}
 */
function sortColumn(table, sort) {
  if (sort === 'recent_activity' || sort === 'random') {
    const { last, added } = table.columns;
    /** @type {SharedColumn<string | number>} */
    const column = new SharedColumn();
    for (const slot of table.slots()) {
      const [played, came] = [last.at(slot), added.at(slot)];
      column.set(slot, sort === 'random' ? scatter(table.idAt(slot)) : played > came ? played : came);
    }
    return column;
  }
  const member = SORT_MEMBERS[sort] ?? MEMBER_SORTS.find((name) => name === sort) ?? 'platform';
  return { codes: table.columns[member].codes, values: table.mapValues(member, (row) => sortValue(row, sort)) };
}

/**
 * Puts an order into parts that stand one behind the other; inside a part the order stays.
 *
 * @param {Uint32Array} order slots
 * @param {App.SlotTest['codes']} codes by slot
 * @param {readonly number[]} parts the part of each code
 * @param {number} count how many parts there are
 * @returns {{order: Uint32Array, counts: Uint32Array}} the new order, and how many slots each part has
 */
export function distribute(order, codes, parts, count) {
  const [counts, next] = [new Uint32Array(count), new Uint32Array(count)];
  const partOf = (/** @type {number} */ slot) => parts[codes[slot] ?? 0] ?? 0;
  for (const slot of order) counts[partOf(slot)] = (counts[partOf(slot)] ?? 0) + 1;
  for (let part = 1; part < count; part += 1) next[part] = (next[part - 1] ?? 0) + (counts[part - 1] ?? 0);
  const result = new Uint32Array(order.length);
  for (const slot of order) {
    const part = partOf(slot);
    const at = next[part] ?? 0;
    result[at] = slot;
    next[part] = at + 1;
  }
  return { order: result, counts };
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
 * Initial consonants of Korean syllables as they are written alone, from U+1100 on: a sort key has its syllables in
 * parts, and the part that begins one is no letter to read by itself.
 */
const INITIALS = 'ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ';

/**
 * The letter a sort key stands under: `#` for digits and everything that is no letter.
 *
 * @param {string} key as `sortKey` makes it
 * @returns {string}
 */
export function letterOf(key) {
  if (key.startsWith(ENYE)) return 'Ñ';
  const code = key.codePointAt(0) ?? 35;
  const initial = INITIALS[code - 0x1100];
  if (initial) return initial;
  const first = String.fromCodePoint(code);
  return /\p{L}/u.test(first) ? first.toUpperCase() : '#';
}

/**
 * The member of a row that decides whether it stands in a view, besides whether it is hidden.
 *
 * @type {Readonly<Record<string, App.SharedMember>>}
 */
const VIEW_MEMBERS = Object.freeze({ favorites: 'flags', recent: 'last', never: 'plays', playing: 'progress',
  completed: 'progress', missing: 'flags', installed: 'flags', owned: 'flags', saves: 'flags', hidden: 'flags' });

/**
 * `inView` as tests of slots, all of which a game of the view passes.
 *
 * @param {import('./row-table.js').RowTable} table
 * @param {string} view
 * @param {boolean} [withHidden]
 * @returns {App.SlotTest[]}
 */
export function viewTests(table, view, withHidden = false) {
  const tests = [];
  if (view !== 'hidden' && !withHidden) tests.push(table.test('flags', ({ flags }) => (flags & FLAG.hidden) === 0));
  const member = VIEW_MEMBERS[view];
  if (member) tests.push(table.test(member, (row) => inView(row, view, true)));
  return tests;
}

/**
 * Counts for the sidebar. Platforms leave hidden games out, as every view but `hidden` does.
 *
 * @param {import('./row-table.js').RowTable} table
 * @returns {App.Facets}
 */
export function countFacets(table) {
  const tests = VIEWS.map((view) => viewTests(table, view));
  const sums = new Uint32Array(VIEWS.length);
  for (const slot of table.slots())
    for (let at = 0; at < tests.length; at += 1)
      if (passesAll(tests[at] ?? [], slot)) sums[at] = (sums[at] ?? 0) + 1;
  const shown = viewTests(table, 'all');
  const { codes, values } = table.columns.platform;
  const counts = new Uint32Array(values.length);
  for (const slot of table.slots())
    if (passesAll(shown, slot)) counts[codes[slot] ?? 0] = (counts[codes[slot] ?? 0] ?? 0) + 1;
  const platforms = values.map((name, code) => /** @type {[string, number]} */ ([name, counts[code] ?? 0]));
  const present = (/** @type {'genre' | 'tags'} */ member) => {
    const games = table.countValues(member);
    return table.columns[member].values.filter((_, code) => (games[code] ?? 0) > 0);
  };
  const genres = present('genre').flatMap((genre) => String(genre).split(',').map((part) => part.trim()));
  return {
    total: table.count,
    views: Object.fromEntries(VIEWS.map((view, at) => [view, sums[at] ?? 0])),
    platforms: platforms.filter(([, count]) => count > 0).sort(([a], [b]) => compareFolded(a, b)),
    genres: byFold(new Set(genres.filter(Boolean))),
    tags: byFold(new Set(present('tags').flat())),
    playlists: {},
  };
}

/**
 * @param {readonly App.SlotTest[]} tests
 * @param {number} slot
 * @returns {boolean} whether a slot passes all of them
 */
export function passesAll(tests, slot) {
  for (const { codes, passes } of tests) if (passes[codes[slot] ?? 0] !== 1) return false;
  return true;
}

/**
 * @param {Iterable<string>} names
 * @returns {string[]} at most as many as the user looks through
 */
function byFold(names) {
  return [...names].sort(compareFolded).slice(0, 500);
}
