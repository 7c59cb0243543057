/**
 * A language that does not exist: English with accents, a third longer, each text between brackets. Shown from right to left it tells which texts are
 * cut off, which do not come from a locale, and which sides are the wrong way round.
 */

const ACCENTS = new Map(
  [...'aceilnorsuyACEILNORSUY'].map((letter, index) => [letter, [...'áçéíłñóŕšúýÁÇÉÍŁÑÓŔŠÚÝ'][index] ?? letter]),
);

/** Begins and ends every text. */
export const BRACKETS = Object.freeze({ open: '⟦', close: '⟧' });

/**
 * @param {string} text of a locale, with places such as `{count}`
 * @returns {string}
 */
export function pseudo(text) {
  const accented = text.split(/(\{\w+\})/).map((
    part,
  ) => (part.startsWith('{') ? part : [...part].map((letter) => ACCENTS.get(letter) ?? letter).join(''))).join('');
  const more = Math.ceil(text.replace(/\{\w+\}/g, '').length / 3);
  const words = Array.from({ length: more }, (_, index) => (index % 8 === 0 ? ' ' : 'ñ')).join('');
  return `${BRACKETS.open}${accented}${words}${BRACKETS.close}`;
}
