/**
 * A library file with many games, and covers for the first ones.
 */

import { gameRecord } from './names.js';
import { poster } from './picture.js';

/** Different covers; games share them. */
export const COVERS = 36;

/**
 * Where a cover lies.
 *
 * @param {import('./service.js').Scratch} scratch
 * @param {number} index
 */
export const coverPath = (scratch, index) => `${scratch.root}/data/media/posters/${index % COVERS}.png`;

/**
 * @param {import('./service.js').Scratch} scratch
 * @param {number} count
 * @param {{history?: number, hasCovers?: boolean}} [options] `history` is the number of sessions; without covers the pictures are there, but
 *   no game names one
 */
export function writeLibrary(scratch, count, { history = 0, hasCovers = true } = {}) {
  for (let index = 0; index < COVERS; index += 1)
    scratch.file(`data/media/posters/${index}.png`,
      index % 6 === 4 ? poster(index, 280, 200) : poster(index, 300, index % 5 === 2 ? 450 : 400));
  const real = scratch.file('roms/game.rom', 'a game');
  const games = Array.from({ length: count }, (_, index) => {
    const record = gameRecord(index, index % 29 === 3
      ? `${scratch.root}/gone/${index}.rom`
      : index === 0
      ? real
      : scratch.file(`roms/${Math.floor(index / 1000)}/${index}.rom`, ''));
    return index % 3 === 2 || !hasCovers ? record : { ...record, cover: coverPath(scratch, index) };
  });
  const local = (/** @type {number} */ time) =>
    new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
  const rows = Array.from({ length: history }, (_, index) => {
    const game = games[(index * 7) % Math.max(1, games.length)];
    return { game: game?.['name'], game_id: game?.['game_id'],
      started: local(Date.now() - index * 31_000_000 - 3_600_000), seconds: 200 + ((index * 977) % 9000),
      exit_code: index % 9 === 4 ? 1 : 0 };
  });
  scratch.file('data/library.json',
    JSON.stringify({ schema_version: 6, games, profiles: {}, history: rows, settings: {}, playlists: [], queue: [],
      notifications: [], ui_state: {}, active_sessions: [], trash: [] }), 0o600);
}
