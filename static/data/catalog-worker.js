/**
 * The library in a worker: loads the pages, keeps the searchable form of every game and answers queries with orders of
 * slots, so that the page itself never parses or sorts fifty thousand games. Speaks `App.ToWorker` and
 * `App.FromWorker`.
 */

import { ApiError, readAnswer } from '../core/client.js';
import { compileFilters, compileRules, FilterCounts, passesRules, valuesOf } from './filters.js';
import { FLAG, isSameRow, makeRow } from './game.js';
import { groupOrder, lettersOf } from './grouping.js';
import { LIST_FIELDS } from './list-fields.js';
import { countFacets, inView, orderRows, rankKeys } from './ordering.js';
import { asksHidden, isSameDoc, makeDoc, matches, parseQuery, relevance } from './search.js';

/** Games asked for at once: small enough that a query never waits long behind the reading of a page. */
const PAGE = 2000;

/** How long the query must rest before the counts of the filters follow it, so that they never delay a keystroke. */
const COUNTS_REST = 120;

const scope = /** @type {App.WorkerScope} */ (/** @type {unknown} */ (self));

/** @type {(App.Row | null)[]} */
let rows = [];
/** Whether the first page is here: before it there is nothing to count. */
let isStarted = false;
/** @type {App.SearchDoc[]} */
let docs = [];
/** @type {Map<string, number>} */
let slots = new Map();
/** @type {Map<string, Uint32Array>} */
const orders = new Map();
/** @type {Uint32Array} */
let rank = new Uint32Array(0);
/**
 * What each slot is sorted by in the order by name.
 *
 * @type {string[]}
 */
let sortKeys = [];
/** Whether `rank` and `sortKeys` are those of the rows; sorting every name takes longer than answering a query. */
let isRanked = false;
/** @type {Api.Playlist[]} */
let playlists = [];
/** The games of the collection that is shown; the server finds them. */
let collection = { name: '', members: new Set() };
/**
 * The values games have, by filter; made when first asked for.
 *
 * @type {Map<string, Set<string>>}
 */
const known = new Map();
/** @type {App.Timer} */
let counting;
let loading = 0;
/** Whether pages are being read. */
let isReading = false;
/**
 * Games that were put or dropped while pages are read, by id, and when: a page that was asked for earlier knows an
 * older state of them.
 */
/** @type {Map<string, number>} */
const told = new Map();
/** Counts up with each of these. */
let tellings = 0;
/** Whether every page was read: only then an order without games says that nothing answers. */
let isWhole = false;
/** @type {App.CatalogQuery | null} */
let lastQuery = null;

scope.onmessage = ({ data }) => {
  switch (data.type) {
    case 'load':
      void load(data.headers, data.first);
      break;
    case 'extend':
      void extend(data.headers);
      break;
    case 'resync':
      void resync(data.headers);
      break;
    case 'lists':
      playlists = data.playlists;
      if (isStarted) changed();
      break;
    case 'collection':
      collection = { name: data.name, members: new Set(data.ids) };
      if (lastQuery?.collection === data.name) answer();
      break;
    case 'find':
      scope.postMessage({ type: 'found', seq: data.seq, slots: find(data.text, data.limit) });
      break;
    case 'query':
      if (lastQuery?.locale !== data.query.locale) isRanked = false;
      lastQuery = data.query;
      answer();
      break;
    case 'put':
      note(data.games.map((game) => game.game_id));
      if (put(data.games)) changed();
      break;
    case 'drop':
      note(data.ids);
      // Rows of them may be on their way to the page.
      scope.postMessage({ type: 'gone', ids: data.ids });
      if (drop(data.ids)) changed();
      break;
  }
};

/**
 * Starts over with the first page, which the page has fetched already, and reads the rest.
 *
 * @param {Record<string, string>} headers
 * @param {Api.LibraryPage} first
 */
async function load(headers, first) {
  rows = [];
  docs = [];
  slots = new Map();
  isWhole = false;
  isRanked = false;
  isStarted = true;
  put(first.games);
  changed();
  await readFrom(headers, first.games.length, first.total_count ?? first.games.length);
}

/**
 * Reads what was added behind the games known already; new games stand at the end of the library.
 *
 * @param {Record<string, string>} headers
 */
async function extend(headers) {
  await readFrom(headers, slots.size, Number.MAX_SAFE_INTEGER);
}

/**
 * Reads everything again into the slots that are there, and drops what the server no longer has.
 *
 * @param {Record<string, string>} headers
 */
async function resync(headers) {
  const before = new Set(slots.keys());
  await readFrom(headers, 0, Number.MAX_SAFE_INTEGER, before);
}

/**
 * @param {Record<string, string>} headers
 * @param {number} offset
 * @param {number} total
 * @param {Set<string>} [leftover] games to drop at the end unless a page names them
 */
async function readFrom(headers, offset, total, leftover = new Set()) {
  loading += 1;
  const run = loading;
  isReading = true;
  told.clear();
  try {
    let at = offset;
    let end = total;
    let next = at < end ? ask(headers, at) : null;
    while (next) {
      const { since } = next;
      const page = await next.page;
      if (run !== loading) return;
      at += page.games.length;
      end = page.total_count ?? at;
      // The server works on the next page while this one is read.
      next = page.games.length > 0 && at < end ? ask(headers, at) : null;
      put(page.games.filter((game) => (told.get(game.game_id) ?? 0) <= since));
      for (const game of page.games) leftover.delete(game.game_id);
      scope.postMessage({ type: 'progress', loaded: at, total: end });
    }
    // A game that was put meanwhile may have come back behind the pages that would name it.
    const gone = [...leftover].filter((id) => !told.has(id));
    isReading = false;
    drop(gone);
    if (gone.length > 0) scope.postMessage({ type: 'gone', ids: gone });
    isWhole = true;
    changed();
    scope.postMessage({ type: 'ready', total: slots.size });
  } catch (error) {
    if (run !== loading) return;
    isReading = false;
    const { message, code, status, requestId, path } = ApiError.from(error);
    scope.postMessage({ type: 'failed', error: { message, code, status, requestId, path } });
  }
}

/**
 * Remembers what the pages under way may not know.
 *
 * @param {readonly string[]} ids
 */
function note(ids) {
  if (!isReading) return;
  tellings += 1;
  for (const id of ids) told.set(id, tellings);
}

/**
 * Asks for a page, and keeps what had been told by then.
 *
 * @param {Record<string, string>} headers
 * @param {number} offset
 */
function ask(headers, offset) {
  return { since: tellings, page: fetchPage(headers, offset) };
}

/**
 * @param {Record<string, string>} headers
 * @param {number} offset
 * @returns {Promise<Api.LibraryPage>}
 */
async function fetchPage(headers, offset) {
  const path = `/api/library?offset=${offset}&limit=${PAGE}&fields=${LIST_FIELDS}`;
  /** @type {Response} */
  let response;
  try {
    response = await fetch(path, { headers, cache: 'no-store', credentials: 'omit' });
  } catch {
    throw new ApiError('', { code: 'NO_ANSWER', path });
  }
  return readAnswer(response, path, () => '');
}

/**
 * Adds or replaces games and shows their rows to the page. Games are fetched again each time somebody looks at them,
 * and then most are as they were.
 *
 * @param {readonly Api.Game[]} games
 * @returns {boolean} whether any of them is new or another than before
 */
function put(games) {
  /** @type {{slot: number, row: App.Row}[]} */
  const sent = [];
  for (const game of games) {
    const slot = slots.get(game.game_id) ?? rows.length;
    const [row, doc] = [makeRow(game), makeDoc(game)];
    const [rowBefore, docBefore] = [rows[slot], docs[slot]];
    if (rowBefore && docBefore && isSameRow(rowBefore, row) && isSameDoc(docBefore, doc)) continue;
    if (rowBefore?.sort !== row.sort) isRanked = false;
    rows[slot] = row;
    docs[slot] = doc;
    slots.set(game.game_id, slot);
    sent.push({ slot, row });
  }
  if (sent.length > 0) scope.postMessage({ type: 'rows', rows: sent });
  return sent.length > 0;
}

/**
 * @param {readonly string[]} ids
 * @returns {boolean} whether any of them was there
 */
function drop(ids) {
  const before = slots.size;
  for (const id of ids) {
    const slot = slots.get(id);
    if (slot === undefined) continue;
    rows[slot] = null;
    slots.delete(id);
  }
  return slots.size < before;
}

/** Forgets the orders; they are made anew from all rows that are here. */
function derive() {
  orders.clear();
  known.clear();
  if (isRanked) return;
  ({ rank, keys: sortKeys } = rankKeys(rows, lastQuery?.locale));
  isRanked = true;
}

/** Counts anew and answers the last query again. */
function changed() {
  derive();
  const facets = countFacets(rows);
  for (const playlist of playlists) facets.playlists[playlist.name] = countPlaylist(playlist);
  scope.postMessage({ type: 'facets', facets });
  if (lastQuery) answer();
}

/**
 * Games of a playlist that are in the library.
 *
 * @param {Api.Playlist} playlist
 * @returns {number}
 */
function countPlaylist(playlist) {
  const takes = membership(playlist);
  let count = 0;
  for (let slot = 0; slot < rows.length; slot += 1) if (takes(slot)) count += 1;
  return count;
}

/**
 * Whether a slot stands in a playlist.
 *
 * @param {Api.Playlist} playlist
 * @returns {(slot: number) => boolean}
 */
function membership(playlist) {
  if (playlist.type === 'manual') {
    const members = new Set(playlist.members.map((id) => slots.get(id)));
    return (slot) => members.has(slot);
  }
  const rules = compileRules(playlist.rules, isKnown);
  return (slot) => {
    const [row, doc] = [rows[slot], docs[slot]];
    return Boolean(row && doc && passesRules(row, doc, rules));
  };
}

/**
 * Whether some game has exactly this value.
 *
 * @param {string} key
 * @param {string} value
 */
function isKnown(key, value) {
  let values = known.get(key);
  if (!values) {
    values = new Set();
    for (const row of rows) if (row) { for (const each of valuesOf(row, key)) values.add(each); }
    known.set(key, values);
  }
  return values.has(value);
}

function answer() {
  if (!lastQuery) return;
  const query = lastQuery;
  // Pages that arrived since the last query are part of the answer to this one.
  if (!isRanked) derive();
  const found = select(query);
  const { order, groups } = query.group ? groupOrder(found, query.group, rows, sortKeys) : { order: found, groups: [] };
  const isByName = query.sort === 'name' && !query.text && (query.group === '' || query.group === 'letter');
  scope.postMessage({ type: 'order', seq: query.seq, order, groups, letters: isByName ? lettersOf(order, sortKeys) : [],
    isWhole });
  clearTimeout(counting);
  if (query.counts)
    counting = setTimeout(() => scope.postMessage({ type: 'counts', seq: query.seq, counts: countValues(query) }),
      COUNTS_REST);
}

/**
 * The slots in sort order that stand in the view and the playlist and answer the text, whatever the filters say.
 *
 * @param {App.CatalogQuery} query
 * @param {(slot: number, row: App.Row) => void} visit
 */
function visitAll({ text, view, sort, playlist, collection: wanted, filters, isBig }, visit) {
  const terms = parseQuery(text);
  const list = playlist ? playlists.find(({ name }) => name === playlist) : undefined;
  const isMember = list ? membership(list) : null;
  const members = wanted === collection.name ? collection.members : new Set();
  // A playlist shows a hidden game that was put into it by hand, and a collection whatever its phrase finds and its
  // number counts.
  const withHidden = asksHidden(terms) || filters['hidden'] !== undefined || list?.type === 'manual' || wanted !== '';
  const order = sort === 'playlist' && list ? list.members.flatMap((id) => slots.get(id) ?? []) : orderBy(sort);
  for (const slot of order) {
    const [row, doc] = [rows[slot], docs[slot]];
    if (!row || !doc || !inView(row, view, withHidden)) continue;
    if (isBig && (row.flags & FLAG.desktopOnly) !== 0) continue;
    if ((isMember && !isMember(slot)) || (wanted && !members.has(row.id))) continue;
    if (terms.length === 0 || matches(doc, terms)) visit(slot, row);
  }
}

/**
 * The slots that answer a query, in order.
 *
 * @param {App.CatalogQuery} query
 * @returns {Uint32Array}
 */
function select(query) {
  const tests = compileFilters(query.filters, isKnown);
  const found = new Uint32Array(rows.length);
  let count = 0;
  visitAll(query, (slot, row) => {
    if (tests.every(({ passes }) => passes(row))) found[count++] = slot;
  });
  const result = found.slice(0, count);
  const terms = parseQuery(query.text);
  if (query.reversed) result.reverse();
  else if (terms.length > 0 && query.sort === 'name') sortByRelevance(result, terms);
  return result;
}

/**
 * Counts beside the values of the filters: games that pass all other filters.
 *
 * @param {App.CatalogQuery} query
 */
function countValues(query) {
  const tests = compileFilters(query.filters, isKnown);
  const counts = new FilterCounts();
  visitAll(query, (_, row) => {
    const failed = tests.filter(({ passes }) => !passes(row));
    if (failed.length <= 1) counts.add(row, failed[0]?.key ?? null);
  });
  return counts.result(query.filters);
}

/**
 * The games that answer a text best, for the palette.
 *
 * @param {string} text
 * @param {number} limit
 * @returns {number[]}
 */
function find(text, limit) {
  if (!isRanked) derive();
  const terms = parseQuery(text);
  if (terms.length === 0) return [];
  const found = orderBy('name').filter((slot) => {
    const [row, doc] = [rows[slot], docs[slot]];
    return row && doc && inView(row, 'all', asksHidden(terms)) && matches(doc, terms);
  });
  sortByRelevance(found, terms);
  return [...found.subarray(0, limit)];
}

/**
 * @param {string} sort
 * @returns {Uint32Array}
 */
function orderBy(sort) {
  const known = orders.get(sort);
  if (known) return known;
  const order = orderRows(rows, rank, sort);
  orders.set(sort, order);
  return order;
}

/**
 * Best answers first; equal ones keep their order.
 *
 * @param {Uint32Array} order
 * @param {readonly App.Term[]} terms
 */
function sortByRelevance(order, terms) {
  /** @type {number[][]} */
  const classes = [[], [], [], []];
  for (const slot of order) {
    const doc = docs[slot];
    if (doc) classes[relevance(doc, terms)]?.push(slot);
  }
  order.set(classes.flat());
}
