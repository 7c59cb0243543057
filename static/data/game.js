/**
 * What the screens need of a game in a list (a row), and the looks that come from a name or a platform. Pure.
 */

/** Bits of `Row.flags`; those of pictures have the names of media kinds. */
export const FLAG = Object.freeze({
  favorite: 1,
  hidden: 2,
  exists: 4,
  cover: 8,
  installed: 16,
  playable: 32,
  background: 64,
  broken: 128,
  portable: 256,
  shelf: 512,
  confirm: 1024,
  saves: 2048,
  achievements: 4096,
  highscores: 8192,
  owned: 16_384,
  desktopOnly: 32_768,
  video: 65_536,
  clear_logo: 131_072,
  fanart: 262_144,
  banner: 524_288,
  icon: 1_048_576,
  box_back: 2_097_152,
  box_spine: 4_194_304,
  box_3d: 8_388_608,
  title_screen: 16_777_216,
  screenshot: 33_554_432,
  documents: 67_108_864,
  versions: 134_217_728,
  controller: 268_435_456,
});

/** Values of `progress`; the empty string is a game not begun. */
export const PROGRESS = Object.freeze(['', 'Playing', 'Paused', 'Beaten', 'Completed', 'Mastered', 'Abandoned']);

/**
 * Shared by the games without tags, which are most of them.
 *
 * @type {readonly string[]}
 */
const NO_TAGS = Object.freeze([]);

/**
 * The compact form of a game for lists.
 *
 * @param {Api.Game} game
 * @returns {App.Row}
 */
export function makeRow(game) {
  let flags = 0;
  if (game.favorite) flags |= FLAG.favorite;
  if (game.hidden) flags |= FLAG.hidden;
  if (game.path_exists) flags |= FLAG.exists;
  if (game.has_cover) flags |= FLAG.cover;
  if (game.store_installed !== false && (game.path_exists || game.store_installed)) flags |= FLAG.installed;
  if (game.playable) flags |= FLAG.playable;
  if (game.has_background) flags |= FLAG.background;
  if (game.broken) flags |= FLAG.broken;
  if (game.portable) flags |= FLAG.portable;
  if (game.manual_entry) flags |= FLAG.shelf;
  if (game.launch_confirm) flags |= FLAG.confirm;
  if (game['has_saves']) flags |= FLAG.saves;
  if (game['has_achievements']) flags |= FLAG.achievements;
  if (game['has_highscores']) flags |= FLAG.highscores;
  if (game['owned']) flags |= FLAG.owned;
  if (game['hide_in_bigscreen']) flags |= FLAG.desktopOnly;
  if (game['has_video']) flags |= FLAG.video;
  if (game['has_clear_logo']) flags |= FLAG.clear_logo;
  if (game['has_fanart']) flags |= FLAG.fanart;
  if (game['has_banner']) flags |= FLAG.banner;
  if (game['has_icon']) flags |= FLAG.icon;
  if (game['has_box_back']) flags |= FLAG.box_back;
  if (game['has_box_spine']) flags |= FLAG.box_spine;
  if (game['has_box_3d']) flags |= FLAG.box_3d;
  if (game['has_title_screen']) flags |= FLAG.title_screen;
  if (game.available_screenshots?.includes(0)) flags |= FLAG.screenshot;
  if (game['has_documents']) flags |= FLAG.documents;
  if (game['has_versions']) flags |= FLAG.versions;
  if (game.controller_support) flags |= FLAG.controller;
  return {
    id: game.game_id,
    name: game.name,
    sort: game.sort_title || game.name,
    platform: game.platform ?? '',
    year: game.year ?? '',
    genre: game.genre ?? '',
    developer: game.developer ?? '',
    publisher: game.publisher ?? '',
    series: game.series ?? '',
    region: game.region ?? '',
    esrb: game.esrb ?? '',
    source: game.source ?? '',
    category: String(game['platform_category'] ?? ''),
    tags: game.tags && game.tags.length > 0 ? game.tags : NO_TAGS,
    progress: game.progress ?? '',
    rating: Number(game.rating) || 0,
    stars: Number(game['user_rating']) || 0,
    flags,
    plays: game.play_count ?? 0,
    seconds: game.total_playtime_seconds ?? game.playtime_seconds ?? 0,
    last: game.last_played ?? '',
    added: game.added_at ?? '',
  };
}

/**
 * Whether two rows of a game are the same.
 *
 * @param {App.Row} a
 * @param {App.Row} b
 * @returns {boolean}
 */
export function isSameRow(a, b) {
  const keys = /** @type {(keyof App.Row)[]} */ (Object.keys(a));
  return keys.every((key) => (key === 'tags' ? a.tags.join('\n') === b.tags.join('\n') : a[key] === b[key]));
}

/**
 * Whether the game could start now: its file or its store entry is there.
 *
 * @param {App.Row} row
 * @returns {boolean}
 */
export function isMissing(row) {
  return (row.flags & (FLAG.exists | FLAG.installed | FLAG.shelf)) === 0;
}

/** @type {App.Row} A game that is not in the library; stands in where one was. */
export const NO_ROW = Object.freeze(makeRow({ id: 0, game_id: '', name: '' }));

/** Cuts words into what people see as one letter, with the marks that belong to it. */
const SIGNS = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** @param {string} word */
const signsOf = (word) => [...SIGNS.segment(word)].map(({ segment }) => segment);

/**
 * A name for a place that holds only so many letters, the end of a longer one left out.
 *
 * @param {string} name
 * @param {number} most
 * @returns {string}
 */
export function shortName(name, most) {
  const signs = signsOf(name);
  return signs.length > most ? `${signs.slice(0, most - 1).join('').trimEnd()}…` : name;
}

/**
 * One to three letters for the title tile of a game without artwork. Those of a script whose letters join are the
 * beginning of one word: the first letters of several words are no abbreviation there. A number at the end stays whole.
 *
 * @param {string} name
 * @returns {string}
 */
export function monogram(name) {
  const bare = name.replace(/\s*[([].*$/, '') || name;
  const words = (bare.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []).filter((word, _, all) =>
    all.length < 3 || !/^(the|a|an|of|and|le|la|der|die|das)$/i.test(word)
  );
  const [first = ''] = words;
  if (words.length === 0) return name.trim().slice(0, 1).toUpperCase() || '?';
  if (isJoined(first)) return signsOf(first).slice(0, 3).join('');
  if (words.length === 1) return signsOf(first).slice(0, 2).join('').toUpperCase();
  const initials = (/** @type {string[]} */ some) =>
    some.flatMap((word) => (/^\d+$/.test(word) ? [...word.slice(-2)] : signsOf(word)[0] ?? []));
  const number = /^\d+$/.test(words.at(-1) ?? '') ? initials(words.slice(-1)) : [];
  const letters = initials(words.slice(0, number.length > 0 ? -1 : 3)).slice(0, 3 - number.length);
  return [...letters, ...number].join('').toUpperCase();
}

/**
 * Whether a text begins in a script whose letters join, which space between them would tear apart.
 *
 * @param {string} text
 * @returns {boolean}
 */
export function isJoined(text) {
  return /^\P{L}*[\p{sc=Arab}\p{sc=Syrc}\p{sc=Mong}\p{sc=Nko}\p{sc=Deva}\p{sc=Beng}]/u.test(text);
}

/** Hues far enough apart to tell neighbours by; the hash of a platform chooses one. */
const HUES = Object.freeze([8, 28, 48, 92, 138, 162, 184, 204, 222, 244, 266, 292, 318, 342]);

/**
 * The id of the symbol of a platform in `platforms.svg`: its name in lower case, with dashes for everything but letters
 * and digits.
 *
 * @param {string} platform
 * @returns {string}
 */
export function symbolId(platform) {
  return `p-${platform.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`.replace(/-+$/, '').replace(/^p-+/, 'p-');
}

/**
 * The hue of a platform, 0..359, always the same for the same name.
 *
 * @param {string} platform
 * @returns {number}
 */
export function platformHue(platform) {
  let hash = 2166136261;
  for (let index = 0; index < platform.length; index += 1) {
    hash = Math.imul(hash ^ platform.charCodeAt(index), 16777619) >>> 0;
  }
  return HUES[(hash >>> 8) % HUES.length] ?? 222;
}
