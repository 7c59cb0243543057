/**
 * Files of the games of the demo, in folders as people keep them.
 */

import { zipOf } from './keepsakes.js';

/** How names of files end, by platform. */
const ENDS = Object.freeze(/** @type {Record<string, string>} */ ({
  'NES': 'nes',
  'SNES': 'sfc',
  'Nintendo 64': 'z64',
  'Game Boy': 'gb',
  'Game Boy Advance': 'gba',
  'Nintendo DS': 'nds',
  'Sega Genesis': 'md',
  'Dreamcast': 'chd',
  'PlayStation': 'chd',
  'Linux': 'x86_64',
  'Windows': 'exe',
  'Arcade': 'zip',
}));

/**
 * @param {import('./service.js').Scratch} scratch
 * @returns {(record: Record<string, unknown>, isGone?: boolean) => string} makes the file of a game, which stays away
 *   when it is gone, and gives its path
 */
export function gameFiles(scratch) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  return (record, isGone = false) => {
    const [name, platform] = [String(record['name']), String(record['platform'])];
    const end = ENDS[platform] ?? 'iso';
    const count = (counts.get(`${platform}/${name}`) ?? 0) + 1;
    counts.set(`${platform}/${name}`, count);
    const file = `${isGone ? 'Old disk' : 'Games'}/${platform}/${name}${count > 1 ? ` (Rev ${count})` : ''}.${end}`;
    if (isGone) return `${scratch.root}/${file}`;
    return scratch.file(file, end === 'zip' ? zipOf(`${name}.rom`) : `game ${String(record['game_id'])}`);
  };
}
