/**
 * Which picture stands for a game in the library, chosen for everything, for a platform or for a playlist (`POST
 * /api/image-group`), and what shape the tiles take that show it. Pure.
 */

import { FLAG } from './game.js';

/** Shapes of tiles, height / width. */
const TALL = 4 / 3;
const WIDE = 9 / 16;

/**
 * The groups that can be shown: what a row says when the picture is there, the shape of the tiles, and whether the
 * picture is cut at no edge because its outline is part of it.
 *
 * @type {Readonly<Record<string, {readonly flag: number, readonly ratio: number, readonly isWhole?: boolean}>>}
 */
const PICTURES = Object.freeze({
  cover: { flag: FLAG.cover, ratio: TALL },
  background: { flag: FLAG.background, ratio: WIDE },
  screenshot: { flag: FLAG.screenshot, ratio: WIDE },
  clear_logo: { flag: FLAG.logo, ratio: WIDE, isWhole: true },
  fanart: { flag: FLAG.fanart, ratio: WIDE },
  banner: { flag: FLAG.banner, ratio: WIDE },
  icon: { flag: FLAG.icon, ratio: 1, isWhole: true },
  box_back: { flag: FLAG.boxBack, ratio: TALL },
  box_spine: { flag: FLAG.boxSpine, ratio: TALL, isWhole: true },
  box_3d: { flag: FLAG.box3d, ratio: TALL, isWhole: true },
  title_screen: { flag: FLAG.titleScreen, ratio: WIDE },
});

/** What stands for a game where nothing was chosen. */
const USUAL = 'cover';

/** Groups a person can choose, in order. */
export const PICTURE_GROUPS = Object.freeze(Object.keys(PICTURES));

/**
 * The group for games of a playlist or a platform: the narrowest choice counts. A group without pictures that can be
 * shown stands for the usual one.
 *
 * @param {Api.Settings} settings
 * @param {{playlist?: string, platform?: string}} scope
 * @returns {string}
 */
export function pictureGroup(settings, { playlist = '', platform = '' }) {
  const chosen = [scoped(settings['image_group_by_playlist'], playlist),
    scoped(settings['image_group_by_platform'], platform), settings['image_group']];
  return chosen.map(String).find((group) => Object.hasOwn(PICTURES, group)) ?? USUAL;
}

/**
 * The kind of the picture to show: that of the group, else the cover; the empty string when there is neither.
 *
 * @param {App.Row} row
 * @param {string} group
 * @returns {string}
 */
export function pictureKind(row, group = USUAL) {
  if (row.flags & (PICTURES[group]?.flag ?? 0)) return group;
  return row.flags & FLAG.cover ? USUAL : '';
}

/**
 * Height / width of the tiles that show a group.
 *
 * @param {string} group
 * @returns {number}
 */
export function pictureRatio(group) {
  return PICTURES[group]?.ratio ?? TALL;
}

/**
 * @param {string} kind
 * @returns {boolean}
 */
export function isWholePicture(kind) {
  return PICTURES[kind]?.isWhole ?? false;
}

/**
 * @param {unknown} choices
 * @param {string} name
 * @returns {unknown}
 */
function scoped(choices, name) {
  return choices && typeof choices === 'object' && Object.hasOwn(choices, name)
    ? /** @type {Record<string, unknown>} */ (choices)[name]
    : undefined;
}
