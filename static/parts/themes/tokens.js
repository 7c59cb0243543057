/**
 * What a theme can set, with the values of now, for whoever writes one. They can be saved as a style sheet to begin
 * with.
 */

import { h, icon, patch } from '../../core/dom.js';
import { sheetOf, TOKEN_GROUPS } from '../../data/theme-tokens.js';

/**
 * @param {App.Context} ctx
 * @returns {App.HistoryPanel}
 */
export function tokensPanel(ctx) {
  const { t } = ctx;
  const root = h('div', { class: 'themes' });
  const value = (/** @type {string} */ name) =>
    getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const save = () => {
    const address = URL.createObjectURL(new Blob([sheetOf(value)], { type: 'text/css' }));
    h('a', { href: address, download: 'my-theme.css' }).click();
    URL.revokeObjectURL(address);
  };
  const draw = () =>
    patch(root,
      h('div', { class: 'panel-head' }, h('p', { class: 'about' }, t('themes.tokens.about')),
        h('button', { class: 'button', type: 'button', 'data-focus': 'save', on: { click: save } },
          icon('download', 'icon-s'), t('themes.tokens.save'))),
      h('div', { class: 'token-groups' }, TOKEN_GROUPS.map(({ key, tokens }) =>
        h('section', { 'data-key': key }, h('h2', null, t(`themes.tokens.${key}`)),
          h('ul', { class: 'rows tokens' }, tokens.map((name) =>
            h('li', { 'data-key': name },
              h('span', { class: 'chip', style: { background: `var(${name})` }, 'aria-hidden': 'true' }),
              h('code', { class: 'grow' }, name), h('span', { class: 'end' }, value(name)))
          )))
      )));
  return { element: root, show: draw };
}
