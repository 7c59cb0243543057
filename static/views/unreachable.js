/**
 * The screen when the page has no right to ask (no token, or one of an earlier start) or no server to ask.
 */

import { busyButton } from '../parts/act.js';
import { unreachableText } from '../parts/state-box.js';
import { h, icon } from '../core/dom.js';
import { isFocusFree } from '../core/focus.js';

/** @implements {App.View} */
export class UnreachableView {
  #root;
  #life = new AbortController();

  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   * @param {'token' | 'server'} reason
   * @param {() => Promise<void>} onRetry
   */
  constructor(ctx, root, reason, onRetry) {
    const { t } = ctx;
    const retry = busyButton(ctx, { label: t('action.retry'), symbol: 'refresh', style: 'primary', focus: 'retry',
      run: onRetry });
    this.#root = h('div', { class: 'empty', role: 'alert' }, h('div', { class: 'glyph' }, icon('plug')),
      h('h1', null, t(`unreachable.${reason}.title`)),
      reason === 'server' ? unreachableText(ctx, this.#life.signal) : h('p', null, t('unreachable.token.text')),
      h('div', { class: 'acts' }, retry));
    root.append(this.#root);
    if (isFocusFree()) retry.focus();
  }

  unmount() {
    this.#life.abort();
    this.#root.remove();
  }
}
