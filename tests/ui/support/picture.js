/**
 * Pictures for tests: deterministic posters with a sky, hills and a sun, written as PNG.
 */

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync, crc32 } from 'node:zlib';

import { ROOT } from './sources.js';

/** Drawing takes longer than most tests. The folder is named after this file, so that a change of it draws everything anew. */
const DRAWN = join(ROOT, 'target', 'posters',
  createHash('sha256').update(readFileSync(new URL(import.meta.url))).digest('hex').slice(0, 16));

/**
 * @param {number} seed
 * @param {number} width
 * @param {number} height
 * @returns {Buffer} a PNG file
 */
export function poster(seed, width, height) {
  const path = join(DRAWN, `${seed}-${width}x${height}.png`);
  try {
    return readFileSync(path);
  } catch {
    const bytes = draw(seed, width, height);
    // Another test file may draw the same one at the same time.
    const part = `${path}.${process.pid}`;
    mkdirSync(DRAWN, { recursive: true });
    writeFileSync(part, bytes);
    renameSync(part, path);
    return bytes;
  }
}

/**
 * @param {number} seed
 * @param {number} width
 * @param {number} height
 */
function draw(seed, width, height) {
  const random = numbers(seed);
  const hue = random() * 360;
  const top = color(hue, 0.55, 0.12 + random() * 0.16);
  const low = color(hue + 40 + random() * 50, 0.6, 0.52 + random() * 0.2);
  const sun = { x: width * (0.2 + random() * 0.6), y: height * (0.22 + random() * 0.25),
    r: width * (0.1 + random() * 0.14), rgb: color(hue + 60, 0.85, 0.78) };
  const hills = [0, 1, 2].map((layer) => ({
    base: height * (0.56 + layer * 0.14),
    size: height * (0.1 - layer * 0.02),
    wave: (1.2 + random() * 2.6) / width,
    phase: random() * 7,
    rgb: color(hue + layer * 14, 0.5, 0.3 - layer * 0.09),
  }));
  const rows = Buffer.alloc((width * 3 + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const part = y / height;
      let rgb = top.map((value, index) => value + ((low[index] ?? 0) - value) * part);
      const far = Math.hypot(x - sun.x, y - sun.y);
      if (far < sun.r) rgb = sun.rgb;
      else if (far < sun.r * 2)
        rgb = rgb.map((value, index) => value + ((sun.rgb[index] ?? 0) - value) * 0.4 * (2 - far / sun.r));
      for (const hill of hills) {
        const edge = hill.base +
          hill.size *
            (Math.sin(x * hill.wave * 6.3 + hill.phase) + 0.5 * Math.sin(x * hill.wave * 15 + hill.phase * 2));
        if (y > edge) rgb = hill.rgb.map((value) => value * (1 - 0.3 * ((y - edge) / height)));
      }
      const at = y * (width * 3 + 1) + 1 + x * 3;
      for (let index = 0; index < 3; index += 1)
        rows[at + index] = Math.max(0, Math.min(255, Math.round((rgb[index] ?? 0) * 255)));
    }
  }
  return png(width, height, rows);
}

/**
 * A picture of one color, made quickly.
 *
 * @param {readonly [number, number, number]} rgb
 * @param {number} width
 * @param {number} height
 * @returns {Buffer} a PNG file
 */
export function plain(rgb, width, height) {
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, Buffer.from(rgb))]);
  return png(width, height, Buffer.alloc(row.length * height, row));
}

/**
 * @param {number} width
 * @param {number} height
 * @param {Buffer} rows a zero and three bytes for each pixel
 */
function png(width, height, rows) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}

/**
 * @param {number} seed
 * @returns {() => number} numbers from 0 to 1, the same for the same seed
 */
export function numbers(seed) {
  let state = (seed * 2654435761 + 12345) >>> 0;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 4294967296;
  };
}

/**
 * @param {string} type
 * @param {Buffer} data
 */
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

/**
 * @param {number} hue
 * @param {number} saturation
 * @param {number} light
 * @returns {[number, number, number]} parts of red, green, blue from 0 to 1
 */
function color(hue, saturation, light) {
  const spread = saturation * Math.min(light, 1 - light);
  const part = (/** @type {number} */ n) => {
    const k = (n + (((hue % 360) + 360) % 360) / 30) % 12;
    return light - spread * Math.max(-1, Math.min(k - 3, 9 - k, 1));
  };
  return [part(0), part(8), part(4)];
}
