/**
 * The stores by their sources, and what a catalog holds. Pure.
 */

/** Stores that keep their games on this machine, in their order, with the route that brings in what is installed. */
export const LOCAL_STORES = Object.freeze(/** @type {Record<string, string>} */ ({
  store_a: '/api/import/store-a',
  store_b: '/api/import/store-b',
  store_c: '/api/import/store-c',
}));

/** The library server, which is asked over the network. */
export const SERVER = 'libserver';

/** What of a catalog is shown. */
export const SHOWN = Object.freeze(['all', 'new', 'uninstalled', 'installed']);

/** Addresses that open a game in the client of its store; anything else is no link. */
const CLIENT_ADDRESS = /^(?:steam|heroic|lutris):/;

/**
 * @param {Api.Title} title
 * @returns {string} one title of a catalog; an inner store may use the id of another one
 */
export function titleKey(title) {
  return `${title.store_b_source ?? ''}/${title.id}`;
}

/**
 * The address that opens a title in its client, or the empty string.
 *
 * @param {Api.Title} title
 * @returns {string}
 */
export function clientAddress(title) {
  return CLIENT_ADDRESS.test(title.install_uri) ? title.install_uri : '';
}

/**
 * The titles of a choice that hold every word, by name.
 *
 * @param {readonly Api.Title[]} titles
 * @param {string} shown one of `SHOWN`
 * @param {string} text folded
 * @param {(text: string) => string} fold
 * @returns {Api.Title[]}
 */
export function chosenTitles(titles, shown, text, fold) {
  const words = text.split(/\s+/).filter(Boolean);
  const passes = (
    /** @type {Api.Title} */ title,
  ) => (shown === 'installed'
    ? title.installed
    : shown === 'uninstalled'
    ? !title.installed
    : shown === 'new'
    ? !title.game_id && !title.excluded
    : true);
  return titles.filter((title) => {
    if (!passes(title)) return false;
    const name = words.length > 0 ? fold(title.name) : '';
    return words.every((word) => name.includes(word));
  }).sort((a, b) => a.name.localeCompare(b.name));
}

/**
 * How many titles there are of each choice.
 *
 * @param {readonly Api.Title[]} titles
 * @returns {Record<string, number>}
 */
export function countTitles(titles) {
  return Object.fromEntries(SHOWN.map((shown) => [shown, chosenTitles(titles, shown, '', (text) => text).length]));
}

/**
 * What keeps a title from being imported again.
 *
 * @param {Api.Title} title
 * @returns {{source: string, external_id: string, store_b_source?: string}}
 */
export function exclusionOf(title) {
  return { source: title.source, external_id: title.id,
    ...(title['store_b_source'] ? { store_b_source: String(title['store_b_source']) } : {}) };
}
