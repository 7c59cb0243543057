/**
 * The picture of a game: its cover, or a title tile in the colour of its platform. Never a broken image.
 */

import { artworkHue } from '../core/hue.js';
import { FLAG, monogram, platformHue } from '../core/game.js';
import { h } from '../core/dom.js';

/** Artwork this close to the box (height / width) is cropped to fill it; anything else keeps its whole shape. */
const FILL_TOLERANCE = 0.14;

/** How wide a picture is in a row, where nobody says another width, in CSS pixels. */
const ROW_WIDTH = 48;

/** Shapes (height / width) a box that follows its artwork may take. */
const SHAPES = Object.freeze({ flattest: 0.55, tallest: 1.6 });

/**
 * @param {App.Context} ctx
 * @param {App.Row} row
 * @param {App.ArtOptions} [options]
 * @returns {HTMLDivElement}
 */
export function art(ctx, row, options) {
  const box = h('div', { class: 'art' });
  showArt(ctx, box, row, options);
  return box;
}

/**
 * Puts another game into an existing box.
 *
 * @param {App.Context} ctx
 * @param {HTMLElement} box
 * @param {App.Row} row
 * @param {App.ArtOptions} [options]
 */
export function showArt(ctx, box, row, { width = ROW_WIDTH, onHue, follows = false } = {}) {
  box.classList.remove('framed');
  box.style.setProperty('--hue', String(platformHue(row.platform)));
  if ((row.flags & FLAG.cover) === 0) {
    box.replaceChildren(titleTile(row));
    onHue?.(platformHue(row.platform));
    return;
  }
  const image = h('img', { alt: '', decoding: 'async', draggable: 'false' });
  image.addEventListener('load', () => {
    const shape = image.naturalHeight / Math.max(1, image.naturalWidth);
    if (follows) box.style.aspectRatio = String(1 / Math.max(SHAPES.flattest, Math.min(SHAPES.tallest, shape)));
    const frame = box.clientHeight / Math.max(1, box.clientWidth) || 4 / 3;
    const fills = Math.abs(shape / frame - 1) <= FILL_TOLERANCE;
    image.classList.toggle('fills', fills);
    image.classList.add('shown');
    if (fills && !onHue) return;
    const hue = artworkHue(image);
    onHue?.(hue);
    if (!fills && hue !== null) {
      box.style.setProperty('--hue', String(hue));
      box.classList.add('framed');
    }
  });
  image.addEventListener('error', () => {
    box.replaceChildren(titleTile(row));
    onHue?.(platformHue(row.platform));
  });
  image.src = ctx.client.media(row.id, 'cover', ctx.catalog.epoch, { width });
  box.replaceChildren(image);
}

/**
 * @param {App.Row} row
 * @returns {HTMLElement}
 */
function titleTile(row) {
  return h('div', { class: 'mono' }, h('b', null, monogram(row.name)), h('span', null, row.platform));
}

/**
 * What the picture of a game depends on, to know when a box must show another one.
 *
 * @param {App.Context} ctx
 * @param {App.Row} row
 * @param {number} [width]
 * @returns {string}
 */
export function artKey(ctx, row, width = ROW_WIDTH) {
  return row.flags & FLAG.cover ? ctx.client.media(row.id, 'cover', ctx.catalog.epoch, { width }) : `${row.id}|${row.name}${row.platform}`;
}
