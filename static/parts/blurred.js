/**
 * Small blurred copies of a picture: what is behind a picture that does not fill its place. It is drawn once; a filter
 * of the style sheet would be computed again whenever something above it moves.
 */

import { h } from '../core/dom.js';

/**
 * A blurred copy that covers a box of this size.
 *
 * @param {HTMLImageElement} image a loaded one
 * @param {{width: number, height: number, blur: number, zoom: number, filter?: string}} options all in pixels of the
 *   copy; `zoom` is how much larger than the box the picture is drawn; `filter` is applied with the blur
 * @returns {HTMLCanvasElement}
 */
export function blurredCopy(image, { width, height, blur, zoom, filter = '' }) {
  const canvas = h('canvas', { width, height, 'aria-hidden': 'true' });
  const context = canvas.getContext('2d');
  if (!context) return canvas;
  const scale = Math.max(width / image.naturalWidth, height / image.naturalHeight) * zoom;
  const [wide, tall] = [image.naturalWidth * scale, image.naturalHeight * scale];
  context.filter = `blur(${blur}px) ${filter}`;
  context.drawImage(image, (width - wide) / 2, (height - tall) / 2, wide, tall);
  return canvas;
}

/** How far a blur reaches, in its own radius. */
const REACH = 3;

/**
 * A blurred copy that goes on where the whole picture ends in the middle of a box: each edge of it meets its own mirror
 * image, so that nothing shows where they meet.
 *
 * @param {HTMLImageElement} image a loaded one
 * @param {{width: number, height: number, blur: number, filter?: string}} options all in pixels of the copy
 * @returns {HTMLCanvasElement}
 */
export function mirroredCopy(image, { width, height, blur, filter = '' }) {
  const canvas = h('canvas', { width, height, 'aria-hidden': 'true' });
  // The blur takes in what is beyond the box.
  const beyond = blur * REACH;
  const [wide, tall] = [width + 2 * beyond, height + 2 * beyond];
  const sharp = h('canvas', { width: wide, height: tall });
  const [context, pen] = [canvas.getContext('2d'), sharp.getContext('2d')];
  if (!context || !pen) return canvas;
  const scale = Math.min(width / image.naturalWidth, height / image.naturalHeight);
  const [across, down] = [image.naturalWidth * scale, image.naturalHeight * scale];
  const [columns, rows] = [(wide / across - 1) / 2, (tall / down - 1) / 2].map(Math.ceil);
  for (let column = -(columns ?? 0); column <= (columns ?? 0); column += 1)
    for (let row = -(rows ?? 0); row <= (rows ?? 0); row += 1) {
      const [flipX, flipY] = [column, row].map((at) => (at % 2 === 0 ? 1 : -1));
      pen.setTransform(flipX ?? 1, 0, 0, flipY ?? 1, wide / 2 + column * across, tall / 2 + row * down);
      pen.drawImage(image, -across / 2, -down / 2, across, down);
    }
  context.filter = `blur(${blur}px) ${filter}`;
  context.drawImage(sharp, -beyond, -beyond);
  return canvas;
}
