/**
 * A phrase as the server reads it, taken apart: each thing that it understood is a part of the canonical form. Pure.
 */

/** What a genre is called that is looked for by the beginning of a word, or by one of its spellings. */
const GENRE_NAMES = Object.freeze(/** @type {Record<string, string>} */ ({
  puzzl: 'Puzzle',
  rac: 'Racing',
  driv: 'Driving',
  shoot: 'Shooter',
  shooter: 'Shooter',
  fight: 'Fighting',
  sim: 'Simulation',
  rogue: 'Roguelike',
  educat: 'Educational',
  sport: 'Sports',
  souls: 'Soulslike',
  platform: 'Platform',
  'role-playing': 'RPG',
  'role playing': 'RPG',
  'beat em up': 'Beat ’em up',
  "beat 'em up": 'Beat ’em up',
  'first-person shooter': 'FPS',
}));

/** Genres that are written in capitals. */
const CAPITALS = Object.freeze(['rpg', 'jrpg', 'rts', 'fps', 'moba', 'mmo']);

/**
 * The names of the genres a condition looks for, each once: as the library spells them, where it has them.
 *
 * @param {readonly string[]} values as the server looks for them: words, spellings and beginnings of words
 * @param {readonly string[]} [known] the genres of the library
 * @returns {string[]}
 */
export function genreNames(values, known = []) {
  /** Of the spellings of one genre, the one to show. @type {Map<string, string>} */
  const shown = new Map();
  for (const value of values) {
    const name = genreName(value);
    const own = spelledAs(value, known);
    if (own || !shown.has(name)) shown.set(name, own || name);
  }
  return [...new Set(shown.values())];
}

/**
 * A value as the library spells it; empty where it does not have it.
 *
 * @param {string} value
 * @param {readonly string[]} known
 */
export function spelledAs(value, known) {
  return known.find((each) => each.toLowerCase() === value.toLowerCase()) ?? '';
}

/** @param {string} value */
function genreName(value) {
  const plain = value.toLowerCase();
  if (CAPITALS.includes(plain)) return plain.toUpperCase();
  return GENRE_NAMES[plain] ?? value.charAt(0).toUpperCase() + value.slice(1);
}

/**
 * The parts of a canonical phrase, which commas separate outside of quotes.
 *
 * @param {string} canonical
 * @returns {string[]}
 */
export function phraseParts(canonical) {
  const parts = canonical.match(/(?:"[^"]*"|[^,"])+/g) ?? [];
  return parts.map((part) => part.trim()).filter(Boolean);
}

/**
 * The phrase without one of its parts.
 *
 * @param {string} canonical
 * @param {number} index
 * @returns {string}
 */
export function withoutPart(canonical, index) {
  return phraseParts(canonical).filter((_, at) => at !== index).join(', ');
}

/**
 * Whether a search has enough words to be a phrase.
 *
 * @param {string} text
 */
export function isPhrase(text) {
  return text.trim().split(/\s+/).length > 1;
}
