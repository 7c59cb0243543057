/**
 * The library in a worker: loads the pages, keeps the searchable form of every game and answers queries with orders of
 * slots, so that the page itself never parses or sorts all games. Speaks `App.ToWorker` and `App.FromWorker`.
 */

import { ApiError, readAnswer } from '../core/client.js';
import { compileFilters, compileRules, memberOf, ruleTest, slotTests, valuesOf } from './filters.js';
import { FilterTally } from './filter-tally.js';
import { FLAG, isSameRow, makeRow } from './game.js';
import { groupOrder, lettersOf } from './grouping.js';
import { LIST_FIELDS } from './list-fields.js';
import { NameOrder } from './name-order.js';
import { countFacets, distribute, orderRows, passesAll, viewTests } from './ordering.js';
import { RowTable } from './row-table.js';
import { asksHidden, makeDoc, parseQuery } from './search.js';
import { SearchIndex } from './search-index.js';

/** Games asked for at once: small enough that a query never waits long behind the reading of a page. */
const PAGE = 1000;

/** Games that were read before the page is told about them. */
const PIECE = 2000;

/** How long the query must rest before the counts of the filters follow it, so that they never delay a keystroke. */
const COUNTS_REST = 120;

const scope = /** @type {App.WorkerScope} */ (/** @type {unknown} */ (self));

let table = new RowTable();
let index = new SearchIndex(table);
let names = new NameOrder();
/** Whether the first page is here: before it there is nothing to count. */
let isStarted = false;
/** @type {Map<string, Uint32Array>} */
const orders = new Map();
/**
 * Slots whose rows the page does not have yet.
 *
 * @type {number[]}
 */
let unsent = [];
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
      lastQuery = data.query;
      answer();
      break;
    case 'put':
      note(data.games.map((game) => game.game_id));
      if (put(data.games)) changed();
      break;
    case 'drop':
      note(data.ids);
      // Rows of them may be on their way to the page, or wait for it.
      flush();
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
  table = new RowTable();
  index = new SearchIndex(table);
  names = new NameOrder();
  unsent = [];
  isWhole = false;
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
  await readFrom(headers, table.count, Number.MAX_SAFE_INTEGER);
}

/**
 * Reads everything again into the slots that are there, and drops what the server no longer has.
 *
 * @param {Record<string, string>} headers
 */
async function resync(headers) {
  const before = new Set(Array.from(table.slots(), (slot) => table.idAt(slot)));
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
    let shown = at;
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
      if (next && at - shown < PIECE) continue;
      flush();
      scope.postMessage({ type: 'progress', loaded: at, total: end });
      shown = at;
    }
    // A game that was put meanwhile may have come back behind the pages that would name it.
    const gone = [...leftover].filter((id) => !told.has(id));
    isReading = false;
    drop(gone);
    if (gone.length > 0) scope.postMessage({ type: 'gone', ids: gone });
    isWhole = true;
    changed();
    scope.postMessage({ type: 'ready', total: table.count });
  } catch (error) {
    if (run !== loading) return;
    isReading = false;
    flush();
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
 * Adds or replaces games. Games are fetched again each time somebody looks at them, and then most are as they were.
 *
 * @param {readonly Api.Game[]} games
 * @returns {boolean} whether any of them is new or another than before
 */
function put(games) {
  const before = unsent.length;
  for (const game of games) {
    const slot = table.find(game.game_id) ?? table.length;
    const [old, row] = [slot < table.length ? table.row(slot) : undefined, makeRow(game)];
    const isSame = old !== undefined && isSameRow(old, row);
    if (!index.set(slot, makeDoc(game)) && isSame) continue;
    if (!isSame) table.set(slot, row);
    if (old?.sort !== row.sort) names.note(slot);
    unsent.push(slot);
  }
  return unsent.length > before;
}

/** Shows the page the rows that are new or other ones. */
function flush() {
  for (let at = 0; at < unsent.length; at += PIECE) {
    const rows = table.pack(unsent.slice(at, at + PIECE));
    const parts = [rows.slots, rows.names.bytes, rows.names.lengths, ...rows.columns.map(({ codes }) => codes)];
    scope.postMessage({ type: 'rows', rows }, parts.map(({ buffer }) => buffer));
  }
  unsent = [];
}

/**
 * @param {readonly string[]} ids
 * @returns {boolean} whether any of them was there
 */
function drop(ids) {
  const before = table.count;
  for (const id of ids) {
    const slot = table.find(id);
    if (slot === undefined) continue;
    table.remove(id);
    names.note(slot);
  }
  return table.count < before;
}

/** Counts anew and answers the last query again. */
function changed() {
  flush();
  orders.clear();
  known.clear();
  const facets = countFacets(table);
  for (const playlist of playlists) facets.playlists[playlist.name] = countPlaylist(playlist);
  scope.postMessage({ type: 'facets', facets });
  if (lastQuery) answer();
}

/** Brings the order by name up to date with the rows; the other orders follow it. */
function rank() {
  if (!names.update(table, lastQuery?.locale)) return;
  orders.clear();
  known.clear();
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
  for (const slot of table.slots()) if (takes(slot)) count += 1;
  return count;
}

/**
 * Whether a slot stands in a playlist.
 *
 * @param {Api.Playlist} playlist
 * @returns {(slot: number) => boolean}
 */
function membership(playlist) {
  if (playlist.type !== 'manual') return ruleTest(table, index, compileRules(playlist.rules, isKnown));
  const members = new Uint8Array(table.length);
  for (const slot of slotsOf(playlist.members)) members[slot] = 1;
  return (slot) => members[slot] === 1;
}

/**
 * @param {readonly string[]} ids
 * @returns {number[]} the slots of those that are there
 */
function slotsOf(ids) {
  return ids.flatMap((id) => table.find(id) ?? []);
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
    const member = memberOf(key);
    const counts = table.countValues(member);
    values = new Set(table.mapValues(member, (row) => valuesOf(row, key)).filter((_, code) => counts[code]).flat());
    known.set(key, values);
  }
  return values.has(value);
}

function answer() {
  if (!lastQuery) return;
  const query = lastQuery;
  // Pages that arrived since the last query are part of the answer to this one.
  flush();
  rank();
  const found = select(query);
  const { order, groups } = query.group
    ? groupOrder(found, query.group, table, names.letters)
    : { order: found, groups: [] };
  const isByName = query.sort === 'name' && !query.text && (query.group === '' || query.group === 'letter');
  const letters = isByName ? lettersOf(order, names.letters) : [];
  scope.postMessage({ type: 'order', seq: query.seq, order, groups, letters, isWhole }, [order.buffer]);
  clearTimeout(counting);
  if (query.counts)
    counting = setTimeout(() => scope.postMessage({ type: 'counts', seq: query.seq, counts: countValues(query) }),
      COUNTS_REST);
}

/**
 * The slots in sort order that stand in the view and the playlist and answer the text, whatever the filters say.
 *
 * @param {App.CatalogQuery} query
 * @param {(slot: number) => void} visit
 */
function visitAll({ text, view, sort, playlist, collection: wanted, filters, isBig }, visit) {
  const terms = parseQuery(text);
  const list = playlist ? playlists.find(({ name }) => name === playlist) : undefined;
  // A playlist shows a hidden game that was put into it by hand, and a collection whatever its phrase finds and its
  // number counts.
  const withHidden = asksHidden(terms) || filters['hidden'] !== undefined || list?.type === 'manual' || wanted !== '';
  const tests = viewTests(table, view, withHidden);
  if (isBig) tests.push(table.test('flags', ({ flags }) => (flags & FLAG.desktopOnly) === 0));
  const answering = index.select(terms);
  const isMember = list ? membership(list) : null;
  const members = wanted === collection.name ? collection.members : new Set();
  const order = sort === 'playlist' && list ? slotsOf(list.members) : orderBy(sort);
  for (const slot of order) {
    if (answering !== null && answering[slot] !== 1) continue;
    if (!table.has(slot) || !passesAll(tests, slot)) continue;
    if ((isMember && !isMember(slot)) || (wanted && !members.has(table.idAt(slot)))) continue;
    visit(slot);
  }
}

/**
 * The slots that answer a query, in order.
 *
 * @param {App.CatalogQuery} query
 * @returns {Uint32Array}
 */
function select(query) {
  const tests = slotTests(table, compileFilters(query.filters, isKnown));
  const found = new Uint32Array(table.length);
  let count = 0;
  visitAll(query, (slot) => {
    if (passesAll(tests, slot)) found[count++] = slot;
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
  const tally = new FilterTally(table, compileFilters(query.filters, isKnown));
  visitAll(query, (slot) => tally.add(slot));
  return tally.result(query.filters);
}

/**
 * The games that answer a text best, for the palette.
 *
 * @param {string} text
 * @param {number} limit
 * @returns {number[]}
 */
function find(text, limit) {
  flush();
  rank();
  const terms = parseQuery(text);
  const answering = index.select(terms);
  if (answering === null) return [];
  const tests = viewTests(table, 'all', asksHidden(terms));
  const found = orderBy('name').filter((slot) => answering[slot] === 1 && passesAll(tests, slot));
  sortByRelevance(found, terms);
  return [...found.subarray(0, limit)];
}

/**
 * @param {string} sort
 * @returns {Uint32Array}
 */
function orderBy(sort) {
  if (sort === 'name') return names.slots;
  const known = orders.get(sort);
  if (known) return known;
  const order = orderRows(table, names.slots, sort);
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
  const relevance = index.relevance(terms);
  const classes = new Uint8Array(table.length);
  for (const slot of order) classes[slot] = relevance(slot);
  order.set(distribute(order, classes, [0, 1, 2, 3], 4).order);
}
