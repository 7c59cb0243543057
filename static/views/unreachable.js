/**
 * The screen when the page has no right to ask (no token, or one of an earlier start) or no server to ask.
 */

import { h, icon } from '../core/dom.js';

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
    this.#root = h('div', { class: 'empty' }, h('div', { class: 'glyph' }, icon('plug')),
      h('h1', null, t(`unreachable.${reason}.title`)), h('p', null, t(`unreachable.${reason}.text`)),
      h('div', { class: 'acts' }, h('button', { class: 'button primary', type: 'button', on: { click: onRetry } }, icon('refresh', 'icon-s'), t('action.retry'))));
    root.append(this.#root);
  }

  unmount() {
    this.#root.remove();
  }
}
