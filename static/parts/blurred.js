/**
 * A small blurred copy of a picture: what is behind a picture that does not fill its place. It is drawn once; a filter
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
