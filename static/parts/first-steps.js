/**
 * What begins a library: the same two ways wherever a screen has nothing to show without games.
 */

import { openImport } from './library/import.js';
import { emptyBox } from './state-box.js';
import { h, icon } from '../core/dom.js';

/**
 * @param {App.Context} ctx
 * @returns {HTMLElement[]}
 */
export function firstSteps(ctx) {
  const { t } = ctx;
  return [
    h('a', { class: 'button primary large', href: '#/setup' }, icon('search', 'icon-s'), t('empty.library.setup')),
    h('button', { class: 'button large', type: 'button', on: { click: () => void openImport(ctx) } },
      icon('folder', 'icon-s'), t('empty.library.action')),
  ];
}

/** @param {App.Context} ctx */
export function emptyLibrary(ctx) {
  return emptyBox(ctx, 'platform', 'empty.library', ...firstSteps(ctx));
}
