/**
 * What a locked page shows instead of a screen that is not for visitors: where the PIN is entered.
 */

import { pinPad } from '../parts/kiosk/pin-pad.js';
import { pageHead } from '../parts/state-box.js';
import { h, icon } from '../core/dom.js';
import { mayTakeFocus } from '../core/focus.js';

/** @implements {App.View} */
export class KioskView {
  #root;

  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   */
  constructor(ctx, root) {
    const { t } = ctx;
    const pad = pinPad(ctx, { onDone: () => undefined });
    this.#root = h('div', { class: 'page scroll', tabindex: -1 },
      h('div', { class: 'inner kiosk-lock' }, pageHead(ctx, t('kiosk.locked.title')),
        h('div', { class: 'glyph' }, icon('lock')), h('p', { class: 'about' }, t('kiosk.locked.text')), pad,
        h('a', { class: 'button quiet', href: '#/' }, icon('back', 'icon-s'), t('kiosk.back'))));
    root.append(this.#root);
    const first = /** @type {HTMLElement | null} */ (pad.querySelector('[data-focus="pin-1"]'));
    if (first && mayTakeFocus(this.#root)) first.focus();
  }

  unmount() {
    this.#root.remove();
  }
}
