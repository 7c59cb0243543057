/**
 * Work on many games in requests a body holds, and what takes it back: the values from before, grouped so that games
 * with the same ones travel together. Pure.
 */

import { FLAG } from './game.js';

/** Bytes of ids in one request; the server takes bodies of 65,536 bytes, and the change needs room too. */
const PAGE_BYTES = 48_000;

/** Most bytes a rule of a change may need, so that it always fits beside the ids. */
export const CHANGE_BYTES = 16_000;

/**
 * Cuts a list of ids into pages that fit a request.
 *
 * @param {readonly string[]} ids
 * @param {number} [bytes]
 * @returns {string[][]}
 */
export function pagesOf(ids, bytes = PAGE_BYTES) {
  /** @type {string[][]} */
  const pages = [];
  let room = 0;
  for (const id of ids) {
    const size = new TextEncoder().encode(JSON.stringify(id)).length + 1;
    if (pages.length === 0 || size > room) {
      pages.push([]);
      room = bytes;
    }
    pages.at(-1)?.push(id);
    room -= size;
  }
  return pages;
}

/**
 * Where a row keeps what a change sets.
 *
 * @type {Readonly<Record<string, (row: App.Row) => unknown>>}
 */
const BEFORE = Object.freeze({
  favorite: (row) => (row.flags & FLAG.favorite) !== 0,
  hidden: (row) => (row.flags & FLAG.hidden) !== 0,
  progress: (row) => row.progress,
  rating: (row) => (row.rating > 0 ? row.rating : ''),
  user_rating: (row) => row.stars,
  platform: (row) => row.platform,
  genre: (row) => row.genre,
  esrb: (row) => row.esrb,
  tags: (row) => [...row.tags],
});

/**
 * The changes that bring back what games were before a change, games with the same values together. Games that the
 * change would leave as they are are left out.
 *
 * @param {readonly App.Row[]} rows as they are before
 * @param {Record<string, unknown>} change as it is sent to the server
 * @returns {App.Change[]}
 */
export function changesBack(rows, change) {
  const keys = [...new Set(Object.keys(change).map((key) => (key.startsWith('tags') ? 'tags' : key)))];
  /** @type {Map<string, App.Change>} */
  const back = new Map();
  for (const row of rows) {
    const before = Object.fromEntries(keys.map((key) => [key, BEFORE[key]?.(row)]));
    const name = JSON.stringify(before);
    const known = back.get(name);
    if (known) known.ids.push(row.id);
    else back.set(name, { ids: [row.id], change: before });
  }
  const set = JSON.stringify(Object.fromEntries(keys.map((key) => [key, change[key]])));
  return [...back].filter(([name]) => name !== set).map(([, changes]) => changes);
}
