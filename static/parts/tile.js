/**
 * One game in the grid or the list: its picture, marks, caption and cells. A tile is made once and shows another game
 * whenever the grid asks.
 */

import { artKey, clearArt, showArt } from './art.js';
import { NUMERIC } from '../data/columns.js';
import { h, icon } from '../core/dom.js';
import { FLAG, isMissing } from '../data/game.js';
import { tileMarks } from '../data/marks.js';

/**
 * @param {readonly string[]} columns of the list
 * @returns {App.Tile}
 */
export function makeTile(columns) {
  // Pictures and marks are for the eye; the caption and the hidden words after it say the same.
  const art = h('div', { class: 'art', 'aria-hidden': 'true' });
  const marks = h('div', { class: 'marks', 'aria-hidden': 'true' });
  const name = h('div', { class: 'name' });
  const sub = h('div', { class: 'sub' });
  const spoken = h('span', { class: 'sr-only' });
  const go = h('span', { class: 'go', 'aria-hidden': 'true' }, icon('play'));
  const choose = h('span', { class: 'choose', 'aria-hidden': 'true' }, icon('tick'));
  const element = h('div', { class: 'tile', role: 'option', tabindex: -1, draggable: 'true' }, art, go, choose, marks,
    h('div', { class: 'caption' }, name, sub, spoken));
  const tile = { element, art, marks, name, sub, spoken, cells: new Map(), id: '', shown: '' };
  setCells(tile, columns);
  return tile;
}

/**
 * Gives a tile the cells of other columns.
 *
 * @param {App.Tile} tile
 * @param {readonly string[]} columns
 */
export function setCells(tile, columns) {
  for (const cell of tile.cells.values()) cell.remove();
  tile.cells.clear();
  columns.forEach((column, index) => {
    const cell = h('span', { class: `cell ${NUMERIC.includes(column) ? 'number' : ''}`,
      style: { 'grid-column': index + 4 } });
    tile.cells.set(column, cell);
    tile.element.append(cell);
  });
}

/**
 * Puts the picture of a game into a tile. A title tile needs no request, so it stands at once; for a picture the tile
 * stays empty until somebody looks.
 *
 * @param {App.Context} ctx
 * @param {App.Tile} tile
 * @param {App.Row} row
 * @param {App.ArtOptions} options
 * @param {boolean} isSeen
 */
export function dressTile(ctx, tile, row, options, isSeen) {
  const key = artKey(ctx, row, options);
  if (tile.shown === key) return;
  if (isSeen || !options.kind) {
    tile.shown = key;
    showArt(ctx, tile.art, row, options);
  } else {
    tile.shown = '';
    clearArt(tile.art);
  }
}

/**
 * Writes the words and marks of a game into a tile.
 *
 * @param {App.Context} ctx
 * @param {App.Tile} tile
 * @param {App.Row} row
 * @param {boolean} isRunning
 */
export function labelTile(ctx, tile, row, isRunning) {
  const { t, preferences } = ctx;
  const isAbsent = isMissing(row);
  const isFavorite = (row.flags & FLAG.favorite) !== 0;
  if (tile.name.textContent !== row.name) tile.name.textContent = row.name;
  const sub = [row.platform, row.year].filter(Boolean).join(' · ');
  if (tile.sub.textContent !== sub)
    tile.sub.replaceChildren(h('span', { class: 'of' }, row.platform),
      h('span', { class: 'year' }, sub.slice(row.platform.length)));
  tile.element.classList.toggle('absent', isAbsent);
  for (const [column, cell] of tile.cells) {
    const text = cellText(ctx, row, column);
    if (cell.textContent !== text) cell.textContent = text;
  }
  const marks = tileMarks(row, { isRunning, shown: preferences.marks, isLaunchShown: preferences.showsLaunchMarks });
  const shown = marks.join();
  if (tile.marks.dataset['shown'] !== shown) {
    tile.marks.dataset['shown'] = shown;
    tile.marks.replaceChildren(...marks.map(([kind, symbol]) => h('span', { class: `mark ${kind}` }, icon(symbol))));
  }
  const words = [row.progress ? t(`progress.${row.progress}`) : '', isFavorite ? t('mark.favorite') : '',
    isAbsent ? t('mark.missing') : '', isRunning ? t('mark.running') : ''];
  tile.spoken.textContent = words.filter(Boolean).map((word) => `, ${word}`).join('');
}

/**
 * What a column says about a game.
 *
 * @param {App.Context} ctx
 * @param {App.Row} row
 * @param {string} column
 * @returns {string}
 */
export function cellText({ t, format }, row, column) {
  switch (column) {
    case 'progress':
      return row.progress ? t(`progress.${row.progress}`) : '';
    case 'playtime_seconds':
      return row.seconds > 0 ? format.span(row.seconds) : '';
    case 'last_played':
      return row.last ? format.since(row.last, new Date()) : '';
    case 'added_at':
      return row.added ? format.date(row.added) : '';
    case 'play_count':
      return row.plays > 0 ? format.number(row.plays) : '';
    case 'rating':
      return row.rating > 0 ? format.decimal(row.rating, 1) : '';
    case 'user_rating':
      return '★'.repeat(row.stars);
    case 'tags':
      return row.tags.join(', ');
    case 'platform':
    case 'genre':
    case 'developer':
    case 'publisher':
    case 'series':
    case 'region':
    case 'year':
    case 'esrb':
    case 'source':
      return row[column];
    default:
      return '';
  }
}
