/**
 * What a screen shows instead of its content: that it waits, that there is nothing, or that it could not be read.
 */

import { h, icon } from '../core/dom.js';

/**
 * A place that is empty and names the next action. `key` has a `.title` and a `.text`.
 *
 * @param {App.Context} ctx
 * @param {string} symbol
 * @param {string} key
 * @param {...App.Child} acts
 * @returns {HTMLElement}
 */
export function emptyBox(ctx, symbol, key, ...acts) {
  return h('div', { class: 'empty' }, h('div', { class: 'glyph' }, icon(symbol)), h('h2', null, ctx.t(`${key}.title`)), h('p', null, ctx.t(`${key}.text`)),
    acts.length > 0 ? h('div', { class: 'acts' }, acts) : null);
}

/**
 * Why something could not be read, with what a report needs and a way to try again.
 *
 * @param {App.Context} ctx
 * @param {import('../core/client.js').ApiError} error
 * @param {() => void} retry
 * @returns {HTMLElement}
 */
export function failureBox(ctx, error, retry) {
  const { t } = ctx;
  return h('div', { class: 'empty', role: 'alert' }, h('div', { class: 'glyph' }, icon('missing')), h('h2', null, t('error.title')), h('p', null, error.message),
    h('p', { class: 'facts-line' }, [error.code, error.requestId].filter(Boolean).join(' · ')),
    h('div', { class: 'acts' },
      h('button', { class: 'button primary', type: 'button', on: { click: retry } }, icon('refresh', 'icon-s'), t('action.retry')),
      h('button', { class: 'button', type: 'button', on: { click: () => void ctx.toasts.copy(error) } }, icon('copy', 'icon-s'), t('error.copy'))));
}

/**
 * @param {App.Context} ctx
 * @returns {HTMLElement}
 */
export function waitBox(ctx) {
  return h('div', { class: 'waiting', role: 'status', 'aria-label': ctx.t('state.loading') }, h('div', { class: 'wait' }));
}

/**
 * The head of a page: the button for the sidebar where that is hidden, the title, and what can be done.
 *
 * @param {App.Context} ctx
 * @param {string} title
 * @param {...App.Child} acts
 * @returns {HTMLElement}
 */
export function pageHead(ctx, title, ...acts) {
  document.title = `${title} – Service Launcher`;
  return h('div', { class: 'page-head' },
    h('button', { class: 'icon-button menu-button', type: 'button', 'aria-label': ctx.t('sidebar.open'), on: { click: () => ctx.bus.emit('sidebar', { open: true }) } }, icon('menu')),
    h('h1', null, title), acts);
}
