/**
 * Smart collections: named phrases whose games the server finds anew at every look. Their counts, and the games of the
 * one that is shown, follow the library.
 */

import { coalesce } from '../core/coalesce.js';

/** How long changes of the library are gathered before the phrases are asked again, in milliseconds. */
const GATHER = 400;

/** Begins the name of a phrase that is shown and not kept; no collection has such a name. */
const SAID = '\u0001';

/** How many games like another one are shown. */
const LIKE = 100;

/**
 * The name under which the games of a phrase are shown without being kept.
 *
 * @param {string} phrase
 */
export function saidName(phrase) {
  return phrase ? SAID + phrase : '';
}

/**
 * The phrase of such a name; the empty string for a collection.
 *
 * @param {string} name
 */
export function saidPhrase(name) {
  return name.startsWith(SAID) ? name.slice(SAID.length) : '';
}

/** Keeps the collections. */
export class Collections {
  #client;
  #bus;
  /** Name of the collection that is shown, or the empty string. */
  #shown = '';
  /** @type {App.Timer} */
  #timer;
  /** @type {readonly App.Collection[]} */
  list = [];
  /**
   * What the shown collection holds; `null` until the server has told.
   *
   * @type {App.CollectionGames | null}
   */
  games = null;

  /**
   * @param {import('../core/client.js').Client} client
   * @param {import('../core/bus.js').Bus} bus
   */
  constructor(client, bus) {
    this.#client = client;
    this.#bus = bus;
    bus.on('catalog:page', (page) => {
      this.#take(
        (page.smart_collections ?? []).map((row) => ({ ...row,
          count: this.list.find(({ name, query }) => name === row.name && query === row.query)?.count ?? null })
        ),
      );
    });
    bus.on('sections', ({ names }) => {
      if (names.includes('smart_collections')) this.#plan();
    });
    for (const name of /** @type {const} */ (['catalog:ready', 'game', 'removed']))
      bus.on(name, () => {
        if (this.list.length > 0) this.#plan();
      });
  }

  /** Asks for the collections with their counts, and for the games of the shown one. */
  refresh = coalesce(async () => {
    const { items } = await this.#client.get('/api/v2/collections');
    this.#take(items);
    if (this.#shown) await this.#find(this.#shown);
  });

  /**
   * Shows a collection: its games are told by `collection`, now and whenever they change.
   *
   * @param {string} name the empty string for none
   */
  show(name) {
    if (name === this.#shown) return;
    this.#shown = name;
    this.games = null;
    if (name) this.#find(name).catch((error) => this.#bus.emit('failure', error));
  }

  /**
   * @param {string} name
   * @returns {App.Collection | undefined}
   */
  find(name) {
    return this.list.find((collection) => collection.name === name);
  }

  /**
   * What a phrase says and finds. One without any condition may ask for games like another one.
   *
   * @param {string} query
   * @returns {Promise<Api.Phrase>}
   */
  async read(query) {
    /** @type {Api.Phrase} */
    const phrase = await this.#client.post('/api/v2/library/query/parse', { query });
    if (phrase.chips.length > 0) return phrase;
    const { anchor, results } = await this.#client.post('/api/v2/library/dna/search', { query, limit: LIKE });
    return anchor
      ? { ...phrase, anchor, match_count: results.length, matched_game_ids: results.map(({ game_id: id }) => id) }
      : phrase;
  }

  /**
   * @param {{name: string, query: string}} collection
   * @param {string} [former] the name it had
   */
  async save({ name, query }, former) {
    await this.#client.post('/api/v2/collections', { name, query, ...(former && former !== name ? { former } : {}) });
    if (former === this.#shown) this.#shown = name;
    await this.refresh();
  }

  /** @param {string} name */
  async remove(name) {
    await this.#client.post('/api/v2/collections/delete', { name });
    await this.refresh();
  }

  #plan() {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.refresh().catch((error) => this.#bus.emit('failure', error));
    }, GATHER);
  }

  /** @param {readonly App.Collection[]} list */
  #take(list) {
    this.list = list;
    this.#bus.emit('collections', {});
  }

  /** @param {string} name */
  async #find(name) {
    const query = saidPhrase(name) || this.find(name)?.query;
    const phrase = query ? await this.read(query) : null;
    if (name !== this.#shown) return;
    this.games = { name, ids: phrase?.matched_game_ids ?? [], total: phrase?.match_count ?? 0, phrase };
    this.#bus.emit('collection', this.games);
  }
}
