/**
 * The media of a game: screenshots, artwork of every kind, videos and music.
 */

import { addFirst, h, icon, patch } from '../../core/dom.js';
import { MEDIA } from '../../data/media.js';
import { mirroredCopy } from '../blurred.js';
import { openPictures } from '../picture.js';
import { busyButton } from '../act.js';
import { addPictures, chooseFiles } from './picture-add.js';
import { pickPicture } from './picture-pick.js';
import { receivePictures } from '../picture-drop.js';
import { smallEmptyBox } from '../state-box.js';

/** How wide a picture of the gallery is before it is opened, in CSS pixels. */
const SMALL = 240;

/** The class of pictures that say what they are. */
const ARTWORK = 'shots artwork';

/** What is beside artwork of another shape than its place, all in pixels of the copy. */
const SURROUND = Object.freeze({ width: 64, height: 40, blur: 3, filter: 'brightness(0.55)' });

/** From this opacity on a picture has an edge; drawn names and discs have none that could go on. */
const OPAQUE = 250;

/** Screenshots in the line on the first tab. */
const STRIP = 6;

/** Names of files that the gallery can show; the file of a picture kind may be something else. */
const PICTURE = /\.(?:png|jpe?g|gif|webp|avif|bmp|svg|ico)$/i;

/**
 * @param {App.Context} ctx
 * @param {string} id
 * @returns {App.GamePanel}
 */
export function galleryPanel(ctx, id) {
  const { t } = ctx;
  const root = h('div', { class: 'gallery' });
  receivePictures(root, '.gallery', (files) => void addPictures(ctx, id, files).catch(ctx.fail));
  let shown = '';
  return {
    element: root,
    update: (record) => {
      const state = JSON.stringify([mediaOf(record), ctx.catalog.epoch]);
      // What is playing must not begin again because a number changed.
      if (state === shown) return;
      shown = state;
      const { shots, artwork, hasVideo, hasMusic, hasManual } = mediaOf(record);
      const source = (/** @type {string} */ kind, /** @type {number} */ index = -1) =>
        ctx.client.media(id, kind, ctx.catalog.epoch, index < 0 ? {} : { index });
      const small = (/** @type {string} */ kind, /** @type {number} */ index = -1) =>
        ctx.client.media(id, kind, ctx.catalog.epoch, index < 0 ? { width: SMALL } : { index, width: SMALL });
      const pick = h('button', { class: 'button owner-only', type: 'button', 'data-focus': 'pick',
        on: { click: () => void pickPicture(ctx, id).catch(ctx.fail) } }, icon('picture', 'icon-s'), t('pick.action'));
      const add = h('button', { class: 'button owner-only', type: 'button', 'data-focus': 'add',
        on: { click: () => chooseFiles(ctx, id) } }, icon('plus', 'icon-s'), t('picture.add.action'));
      const renew = busyButton(ctx, { label: t('fill.game'), symbol: 'spark', focus: 'renew', style: 'owner-only',
        run: () => ctx.actions.fill(id) });
      const isEmpty = shots.length + artwork.length === 0 && !hasVideo && !hasMusic && !hasManual;
      patch(root, isEmpty
        ? smallEmptyBox(ctx, 'picture', 'gallery.none', pick, add, renew,
          h('button', { class: 'button owner-only', type: 'button',
            on: { click: () => void ctx.actions.edit(id, 'media') } }, t('gallery.none.action')))
        : h('div', { class: 'acts' }, pick, add, renew,
          h('span', { class: 'hints owner-only' }, t('picture.add.hint'))), hasVideo
        ? h('section', null, h('h2', null, t('gallery.video')),
          h('video', { class: 'clip', controls: true, preload: 'metadata', src: source('video'),
            'aria-label': t('gallery.video') }))
        : null, shots.length > 0 ? pictures(ctx, 'game.gallery', shotsOf(ctx, id, shots), 'shots') : null,
        artwork.length > 0
          ? pictures(ctx, 'gallery.artwork',
            artwork.map((kind) => ({ source: source(kind), small: small(kind), label: t(`choice.${kind}`) })), ARTWORK)
          : null, hasMusic
        ? h('section', null, h('h2', null, t('choice.music')),
          h('audio', { controls: true, preload: 'none', src: source('music'), 'aria-label': t('choice.music') }))
        : null, hasManual
        ? h('section', null, h('h2', null, t('choice.manual')),
          h('a', { class: 'button', href: source('manual'), target: '_blank', rel: 'noopener noreferrer' },
            icon('file', 'icon-s'), t('extras.read')))
        : null);
    },
  };
}

/**
 * The first screenshots of a game in one line, and the way to the others; `null` where there are none.
 *
 * @param {App.Context} ctx
 * @param {string} id
 * @param {Api.Game} record
 * @returns {App.Child}
 */
export function shotStrip(ctx, id, record) {
  const { shots } = mediaOf(record);
  if (shots.length === 0) return null;
  return h('section', { class: 'shot-strip' }, pictureList(ctx, shotsOf(ctx, id, shots), 'shots first-shots', STRIP),
    shots.length > STRIP
      ? h('a', { class: 'button quiet', href: `#/game/${encodeURIComponent(id)}?tab=media`, 'data-focus': 'all-shots' },
        ctx.t('home.all'))
      : null);
}

/**
 * How many things the gallery shows.
 *
 * @param {Api.Game} record
 * @returns {number}
 */
export function countMedia(record) {
  const { shots, artwork, hasVideo, hasMusic, hasManual } = mediaOf(record);
  return shots.length + artwork.length + Number(hasVideo) + Number(hasMusic) + Number(hasManual);
}

/** @param {Api.Game} record */
function mediaOf(record) {
  const has = (/** @type {string} */ kind) => record[`has_${kind}`] === true;
  return {
    shots: Array.isArray(record.available_screenshots) ? record.available_screenshots : [],
    artwork: MEDIA.filter(({ content, list }) => content === 'picture' && !list).map(({ kind }) => kind)
      .filter((kind) => has(kind) && PICTURE.test(String(record[kind] ?? ''))),
    hasVideo: has('video'),
    hasMusic: has('music'),
    hasManual: has('manual'),
  };
}

/**
 * The screenshots of a game as pictures.
 *
 * @param {App.Context} ctx
 * @param {string} id
 * @param {readonly number[]} shots their indexes
 * @returns {App.Picture[]}
 */
function shotsOf({ client, catalog, t }, id, shots) {
  const source = (/** @type {object} */ options) => client.media(id, 'screenshot', catalog.epoch, options);
  return shots.map((index, at) => ({ source: source({ index }), small: source({ index, width: SMALL }),
    label: t('game.picture', { number: at + 1 }) })
  );
}

/** @param {Event} event of a picture that does not fill its place */
function surround({ currentTarget }) {
  const image = /** @type {HTMLImageElement} */ (currentTarget);
  const place = image.parentElement;
  place?.querySelector(':scope > canvas')?.remove();
  const copy = mirroredCopy(image, SURROUND);
  const alpha = copy.getContext('2d')?.getImageData(0, SURROUND.height / 2, 1, 1).data[3] ?? 0;
  if (place && alpha >= OPAQUE) addFirst(place, copy);
}

/**
 * @param {App.Context} ctx
 * @param {string} title
 * @param {readonly App.Picture[]} list
 * @param {string} className
 */
function pictures(ctx, title, list, className) {
  return h('section', null, h('h2', null, ctx.t(title)), pictureList(ctx, list, className));
}

/**
 * @param {App.Context} ctx
 * @param {readonly App.Picture[]} list
 * @param {string} className
 * @param {number} [most] so many of them are shown; opened, each leads to all
 */
function pictureList(ctx, list, className, most = list.length) {
  return h('ul', { class: className, 'aria-label': ctx.tn('game.pictures', list.length) },
    list.slice(0, most).map((picture, at) =>
      h('li', null,
        h('button', { type: 'button', 'data-focus': `${className}-${at}`, 'aria-label': picture.label,
          on: { click: () => openPictures(ctx, list, at) } },
          h('img', { src: picture.small, alt: '', loading: 'lazy', decoding: 'async',
            on: className === ARTWORK ? { load: surround } : {} })),
        className === ARTWORK ? h('span', { class: 'what', 'aria-hidden': 'true' }, picture.label) : null)
    ));
}
