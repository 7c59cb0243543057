/**
 * A small picture of the page in the colours of a theme, drawn from its own values.
 */

import { h } from '../../core/dom.js';

/**
 * @param {Record<string, string>} tokens by name; without any it wears what the page wears without a theme
 * @returns {HTMLElement}
 */
export function swatch(tokens) {
  const isPlain = Object.keys(tokens).length === 0;
  const scheme = document.documentElement.dataset['scheme'] ?? 'dark';
  return h('span', { class: 'swatch', 'aria-hidden': 'true', style: tokens,
    ...(isPlain ? { 'data-scheme': scheme } : {}) },
    h('span', { class: 'side' }, h('i', null), h('i', { class: 'here' }), h('i', null)),
    h('span', { class: 'face' }, h('b', null), h('span', { class: 'tiles' }, h('i', null), h('i', null), h('i', null)),
      h('span', { class: 'line' }), h('span', { class: 'acts' }, h('i', { class: 'go' }), h('i', null))));
}

/**
 * What a theme is called: its file name as words.
 *
 * @param {App.Context} ctx
 * @param {string} name
 * @returns {string}
 */
export function themeName({ t }, name) {
  if (!name) return t('themes.none');
  const words = name.replaceAll(/[-_]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
