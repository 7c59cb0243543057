/**
 * Choices about the look of this page. They live on the server among the settings, because the port, and with it the
 * origin and all storage of the browser, changes at each start. Writes are gathered; a refused one is reported once,
 * and the choice holds until the page next hears of the settings. What another window or program sets is taken over,
 * except where a choice of this page is still on its way.
 */

import { ApiError } from '../core/client.js';
import { coalesce } from '../core/coalesce.js';
import { readColumns, readWidths } from './columns.js';
import { readBig } from './big-settings.js';
import { GROUPS } from './grouping.js';
import { pictureGroup, pictureRatio, pictureKind } from './pictures.js';

const WRITE_DELAY = 600;

/** Tile widths the slider offers, in pixels. */
export const TILE = Object.freeze({ min: 110, max: 300, step: 10, initial: 146 });

/** Colour schemes; `auto` follows the system. */
export const SCHEMES = Object.freeze(['dark', 'light', 'contrast', 'auto']);

/** Sections of the sidebar below the search, in the order they have at first. */
const SECTIONS = Object.freeze(['view', 'platforms', 'playlists', 'collections', 'filters']);

/**
 * Sections of the sidebar in order, each with whether it is shown.
 *
 * @param {Api.Settings} settings
 * @returns {{name: string, isShown: boolean}[]}
 */
export function readSections({ sidebar_sections: listed, hidden_sidebar_sections: hidden }) {
  const all = [...new Set(Array.isArray(listed) ? listed.map(String).filter((name) => SECTIONS.includes(name)) : [])];
  // A section that the stored order does not know yet stands behind the one it follows at first.
  SECTIONS.forEach((name, at) => {
    if (!all.includes(name)) all.splice(all.indexOf(SECTIONS[at - 1] ?? '') + 1, 0, name);
  });
  return all.map((name) => ({ name, isShown: !(Array.isArray(hidden) && hidden.includes(name)) }));
}

/**
 * The settings that stand for an order of the sections; what they name besides, such as the search, which does not
 * move, stays.
 *
 * @param {Api.Settings} settings as they are
 * @param {readonly {name: string, isShown: boolean}[]} sections
 * @returns {{sidebar_sections: string[], hidden_sidebar_sections: string[]}}
 */
export function writeSections({ sidebar_sections: listed, hidden_sidebar_sections: hidden }, sections) {
  const others = (
    /** @type {unknown} */ names,
  ) => (Array.isArray(names) ? names.map(String).filter((name) => !SECTIONS.includes(name)) : []);
  return {
    sidebar_sections: [...others(listed), ...sections.map(({ name }) => name)],
    hidden_sidebar_sections: [...others(hidden), ...sections.filter(({ isShown }) => !isShown).map(({ name }) => name)],
  };
}

/** Reads and writes the choices. */
export class Preferences {
  #client;
  #bus;
  /** @type {Api.Settings} */
  #settings = {};
  /** @type {ReadonlySet<string>} */
  #marks = new Set();
  /**
   * Choices of this page that are still to be sent.
   *
   * @type {Api.Settings}
   */
  #pending = {};
  /**
   * Choices of this page that the server has not confirmed.
   *
   * @type {Api.Settings}
   */
  #own = {};
  /** Answers taken so far: what was asked for before the newest one may be older than it. */
  #answers = 0;
  /** Whether the settings changed before the first of them were here. */
  #isBehind = false;
  /** @type {App.Timer} */
  #timer;
  /** Settles when the choices that were sent are answered: an older one that comes last would win. */
  #sent = Promise.resolve();
  #follow = coalesce(() => this.#read());

  /**
   * @param {import('../core/client.js').Client} client
   * @param {import('../core/bus.js').Bus} bus
   */
  constructor(client, bus) {
    this.#client = client;
    this.#bus = bus;
    // A choice made just before the page goes is kept too.
    addEventListener('pagehide', () => {
      if (Object.keys(this.#pending).length === 0) return;
      client.postLast('/api/settings', this.#pending);
      this.#pending = {};
    });
    bus.on('sections', ({ names }) => {
      if (names.includes('settings')) void this.#follow();
    });
    bus.on('live:behind', ({ missed }) => {
      if (missed) void this.#follow();
    });
  }

  /** @param {Api.Settings} settings the newest public settings */
  take(settings) {
    this.#answers += 1;
    this.#settings = { ...settings, ...this.#own };
    this.#readMarks();
    this.#bus.emit('settings', this.#settings);
    if (this.#isBehind) void this.#follow();
  }

  /** Asks for the settings and takes them where they are others than those of this page. */
  async #read() {
    // The page that is just being read may be older than the change.
    this.#isBehind = this.#answers === 0;
    if (this.#isBehind) return;
    try {
      /** @type {Api.Settings} */
      let settings;
      let before;
      do {
        before = this.#answers;
        settings = await this.#client.get('/api/settings');
      } while (before !== this.#answers);
      if (JSON.stringify({ ...settings, ...this.#own }) !== JSON.stringify(this.#settings)) this.take(settings);
    } catch (error) {
      // Without an answer the page is behind, and is told so when the server is back.
      if (!(error instanceof ApiError && error.code === 'NO_ANSWER')) this.#bus.emit('failure', error);
    }
  }

  get locale() {
    return String(this.#settings['locale'] ?? 'en');
  }

  /** Whether Home is the first page; otherwise the library is. */
  get startsAtHome() {
    return this.#settings['start_page'] === 'home';
  }

  /** The name of the theme over the colours; the empty string without one. */
  get theme() {
    return String(this.#settings['theme'] ?? '');
  }

  /**
   * The theme of pages about one platform: its own, else that of all.
   *
   * @param {string} platform
   * @returns {string}
   */
  themeFor(platform) {
    const own = /** @type {Record<string, unknown>} */ (this.#settings['theme_by_platform'] ?? {});
    return (platform && String(own[platform] ?? '')) || this.theme;
  }

  /** Whether the library is exchanged with other ones. */
  get syncsLibrary() {
    return this.#settings['library_sync_enabled'] === true;
  }

  /** How many people a party is for. */
  get partyPlayers() {
    return Number(this.#settings['party_players']) || 2;
  }

  get scheme() {
    const scheme = String(this.#settings['ui_scheme'] ?? '');
    return SCHEMES.includes(scheme) ? scheme : 'dark';
  }

  get tileWidth() {
    const width = Number(this.#settings['ui_tile_width']);
    return width >= TILE.min && width <= TILE.max ? width : TILE.initial;
  }

  /** Whether the titles stand below the covers of the grid. */
  get tileTitles() {
    return this.#settings['ui_tile_titles'] !== false;
  }

  /** Tiles, rows with columns, or narrow rows beside the details. */
  get form() {
    const form = this.#settings['library_view'];
    return form === 'list' || form === 'details' ? form : 'grid';
  }

  /** Columns of the list beside the name. */
  get columns() {
    return readColumns(this.#settings['list_columns']);
  }

  /** Widths of columns that somebody chose. */
  get columnWidths() {
    return readWidths(this.#settings['ui_column_widths']);
  }

  /** What the library is put into groups by; the empty string for nothing. */
  get group() {
    const group = String(this.#settings['ui_group'] ?? '');
    return GROUPS.includes(group) ? group : '';
  }

  /** Sections of the sidebar in order, without those that were hidden. */
  get sidebarSections() {
    return readSections(this.#settings).filter(({ isShown }) => isShown).map(({ name }) => name);
  }

  get filtersOpen() {
    return this.#settings['ui_filters_open'] === true;
  }

  get detailsOpen() {
    return this.#settings['ui_details_open'] !== false;
  }

  /** Whether folders are looked through for new games. */
  get watchesFolders() {
    const folders = this.#settings['watch_folders'];
    return Array.isArray(folders) && folders.length > 0;
  }

  /** Buttons of the controller by action, as somebody chose them. */
  get controllerMap() {
    return this.#settings['controller_map'];
  }

  /** The pack that says how buttons are drawn. */
  get promptPack() {
    return String(this.#settings['controller_prompt_pack'] ?? '');
  }

  /** Marks of games that are shown. @returns {ReadonlySet<string>} */
  get marks() {
    return this.#marks;
  }

  /** Whether tiles say what stands in the way of a start. */
  get showsLaunchMarks() {
    return this.#settings['show_launch_badges'] !== false;
  }

  /** Whether menus offer playlists to put games into. */
  get offersPlaylists() {
    return this.#settings['show_playlist_actions'] !== false;
  }

  /** Whether the main button of a game names the cure where the game would not start. */
  get namesCures() {
    return this.#settings['dynamic_play_button'] !== false;
  }

  /** Whether pictures keep their shape; otherwise they are cut to fill their box. */
  get keepsShapes() {
    return this.#settings['cover_grouping'] !== 'none';
  }

  /** Whether the end of a session is told. */
  get tellsSessions() {
    return this.#settings['track_session_history'] !== false && this.#settings['session_recap_enabled'] !== false;
  }

  /** Whether a game without progress is suggested one after it was played. */
  get suggestsProgress() {
    return this.#settings['backlog_progress_suggest'] !== false && !this.#settings['progress_on_first_play'];
  }

  /**
   * The group of pictures that stands for the games of a playlist or a platform, or for all.
   *
   * @param {{playlist?: string, platform?: string}} scope
   */
  pictureGroup(scope) {
    return pictureGroup(this.#settings, scope);
  }

  /**
   * What was chosen for a playlist or a platform itself, `default` for nothing; for neither of them, what stands for
   * all.
   *
   * @param {{playlist: string, platform: string}} scope
   */
  ownPictureGroup({ playlist, platform }) {
    if (!playlist && !platform) return this.pictureGroup({});
    const { image_group_by_platform: platforms, image_group_by_playlist: playlists } = this.#settings;
    const choices = /** @type {Record<string, unknown> | undefined} */ (playlist ? playlists : platforms);
    return choices && Object.hasOwn(choices, playlist || platform)
      ? this.pictureGroup({ playlist, platform })
      : 'default';
  }

  /**
   * The pictures of a list of games.
   *
   * @param {{playlist?: string, platform?: string}} scope what all of them have in common
   * @returns {App.Pictures}
   */
  pictures(scope) {
    const { image_group: everywhere, image_group_by_platform: platforms, image_group_by_playlist: playlists } =
      this.#settings;
    return { key: JSON.stringify([scope, everywhere, platforms, playlists]),
      ratio: pictureRatio(this.pictureGroup(scope)),
      of: (row) => pictureKind(row, this.pictureGroup({ ...scope, platform: row.platform })) };
  }

  /** What the big screen follows. */
  get big() {
    return readBig(this.#settings);
  }

  get sort() {
    return String(this.#settings['list_sort'] || 'name');
  }

  get isReversed() {
    return this.#settings['list_sort_dir'] === 'reversed';
  }

  /**
   * Changes choices now and writes them a moment later.
   *
   * @param {Api.Settings} changes
   */
  set(changes) {
    Object.assign(this.#settings, changes);
    this.#readMarks();
    Object.assign(this.#pending, changes);
    Object.assign(this.#own, changes);
    this.#bus.emit('settings', this.#settings);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#sent = this.#sent.then(() => this.#write());
    }, WRITE_DELAY);
  }

  #readMarks() {
    const listed = this.#settings['badge_visibility'];
    this.#marks = new Set(Array.isArray(listed) ? listed.map(String) : []);
  }

  async #write() {
    const changes = this.#pending;
    if (Object.keys(changes).length === 0) return;
    this.#pending = {};
    try {
      await this.#client.post('/api/settings', changes);
    } catch (error) {
      this.#bus.emit('failure', error);
    } finally {
      this.#answers += 1;
      for (const key of Object.keys(changes)) if (!(key in this.#pending)) delete this.#own[key];
    }
  }
}
