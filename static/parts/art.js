/**
 * The picture of a game: its cover or another picture, or a title tile in the colour of its platform. Never a broken
 * image.
 */

import { artworkHue } from '../core/hue.js';
import { isJoined, monogram, platformHue } from '../data/game.js';
import { addFirst, h } from '../core/dom.js';
import { isWholePicture, pictureKind } from '../data/pictures.js';
import { mirroredCopy } from './blurred.js';
import { platformSymbol } from './platform-symbol.js';

/** Artwork this close to the box (height / width) is cropped to fill it; anything else keeps its whole shape. */
const FILL_TOLERANCE = 0.14;

/** How wide a picture is in a row, where nobody says another width, in CSS pixels. */
const ROW_WIDTH = 48;

/**
 * What surrounds a picture of another shape: its own mirrored, blurred and darkened copy, so many pixels wide in the
 * copy. The picture itself stays the brightest part.
 */
const SURROUND = Object.freeze({ width: 48, blur: 2, filter: 'brightness(0.75) saturate(1.1)' });

/** How a box is shown again whose picture did not come. @type {WeakMap<HTMLElement, () => void>} */
const missed = new WeakMap();

/** Shapes (height / width) a box that follows its artwork may take. */
const SHAPES = Object.freeze({ flattest: 0.55, tallest: 1.6 });

/**
 * @param {App.Context} ctx
 * @param {App.Row} row
 * @param {App.ArtOptions} [options]
 * @returns {HTMLDivElement}
 */
export function art(ctx, row, options) {
  const box = h('div', { class: 'art', 'data-key': artKey(ctx, row, options) });
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
export function showArt(ctx, box, row, options = {}) {
  const { width = ROW_WIDTH, onHue, follows = false, kind = pictureKind(row) } = options;
  clearArt(box);
  box.style.setProperty('--hue', String(platformHue(row.platform)));
  if (!kind) {
    box.replaceChildren(titleTile(row));
    onHue?.(platformHue(row.platform));
    return;
  }
  /** @param {Event} event */
  const load = ({ currentTarget }) => {
    const image = /** @type {HTMLImageElement} */ (currentTarget);
    const box = image.parentElement;
    if (!box) return;
    const shape = image.naturalHeight / Math.max(1, image.naturalWidth);
    if (follows) box.style.aspectRatio = String(1 / Math.max(SHAPES.flattest, Math.min(SHAPES.tallest, shape)));
    const frame = box.clientHeight / Math.max(1, box.clientWidth) || 4 / 3;
    const fills = !isWholePicture(kind) &&
      (Math.abs(shape / frame - 1) <= FILL_TOLERANCE || !ctx.preferences.keepsShapes);
    image.classList.toggle('fills', fills);
    image.classList.add('shown');
    box.classList.remove('missed');
    if (fills && !onHue) return;
    const hue = artworkHue(image);
    onHue?.(hue);
    if (fills) return;
    if (hue !== null) box.style.setProperty('--hue', String(hue));
    box.classList.add('framed');
    box.querySelector(':scope > canvas')?.remove();
    addFirst(box, mirroredCopy(image, { ...SURROUND, height: Math.round(SURROUND.width * frame) }));
  };
  /** @param {Event} event */
  const error = ({ currentTarget }) => {
    const image = /** @type {HTMLImageElement} */ (currentTarget);
    // The box may show another game by now.
    const box = image.parentElement;
    if (!box) return;
    image.replaceWith(titleTile(row));
    box.classList.add('missed');
    missed.set(box, () => showArt(ctx, box, row, options));
    onHue?.(platformHue(row.platform));
  };
  box.replaceChildren(
    h('img', { alt: '', decoding: 'async', draggable: 'false', src: address(ctx, row, kind, width),
      on: { load, error } }),
  );
}

/**
 * Empties a box that is about to show another game: neither the picture nor the frame and the shape it gave stay.
 *
 * @param {HTMLElement} box
 */
export function clearArt(box) {
  box.replaceChildren();
  box.classList.remove('framed', 'missed');
  box.style.removeProperty('--hue');
  box.style.removeProperty('aspect-ratio');
}

/** Asks once more for the pictures on the page that did not come. */
export function showMissedArt() {
  for (const box of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('.art.missed')))
    missed.get(box)?.();
}

/**
 * @param {App.Row} row
 * @returns {HTMLElement}
 */
function titleTile(row) {
  const letters = monogram(row.name);
  return h('div', { class: 'mono' }, row.platform ? platformSymbol(row.platform) : null,
    h('b', { class: isJoined(letters) ? 'joined' : letters.length > 2 ? 'long' : null }, letters),
    h('span', null, row.platform));
}

/**
 * What the picture of a game depends on, to know when a box must show another one.
 *
 * @param {App.Context} ctx
 * @param {App.Row} row
 * @param {App.ArtOptions} [options]
 * @returns {string}
 */
export function artKey(ctx, row, { width = ROW_WIDTH, kind = pictureKind(row) } = {}) {
  return kind
    ? `${address(ctx, row, kind, width)}${ctx.preferences.keepsShapes ? '' : '|cut'}`
    : `${row.id}|${row.name}${row.platform}`;
}

/**
 * @param {App.Context} ctx
 * @param {App.Row} row
 * @param {string} kind
 * @param {number} width
 */
function address(ctx, row, kind, width) {
  return ctx.client.media(row.id, kind, ctx.catalog.epoch, { width, ...(kind === 'screenshot' ? { index: 0 } : {}) });
}
