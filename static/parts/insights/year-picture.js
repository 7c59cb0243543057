/**
 * The recap of a year as one picture, drawn in the page and saved as a file.
 */

import { h } from '../../core/dom.js';

/** The picture, in pixels. */
const SIZE = Object.freeze({ width: 1080, height: 1350, edge: 80 });

/** Colours of the picture, the same in every theme: it is looked at elsewhere. */
const COLOURS = Object.freeze({ from: '#1b1f3f', to: '#4a2a6a', text: '#ffffff', soft: '#d5d0f2', bar: '#93a5ff' });

const FONT = 'Inter, "Noto Sans", "Segoe UI", Roboto, "Liberation Sans", sans-serif';

/**
 * Draws the year and saves it.
 *
 * @param {App.Context} ctx
 * @param {Reply.Wrapped} wrapped
 */
export async function saveYear(ctx, wrapped) {
  const { t } = ctx;
  const canvas = await drawYear(ctx, wrapped);
  const blob = await new Promise((/** @type {(blob: Blob | null) => void} */ resolve) =>
    canvas.toBlob(resolve, 'image/png')
  );
  if (!blob) throw new Error(t('year.failed'));
  const address = URL.createObjectURL(blob);
  h('a', { href: address, download: `${wrapped.year}.png` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  ctx.announce(t('year.saved'));
}

/**
 * @param {App.Context} ctx
 * @param {Reply.Wrapped} wrapped
 * @returns {Promise<HTMLCanvasElement>}
 */
async function drawYear(ctx, wrapped) {
  const { t, tn, format, client, catalog } = ctx;
  const { width, height, edge } = SIZE;
  const canvas = h('canvas', { width, height });
  const pen = canvas.getContext('2d');
  if (!pen) return canvas;
  const back = pen.createLinearGradient(0, 0, width, height);
  back.addColorStop(0, COLOURS.from);
  back.addColorStop(1, COLOURS.to);
  pen.fillStyle = back;
  pen.fillRect(0, 0, width, height);
  const write = (/** @type {string} */ text, /** @type {number} */ y, /** @type {number} */ size, /** @type {string} */
    colour, /** @type {number} */ x = edge, /** @type {number} */ most = width - 2 * edge) => {
    pen.fillStyle = colour;
    let now = size;
    do {
      pen.font = `${size > 40 ? 700 : 500} ${now}px ${FONT}`;
      now -= 2;
    } while (now > 20 && pen.measureText(text).width > most);
    pen.fillText(text, x, y, most);
  };
  const { totals, top, streak } = wrapped;
  write(t('year.title', { year: wrapped.year }), 130, 44, COLOURS.soft);
  write(format.span(totals.playtime_seconds), 250, 110, COLOURS.text);
  write(
    t('year.totals', { sessions: tn('year.sessions', totals.sessions), games: tn('year.games', totals.games_played) }),
    310,
    34,
    COLOURS.soft,
  );
  const best = top.game;
  let left = edge;
  if (best) {
    const row = catalog.find(best.game_id);
    const cover = row ? await picture(client.media(best.game_id, 'cover', catalog.epoch)) : null;
    if (cover) {
      const scale = Math.min(270 / cover.naturalWidth, 360 / cover.naturalHeight);
      pen.drawImage(cover, edge, 390, cover.naturalWidth * scale, cover.naturalHeight * scale);
      left = edge + 320;
    }
    const room = width - left - edge;
    write(t('year.topGame'), 440, 32, COLOURS.soft, left, room);
    write(best.name, 510, 58, COLOURS.text, left, room);
    write(format.span(best.playtime_seconds), 565, 34, COLOURS.soft, left, room);
    write([top.platform?.platform, top.genre?.genre].filter(Boolean).join(' · '), 680, 44, COLOURS.text, left, room);
    if (streak.longest > 1)
      write(`${t('year.streak')}: ${tn('year.days', streak.longest)}`, 740, 32, COLOURS.soft, left, room);
  }
  const months = wrapped.per_month;
  const most = Math.max(1, ...months);
  const step = (width - 2 * edge) / 12;
  months.forEach((seconds, at) => {
    const tall = (300 * seconds) / most;
    pen.fillStyle = COLOURS.bar;
    pen.beginPath();
    pen.roundRect(edge + at * step + 8, 1180 - tall, step - 16, Math.max(4, tall), 10);
    pen.fill();
    const month = format.month(`${wrapped.year}-${String(at + 1).padStart(2, '0')}`, 'short');
    pen.fillStyle = COLOURS.soft;
    pen.font = `500 24px ${FONT}`;
    pen.textAlign = 'center';
    pen.fillText(month, edge + (at + 0.5) * step, 1220, step);
    pen.textAlign = 'start';
  });
  write('Service Launcher', 1300, 28, COLOURS.soft);
  return canvas;
}

/**
 * @param {string} source
 * @returns {Promise<HTMLImageElement | null>} `null` when it cannot be shown
 */
function picture(source) {
  return new Promise((resolve) => {
    const image = h('img', { alt: '' });
    image.addEventListener('load', () => resolve(image));
    image.addEventListener('error', () => resolve(null));
    image.src = source;
  });
}
