/**
 * What is kept of the games of the demo: a game that was left in the middle, moments with pictures, and pictures that
 * other programs took.
 */

import { createHash } from 'node:crypto';

import { poster } from './picture.js';

/** Games with pictures for moments, by their place in the demo. */
const RESUMABLE_INDEX = 16;
const WITH_SHOTS = Object.freeze([4, 8, RESUMABLE_INDEX]);

/**
 * An archive with one empty file.
 *
 * @param {string} name
 */
export function zipOf(name) {
  const letters = Buffer.from(name);
  const entry = Buffer.alloc(26);
  entry.writeUInt16LE(20, 0);
  entry.writeUInt16LE(letters.length, 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), entry, letters]);
  const listed = Buffer.alloc(42);
  listed.writeUInt16LE(20, 0);
  listed.writeUInt16LE(20, 2);
  listed.writeUInt16LE(letters.length, 24);
  const central = Buffer.concat([Buffer.from('PK\x01\x02', 'latin1'), listed, letters]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(local.length, 12);
  return Buffer.concat([local, central, Buffer.from('PK\x05\x06', 'latin1'), end]);
}

/** @param {number} index */
const idOf = (index) => `game-${index.toString(16).padStart(24, '0')}`;

/** The game that can go on from where it was left. */
export const RESUMABLE = idOf(RESUMABLE_INDEX);

/** What is different about games of the demo, by their place in it. */
/** @type {Record<number, (scratch: import('./service.js').Scratch) => Record<string, unknown>>} */
export const KEEPSAKES = Object.freeze(
  Object.fromEntries(WITH_SHOTS.map((index) => [index, (/** @type {import('./service.js').Scratch} */ scratch) => ({
    screenshots: [0, 1].map((at) =>
      scratch.file(`data/media/shots/${index}-${at}.png`, poster(index * 3 + at, 640, 360))
    ),
    ...(index === RESUMABLE_INDEX
      ? { name: 'Pacifica Rally', platform: 'Arcade', genre: 'Racing', year: '1991',
        path: scratch.file('Games/Arcade/pacifica.zip', zipOf('pacifica.rom')), hidden: false }
      : {}),
  })])),
);

/**
 * Imported pictures with their files.
 *
 * @param {import('./service.js').Scratch} scratch
 * @param {string} folder of the game
 * @param {number} seed of the first picture
 * @param {number} count
 */
export function memoriesOf(scratch, folder, seed, count) {
  return Array.from({ length: count }, (_, at) => {
    const bytes = poster(seed + at, 640, 400);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const taken = new Date(Date.now() - (at + 2) * 9 * 86_400_000).toISOString();
    return { path: scratch.file(`data/media/memories/${folder}/${sha256}.png`, bytes), sha256, bytes: bytes.length,
      source: 'retroarch', taken_at: taken, imported_at: taken,
      hint: folder === '_unassigned' ? `Lantern-${at + 1}` : '' };
  });
}

/**
 * Keeps moments.
 *
 * @param {import('./service.js').Service} service
 * @param {string} hero
 */
export async function furnishKeepsakes(service, hero) {
  const moments = [
    [hero, 'The attic opens', 'The code was on the back of the map.', 2],
    [hero, 'Second lamp lit', '', 5],
    [hero, 'The clockmaker', 'He knows about the seventh key.', 33],
    [hero, 'First night', '', 61],
    [RESUMABLE, 'Last lap', 'Two seconds ahead of the ghost.', 0],
    [idOf(4), 'Boss of the third world', 'Three hearts left.', 12],
    [idOf(8), 'A view of the valley', '', 40],
  ];
  for (const [id, title, note, back] of moments) {
    const { games } = await service.ask(`/api/library/delta?ids=${id}`);
    const shots = /** @type {string[]} */ (games[0].screenshots);
    const at = moments.filter(([game], index) =>
      game === id && index < moments.findIndex(([, name]) => name === title)
    ).length;
    await service.ask('/api/v2/moments', { game_id: id, title, note, capture: false,
      screenshot: shots[at % shots.length],
      created_at: new Date(Date.now() - Number(back) * 86_400_000 - 3_600_000).toISOString() });
  }
}

/**
 * Plays a game until its emulator ends and its state is kept.
 *
 * @param {import('./service.js').Service} service
 * @param {string} id
 */
export async function leave(service, id) {
  await service.ask('/api/launch', { game_id: id });
  await service.until(`/api/v2/resume/status?game_id=${id}`,
    (/** @type {Reply.ResumeStatus} */ { available }) => available);
  await service.until('/api/running', (/** @type {Api.Running} */ { running }) => running.length === 0);
}
