/**
 * The library in a worker: loads the pages, keeps the searchable form of every game and answers queries with orders of slots, so
 * that the page itself never parses or sorts fifty thousand games. Speaks `App.ToWorker` and `App.FromWorker`.
 */

import { ApiError, readAnswer } from './client.js';
import { makeRow } from './game.js';
import { countFacets, inView, orderRows, rankByName } from './ordering.js';
import { asksHidden, makeDoc, matches, parseQuery, relevance } from './search.js';

/** Games asked for at once: small enough that a query never waits long behind the reading of a page. */
const PAGE = 2000;

const scope = /** @type {App.WorkerScope} */ (/** @type {unknown} */ (self));

/** @type {(App.Row | null)[]} */
let rows = [];
/** @type {App.SearchDoc[]} */
let docs = [];
/** @type {Map<string, number>} */
let slots = new Map();
/** @type {Map<string, Uint32Array>} */
const orders = new Map();
/** @type {Uint32Array} */
let rank = new Uint32Array(0);
let loading = 0;
/** @type {App.CatalogQuery | null} */
let lastQuery = null;

scope.onmessage = ({ data }) => {
  switch (data.type) {
    case 'load': void load(data.token, data.first); break;
    case 'extend': void extend(data.token); break;
    case 'resync': void resync(data.token); break;
    case 'query': lastQuery = data.query; answer(); break;
    case 'put': put(data.games); changed(); break;
    case 'drop': drop(data.ids); changed(); break;
  }
};

/**
 * Starts over with the first page, which the page has fetched already, and reads the rest.
 *
 * @param {string} token
 * @param {Api.LibraryPage} first
 */
async function load(token, first) {
  rows = [];
  docs = [];
  slots = new Map();
  put(first.games);
  changed();
  await readFrom(token, first.games.length, first.total_count ?? first.games.length);
}

/**
 * Reads what was added behind the games known already; new games stand at the end of the library.
 *
 * @param {string} token
 */
async function extend(token) {
  await readFrom(token, slots.size, Number.MAX_SAFE_INTEGER);
}

/**
 * Reads everything again into the slots that are there, and drops what the server no longer has.
 *
 * @param {string} token
 */
async function resync(token) {
  const before = new Set(slots.keys());
  await readFrom(token, 0, Number.MAX_SAFE_INTEGER, before);
}

/**
 * @param {string} token
 * @param {number} offset
 * @param {number} total
 * @param {Set<string>} [leftover] games to drop at the end unless a page names them
 */
async function readFrom(token, offset, total, leftover = new Set()) {
  loading += 1;
  const run = loading;
  try {
    let at = offset;
    let end = total;
    let next = at < end ? fetchPage(token, at) : null;
    while (next) {
      const page = await next;
      if (run !== loading) return;
      at += page.games.length;
      end = page.total_count ?? at;
      // The server works on the next page while this one is read.
      next = page.games.length > 0 && at < end ? fetchPage(token, at) : null;
      put(page.games);
      for (const game of page.games) leftover.delete(game.game_id);
      scope.postMessage({ type: 'progress', loaded: at, total: end });
    }
    const gone = [...leftover];
    drop(gone);
    if (gone.length > 0) scope.postMessage({ type: 'gone', ids: gone });
    changed();
    scope.postMessage({ type: 'ready', total: slots.size });
  } catch (error) {
    if (run !== loading) return;
    const { message, code, status, requestId, path } = error instanceof ApiError ? error : new ApiError(String(error));
    scope.postMessage({ type: 'failed', error: { message, code, status, requestId, path } });
  }
}

/**
 * @param {string} token
 * @param {number} offset
 * @returns {Promise<Api.LibraryPage>}
 */
async function fetchPage(token, offset) {
  const path = `/api/library?offset=${offset}&limit=${PAGE}`;
  /** @type {Response} */
  let response;
  try {
    response = await fetch(path, { headers: { 'X-Service-Token': token }, cache: 'no-store', credentials: 'omit' });
  } catch {
    throw new ApiError('', { code: 'NO_ANSWER', path });
  }
  return readAnswer(response, path, () => '');
}

/**
 * Adds or replaces games and shows their rows to the page.
 *
 * @param {readonly Api.Game[]} games
 */
function put(games) {
  /** @type {{slot: number, row: App.Row}[]} */
  const sent = [];
  for (const game of games) {
    const slot = slots.get(game.game_id) ?? rows.length;
    const row = makeRow(game);
    rows[slot] = row;
    docs[slot] = makeDoc(game);
    slots.set(game.game_id, slot);
    sent.push({ slot, row });
  }
  scope.postMessage({ type: 'rows', rows: sent });
}

/** @param {readonly string[]} ids */
function drop(ids) {
  for (const id of ids) {
    const slot = slots.get(id);
    if (slot === undefined) continue;
    rows[slot] = null;
    slots.delete(id);
  }
}

/** Forgets the orders; they are made anew from all rows that are here. */
function derive() {
  orders.clear();
  rank = rankByName(rows);
}

/** Counts anew and answers the last query again. */
function changed() {
  derive();
  scope.postMessage({ type: 'facets', facets: countFacets(rows) });
  if (lastQuery) answer();
}

function answer() {
  if (!lastQuery) return;
  const order = select(lastQuery);
  scope.postMessage({ type: 'order', seq: lastQuery.seq, order }, [order.buffer]);
}

/**
 * The slots that answer a query, in order.
 *
 * @param {App.CatalogQuery} query
 * @returns {Uint32Array}
 */
function select({ text, view, platform, sort, reversed }) {
  // Pages that arrived since the last query are part of the answer to this one.
  if (rank.length !== rows.length) derive();
  const terms = parseQuery(text);
  const withHidden = asksHidden(terms);
  const order = orderBy(sort);
  const found = new Uint32Array(order.length);
  let count = 0;
  for (const slot of order) {
    const row = rows[slot];
    const doc = docs[slot];
    if (!row || !doc || !inView(row, view, withHidden)) continue;
    if (platform !== null && row.platform !== platform) continue;
    if (terms.length > 0 && !matches(doc, terms)) continue;
    found[count++] = slot;
  }
  const result = found.slice(0, count);
  if (reversed) result.reverse();
  else if (terms.length > 0 && sort === 'name') sortByRelevance(result, terms);
  return result;
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
