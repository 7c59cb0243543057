/**
 * The letters beside a library in order of names: a press or a drag over them goes to the first game of a letter.
 * Letters without games are not there. For the eye and the pointer; by keyboard a letter typed in the grid does the
 * same.
 */

import { fill, h } from '../../core/dom.js';

/** The rail of letters. */
export class LetterRail {
  #onJump;
  /** @type {readonly App.Letter[]} */
  #letters = [];
  #isHeld = false;
  element;

  /** @param {(index: number) => void} onJump */
  constructor(onJump) {
    this.#onJump = onJump;
    this.element = h('div', {
      class: 'rail',
      hidden: true,
      'aria-hidden': 'true',
      on: {
        pointerdown: (event) => {
          this.#isHeld = true;
          event.preventDefault();
          this.#follow(/** @type {PointerEvent} */ (event));
        },
        pointermove: (event) => {
          if (this.#isHeld) this.#follow(/** @type {PointerEvent} */ (event));
        },
        pointerup: () => {
          this.#isHeld = false;
        },
        pointerleave: () => {
          this.#isHeld = false;
        },
      },
    });
  }

  /** @param {readonly App.Letter[]} letters with the first place of each */
  show(letters) {
    const isSame = letters.length === this.#letters.length &&
      letters.every(({ letter }, at) => letter === this.#letters[at]?.letter);
    this.#letters = letters;
    this.element.hidden = letters.length < 2;
    if (!isSame) fill(this.element, letters.map(({ letter }) => h('span', { 'data-letter': letter }, letter)));
  }

  /** @param {PointerEvent} event */
  #follow(event) {
    const top = this.element.firstElementChild?.getBoundingClientRect().top ?? 0;
    const bottom = this.element.lastElementChild?.getBoundingClientRect().bottom ?? 0;
    const part = Math.max(0, Math.min(0.999, (event.clientY - top) / Math.max(1, bottom - top)));
    const place = this.#letters[Math.floor(part * this.#letters.length)];
    if (place) this.#onJump(place.index);
  }
}
