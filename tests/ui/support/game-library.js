/**
 * A small library whose games have everything the page of a game can show.
 */

import { mkdirSync, writeFileSync } from 'node:fs';

import { poster } from './picture.js';

/** Ids of its games. */
const id = (/** @type {number} */ number) => `game-${String(number).padStart(24, '0')}`;
export const [BOAT, TRAIN, ORBIT, GONE] = /** @type {[string, string, string, string]} */ ([1, 2, 3, 4].map(id));

/**
 * `data` and `roms` are made beside each other.
 *
 * @param {import('./service.js').Scratch} scratch
 */
export function writeGames(scratch) {
  const script = scratch.file('roms/Slow Boat.sh', '#!/bin/bash\nexec sleep 600\n', 0o755);
  const cover = scratch.file('data/media/cover.png', poster(3, 300, 400));
  const shots = [5, 8].map((index) => scratch.file(`data/media/shot${index}.png`, poster(index, 640, 400)));
  const common = { platform: 'Linux', genre: 'Adventure', developer: 'Blue Kettle', series: 'Rivers', tags: ['short'],
    notes: [], screenshots: [], save_paths: [] };
  const games = [
    { ...common, game_id: BOAT, name: 'Slow Boat', path: script, year: '2019', cover, banner: cover, screenshots: shots,
      description: 'A quiet journey down a river that forgot its own name.', added_at: '2026-01-05T10:00:00',
      notes: [{ ts: '2026-02-03T20:15:00', text: 'The lock code is 4711.' }],
      documents: [{ name: 'Manual', path: scratch.file('data/media/docs/manual.txt', 'Chapter one: the river\n') }, {
        name: 'Map',
        path: scratch.file('data/media/docs/map.png', poster(7, 300, 200)),
      }],
      versions: [{ name: 'Director’s cut',
        path: scratch.file('roms/cut.sh', `#!/bin/bash\necho "$0" > ${scratch.root}/started\n`, 0o755), command: '' }],
      alternate_names: ['River Song'], playtime_seconds: 7265, play_count: 3, last_played: '2026-03-01T18:00:00' },
    { ...common, game_id: TRAIN, name: 'Paper Train',
      path: scratch.file('roms/Paper Train.sh', '#!/bin/bash\nexit 0\n', 0o755) },
    { ...common, game_id: ORBIT, name: 'Quiet Orbit', path: scratch.file('roms/Quiet Orbit.nes', 'NES'),
      platform: 'Homebrew Console', series: '', genre: 'Puzzle', developer: 'Northlight' },
    { ...common, game_id: GONE, name: 'Lost Key', path: `${scratch.root}/roms/gone.sh`, playtime_seconds: 9000 },
  ];
  const history = [{ game: 'Slow Boat', game_id: BOAT, started: '2026-02-27T20:00:00', seconds: 3600, exit_code: 0 }, {
    game: 'Slow Boat',
    game_id: BOAT,
    started: '2026-03-01T18:00:00',
    seconds: 3665,
    exit_code: 1,
  }, { game: 'Lost Key', game_id: GONE, started: '2026-01-20T20:00:00', seconds: 1800, exit_code: 0 }];
  mkdirSync(`${scratch.root}/data`, { recursive: true });
  writeFileSync(`${scratch.root}/data/library.json`, JSON.stringify({
    schema_version: 6,
    games,
    profiles: {},
    history,
    settings: { custom_field_defs: [{ name: 'Shelf', options: ['Blue', 'Red'] }] },
    playlists: [],
    queue: [],
    notifications: [],
    ui_state: {},
    active_sessions: [],
    trash: [],
  }), { mode: 0o600 });
}
