/**
 * The marks of a game, as far as the settings let them be seen: at most three small ones on a tile, and all others in
 * words beside its details. Pure.
 */

import { FLAG, isMissing } from './game.js';

/** Most marks on a tile: more are a wall. */
const TILE_MARKS = 3;

/** Marks in words, in order, with the bit that says so and their icon. */
const WORDS = Object.freeze(/** @type {const} */ ([
  ['broken', FLAG.broken, 'plug'],
  ['saves', FLAG.saves, 'save'],
  ['documents', FLAG.documents, 'file'],
  ['versions', FLAG.versions, 'copy'],
  ['achievements', FLAG.achievements, 'spark'],
  ['highscores', FLAG.highscores, 'star'],
  ['portable', FLAG.portable, 'screen'],
  ['controller', FLAG.controller, 'platform'],
]));

/**
 * The marks of a tile, the most urgent first: its class and its icon.
 *
 * @param {App.Row} row
 * @param {{isRunning: boolean, shown: ReadonlySet<string>, isLaunchShown: boolean}} choice `shown` are the marks of the
 *   settings, `isLaunchShown` whether tiles say what stands in the way of a start
 * @returns {[string, string][]}
 */
export function tileMarks(row, { isRunning, shown, isLaunchShown }) {
  /** @type {[string, string][]} */
  const marks = [];
  if (isRunning) marks.push(['plays', 'playing']);
  if (isLaunchShown && isMissing(row)) marks.push(['warning', 'missing']);
  if (shown.has('broken') && row.flags & FLAG.broken) marks.push(['warning', 'plug']);
  if (shown.has('progress') && /^(?:Beaten|Completed|Mastered)$/.test(row.progress)) marks.push(['done', 'check']);
  if (shown.has('favorite') && row.flags & FLAG.favorite) marks.push(['favorite', 'heart-full']);
  return marks.slice(0, TILE_MARKS);
}

/**
 * The marks that stand in words beside a game: name, icon, and what to say where that is not the name of the mark.
 * Favourite and progress have places of their own.
 *
 * @param {App.Row} row
 * @param {ReadonlySet<string>} shown
 * @returns {{name: string, symbol: string, text?: string}[]}
 */
export function wordMarks(row, shown) {
  /** @type {{name: string, symbol: string, text?: string}[]} */
  const marks = [];
  // Being there is worth a word only where a game can be owned without it.
  if (row.flags & FLAG.owned && row.flags & FLAG.installed) marks.push({ name: 'installed', symbol: 'download' });
  if (row.source) marks.push({ name: 'storefront', symbol: 'store', text: row.source });
  for (const [name, bit, symbol] of WORDS) if (row.flags & bit) marks.push({ name, symbol });
  if ((row.flags & FLAG.cover) === 0) marks.push({ name: 'missing_media', symbol: 'picture' });
  return marks.filter(({ name }) => shown.has(name));
}
