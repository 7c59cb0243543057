/**
 * Names and records of made-up games, the same for the same number.
 */

import { numbers } from './picture.js';

const FIRST = ['Amber', 'Silent', 'Iron', 'Paper', 'Neon', 'Hollow', 'Solar', 'Crimson', 'Velvet', 'Frozen', 'Last',
  'Hidden', 'Broken', 'Distant', 'Glass', 'Wild', 'Moonlit', 'Rusty', 'Thirteen', 'Lucky', 'Émile’s', 'Électric',
  'Über'];
const SECOND = ['Harbour', 'Circuit', 'Kingdom', 'Garden', 'Pilots', 'Voyage', 'Signal', 'Orchard', 'Labyrinth',
  'Tides', 'Machines', 'Wolves', 'Horizon', 'Lantern', 'Arcade', 'Summit', 'Caravan', 'Archive', 'Rally', 'Island',
  'Pokéball', 'Straße'];
const TAIL = ['', '', '', '', ' II', ' 3', ': Night Shift', ' Deluxe', ': The Return', ' 64', ' Turbo', ' & Friends',
  ': Chapter One'];
const GENRES = ['Action', 'Adventure', 'Puzzle', 'Role-Playing', 'Racing', 'Strategy', 'Platform', 'Shooter',
  'Simulation', 'Sports'];
const STUDIOS = ['Blue Kettle', 'Northlight', 'Paperboat', 'Studio Ørn', 'Red Fern', 'Cobalt Works', 'Nine Bridges',
  'Lumen & Sons'];
const PLATFORMS = ['NES', 'SNES', 'Nintendo 64', 'Game Boy', 'Game Boy Advance', 'PlayStation', 'PlayStation 2', 'PSP',
  'Dreamcast', 'Linux', 'Windows', 'Arcade', 'Sega Genesis', 'Nintendo DS', 'GameCube'];
const PROGRESS = ['', '', '', '', 'Playing', 'Paused', 'Beaten', 'Completed', 'Mastered', 'Abandoned'];
const LINES = ['A quiet journey through a country that forgot its own name.',
  'Build, trade and outwit the rivals across nine rivers.',
  'Race through the night with nothing but a borrowed engine.',
  'Every door opens twice: once for you and once for what follows.', 'Grow a garden on a moon where it never rains.'];

/**
 * The stored record of game `index`.
 *
 * @param {number} index
 * @param {string} path of its file
 * @returns {Record<string, unknown>}
 */
export function gameRecord(index, path) {
  const random = numbers(index + 7);
  const pick = (/** @type {readonly string[]} */ list) => list[Math.floor(random() * list.length)] ?? '';
  const plays = random() < 0.35 ? Math.floor(random() * 40) + 1 : 0;
  const day = (/** @type {number} */ back) =>
    new Date(Date.now() - Math.floor(random() * back) * 86_400_000).toISOString().slice(0, 19);
  return {
    game_id: `game-${index.toString(16).padStart(24, '0')}`,
    name: `${pick(FIRST)} ${pick(SECOND)}${pick(TAIL)}`,
    path,
    platform: pick(PLATFORMS),
    genre: pick(GENRES),
    developer: pick(STUDIOS),
    publisher: pick(STUDIOS),
    year: String(1985 + Math.floor(random() * 38)),
    region: random() < 0.5 ? 'Europe' : 'North America',
    description: several(LINES, 4, random).join(' '),
    progress: plays > 0 ? pick(PROGRESS) : '',
    rating: random() < 0.6 ? Math.round(random() * 50) / 10 : '',
    favorite: random() < 0.07,
    hidden: random() < 0.01,
    play_count: plays,
    playtime_seconds: plays * Math.floor(random() * 5400 + 300),
    last_played: plays > 0 ? day(400) : '',
    added_at: day(900),
    tags: random() < 0.3 ? ['co-op', 'short'] : [],
    notes: [],
    save_paths: [],
    screenshots: [],
  };
}

/**
 * Some members of a list, none of them twice.
 *
 * @param {readonly string[]} list
 * @param {number} count
 * @param {() => number} random
 */
function several(list, count, random) {
  const left = [...list];
  return Array.from({ length: count }, () => left.splice(Math.floor(random() * left.length), 1)[0] ?? '');
}

/** Titles of other scripts, short ones, and one of 110 letters. */
const UNUSUAL = ['Ōkami no Shiro', '銀河の灯台', '星のかけらを探して', '龙之谷物语', '달빛 정원', 'حديقة القمر',
  'גן הירח', 'Лунный сад', 'Το Νησί των Φάρων', 'चाँद का बाग', 'สวนพระจันทร์', 'Łódź Underground', 'Ö', 'N+', '1942', '!?',
  'i',
  'The Extraordinarily Long and Winding Tale of the Keeper of Nine Lighthouses and the Seventh Key: Deluxe Edition'];

/** Unusual titles stand among the usual ones from this game on, so many games apart. */
const UNUSUAL_FROM = 67;
const APART = 9;

/**
 * The stored record of game `index` of a library like a real one, which has each of the unusual titles once.
 *
 * @param {number} index
 * @param {string} path of its file
 */
export function variedRecord(index, path) {
  const record = gameRecord(index, path);
  const name = UNUSUAL[(index - UNUSUAL_FROM) / APART];
  return name === undefined ? record : { ...record, name };
}
