/**
 * The kiosk as this page knows it: whether it may only view and play, whether it sees the family view, and entering the
 * PIN. The server refuses what a locked page may not do; the page only leaves out what would be refused.
 */

import { ApiError } from '../core/client.js';

/** What the server says to a page that has not entered the PIN. */
const LOCKED = 'ARCADE_KIOSK_LOCKED';

/** Screens that a locked page shows, by the first part of the address. */
const OPEN = Object.freeze(['library', 'home', 'game', 'big', 'insights']);

/** The one of them that the server does not answer in the family view. */
const NOT_FOR_FAMILIES = 'insights';

/** Asked to learn whether this page is locked: every locked page is refused it. */
const PROBE = '/api/v2/jobs';

/** Whether an error says that the PIN is missing. @param {unknown} error */
export function isLockedOut(error) {
  return error instanceof ApiError && error.code === LOCKED;
}

/** Follows the kiosk. */
export class Kiosk {
  #client;
  #bus;
  #hasFamilyView = false;
  #highest = '';
  isLocked = false;

  /**
   * @param {import('../core/client.js').Client} client
   * @param {import('../core/bus.js').Bus} bus
   */
  constructor(client, bus) {
    this.#client = client;
    this.#bus = bus;
  }

  /** Asks whether this page is locked. */
  async check() {
    const [{ enabled, pin_set: hasPin }, settings] = await Promise.all([
      this.#client.get('/api/v2/arcade/kiosk/status'),
      this.#client.get('/api/settings'),
    ]);
    this.#client.namesTab = enabled && hasPin;
    this.#hasFamilyView = settings['museum_kiosk_family'] === true;
    this.#highest = String(settings['museum_kiosk_esrb']);
    if (!enabled || !hasPin) return this.set(false);
    try {
      await this.#client.get(PROBE, { limit: 1 });
      this.set(false);
    } catch (error) {
      if (!isLockedOut(error)) throw error;
      this.set(true);
    }
  }

  /** Whether this page sees the family view only. */
  get isFamily() {
    return this.isLocked && this.#hasFamilyView;
  }

  /** Which part of the library this page sees: up to which rating, or empty for all of it. */
  get part() {
    return this.isFamily ? this.#highest : '';
  }

  /** @param {boolean} isLocked as the server has shown it */
  set(isLocked) {
    if (isLocked === this.isLocked) return;
    this.isLocked = isLocked;
    this.#bus.emit('kiosk', { isLocked });
  }

  /**
   * Enters the PIN.
   *
   * @param {string} pin
   * @returns {Promise<boolean>} whether it was the right one
   */
  async verify(pin) {
    const { ok } = await this.#client.post('/api/v2/arcade/kiosk/verify', { pin });
    if (ok) this.set(false);
    return ok;
  }

  /** Locks this page again. */
  async lock() {
    await this.#client.post('/api/v2/arcade/kiosk/pin', { lock: true });
    await this.check();
  }

  /**
   * Whether a screen is shown now.
   *
   * @param {string} name the first part of its address
   */
  shows(name) {
    if (this.isFamily && name === NOT_FOR_FAMILIES) return false;
    return !this.isLocked || OPEN.includes(name);
  }
}
