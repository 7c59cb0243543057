/**
 * Figures of the statistics screen: scales of charts, weeks of a calendar, and sums of sessions by month, weekday and
 * hour. Pure; days are `YYYY-MM-DD` in local time.
 */

import { parseTime } from '../core/format.js';

/** Steps of a scale of time, in seconds. */
const SPANS = Object.freeze([60, 300, 600, 900, 1800, 3600, 7200, 18_000, 36_000, 72_000, 90_000, 180_000, 360_000]);

/** Most lines of a scale above zero. */
const LINES = 4;

/** Kinds that a chart tells apart; what is left is one more, named by the empty string. */
const KINDS = 5;

/**
 * The lines of a scale of time above zero; the last one is at or above the largest value.
 *
 * @param {number} largest in seconds
 * @returns {number[]}
 */
export function timeScale(largest) {
  const last = SPANS[SPANS.length - 1] ?? 1;
  let step = SPANS.find((span) => span * LINES >= largest) ?? last;
  while (step * LINES < largest) step *= 2;
  const count = Math.max(1, Math.ceil(largest / step));
  return Array.from({ length: count }, (_, at) => (at + 1) * step);
}

/**
 * Where each day stands in a calendar with a column for each week, Monday on top.
 *
 * @param {readonly {date: string}[]} cells days in order, none left out
 * @returns {{week: number, weekday: number, isFirst: boolean}[]} whether it is the first day of its month
 */
export function weeks(cells) {
  const first = weekdayOf(cells[0]?.date ?? '');
  return cells.map(({ date }, at) => ({
    week: Math.floor((first + at) / 7),
    weekday: (first + at) % 7,
    isFirst: date.endsWith('-01'),
  }));
}

/**
 * Seconds by weekday, Monday first.
 *
 * @param {readonly {date: string, seconds: number}[]} cells
 * @returns {number[]}
 */
export function byWeekday(cells) {
  const sums = Array(7).fill(0);
  for (const { date, seconds } of cells) sums[weekdayOf(date)] += seconds;
  return sums;
}

/**
 * Seconds by month, for the months of the cells in order.
 *
 * @param {readonly {date: string, seconds: number}[]} cells
 * @returns {{month: string, seconds: number}[]} `month` is `YYYY-MM`
 */
export function byMonth(cells) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const { date, seconds } of cells) sums.set(date.slice(0, 7), (sums.get(date.slice(0, 7)) ?? 0) + seconds);
  return [...sums].map(([month, seconds]) => ({ month, seconds }));
}

/**
 * Seconds by hour of the day. A session that runs over an hour counts in each hour it was played in, and on after
 * midnight.
 *
 * @param {readonly {started: string, seconds: number}[]} sessions
 * @returns {number[]} 24 sums
 */
export function byHour(sessions) {
  const sums = Array(24).fill(0);
  for (const { started, seconds } of sessions) {
    const at = parseTime(started);
    if (!at || !started.includes('T')) continue;
    let into = at.getMinutes() * 60 + at.getSeconds();
    let rest = Math.min(seconds, 86_400);
    for (let hour = at.getHours(); rest > 0; hour = (hour + 1) % 24) {
      const part = Math.min(rest, 3600 - into);
      sums[hour] += part;
      rest -= part;
      into = 0;
    }
  }
  return sums;
}

/**
 * Seconds by month and kind, as of platforms: those with most time each on their own, the largest first, and what is
 * left together under the empty name.
 *
 * @param {readonly {date: string, seconds: number, kinds: readonly string[]}[]} sessions each counts for all its kinds
 * @param {readonly string[]} months `YYYY-MM` in order
 * @returns {{name: string, seconds: number[]}[]}
 */
export function overTime(sessions, months) {
  /** @type {Map<string, number[]>} */
  const kinds = new Map();
  for (const { date, seconds, kinds: names } of sessions) {
    const at = months.indexOf(date.slice(0, 7));
    if (at < 0) continue;
    for (const name of names) {
      const sums = kinds.get(name) ?? Array(months.length).fill(0);
      sums[at] += seconds;
      kinds.set(name, sums);
    }
  }
  const total = (/** @type {readonly number[]} */ sums) => sums.reduce((sum, each) => sum + each, 0);
  const order = [...kinds].filter(([name]) => name !== '')
    .sort(([a, left], [b, right]) => total(right) - total(left) || (a < b ? -1 : 1));
  const rest = [...order.slice(KINDS), ...[...kinds].filter(([name]) => name === '')].map(([, sums]) => sums);
  const shown = order.slice(0, KINDS).map(([name, seconds]) => ({ name, seconds }));
  const left = months.map((_, at) => rest.reduce((sum, sums) => sum + (sums[at] ?? 0), 0));
  return total(left) > 0 ? [...shown, { name: '', seconds: left }] : shown;
}

/**
 * @param {string} day
 * @returns {number} 0 for Monday
 */
function weekdayOf(day) {
  return ((parseTime(day)?.getDay() ?? 1) + 6) % 7;
}
