/**
 * A controller made of script: the page believes it is there, and tests press its buttons. A press lasts for one look of the page at it, however slow the machine is, so that it is never
 * missed and never counts as held.
 */

import { hesitate } from './jitter.js';

/** Buttons of the W3C standard gamepad by what they usually do. */
export const BUTTON = Object.freeze({ play: 0, back: 1, favorite: 2, random: 3, page_left: 4, page_right: 5, first: 6,
  last: 7, pause: 8, menu: 9, details: 11, up: 12, down: 13, left: 14, right: 15 });

/**
 * What the script leaves in the page.
 *
 * @typedef {{calls: number, pads: (object | null)[], connect: (id: string) => void, disconnect: () => void, set: (button: number, isDown: boolean) => void, tilt: (x: number, y: number) => void,
 *   begun: (() => void)[], seen: (() => void)[], once: (begin: () => void, end: () => void) => void}} FakePads
 */

/** The controller of one page. */
export class Pad {
  #page;

  /** @param {import('playwright-core').Page} page */
  constructor(page) {
    this.#page = page;
  }

  /**
   * Makes the page believe in controllers from its next load on.
   *
   * @param {import('playwright-core').Page} page
   * @returns {Promise<Pad>}
   */
  static async install(page) {
    await page.addInitScript(() => {
      /** @type {FakePads} */
      const fake = {
        calls: 0,
        pads: [null, null, null, null],
        connect(id) {
          fake.pads[0] = { id, index: 0, connected: true, mapping: 'standard', timestamp: 0, axes: [0, 0, 0, 0],
            buttons: Array.from({ length: 17 }, () => ({ pressed: false, touched: false, value: 0 })) };
          dispatchEvent(Object.assign(new Event('gamepadconnected'), { gamepad: fake.pads[0] }));
        },
        disconnect() {
          const [gamepad] = fake.pads;
          fake.pads[0] = null;
          dispatchEvent(Object.assign(new Event('gamepaddisconnected'), { gamepad }));
        },
        set(button, isDown) {
          const pad = /** @type {{buttons: {pressed: boolean, value: number}[]}} */ (fake.pads[0]);
          const state = pad.buttons[button];
          if (state) [state.pressed, state.value] = [isDown, Number(isDown)];
        },
        tilt(x, y) {
          /** @type {{axes: number[]}} */ (fake.pads[0]).axes = [x, y, 0, 0];
        },
        // What is to end at the look after the next one.
        begun: [],
        seen: [],
        once(begin, end) {
          begin();
          fake.begun.push(end);
        },
      };
      Object.assign(window, { fakePads: fake });
      Object.defineProperty(navigator, 'getGamepads', { value: () => {
        fake.calls += 1;
        for (const end of fake.seen) end();
        [fake.seen, fake.begun] = [fake.begun, []];
        return fake.pads;
      } });
    });
    return new Pad(page);
  }

  /** @param {string} [id] as a browser names a controller */
  async connect(id = 'Xbox 360 Controller (STANDARD GAMEPAD Vendor: 045e Product: 028e)') {
    await this.#page.evaluate(
      (name) => /** @type {{fakePads: FakePads}} */ (/** @type {unknown} */ (window)).fakePads.connect(name),
      id,
    );
    await this.frames();
  }

  async disconnect() {
    await this.#page.evaluate(() =>
      /** @type {{fakePads: FakePads}} */ (/** @type {unknown} */ (window)).fakePads.disconnect()
    );
  }

  /**
   * Presses buttons one after the other, each for one look.
   *
   * @param {...(keyof typeof BUTTON | number)} buttons
   */
  async press(...buttons) {
    for (const button of buttons) {
      await hesitate();
      await this.#page.evaluate(async (index) => {
        const { fakePads } = /** @type {{fakePads: FakePads}} */ (/** @type {unknown} */ (window));
        fakePads.once(() => fakePads.set(index, true), () => fakePads.set(index, false));
        // A page that does not look, because a game has the controller, misses the press as it should.
        for (let frame = 0; frame < 4 && fakePads.begun.length + fakePads.seen.length > 0; frame += 1)
          await new Promise(requestAnimationFrame);
        fakePads.set(index, false);
        [fakePads.begun, fakePads.seen] = [[], []];
        await new Promise(requestAnimationFrame);
      }, typeof button === 'number' ? button : BUTTON[button]);
    }
  }

  /**
   * Tilts the left stick and lets it go.
   *
   * @param {number} x
   * @param {number} y
   */
  async tilt(x, y) {
    await this.#page.evaluate(([dx, dy]) => {
      const { fakePads } = /** @type {{fakePads: FakePads}} */ (/** @type {unknown} */ (window));
      fakePads.once(() => fakePads.tilt(dx ?? 0, dy ?? 0), () => fakePads.tilt(0, 0));
    }, [x, y]);
    await this.frames();
    await this.frames();
  }

  /** Waits for two frames. */
  frames() {
    return this.#page.evaluate(() =>
      new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(undefined)));
      })
    );
  }

  /** How often the page asked for controllers. */
  calls() {
    return this.#page.evaluate(() =>
      /** @type {{fakePads: FakePads}} */ (/** @type {unknown} */ (window)).fakePads.calls
    );
  }
}
