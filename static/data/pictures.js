/**
 * Which picture represents a game in the library, chosen for everything, for a platform or for a playlist (`POST
 * /api/image-group`), and what shape the tiles take that show it. Pure.
 */

import { FLAG } from './game.js';
import { MEDIA } from './media.js';

/** Height / width of tiles by the shape of their pictures. */
const RATIOS = Object.freeze({ tall: 4 / 3, wide: 9 / 16, square: 1 });

/** The group where nothing was chosen. */
const USUAL = 'cover';

/** The media kinds that tiles can show, in order. */
export const tileKinds = () => MEDIA.filter(({ shape }) => shape);

/** @param {string} group */
const tileKind = (group) => MEDIA.find(({ kind, shape }) => shape && kind === group);

/**
 * The group for games of a playlist or a platform: the narrowest choice counts. A group that tiles cannot show
 * counts as the usual one.
 *
 * @param {Api.Settings} settings
 * @param {{playlist?: string, platform?: string}} scope
 * @returns {string}
 */
export function pictureGroup(settings, { playlist = '', platform = '' }) {
  const chosen = [scoped(settings['image_group_by_playlist'], playlist),
    scoped(settings['image_group_by_platform'], platform), settings['image_group']];
  return chosen.map(String).find(tileKind) ?? USUAL;
}

/**
 * The kind of the picture to show: that of the group, else the cover; the empty string when there is neither.
 *
 * @param {App.Row} row
 * @param {string} group
 * @returns {string}
 */
export function pictureKind(row, group = USUAL) {
  if (row.flags & (FLAG[/** @type {keyof typeof FLAG} */ (group)] ?? 0)) return group;
  return row.flags & FLAG.cover ? USUAL : '';
}

/**
 * Height / width of the tiles that show a group.
 *
 * @param {string} group
 * @returns {number}
 */
export function pictureRatio(group) {
  return RATIOS[tileKind(group)?.shape ?? 'tall'];
}

/**
 * @param {string} kind
 * @returns {boolean}
 */
export function isWholePicture(kind) {
  return tileKind(kind)?.whole ?? false;
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
