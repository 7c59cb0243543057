/**
 * Reads controllers: turns what is held into presses and repeats. Asks the browser for controllers only after it told
 * that one is there, and never while the page is hidden or somebody else, a running game, owns the controller: the mere
 * question keeps a thread of the browser busy.
 */

import { actionOf, buttonsOf, padKind, REPEATING } from './pad-map.js';

/**
 * Waits of a held direction in milliseconds: before the first repeat, between repeats, and between repeats once it was
 * held for long.
 */
export const REPEAT = Object.freeze({ delay: 350, every: 120, longAfter: 1400, fast: 50 });

/** A stick below `dead` rests; it points somewhere from `press` on, until it falls below `release`. */
export const STICK = Object.freeze({ dead: 0.2, press: 0.5, release: 0.35 });

/** A trigger counts as pressed from here on. */
const TRIGGER = 0.5;

/**
 * Within this many milliseconds, or from one look to the next, a key and a button with the same meaning are one press,
 * as some drivers send both.
 */
const SAME_PRESS = 80;

/** Buttons a stick stands for: up, down, left, right of the d-pad. */
const [UP, DOWN, LEFT, RIGHT] = [12, 13, 14, 15];

/**
 * What is held, and since when.
 *
 * @typedef {{since: number, next: number, isSpent: boolean}} Held `next` is when it repeats; a spent one was held
 *   before anybody looked
 */

/** Presses and repeats out of snapshots of controllers. Pure but for what it remembers. */
export class PadState {
  /** @type {Map<string, Held>} */
  #held = new Map();
  #isFresh = true;

  /** Forgets everything; what is held in the next snapshot does nothing until it is let go. */
  reset() {
    this.#held.clear();
    this.#isFresh = true;
  }

  /**
   * @param {readonly App.PadSnapshot[]} pads
   * @param {number} now in milliseconds
   * @param {(pad: App.PadSnapshot, button: number) => boolean} repeats whether a button goes on while it is held
   * @returns {App.PadInput[]} what happened since the snapshot before
   */
  step(pads, now, repeats) {
    /** @type {App.PadInput[]} */
    const inputs = [];
    const seen = new Set();
    for (const pad of pads) {
      for (const button of this.#pressed(pad)) {
        const name = `${pad.index}:${button}`;
        seen.add(name);
        const held = this.#held.get(name);
        if (!held) {
          this.#held.set(name, { since: now, next: now + REPEAT.delay, isSpent: this.#isFresh });
          if (!this.#isFresh) inputs.push({ pad, button, isRepeat: false });
        } else if (!held.isSpent && now >= held.next && repeats(pad, button)) {
          held.next = now + (now - held.since >= REPEAT.longAfter ? REPEAT.fast : REPEAT.every);
          inputs.push({ pad, button, isRepeat: true });
        }
      }
    }
    for (const name of [...this.#held.keys()]) if (!seen.has(name)) this.#held.delete(name);
    this.#isFresh = false;
    return inputs;
  }

  /**
   * Buttons that are down, the left stick among them as the d-pad.
   *
   * @param {App.PadSnapshot} pad
   * @returns {Set<number>}
   */
  #pressed(pad) {
    /** @type {Set<number>} */
    const pressed = new Set();
    pad.buttons.forEach((button, index) => {
      if (button.pressed || button.value >= TRIGGER) pressed.add(index);
    });
    const [x = 0, y = 0] = pad.axes;
    if (Math.hypot(x, y) < STICK.dead) return pressed;
    const isAcross = Math.abs(x) >= Math.abs(y);
    const [amount, button] = isAcross ? [Math.abs(x), x < 0 ? LEFT : RIGHT] : [Math.abs(y), y < 0 ? UP : DOWN];
    const wasHeld = this.#held.has(`${pad.index}:${button}`);
    if (amount >= (wasHeld ? STICK.release : STICK.press)) pressed.add(button);
    return pressed;
  }
}

/** Follows the controllers of the browser. */
export class Gamepads {
  #state = new PadState();
  #frame = 0;
  /** @type {Set<number>} */
  #connected = new Set();
  /** @type {Set<string>} */
  #reasons = new Set();
  /** @type {unknown} */
  #map = {};
  /** Looks at the controllers so far. */
  #looks = 0;
  #lastKey = { action: '', time: -Infinity, look: -2 };
  #lastInput = { action: '', time: -Infinity, look: -2 };
  /** @type {((pad: App.PadSnapshot, button: number) => void) | null} */
  #capture = null;
  #onAction;
  #onKind;
  /** Which controller was used last. */
  kind = /** @type {App.PadKind} */ ('generic');
  /** Its name as the browser gives it; empty without one. */
  name = '';

  /**
   * @param {(action: string, isRepeat: boolean) => void} onAction
   * @param {() => void} onKind hears that another kind of controller is used, or none any more
   */
  constructor(onAction, onKind) {
    this.#onAction = onAction;
    this.#onKind = onKind;
    addEventListener('gamepadconnected', ({ gamepad }) => {
      this.#connected.add(gamepad.index);
      this.#adopt(gamepad.id);
      this.#follow();
    });
    addEventListener('gamepaddisconnected', ({ gamepad }) => {
      this.#connected.delete(gamepad.index);
      if (this.#connected.size === 0) this.#adopt('');
      this.#follow();
    });
    document.addEventListener('visibilitychange', () => this.#follow());
  }

  /** Whether a controller is there. */
  get isConnected() {
    return this.#connected.size > 0;
  }

  /** @param {unknown} map the setting `controller_map` */
  set map(map) {
    this.#map = map;
    this.#onKind();
  }

  /**
   * Shakes the controllers that can.
   *
   * @param {number} duration in milliseconds
   * @param {number} strength from 0 to 1
   */
  rumble(duration, strength) {
    for (const pad of navigator.getGamepads())
      void pad?.vibrationActuator?.playEffect('dual-rumble', { duration, strongMagnitude: strength,
        weakMagnitude: strength }).catch(() => undefined);
  }

  /** Buttons by action, for the controller in use. */
  get buttons() {
    return buttonsOf(this.#map, this.kind);
  }

  /**
   * Stops asking for controllers until the reason is gone.
   *
   * @param {string} reason
   * @param {boolean} holds
   */
  hold(reason, holds) {
    if (holds === this.#reasons.has(reason)) return;
    if (holds) this.#reasons.add(reason);
    else this.#reasons.delete(reason);
    this.#follow();
  }

  /**
   * Gives the next press of any button to somebody instead of acting on it.
   *
   * @param {(button: number) => void} onButton
   * @param {AbortSignal} signal
   */
  capture(onButton, signal) {
    const capture = (/** @type {App.PadSnapshot} */ _pad, /** @type {number} */ button) => onButton(button);
    this.#capture = capture;
    signal.addEventListener('abort', () => {
      if (this.#capture === capture) this.#capture = null;
    }, { once: true });
  }

  /**
   * Notes a key of the keyboard with a meaning a button has too.
   *
   * @param {string} action
   * @param {number} now
   * @returns {boolean} whether the button did it already
   */
  noteKey(action, now) {
    if (this.#isSame(this.#lastInput, action, now)) return true;
    this.#lastKey = { action, time: now, look: this.#looks };
    return false;
  }

  /**
   * @param {{action: string, time: number, look: number}} last
   * @param {string} action
   * @param {number} now
   */
  #isSame(last, action, now) {
    return last.action === action && (now - last.time < SAME_PRESS || this.#looks - last.look <= 1);
  }

  /** @param {string} id */
  #adopt(id) {
    if (id === this.name) return;
    this.name = id;
    this.kind = padKind(id);
    this.#onKind();
  }

  #follow() {
    const mayAsk = this.#connected.size > 0 && !document.hidden && this.#reasons.size === 0;
    if (mayAsk && this.#frame === 0) {
      this.#state.reset();
      this.#frame = requestAnimationFrame(this.#poll);
    } else if (!mayAsk && this.#frame !== 0) {
      cancelAnimationFrame(this.#frame);
      this.#frame = 0;
    }
  }

  #poll = (/** @type {number} */ now) => {
    this.#frame = requestAnimationFrame(this.#poll);
    this.#looks += 1;
    const pads = /** @type {App.PadSnapshot[]} */ (navigator.getGamepads().filter((pad) => pad?.connected));
    const actionFor = (/** @type {App.PadSnapshot} */ pad, /** @type {number} */ button) =>
      actionOf(button, buttonsOf(this.#map, padKind(pad.id)));
    for (const { pad, button, isRepeat } of this.#state.step(pads, now,
      (held, index) => REPEATING.includes(actionFor(held, index)))) {
      this.#adopt(pad.id);
      if (this.#capture) {
        if (!isRepeat) this.#capture(pad, button);
        continue;
      }
      const action = actionFor(pad, button);
      if (!action || this.#isSame(this.#lastKey, action, now)) continue;
      this.#lastInput = { action, time: now, look: this.#looks };
      this.#onAction(action, isRepeat);
      // What the press did may have made the page stop listening.
      if (this.#frame === 0) return;
    }
  };
}
