/**
 * A library to look at: sixty games with drawn covers on several platforms, with playtime, favourites, sessions, documents, notes and saves, and
 * what the user makes of them: playlists, presets, a queue, webhooks, a backup, a trash.
 */

import { withMame } from './emulator.js';
import { gameFiles } from './game-files.js';
import { furnishKeepsakes, KEEPSAKES, leave, memoriesOf, RESUMABLE } from './keepsakes.js';
import { gameRecord, variedRecord } from './names.js';
import { numbers, poster } from './picture.js';
import { ROOT } from './sources.js';

export const DEMO_GAMES = 60;

/** Every game that is not shown without a cover. */
const COVERLESS = [9, 23, 31, 47, 52];

/** Covers as tall as boxes of discs, as wide as those of cartridges, and square ones. */
const SHAPES = /** @type {const} */ ([[360, 480], [360, 504], [360, 360], [448, 320], [360, 480], [360, 540]]);

/** The game with everything a page of a game can show. */
export const HERO = `game-${'c'.padStart(24, '0')}`;
const HERO_INDEX = 12;

/** What the program needs so that the demo can have webhooks without asking anybody outside. */
export const DEMO_ENV = Object.freeze({ SERVICE_ALLOW_HTTP_WEBHOOKS: '1', PATH: withMame() });

/** Where home automation listens on the same computer; nothing does where tests run, so it refuses at once. */
const RECEIVER = 'http://localhost:8123/api/webhook';

/** @param {number} back days before now */
const local = (back) => {
  const time = new Date(Date.now() - back * 86_400_000);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
};

/** Pictures that the games beyond those of the demo share. */
const SHARED = 60;

/**
 * Games for a library of the size that people have: covers of all shapes, a seventh without one, titles of many scripts.
 *
 * @param {import('./service.js').Scratch} scratch
 * @param {number} count
 * @param {ReturnType<typeof gameFiles>} fileOf
 */
function more(scratch, count, fileOf) {
  const covers = Array.from({ length: SHARED }, (_, index) => {
    const [width, height] = SHAPES[index % SHAPES.length] ?? [360, 480];
    return scratch.file(`data/media/covers/shared-${index}.png`, poster(index + 100, width, height));
  });
  return Array.from({ length: count }, (_, at) => {
    const index = DEMO_GAMES + at;
    const found = variedRecord(index, '');
    const record = { ...found, path: fileOf(found) };
    return index % 7 === 3 ? record : { ...record, cover: covers[(index * 11) % SHARED] };
  });
}

/**
 * Writes the library before the program starts.
 *
 * @param {import('./service.js').Scratch} scratch
 * @param {{count?: number, sessions?: number, background?: readonly [width: number, height: number]}} [options] `count`
 *   of games, at least those of the demo; small backgrounds are drawn and read faster than such as fill a screen
 */
export function writeDemo(scratch, { count = DEMO_GAMES, sessions = 90, background: [wide, tall] = [640, 360] } = {}) {
  const fileOf = gameFiles(scratch);
  /** @type {Record<string, unknown>[]} */
  const games = Array.from({ length: DEMO_GAMES }, (_, index) => {
    const isGone = index % 19 === 7;
    const record = gameRecord(index, '');
    const [width, height] = SHAPES[index % SHAPES.length] ?? [360, 480];
    const cover = COVERLESS.includes(index)
      ? {}
      : { cover: scratch.file(`data/media/covers/${index}.png`, poster(index + 100, width, height)) };
    const background = index % 4 === 0
      ? { background: scratch.file(`data/media/backgrounds/${index}.png`, poster(index + 300, wide, tall)) }
      : {};
    /** @type {Record<string, unknown>} */
    const special = index === HERO_INDEX ? hero(scratch) : KEEPSAKES[index]?.(scratch) ?? {};
    const path = special['path'] ?? fileOf({ ...record, ...special }, isGone);
    return { ...record, path, ...cover, ...background, favorite: index % 7 === 2, hidden: false,
      ...(index % 3 === 0 ? { max_players: 4, controller_support: 'full' } : {}), ...special };
  });
  games.push(...more(scratch, count - DEMO_GAMES, fileOf));
  const history = play(games, sessions);
  scratch.file('saves/slot1.sav', 'a save of the hero');
  scratch.file('data/library.json', JSON.stringify({
    schema_version: 6,
    games,
    profiles: { NES: 'echo {path}', SNES: 'echo {path}' },
    history,
    settings: { custom_field_defs: [{ name: 'Shelf', options: ['Blue', 'Red'] }], memories_import_enabled: true },
    memories_unassigned: memoriesOf(scratch, '_unassigned', 40, 5),
    playlists: [],
    queue: [],
    notifications: [],
    ui_state: {},
    active_sessions: [],
    trash: [],
  }), 0o600);
}

/**
 * Sessions of the games that were played, the newest last; their records say the same.
 *
 * @param {Record<string, unknown>[]} games
 * @param {number} count
 */
function play(games, count) {
  const random = numbers(count);
  const turns = games.filter((game) => Number(game['play_count']) > 0).flatMap((game) =>
    Array.from({ length: game['game_id'] === HERO ? 12 : Math.ceil(Number(game['play_count']) / 8) },
      () => ({ game, place: random() }))
  ).sort((a, b) => a.place - b.place).map(({ game }) => game);
  /** @type {Map<Record<string, unknown>, {seconds: number, started: string}[]>} */
  const played = new Map();
  const history = Array.from({ length: count }, (_, index) => {
    const game = turns[index % turns.length] ?? {};
    const session = { game: game['name'], game_id: game['game_id'], started: local(index * 0.9 + 0.1),
      seconds: 400 + ((index * 977) % 9000), exit_code: index % 17 === 4 ? 1 : 0 };
    played.set(game, [...(played.get(game) ?? []), session]);
    return session;
  });
  for (const [game, own] of played) {
    Object.assign(game, { play_count: own.length, last_played: own[0]?.started,
      playtime_seconds: own.reduce((sum, { seconds }) => sum + seconds, 0) });
  }
  return history.reverse();
}

/** The drawn name of the game in front: a lantern and words with outlines, on no ground. */
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 520 220" width="520" height="220">
<g fill="none" stroke="#ffd98a" stroke-width="9" stroke-linejoin="round" stroke-linecap="round">
<path d="M60 78 h64 l-10 110 h-44 z"/><path d="M50 78 h84"/><path d="M66 200 h52"/><path d="M70 76 q22 -66 44 0"/></g>
<path d="M92 104 q26 34 0 62 q-26 -28 0 -62z" fill="#ffb347"/>
<g font-family="DejaVu Serif, Noto Serif, serif" font-weight="700" fill="#fff4dc" stroke="#2a1408" paint-order="stroke">
<text x="160" y="74" font-size="40" stroke-width="8">THE</text>
<text x="156" y="142" font-size="70" stroke-width="10" textLength="350">LANTERN</text>
<text x="160" y="196" font-size="44" stroke-width="8" textLength="342">ARCHIVE</text></g></svg>
`;

/** @param {import('./service.js').Scratch} scratch */
function hero(scratch) {
  const shots = [5, 8, 11, 14].map((index) => scratch.file(`data/media/shots/${index}.png`, poster(index, 640, 400)));
  return {
    name: 'The Lantern Archive',
    series: 'Lantern',
    platform: 'SNES',
    year: '1994',
    genre: 'Adventure, Puzzle',
    rating: 4.4,
    user_rating: 4,
    progress: 'Playing',
    tags: ['co-op', 'short', 'rainy days'],
    description:
      'An archivist inherits a lighthouse whose books are written in light. Every night another shelf appears, and every morning one page is missing. Find who borrows them, mend the lantern, and decide which stories may be read.',
    alternate_names: ['Laterna Magica'],
    screenshots: shots,
    banner: shots[1],
    clear_logo: scratch.file('data/media/logos/lantern.svg', LOGO),
    play_count: 14,
    playtime_seconds: 41_400,
    last_played: local(1),
    favorite: true,
    notes: [{ ts: local(20), text: 'The code of the attic is 4711.\nAsk the clockmaker about the seventh key.' }, {
      ts: local(3),
      text: 'Stuck below the stairs: light both lamps first.',
    }],
    documents: [{ name: 'Manual', path: scratch.file('data/media/docs/manual.txt', 'Chapter one: the lighthouse\n') }, {
      name: 'Map of the island',
      path: scratch.file('data/media/docs/map.png', poster(7, 300, 200)),
    }],
    versions: [{ name: 'Director’s cut',
      path: scratch.file('Games/SNES/The Lantern Archive (Director’s cut).sfc', 'cut'), command: '' }],
    save_paths: [scratch.folder('saves')],
    memories: memoriesOf(scratch, HERO, 60, 3),
  };
}

/**
 * What the user would have done with it, through the running program. A game is played, for which the search path needs the emulator of the demo.
 *
 * @param {import('./service.js').Service} service
 */
export async function furnish(service) {
  // Before there are webhooks and plugins: a delivery that fails would be told on some screen.
  await leave(service, RESUMABLE);
  await furnishUnplayed(service);
}

/**
 * The same without playing anything, for a machine with other emulators.
 *
 * @param {import('./service.js').Service} service
 */
export async function furnishUnplayed(service) {
  const { games } = await service.ask(`/api/library?offset=0&limit=${DEMO_GAMES}`);
  const ids = games.map((/** @type {Api.Game} */ game) => game.game_id);
  await service.ask('/api/playlists', { name: 'Weekend', type: 'manual',
    members: Array.from({ length: 12 }, (_, index) => index * 3), notes: 'for rainy days' });
  await service.ask('/api/playlists', { name: 'Couch', type: 'manual', members: [1, 2, 5, 8], parent: 'Weekend' });
  await service.ask('/api/playlists', { name: 'Puzzles of the nineties', type: 'filter', rules: { genre: 'Puzzle' } });
  await service.ask('/api/filter-presets', { name: 'Unplayed SNES',
    rules: { platform: 'SNES', progress: 'Unplayed' } });
  await service.ask('/api/queue', { action: 'enqueue', game_ids: [ids[12], ids[3], ids[20], ids[33]] });
  await furnishKeepsakes(service, HERO);
  await service.ask('/api/webhooks', { webhooks: [
    { url: `${RECEIVER}/living-room`, events: ['session.started', 'session.stopped'] },
    { url: `${RECEIVER}/weekly-summary`, events: ['library.changed', 'backup.created'], enabled: false },
  ] });
  for (const [index, name] of /** @type {const} */ ([[40, 'Amber Signal: Night Shift'], [41, 'Paper Summit II']])) {
    await service.ask('/api/game', { game_id: ids[index], game: { name, path: games[index].path } });
  }
  for (const name of ['service.hello-palette', 'service.event-relay', 'service.library-stats'])
    await service.ask('/api/plugins/install', { path: `${ROOT}/examples/plugins/${name}` });
  await service.ask('/api/plugins/toggle', { id: 'service.library-stats', enabled: false });
  await service.ask('/api/themes/select', { name: 'forest', platform: 'Game Boy' });
  await service.ask('/api/settings', { household_stats_sharing: true });
  for (const [id, name, colour, hours]
    of /** @type {const} */ ([['anna', 'Anna', 'teal', 41], ['ben', 'Ben Okafor', 'orange', 27], ['mia', 'Mia', 'pink',
      12]])) {
    await service.ask('/api/v2/household/member', { member_id: id, display_name: name, avatar_color: colour,
      stats_shared: true });
    await service.ask('/api/v2/household/share', { member_id: id,
      stats: { playtime_seconds: hours * 3600, completions: hours % 9, games_played: hours, sessions: hours,
        wins: 2 } });
  }
  for (const [id, title, target]
    of /** @type {const} */ ([['three', 'Finish three games before winter', 3], ['ten', 'Ten achievements', 10]])) {
    await service.ask('/api/v2/household/challenge', { challenge_id: id, title, target,
      metric: id === 'ten' ? 'ach_count' : 'completions' });
    await service.ask('/api/v2/household/challenge/result', { challenge_id: id, member_id: 'anna', value: 3 });
    await service.ask('/api/v2/household/challenge/result', { challenge_id: id, member_id: 'ben', value: 1 });
  }
  await service.ask('/api/v2/party/queue', { players: 3, minutes: 0 });
  await service.ask('/api/saves/backup', { game_id: HERO });
  await service.ask('/api/v2/library/trash', { game_id: ids[58] });
  await service.ask('/api/v2/library/trash', { game_id: ids[57] });
  await service.ask('/api/v2/library/export', { format: 'json', scope: 'all' });
  await service.ask('/api/backup/create', { items: ['library', 'settings'] });
}
