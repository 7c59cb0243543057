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
 * The names of the genres a condition looks for, each once.
 *
 * @param {readonly string[]} values as the server looks for them: words, spellings and beginnings of words
 * @returns {string[]}
 */
export function genreNames(values) {
  const name = (/** @type {string} */ value) => {
    const plain = value.toLowerCase();
    if (CAPITALS.includes(plain)) return plain.toUpperCase();
    return GENRE_NAMES[plain] ?? value.charAt(0).toUpperCase() + value.slice(1);
  };
  return [...new Set(values.map(name))];
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
