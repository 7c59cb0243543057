/**
 * Groups of the library: which one a game belongs to, and in which order they stand. Pure: runs in the catalog worker
 * and in tests.
 */

import { FLAG, PROGRESS } from './game.js';
import { distribute } from './ordering.js';
import { fold } from './search.js';

/** What the library can be put into groups by; the empty one is no groups. As in the setting `ui_group`. */
export const GROUPS = Object.freeze(['', 'letter', 'platform', 'genre', 'progress', 'year', 'developer', 'series',
  'user_rating', 'installed']);

/** Groups whose keys count down: the newest and best first. */
const FALLING = Object.freeze(['year', 'user_rating', 'installed']);

/**
 * The key of the group a game belongs to; the empty string for a game without a value. Of several genres the first
 * counts, so that a game stands in one place.
 *
 * @param {App.Row} row
 * @param {string} group any but `letter`
 * @returns {string}
 */
function groupKey(row, group) {
  switch (group) {
    case 'platform':
      return row.platform;
    case 'genre':
      return (row.genre.split(',')[0] ?? '').trim();
    case 'progress':
      return row.progress;
    case 'year':
      return /\d{4}/.exec(row.year)?.[0] ?? '';
    case 'developer':
      return row.developer;
    case 'series':
      return row.series;
    case 'user_rating':
      return row.stars > 0 ? String(row.stars) : '';
    default:
      return row.flags & FLAG.installed ? 'yes' : 'no';
  }
}

/**
 * The member of a row that decides about its group. The letter is one of the name, and what is installed is a flag.
 *
 * @type {Readonly<Record<string, App.SharedMember>>}
 */
const GROUP_MEMBERS = Object.freeze({ platform: 'platform', genre: 'genre', progress: 'progress', year: 'year',
  developer: 'developer', series: 'series', user_rating: 'stars' });

/**
 * Puts an order into groups; inside a group the order stays.
 *
 * @param {Uint32Array} order slots
 * @param {string} group
 * @param {import('./row-table.js').RowTable} table
 * @param {import('./shared-column.js').SharedColumn<string>} letters of the names
 * @returns {{order: Uint32Array, groups: App.Group[]}}
 */
export function groupOrder(order, group, table, letters) {
  const member = GROUP_MEMBERS[group] ?? 'flags';
  const keys = group === 'letter' ? letters.values : table.mapValues(member, (row) => groupKey(row, group));
  const { codes } = group === 'letter' ? letters : table.columns[member];
  const present = new Set(Array.from(order, (slot) => keys[codes[slot] ?? 0] ?? ''));
  const sorted = [...present].sort((a, b) => compareKeys(group, a, b));
  const places = new Map(sorted.map((key, place) => [key, place]));
  const parts = distribute(order, codes, keys.map((key) => places.get(key) ?? 0), sorted.length);
  return { order: parts.order, groups: sorted.map((key, place) => ({ key, count: parts.counts[place] ?? 0 })) };
}

/**
 * @param {string} group
 * @param {string} a
 * @param {string} b
 * @returns {number}
 */
function compareKeys(group, a, b) {
  if (group === 'progress') return PROGRESS.indexOf(a) - PROGRESS.indexOf(b);
  if (a === '' || b === '') return a === b ? 0 : a === '' ? 1 : -1;
  const [left, right] = [fold(a), fold(b)];
  const order = left < right ? -1 : left > right ? 1 : 0;
  return FALLING.includes(group) ? -order : order;
}

/**
 * The first place of each letter in an order by name, for the rail.
 *
 * @param {Uint32Array} order slots
 * @param {import('./shared-column.js').SharedColumn<string>} letters by slot
 * @returns {App.Letter[]}
 */
export function lettersOf(order, letters) {
  /** @type {App.Letter[]} */
  const found = [];
  let last = -1;
  order.forEach((slot, index) => {
    const code = letters.codes[slot] ?? 0;
    if (code !== last) found.push({ letter: letters.values[code] ?? '', index });
    last = code;
  });
  return found;
}
