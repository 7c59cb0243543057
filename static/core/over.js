/**
 * A part of the page that lies over a screen on a phone, as the menu and the filters do: "back" closes it, and a link
 * in it leads on in its place, so that the way back has no step that shows nothing.
 */

import { isPhone } from './phone.js';
import { parseHash } from './router.js';

/** One such part. */
export class Over {
  #router;
  #close;
  /** @type {(() => void) | null} */
  #release = null;

  /**
   * @param {import('./router.js').Router} router
   * @param {HTMLElement} element
   * @param {() => void} close takes it away
   */
  constructor(router, element, close) {
    this.#router = router;
    this.#close = close;
    element.addEventListener('click', (event) => this.#follow(event));
  }

  /** @param {boolean} isOpen whether it is shown */
  set(isOpen) {
    if (isOpen && isPhone()) {
      this.#release ??= this.#router.hold(() => {
        this.#release = null;
        this.#close();
      });
    } else if (!isOpen) {
      this.#release?.();
      this.#release = null;
    }
  }

  /** @param {MouseEvent} event */
  #follow(event) {
    const link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null;
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (!link || !this.#release || !isPlain || event.defaultPrevented) return;
    event.preventDefault();
    const hash = link.getAttribute('href') ?? '';
    if (parseHash(hash).hash === this.#router.current.hash) this.#close();
    else location.replace(hash);
  }
}
