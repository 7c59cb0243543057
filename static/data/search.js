/**
 * The grammar of the search box: `key:value`, quotes, a leading `-`, initials; and the searchable form of a game.
 * `search-index.js` answers what is asked. Pure: runs in the catalog worker, on the page and in tests.
 */

/** Fields that can be searched by their key. */
const FIELDS = Object.freeze([
  'title',
  'platform',
  'genre',
  'developer',
  'publisher',
  'series',
  'region',
  'notes',
  'source',
  'play',
  'status',
  'progress',
  'controller',
  'tags',
  'rating',
]);

/** @type {Readonly<Record<string, string>>} */
const ALIASES = Object.freeze({
  plat: 'platform',
  dev: 'developer',
  pub: 'publisher',
  playmode: 'play',
  store: 'source',
  storefront: 'source',
  tag: 'tags',
  fav: 'favorite',
  hide: 'hidden',
});

/** Keys that answer yes or no. */
export const FLAG_KEYS = Object.freeze(
  /** @type {const} */ (['favorite', 'hidden', 'broken', 'portable', 'installed']),
);

/**
 * Lower case without accents, so that `pokemon` finds `Pokémon`.
 *
 * @param {string} text
 * @returns {string}
 */
export function fold(text) {
  // eslint-disable-next-line no-control-regex -- the test is for plain ASCII
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/**
 * The order of texts without case and accents; texts that differ in nothing else have an order too.
 *
 * @param {string} a
 * @param {string} b
 * @returns {number}
 */
export function compareFolded(a, b) {
  const [left, right] = [fold(a), fold(b)];
  return left < right || (left === right && a < b) ? -1 : a === b ? 0 : 1;
}

/**
 * @param {string} text
 * @returns {string} the text without line ends
 */
export function oneLine(text) {
  return text.replace(/\n/g, ' ');
}

/**
 * The searchable form of what a row does not know of a game, or not in this form.
 *
 * @param {Api.Game} game
 * @returns {App.SearchDoc}
 */
export function makeDoc(game) {
  const names = Array.isArray(game.alternate_names) ? game.alternate_names.map(String) : [];
  const notes = Array.isArray(game.notes)
    ? game.notes.map((note) => (typeof note === 'string' ? note : /** @type {Api.Note} */ (note).text)).join('\t')
    : (game.notes ?? '');
  const sort = game.sort_title && game.sort_title !== game.name ? game.sort_title : '';
  const line = (/** @type {unknown} */ value) => oneLine(fold(String(value ?? '')));
  return {
    title: line([game.name, sort, ...names].join('\t')),
    initials: initials(game.name),
    notes: line(notes),
    play: line(game.play_mode),
    status: line(game['status']),
    controller: line(game.controller_support),
    rating: line(game.rating),
  };
}

/**
 * First letters of the ASCII words of a name, lower case. The form without a leading article is inside this one.
 *
 * @param {string} name
 * @returns {string}
 */
export function initials(name) {
  return (fold(name).match(/[a-z0-9]+/g) ?? []).map((word) => word[0]).join('');
}

/**
 * Cuts a query into terms.
 *
 * @param {string} query
 * @returns {App.Term[]}
 */
export function parseQuery(query) {
  /** @type {App.Term[]} */
  const terms = [];
  for (const raw of splitTokens(query)) {
    const negated = raw.length > 1 && raw.startsWith('-');
    const token = negated ? raw.slice(1) : raw;
    const colon = token.startsWith('"') ? -1 : token.indexOf(':');
    const word = colon > 0 ? fold(token.slice(0, colon)) : '';
    const key = ALIASES[word] ?? word;
    const known = FIELDS.includes(key) || FLAG_KEYS.some((flag) => flag === key);
    const value = fold((colon > 0 ? token.slice(colon + 1) : token).replaceAll('"', ''));
    // A colon at the end of a word of a title (`Zelda: Link`) is no key.
    if (colon > 0 && !known && value === '') terms.push({ key: '', value: word, negated });
    else if (value !== '') terms.push({ key: known ? key : '', value, negated });
  }
  return terms;
}

/**
 * Splits at blanks outside quotes; an unclosed quote reaches to the end.
 *
 * @param {string} query
 * @returns {string[]}
 */
function splitTokens(query) {
  const tokens = [];
  let token = '';
  let quoted = false;
  for (const char of query) {
    if (char === '"') quoted = !quoted;
    if (!quoted && /\s/.test(char)) {
      if (token) tokens.push(token);
      token = '';
    } else {
      token += char;
    }
  }
  if (token) tokens.push(token);
  return tokens;
}

/**
 * @param {string} value folded
 * @returns {boolean} whether it may be initials
 */
export function isAcronym(value) {
  return value.length >= 2 && value.length <= 8 && /^[a-z0-9]+$/.test(value);
}

/**
 * Whether the query asks about hidden games itself; only then they are searched in the usual views.
 *
 * @param {readonly App.Term[]} terms
 * @returns {boolean}
 */
export function asksHidden(terms) {
  return terms.some((term) => term.key === 'hidden');
}
