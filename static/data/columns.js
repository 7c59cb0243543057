/**
 * Columns of the list: which are shown and how wide they are, as the settings `list_columns` and `ui_column_widths`
 * keep them. Pure.
 */

import { COLUMNS } from './ordering.js';

/** Bounds of a width in pixels. */
export const WIDTH = Object.freeze({ min: 56, max: 900, step: 16 });

/** Most columns beside the name: the setting holds twelve names. */
export const COLUMN_LIMIT = 11;

/** The name takes what the others leave, and at least this. */
const NAME_LEAST = 200;

/** Space between two columns, and what stands before the name: the picture. */
export const FRAME = Object.freeze({ gap: 16, art: 36, marks: 52, edge: 20 });

/** The row in which such a column takes that much; in a wider one it takes its part of the row. */
const USUAL_ROW = 1875;

/** Columns whose values are numbers or times and stand at the end of the cell. */
export const NUMERIC = Object.freeze(['year', 'rating', 'user_rating', 'last_played', 'play_count', 'playtime_seconds',
  'added_at']);

/** The width of a column that nobody chose, with text of the usual size, where there is room for it. */
/** @type {Readonly<Record<string, number>>} */
const INITIAL = Object.freeze({
  platform: 150,
  genre: 150,
  developer: 150,
  publisher: 150,
  series: 140,
  region: 120,
  year: 64,
  esrb: 84,
  progress: 112,
  rating: 76,
  user_rating: 100,
  tags: 150,
  source: 110,
  last_played: 124,
  play_count: 120,
  playtime_seconds: 110,
  added_at: 124,
});

/** What such a column gives up where there is none: values are cut off before a column is out of sight. */
/** @type {Readonly<Record<string, number>>} */
const LEAST = Object.freeze({
  platform: 96,
  genre: 88,
  developer: 88,
  publisher: 88,
  series: 88,
  region: 72,
  year: 56,
  esrb: 64,
  progress: 88,
  rating: 64,
  user_rating: 92,
  tags: 88,
  source: 72,
  last_played: 96,
  play_count: 72,
  playtime_seconds: 84,
  added_at: 96,
});

/**
 * The columns beside the name, in order. Names the list does not know are passed over.
 *
 * @param {unknown} setting a list, or lists by platform of which the one without a name counts
 * @returns {string[]}
 */
export function readColumns(setting) {
  const list = Array.isArray(setting)
    ? setting
    : setting && typeof setting === 'object'
    ? /** @type {Record<string, unknown>} */ (setting)['']
    : null;
  const known = (Array.isArray(list) ? list : ['platform', 'year', 'progress', 'playtime_seconds', 'last_played']).map(
    String,
  );
  return [...new Set(known)].filter((name) => name !== 'name' && COLUMNS.includes(name)).slice(0, COLUMN_LIMIT);
}

/**
 * Widths that somebody chose, by column.
 *
 * @param {unknown} setting a list of `column:pixels`
 * @returns {Record<string, number>}
 */
export function readWidths(setting) {
  /** @type {Record<string, number>} */
  const widths = {};
  for (const entry of Array.isArray(setting) ? setting : []) {
    const [, name = '', pixels = ''] = /^(\w+):(\d+)$/.exec(String(entry)) ?? [];
    if (COLUMNS.includes(name)) widths[name] = clampWidth(Number(pixels));
  }
  return widths;
}

/**
 * @param {Record<string, number>} widths
 * @returns {string[]} as the setting keeps them
 */
export function writeWidths(widths) {
  return Object.entries(widths).map(([name, width]) => `${name}:${clampWidth(width)}`);
}

/** @param {number} width */
export function clampWidth(width) {
  return Math.max(WIDTH.min, Math.min(WIDTH.max, Math.round(width)));
}

/**
 * The width of a column now.
 *
 * @param {string} column
 * @param {Record<string, number>} widths
 * @returns {number}
 */
export function widthOf(column, widths) {
  return widths[column] ?? INITIAL[column] ?? NAME_LEAST;
}

/**
 * The tracks of a row, and the least width at which they all have room. The name gives way first, then the columns
 * whose width nobody chose.
 *
 * @param {readonly string[]} columns beside the name
 * @param {Record<string, number>} widths
 * @param {number} [scale] how much larger than usual the text is
 * @returns {{template: string, least: number, name: number}} `name` is the least width of the name
 */
export function trackColumns(columns, widths, scale = 1) {
  const name = widths['name'] ?? NAME_LEAST;
  const leasts = columns.map((column) => widths[column] ?? LEAST[column] ?? widthOf(column, widths));
  const others = columns.map((column, index) => {
    if (widths[column]) return `${widths[column]}px`;
    const usual = widthOf(column, widths);
    const most = Math.round(usual * scale);
    return `minmax(${leasts[index]}px, max(${most}px, ${Math.round(usual / USUAL_ROW * 1000) / 10}%))`;
  });
  const template = [`${FRAME.art}px`, widths['name'] ? `${name}px` : `minmax(${name}px, 1fr)`, `${FRAME.marks}px`,
    ...others].join(' ');
  const least = FRAME.edge + FRAME.art + name + FRAME.marks + leasts.reduce((sum, width) => sum + width, 0) +
    FRAME.gap * (columns.length + 2);
  return { template, least, name };
}
