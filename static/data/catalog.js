/**
 * The page's side of the library: rows by slot, the newest order of the visible query, counts, and full records on
 * demand. The work is done in `catalog-worker.js`.
 */

import { ApiError } from '../core/client.js';
import { gather } from '../core/coalesce.js';
import { FLAG, isSameRow, makeRow } from './game.js';
import { LIST_FIELDS } from './list-fields.js';
import { RowTable } from './row-table.js';

/** Games of the first page: enough for the first screens of the grid. */
const FIRST_PAGE = 200;

/** Ids of one delta request at most: the server allows 1,000, a request line stays short with fewer. */
const DELTA_PAGE = 100;

/** How long changes are gathered before they are fetched, in milliseconds. */
const GATHER = 120;

/** From this many changed games on all pages are read again, which takes fewer requests. */
const RESYNC_FROM = 1000;

/** Keeps the library. */
export class Catalog {
  #client;
  #bus;
  #worker;
  #table = new RowTable();
  #renew = gather((ids) => this.#ask(ids));
  #seq = 0;
  #findSeq = 0;
  /**
   * Waits for the answer of the newest look-up.
   *
   * @type {((slots: number[]) => void) | null}
   */
  #onFound = null;
  /** @type {App.Facets} */
  facets = { total: 0, views: {}, platforms: [], genres: [], tags: [], playlists: {} };
  /** @type {() => void} */
  #settle = () => {};
  /** Waits until the facets were counted, or the library turned out to be unreadable. */
  /** @type {Promise<void>} */
  counted = new Promise((resolve) => {
    this.#settle = resolve;
  });
  /** Whether the facets were counted, or the library turned out to be unreadable. */
  isCounted = false;
  /** Counts up on the server when media change. */
  epoch = 0;
  /** The language whose alphabet names are sorted by. */
  locale = 'en';
  /** Games the server has, which is more than are loaded while pages arrive. */
  total = 0;
  /** Games loaded so far. */
  loaded = 0;
  /** Whether every page is here. */
  complete = false;
  /** Whether the rows of every page are here too. */
  isReady = false;
  /** Games that changed on the server and were not fetched yet. */
  /** @type {Set<string>} */
  #changed = new Set();
  /** Whether more changed than the server names. */
  #isStale = false;
  /** What was told while the first page is on its way, which may know less. */
  /** @type {Api.LibraryChange[] | null} */
  #early = null;
  /** Pieces of work that change many games and fetch them themselves at their end. */
  #holds = 0;
  /** Games that went while an answer about games is awaited, which may still know them. */
  /** @type {Set<string>} */
  #gone = new Set();
  /** @type {App.Timer} */
  #timer;

  /**
   * @param {import('../core/client.js').Client} client
   * @param {import('../core/bus.js').Bus} bus
   */
  constructor(client, bus) {
    this.#client = client;
    this.#bus = bus;
    this.#worker = /** @type {App.CatalogWorker} */ (
      new Worker(new URL('./catalog-worker.js', import.meta.url), { type: 'module' })
    );
    this.#worker.onmessage = ({ data }) => this.#receive(data);
    bus.on('live:event', ({ name, data }) => {
      if (name === 'library.changed') this.#follow(/** @type {Api.LibraryChange} */ (data));
    });
    bus.on('live:behind', ({ missed }) => {
      if (!this.complete) this.#isStale ||= missed;
      else (missed ? this.resync() : this.compare()).catch((error) => bus.emit('failure', error));
    });
  }

  /**
   * Fetches the first page, which also carries the settings, and lets the worker fetch the rest.
   *
   * @returns {Promise<Api.LibraryPage>}
   */
  async load() {
    this.#early ??= [];
    try {
      const first = await this.#client.get('/api/library', { offset: 0, limit: FIRST_PAGE, fields: LIST_FIELDS });
      this.#table = new RowTable();
      this.epoch = first.media_epoch ?? 0;
      this.#bus.emit('catalog:page', first);
      this.total = first.total_count ?? first.games.length;
      this.loaded = first.games.length;
      this.complete = this.loaded >= this.total;
      this.isReady = false;
      // Until the worker has counted, what the server says stands.
      this.facets = { ...this.facets, total: this.total };
      this.#worker.postMessage({ type: 'load', headers: this.#client.headers, first });
      return first;
    } catch (error) {
      this.#setFacets(this.facets);
      throw error;
    } finally {
      const early = this.#early ?? [];
      this.#early = null;
      for (const change of early) this.#follow(change);
    }
  }

  /** @param {App.Facets} facets */
  #setFacets(facets) {
    this.facets = facets;
    this.isCounted = true;
    this.#settle();
    this.#bus.emit('catalog:facets', facets);
  }

  /** Settles when every game is read. @returns {Promise<void>} */
  whole() {
    if (this.isReady) return Promise.resolve();
    return new Promise((resolve) => {
      const once = new AbortController();
      this.#bus.on('catalog:ready', () => {
        once.abort();
        resolve();
      }, once.signal);
    });
  }

  /** Reads the games that were added since, as after an import. */
  extend() {
    this.#worker.postMessage({ type: 'extend', headers: this.#client.headers });
  }

  /** Reads every game again without taking away what is shown, after changes that nobody told. */
  async resync() {
    const page = await this.#client.get('/api/library', { offset: 0, limit: 0 });
    this.epoch = page.media_epoch ?? this.epoch;
    this.#bus.emit('catalog:page', page);
    this.#worker.postMessage({ type: 'resync', headers: this.#client.headers });
  }

  /** @param {readonly Api.Playlist[]} playlists as they are now, for what stands in them */
  setPlaylists(playlists) {
    this.#worker.postMessage({ type: 'lists', playlists: [...playlists] });
  }

  /**
   * Tells which games the shown collection holds.
   *
   * @param {string} name
   * @param {readonly string[]} ids
   */
  setCollection(name, ids) {
    this.#worker.postMessage({ type: 'collection', name, ids: [...ids] });
  }

  /**
   * The games that answer a text best. A newer look-up takes the place of an older one, which then finds nothing.
   *
   * @param {string} text
   * @param {number} limit
   * @returns {Promise<App.Row[]>}
   */
  search(text, limit) {
    this.#findSeq += 1;
    this.#onFound?.([]);
    return new Promise((resolve) => {
      this.#onFound = (slots) => resolve(slots.flatMap((slot) => this.#table.row(slot) ?? []));
      this.#worker.postMessage({ type: 'find', seq: this.#findSeq, text, limit });
    });
  }

  /** Reads every game again when the server counts other games or other media than this page does. */
  async compare() {
    const page = await this.#client.get('/api/library', { offset: 0, limit: 0 });
    if (page.total_count !== this.#table.count || page.media_epoch !== this.epoch) await this.resync();
  }

  /**
   * Notes what changed; it is fetched a moment later, together with what changes until then.
   *
   * @param {Api.LibraryChange} change
   */
  #follow(change) {
    if (this.#early) {
      this.#early.push(change);
      return;
    }
    const { all, game_ids: ids = [], removed = [], sections = [] } = change;
    if (sections.length > 0) this.#bus.emit('sections', { names: sections });
    // Also those that are not shown: their rows may be on the way here.
    if (removed.length > 0) this.remove(removed);
    for (const id of ids) {
      this.#gone.delete(id);
      this.#changed.add(id);
    }
    // An event that was too long for the stream carries nothing at all.
    this.#isStale ||= all !== false;
    this.#plan();
  }

  /** Work on many games begins: what the server tells about it is not fetched page by page. */
  hold() {
    this.#holds += 1;
  }

  /**
   * The work is over: fetches its games, and what else changed meanwhile.
   *
   * @param {readonly string[]} ids
   */
  async release(ids) {
    this.#holds -= 1;
    for (const id of ids) this.#changed.add(id);
    if (this.#changed.size > RESYNC_FROM) this.#isStale = true;
    clearTimeout(this.#timer);
    await this.#catchUp();
  }

  #plan() {
    if (this.#holds === 0 && this.#changed.size + Number(this.#isStale) > 0)
      this.#timer ??= setTimeout(() => void this.#catchUp(), GATHER);
  }

  async #catchUp() {
    this.#timer = undefined;
    const [ids, isStale] = [[...this.#changed], this.#isStale];
    this.#changed.clear();
    this.#isStale = false;
    try {
      if (isStale) await this.resync();
      else if (ids.length > 0) await this.refresh(ids);
      this.#bus.emit('game', { ids });
    } catch (error) {
      // Without an answer the page is behind, and is told so when the server is back.
      if (!(error instanceof ApiError && error.code === 'NO_ANSWER')) this.#bus.emit('failure', error);
    }
  }

  /**
   * Asks for the order of a query; the answer arrives as the message `catalog:order`.
   *
   * @param {Omit<App.CatalogQuery, 'seq'>} query
   */
  query(query) {
    this.#seq += 1;
    this.#worker.postMessage({ type: 'query', query: { ...query, locale: this.locale, seq: this.#seq } });
  }

  /**
   * @param {number} slot
   * @returns {App.Row | undefined} a new object each time
   */
  row(slot) {
    return this.#table.row(slot);
  }

  /**
   * The id of the game of a slot, without its row; the empty string where there is none.
   *
   * @param {number} slot
   */
  idAt(slot) {
    return this.#table.idAt(slot);
  }

  /**
   * The name of the game of a slot, without its row; the empty string where there is none.
   *
   * @param {number} slot
   */
  nameAt(slot) {
    return this.#table.nameAt(slot);
  }

  /**
   * The name that the game of a slot is sorted by, without its row; the empty string where there is none.
   *
   * @param {number} slot
   */
  sortAt(slot) {
    return this.#table.sortAt(slot);
  }

  /**
   * Where a game stands in an order.
   *
   * @param {Uint32Array} order slots
   * @param {string} id
   * @returns {number} -1 when it is not part of it
   */
  placeIn(order, id) {
    const slot = this.#table.slotOf(id);
    return slot === undefined ? -1 : order.indexOf(slot);
  }

  /**
   * @param {string} id
   * @returns {App.Row | undefined}
   */
  find(id) {
    const slot = this.#table.find(id);
    return slot === undefined ? undefined : this.#table.row(slot);
  }

  /**
   * @param {string} id
   * @returns {boolean} whether the game is loaded
   */
  has(id) {
    return this.#table.find(id) !== undefined;
  }

  /**
   * What the loaded games have in a field, what most have first. A text that names several counts for each.
   *
   * @param {'region'} field
   * @returns {string[]}
   */
  valuesOf(field) {
    /** @type {Map<string, number>} */
    const counts = new Map();
    const games = this.#table.countValues(field);
    this.#table.columns[field].values.forEach((text, code) => {
      for (const value of text.split(','))
        counts.set(value.trim(), (counts.get(value.trim()) ?? 0) + (games[code] ?? 0));
    });
    counts.delete('');
    return [...counts].filter(([, count]) => count > 0)
      .sort(([a, most], [b, other]) => other - most || (a < b ? -1 : 1)).map(([value]) => value);
  }

  /** The slots of the loaded games that are not hidden. */
  *#seen() {
    const { flags } = this.#table.columns;
    for (const slot of this.#table.slots()) if (!(flags.at(slot) & FLAG.hidden)) yield slot;
  }

  /**
   * What the loaded games of each platform have. Facts are a year, and a genre or a developer.
   *
   * @returns {Map<string, {games: number, covers: number, backgrounds: number, facts: number}>}
   */
  tally() {
    const { platform, flags, year, genre, developer } = this.#table.columns;
    /** @type {ReturnType<Catalog['tally']>} */
    const tally = new Map();
    for (const slot of this.#seen()) {
      let count = tally.get(platform.at(slot));
      if (!count) tally.set(platform.at(slot), count = { games: 0, covers: 0, backgrounds: 0, facts: 0 });
      count.games += 1;
      if (flags.at(slot) & FLAG.cover) count.covers += 1;
      if (flags.at(slot) & FLAG.background) count.backgrounds += 1;
      if (year.at(slot) && (genre.at(slot) || developer.at(slot))) count.facts += 1;
    }
    return tally;
  }

  /**
   * Ids of loaded games without a cover or without a year.
   *
   * @param {number} limit
   * @returns {string[]}
   */
  bare(limit) {
    const { flags, year } = this.#table.columns;
    /** @type {string[]} */
    const ids = [];
    for (const slot of this.#seen()) {
      if (ids.length >= limit) break;
      if (!(flags.at(slot) & FLAG.cover) || !year.at(slot)) ids.push(this.#table.idAt(slot));
    }
    return ids;
  }

  /**
   * The ids of the loaded games that have something.
   *
   * @param {number} flag
   * @returns {Set<string>}
   */
  idsWith(flag) {
    const { flags } = this.#table.columns;
    /** @type {Set<string>} */
    const ids = new Set();
    for (const slot of this.#seen()) if (flags.at(slot) & flag) ids.add(this.#table.idAt(slot));
    return ids;
  }

  /**
   * Fetches fresh full records and brings the rows up to date with them.
   *
   * @param {readonly string[]} ids
   * @returns {Promise<Api.Game[]>}
   */
  async refresh(ids) {
    const games = await this.#renew(ids);
    return ids.flatMap((id) => games.get(id) ?? []);
  }

  /**
   * Shows flags of a game that are on their way to the server. What the server says next takes their place.
   *
   * @param {string} id
   * @param {number} flags
   */
  expect(id, flags) {
    const slot = this.#table.find(id);
    if (slot === undefined) return;
    this.#table.columns.flags.set(slot, flags);
    this.#bus.emit('catalog:rows', { ids: [id] });
    this.#bus.emit('catalog:expected', { id });
  }

  /** @param {readonly string[]} ids */
  async #ask(ids) {
    this.#gone.clear();
    const games = (await this.#fetch(ids)).filter((game) => !this.#gone.has(game.game_id));
    // Known rows are new at once; counts and orders follow from the worker.
    /** @type {App.RowChange[]} */
    const changes = [];
    for (const game of games) {
      const slot = this.#table.find(game.game_id);
      if (slot === undefined) continue;
      const [before, after] = [this.#table.row(slot), makeRow(game)];
      if (!before || isSameRow(before, after)) continue;
      this.#table.set(slot, after);
      changes.push({ before, after });
    }
    this.#bus.emit('catalog:rows', { ids: games.map((game) => game.game_id) });
    if (changes.length > 0) this.#bus.emit('catalog:changes', { changes });
    const found = new Map(games.map((game) => [game.game_id, game]));
    const gone = ids.filter((id) => !found.has(id));
    if (gone.length > 0) this.remove(gone);
    this.#worker.postMessage({ type: 'put', games });
    return found;
  }

  /**
   * The rows of games by their position in the library; positions that are gone are left out.
   *
   * @param {readonly number[]} positions
   * @returns {Promise<Map<number, App.Row>>}
   */
  async rowsAt(positions) {
    const games = await this.#fetch(positions.map(String));
    return new Map(games.map((game) => [game.id, makeRow(game)]));
  }

  /**
   * @param {readonly string[]} ids
   * @returns {Promise<Api.Game[]>} the records the server has
   */
  async #fetch(ids) {
    /** @type {Api.Game[]} */
    const games = [];
    for (let at = 0; at < ids.length; at += DELTA_PAGE) {
      const delta = await this.#client.get('/api/library/delta', { ids: ids.slice(at, at + DELTA_PAGE).join(',') });
      games.push(...delta.games);
      this.epoch = delta.media_epoch ?? this.epoch;
    }
    return games;
  }

  /** @param {readonly string[]} ids */
  remove(ids) {
    for (const id of ids) {
      this.#gone.add(id);
      if (this.#table.remove(id)) this.total = Math.max(0, this.total - 1);
    }
    this.#worker.postMessage({ type: 'drop', ids: [...ids] });
    this.#bus.emit('catalog:gone', { ids });
  }

  /** @param {App.FromWorker} message */
  #receive(message) {
    switch (message.type) {
      case 'rows':
        this.#table.unpack(message.rows);
        this.#bus.emit('catalog:rows', { ids: message.rows.ids });
        break;
      case 'gone':
        for (const id of message.ids) this.#table.remove(id);
        this.#bus.emit('catalog:gone', { ids: message.ids });
        break;
      case 'progress':
        this.loaded = message.loaded;
        this.total = message.total;
        this.#bus.emit('catalog:progress', { loaded: message.loaded, total: message.total });
        break;
      case 'facets':
        this.#setFacets(message.facets);
        break;
      case 'order':
        // An answer to an older question is of no use: the newest one is on its way.
        if (message.seq === this.#seq)
          this.#bus.emit('catalog:order', { order: message.order, groups: message.groups, letters: message.letters,
            isWhole: message.isWhole });
        break;
      case 'counts':
        if (message.seq === this.#seq) this.#bus.emit('catalog:counts', message.counts);
        break;
      case 'found':
        if (message.seq === this.#findSeq) this.#onFound?.(message.slots);
        break;
      case 'ready':
        this.loaded = message.total;
        this.total = message.total;
        this.complete = true;
        this.isReady = true;
        this.#bus.emit('catalog:ready', { total: message.total });
        if (this.#isStale) this.#timer ??= setTimeout(() => void this.#catchUp(), GATHER);
        break;
      case 'failed':
        this.#bus.emit('failure', message.error);
        break;
    }
  }
}
