/**
 * The screen when the page has no right to ask (no token, or one of an earlier start) or no server to ask.
 */

import { h, icon } from '../core/dom.js';
import { isFocusFree } from '../core/focus.js';

/** @implements {App.View} */
export class UnreachableView {
  #root;

  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   * @param {'token' | 'server'} reason
   * @param {() => void} onRetry
   */
  constructor(ctx, root, reason, onRetry) {
    const { t } = ctx;
    const retry = h('button', { class: 'button primary', type: 'button', on: { click: onRetry } }, icon('refresh', 'icon-s'), t('action.retry'));
    this.#root = h('div', { class: 'empty', role: 'alert' }, h('div', { class: 'glyph' }, icon('plug')),
      h('h1', null, t(`unreachable.${reason}.title`)), h('p', null, t(`unreachable.${reason}.text`)),
      h('div', { class: 'acts' }, retry));
    root.append(this.#root);
    if (isFocusFree()) retry.focus();
  }

  unmount() {
    this.#root.remove();
  }
}
