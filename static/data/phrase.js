/**
 * A phrase as the server reads it, taken apart: each thing that it understood is a part of the canonical form. Pure.
 */

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
