/**
 * Playlists and filter presets as the server keeps them, and the requests that change them. Long lists travel in pages.
 */

import { pagesOf } from './batches.js';
import { coalesce } from '../core/coalesce.js';

/** Keeps the lists. */
export class Lists {
  #client;
  #bus;
  /** @type {Api.Playlist[]} */
  playlists = [];
  /** @type {Api.Preset[]} */
  presets = [];

  /**
   * @param {import('../core/client.js').Client} client
   * @param {import('../core/bus.js').Bus} bus
   */
  constructor(client, bus) {
    this.#client = client;
    this.#bus = bus;
    bus.on('catalog:page', (page) => this.take(page));
    bus.on('sections', ({ names }) => {
      if (names.some((name) => name === 'playlists' || name === 'filter_presets'))
        this.reload().catch((error) => bus.emit('failure', error));
    });
  }

  /** @param {Api.LibraryPage} page which carries the lists beside its games */
  take(page) {
    this.playlists = page.playlists ?? [];
    this.presets = page.filter_presets ?? [];
    this.#bus.emit('lists', {});
  }

  /** Presets that the big screen offers; the server marks at most eight. */
  get quick() {
    return this.presets.filter((preset) => preset.bigscreen_quick).slice(0, 8);
  }

  /** Asks for the lists again, one question after the other: an older answer never comes behind a newer one. */
  reload = coalesce(async () => this.take(await this.#client.get('/api/library', { offset: 0, limit: 0 })));

  /**
   * @param {string} name
   * @returns {Api.Playlist | undefined}
   */
  playlist(name) {
    return this.playlists.find((playlist) => playlist.name === name);
  }

  /**
   * Saves what a playlist is called and says; its games stay. `former` is the name it had.
   *
   * @param {Omit<Api.Playlist, 'members'>} playlist
   * @param {string} [former]
   */
  async save({ name, type, rules, parent, notes }, former) {
    const kept = type === 'manual' ? { append: true } : { rules };
    await this.#client.post('/api/playlists', { name, type, parent, notes, ...kept,
      ...(former && former !== name ? { former } : {}) });
    await this.reload();
  }

  /**
   * Puts games behind those of a manual playlist, which is made when it does not exist. With `before` they go in front
   * of that game, or to the end when it is blank, and those that are there already move.
   *
   * @param {string} name
   * @param {readonly string[]} ids
   * @param {string} [before]
   */
  async add(name, ids, before) {
    const { parent = '', notes = '' } = this.playlist(name) ?? {};
    const pages = pagesOf(ids);
    for (const members of pages.length > 0 ? pages : [[]]) {
      await this.#client.post('/api/playlists', { name, type: 'manual', parent, notes, append: true, members,
        ...(before === undefined ? {} : { before }) });
    }
    await this.reload();
  }

  /**
   * Puts games that have left a manual playlist back where they were.
   *
   * @param {string} name
   * @param {readonly string[]} ids
   * @param {readonly string[]} former the members before they left
   */
  async putBack(name, ids, former) {
    const back = new Set(ids);
    const there = new Set(this.playlist(name)?.members);
    /** @type {string[]} */
    let run = [];
    for (const member of [...former, '']) {
      if (back.has(member)) run.push(member);
      else if (member === '' || there.has(member)) {
        if (run.length > 0) await this.add(name, run, member);
        run = [];
      }
    }
  }

  /**
   * Takes games out of a manual playlist.
   *
   * @param {string} name
   * @param {readonly string[]} ids
   */
  async leave(name, ids) {
    const { parent = '', notes = '' } = this.playlist(name) ?? {};
    for (const remove of pagesOf(ids))
      await this.#client.post('/api/playlists', { name, type: 'manual', parent, notes, append: true, remove });
    await this.reload();
  }

  /** @param {string} name */
  async removePlaylist(name) {
    await this.#client.post('/api/playlists/delete', { name });
    await this.reload();
  }

  /**
   * Brings a removed playlist back.
   *
   * @param {Api.Playlist} playlist
   */
  async restore(playlist) {
    if (playlist.type === 'filter') await this.save(playlist);
    else {
      await this.#client.post('/api/playlists', { name: playlist.name, type: 'manual', parent: playlist.parent,
        notes: playlist.notes, members: [] });
      await this.add(playlist.name, playlist.members);
    }
  }

  /**
   * @param {string} name
   * @param {Record<string, unknown>} rules
   * @param {boolean} [quick] whether the big screen offers it
   */
  async savePreset(name, rules, quick = false) {
    await this.#client.post('/api/filter-presets', { name, rules, bigscreen_quick: quick });
    await this.reload();
  }

  /** @param {string} name */
  async removePreset(name) {
    await this.#client.post('/api/filter-presets/delete', { name });
    await this.reload();
  }
}
