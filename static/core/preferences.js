/**
 * Choices about the look of this page. They live on the server among the settings, because the port, and with it the origin and all storage of the browser,
 * changes at each start. Writes are gathered; a refused one is reported once and the choice holds for this page.
 */

const WRITE_DELAY = 600;

/** Tile widths the slider offers, in pixels. */
export const TILE = Object.freeze({ min: 110, max: 300, step: 10, initial: 146 });

/** Colour schemes; `auto` follows the system. */
export const SCHEMES = Object.freeze(['dark', 'light', 'contrast', 'auto']);

/** Reads and writes the choices. */
export class Preferences {
  #client;
  #bus;
  /** @type {Api.Settings} */
  #settings = {};
  /** @type {Api.Settings} */
  #pending = {};
  /** @type {App.Timer} */
  #timer;

  /**
   * @param {import('./client.js').Client} client
   * @param {import('./bus.js').Bus} bus
   */
  constructor(client, bus) {
    this.#client = client;
    this.#bus = bus;
  }

  /** @param {Api.Settings} settings the newest public settings */
  take(settings) {
    this.#settings = { ...settings, ...this.#pending };
    this.#bus.emit('settings', this.#settings);
  }

  get locale() {
    return String(this.#settings['locale'] ?? 'en');
  }

  get scheme() {
    const scheme = String(this.#settings['ui_scheme'] ?? '');
    return SCHEMES.includes(scheme) ? scheme : 'dark';
  }

  get tileWidth() {
    const width = Number(this.#settings['ui_tile_width']);
    return width >= TILE.min && width <= TILE.max ? width : TILE.initial;
  }

  /** Whether games stand in rows instead of tiles. */
  get isList() {
    return this.#settings['library_view'] === 'list' || this.#settings['library_view'] === 'details';
  }

  get detailsOpen() {
    return this.#settings['ui_details_open'] !== false;
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
    Object.assign(this.#pending, changes);
    this.#bus.emit('settings', this.#settings);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#write(), WRITE_DELAY);
  }

  async #write() {
    const changes = this.#pending;
    this.#pending = {};
    try {
      await this.#client.post('/api/settings', changes);
    } catch (error) {
      this.#bus.emit('failure', error);
    }
  }
}
