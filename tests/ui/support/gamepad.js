/**
 * A controller made of script: the page believes it is there, tests press its buttons, and every press lasts as many frames as the page needs to see it.
 */

/** Buttons of the W3C standard gamepad by what they usually do. */
export const BUTTON = Object.freeze({ play: 0, back: 1, favorite: 2, random: 3, page_left: 4, page_right: 5, first: 6, last: 7, pause: 8, menu: 9, details: 11, up: 12, down: 13, left: 14, right: 15 });

/**
 * What the script leaves in the page.
 *
 * @typedef {{calls: number, pads: (object | null)[], connect: (id: string) => void, disconnect: () => void, set: (button: number, isDown: boolean) => void, tilt: (x: number, y: number) => void}} FakePads
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
          fake.pads[0] = { id, index: 0, connected: true, mapping: 'standard', timestamp: 0, axes: [0, 0, 0, 0], buttons: Array.from({ length: 17 }, () => ({ pressed: false, touched: false, value: 0 })) };
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
      };
      Object.assign(window, { fakePads: fake });
      Object.defineProperty(navigator, 'getGamepads', { value: () => { fake.calls += 1; return fake.pads; } });
    });
    return new Pad(page);
  }

  /** @param {string} [id] as a browser names a controller */
  async connect(id = 'Xbox 360 Controller (STANDARD GAMEPAD Vendor: 045e Product: 028e)') {
    await this.#page.evaluate((name) => /** @type {{fakePads: FakePads}} */ (/** @type {unknown} */ (window)).fakePads.connect(name), id);
    await this.frames();
  }

  async disconnect() {
    await this.#page.evaluate(() => /** @type {{fakePads: FakePads}} */ (/** @type {unknown} */ (window)).fakePads.disconnect());
  }

  /**
   * Presses buttons one after the other, each for two frames.
   *
   * @param {...(keyof typeof BUTTON | number)} buttons
   */
  async press(...buttons) {
    for (const button of buttons) {
      await this.#page.evaluate(async (index) => {
        const { fakePads } = /** @type {{fakePads: FakePads}} */ (/** @type {unknown} */ (window));
        const frames = () => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); });
        fakePads.set(index, true);
        await frames();
        fakePads.set(index, false);
        await frames();
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
    for (const [across, down] of [[x, y], [0, 0]]) {
      await this.#page.evaluate(([dx, dy]) => /** @type {{fakePads: FakePads}} */ (/** @type {unknown} */ (window)).fakePads.tilt(dx ?? 0, dy ?? 0), [across, down]);
      await this.frames();
    }
  }

  /** Waits for two frames. */
  frames() {
    return this.#page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(() => resolve(undefined))); }));
  }

  /** How often the page asked for controllers. */
  calls() {
    return this.#page.evaluate(() => /** @type {{fakePads: FakePads}} */ (/** @type {unknown} */ (window)).fakePads.calls);
  }
}
