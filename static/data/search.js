/**
 * The grammar of the search box and its matching: `key:value`, quotes, a leading `-`, initials. All terms must match.
 * Pure: runs in the catalog worker and in tests.
 */

/** Fields of a search document, in the order they stand in its text. */
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

/** Fields a bare word looks into: all but the last one. */
const BARE_FIELDS = FIELDS.length - 1;

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
const FLAG_KEYS = Object.freeze(['favorite', 'hidden', 'broken', 'portable', 'installed']);

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
 * The searchable form of a game: one text with a line for each field (a tab between list elements), so that one
 * `includes` answers a bare word, and the initials of its name.
 *
 * @param {Api.Game} game
 * @returns {App.SearchDoc}
 */
export function makeDoc(game) {
  const list = (/** @type {unknown} */ value) => (Array.isArray(value) ? value.map(String) : []).join('\t');
  const notes = Array.isArray(game.notes)
    ? game.notes.map((note) => (typeof note === 'string' ? note : /** @type {Api.Note} */ (note).text)).join('\t')
    : (game.notes ?? '');
  const values = [
    `${game.name}\t${game.sort_title ?? ''}\t${list(game.alternate_names)}`,
    game.platform,
    game.genre,
    game.developer,
    game.publisher,
    game.series,
    game.region,
    notes,
    game.source,
    game.play_mode,
    game['status'],
    game.progress,
    game.controller_support,
    list(game.tags),
    game.rating,
  ];
  const text = values.map((value) => fold(String(value ?? '')).replace(/\n/g, ' ')).join('\n');
  const installed = game.store_installed === false ? false : Boolean(game.path_exists || game.store_installed);
  const flags = [game.favorite, game.hidden, game.broken, game.portable, installed];
  return { text, initials: initials(game.name), flags: flags.map((flag) => (flag ? 'yes' : 'no')) };
}

/**
 * Whether every query finds both of two documents or neither.
 *
 * @param {App.SearchDoc} a
 * @param {App.SearchDoc} b
 * @returns {boolean}
 */
export function isSameDoc(a, b) {
  return a.text === b.text && a.initials === b.initials && a.flags.join() === b.flags.join();
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
    const known = FIELDS.includes(key) || FLAG_KEYS.includes(key);
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
 * @param {App.SearchDoc} doc
 * @param {readonly App.Term[]} terms
 * @returns {boolean}
 */
export function matches(doc, terms) {
  for (const term of terms) if (matchesTerm(doc, term) === term.negated) return false;
  return true;
}

/**
 * @param {App.SearchDoc} doc
 * @param {App.Term} term
 * @returns {boolean}
 */
function matchesTerm(doc, term) {
  if (term.key === '') {
    const at = doc.text.indexOf(term.value);
    if (at >= 0 && (at < doc.text.length - 8 || lineOf(doc.text, at) < BARE_FIELDS)) return true;
    return isAcronym(term.value) && doc.initials.includes(term.value);
  }
  const flag = FLAG_KEYS.indexOf(term.key);
  if (flag >= 0) return (doc.flags[flag] ?? 'no').includes(term.value);
  return field(doc.text, FIELDS.indexOf(term.key)).includes(term.value);
}

/**
 * @param {string} value
 * @returns {boolean}
 */
function isAcronym(value) {
  return value.length >= 2 && value.length <= 8 && /^[a-z0-9]+$/.test(value);
}

/**
 * The line of a document text.
 *
 * @param {string} text
 * @param {number} index
 * @returns {string}
 */
function field(text, index) {
  let start = 0;
  for (let line = 0; line < index; line += 1) start = text.indexOf('\n', start) + 1;
  const end = text.indexOf('\n', start);
  return end < 0 ? text.slice(start) : text.slice(start, end);
}

/**
 * @param {string} text
 * @param {number} at
 * @returns {number}
 */
function lineOf(text, at) {
  let line = 0;
  for (let next = text.indexOf('\n'); next >= 0 && next < at; next = text.indexOf('\n', next + 1)) line += 1;
  return line;
}

/**
 * Lines of a search document that the rule `query` of a preset looks into: names, platform, genre, makers, series,
 * notes.
 */
const PHRASE_LINES = Object.freeze([0, 1, 2, 3, 4, 5, 7]);

/**
 * Whether a game answers the rule `query` of a preset: one phrase as it stands, or initials.
 *
 * @param {App.SearchDoc} doc
 * @param {string} phrase folded
 * @returns {boolean}
 */
export function holdsPhrase(doc, phrase) {
  for (let at = doc.text.indexOf(phrase); at >= 0; at = doc.text.indexOf(phrase, at + 1)) {
    if (PHRASE_LINES.includes(lineOf(doc.text, at))) return true;
  }
  return isAcronym(phrase) && doc.initials.includes(phrase);
}

/**
 * How well a name answers the query, smaller is better: starts with it, has a word that starts with it, contains it,
 * other field.
 *
 * @param {App.SearchDoc} doc
 * @param {readonly App.Term[]} terms
 * @returns {0 | 1 | 2 | 3}
 */
export function relevance(doc, terms) {
  const words = terms.filter((term) => term.key === '' && !term.negated).map((term) => term.value);
  if (words.length === 0) return 3;
  const name = doc.text.slice(0, doc.text.indexOf('\t'));
  if (name.startsWith(words.join(' '))) return 0;
  if (words.every((word) => name.startsWith(word) || name.includes(` ${word}`))) return 1;
  return words.every((word) => name.includes(word)) ? 2 : 3;
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
