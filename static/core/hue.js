/**
 * The hue of an artwork, to tint the surfaces around it. Reads a tiny copy of the picture; keeps nothing but the
 * number.
 */

const SIDE = 12;

/** @type {Map<string, number | null>} */
const known = new Map();

/**
 * The strongest hue of a loaded picture, 0..359, or `null` for a grey one.
 *
 * @param {HTMLImageElement} image
 * @returns {number | null}
 */
export function artworkHue(image) {
  const cached = known.get(image.src);
  if (cached !== undefined) return cached;
  const canvas = document.createElement('canvas');
  canvas.width = SIDE;
  canvas.height = SIDE;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) return null;
  context.drawImage(image, 0, 0, SIDE, SIDE);
  const hue = strongestHue(context.getImageData(0, 0, SIDE, SIDE).data);
  if (known.size > 500) known.clear();
  known.set(image.src, hue);
  return hue;
}

/**
 * The weighted most frequent hue of RGBA pixels; saturated pixels of middle lightness weigh most.
 *
 * @param {Uint8ClampedArray | readonly number[]} pixels
 * @returns {number | null}
 */
export function strongestHue(pixels) {
  const bins = new Float64Array(24);
  for (let at = 0; at + 3 < pixels.length; at += 4) {
    const [r, g, b] = [(pixels[at] ?? 0) / 255, (pixels[at + 1] ?? 0) / 255, (pixels[at + 2] ?? 0) / 255];
    const max = Math.max(r, g, b);
    const spread = max - Math.min(r, g, b);
    if (spread < 0.08) continue;
    const sector = max === r ? ((g - b) / spread + 6) % 6 : max === g ? (b - r) / spread + 2 : (r - g) / spread + 4;
    const bin = Math.floor(sector * 4) % 24;
    bins[bin] = (bins[bin] ?? 0) + spread * Math.min(max, 0.9);
  }
  const best = bins.indexOf(Math.max(...bins));
  return (bins[best] ?? 0) < 0.4 ? null : best * 15 + 7;
}
