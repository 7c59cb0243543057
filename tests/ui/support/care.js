/**
 * A library that needs care: two records of one game, files that were moved, and a picture that is there twice.
 */

import { poster } from './picture.js';

/** @param {number} number */
export const careId = (number) => `game-${String(number).padStart(24, '0')}`;

/**
 * Writes it before the program starts.
 *
 * @param {import('./service.js').Scratch} scratch
 */
export function writeCare(scratch) {
  const common = { platform: 'NES', tags: [], notes: [], screenshots: [], save_paths: [] };
  const picture = poster(3, 90, 120);
  const games = [
    { ...common, game_id: careId(1), name: 'Amber Tide (USA)', path: scratch.file('roms/Amber Tide (USA).nes', 'one'),
      play_count: 3, cover: scratch.file('data/media/covers/1.png', picture) },
    { ...common, game_id: careId(2), name: 'Amber Tide (Europe)',
      path: scratch.file('roms/Amber Tide (Europe).nes', 'two'), genre: 'Puzzle' },
    { ...common, game_id: careId(3), name: 'Lost Key', path: `${scratch.root}/gone/Lost Key.nes`,
      cover: scratch.file('data/media/covers/3.png', picture) },
    { ...common, game_id: careId(4), name: 'Far Lamp', path: `${scratch.root}/gone/Far Lamp.nes` },
  ];
  scratch.file('moved/Lost Key.nes', 'key');
  for (const place of ['a', 'b']) scratch.file(`moved/${place}/Far Lamp.nes`, 'lamp');
  scratch.file('data/library.json', JSON.stringify({
    schema_version: 6,
    games,
    profiles: {},
    history: [],
    settings: {},
    playlists: [],
    queue: [],
    notifications: [],
    ui_state: {},
    active_sessions: [],
    trash: [],
  }), 0o600);
}
