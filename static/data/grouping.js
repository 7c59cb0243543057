/**
 * Groups of the library: which one a game belongs to, and in which order they stand. Pure: runs in the catalog worker
 * and in tests.
 */

import { FLAG, PROGRESS } from './game.js';
import { letterOf } from './ordering.js';
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
 * @param {string} group
 * @param {string} sortKey of the name
 * @returns {string}
 */
export function groupKey(row, group, sortKey) {
  switch (group) {
    case 'letter':
      return letterOf(sortKey);
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
 * Puts an order into groups; inside a group the order stays.
 *
 * @param {Uint32Array} order slots
 * @param {string} group
 * @param {readonly (App.Row | null)[]} rows
 * @param {readonly string[]} sortKeys by slot
 * @returns {{order: Uint32Array, groups: App.Group[]}}
 */
export function groupOrder(order, group, rows, sortKeys) {
  /** @type {Map<string, number[]>} */
  const members = new Map();
  for (const slot of order) {
    const row = rows[slot];
    if (!row) continue;
    const key = groupKey(row, group, sortKeys[slot] ?? '');
    const list = members.get(key);
    if (list) list.push(slot);
    else members.set(key, [slot]);
  }
  const sorted = [...members].sort(([a], [b]) => compareKeys(group, a, b));
  const result = new Uint32Array(order.length);
  let at = 0;
  for (const [, slots] of sorted) {
    result.set(slots, at);
    at += slots.length;
  }
  return { order: result, groups: sorted.map(([key, slots]) => ({ key, count: slots.length })) };
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
 * @param {readonly string[]} sortKeys by slot
 * @returns {App.Letter[]}
 */
export function lettersOf(order, sortKeys) {
  /** @type {App.Letter[]} */
  const letters = [];
  order.forEach((slot, index) => {
    const letter = letterOf(sortKeys[slot] ?? '');
    if (letters.at(-1)?.letter !== letter) letters.push({ letter, index });
  });
  return letters;
}
