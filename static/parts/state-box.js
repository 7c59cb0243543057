/**
 * What a screen shows instead of its content: that it waits, that there is nothing, or that it could not be read.
 */

import { ApiError } from '../core/client.js';
import { h, icon, patch } from '../core/dom.js';

/** Errors that end the work of the page: another screen takes its place. */
const ENDS = Object.freeze(['STATE_UNAVAILABLE', 'UNAUTHORIZED']);

/**
 * @param {ApiError} error
 * @returns {boolean} whether it ends the work of the page
 */
export function endsPage({ code }) {
  return ENDS.includes(code);
}

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
  const given = acts.filter(Boolean);
  return h('div', { class: 'empty' }, h('div', { class: 'glyph' }, icon(symbol)), h('h2', null, ctx.t(`${key}.title`)),
    h('p', null, ctx.t(`${key}.text`)), given.length > 0 ? h('div', { class: 'acts' }, given) : null);
}

/**
 * The same for a part of a screen, such as a tab.
 *
 * @param {App.Context} ctx
 * @param {string} symbol
 * @param {string} key
 * @param {...App.Child} acts
 * @returns {HTMLElement}
 */
export function smallEmptyBox(ctx, symbol, key, ...acts) {
  const box = emptyBox(ctx, symbol, key, ...acts);
  box.classList.add('small');
  return box;
}

/**
 * Tells that a place could not be read. What stands there already stays, and the error is told beside it; a place
 * without content says why and what to do.
 *
 * @param {App.Context} ctx
 * @param {HTMLElement} place
 * @param {unknown} error
 * @param {() => void} retry
 * @param {boolean} [hasContent]
 */
export function showFailure(ctx, place, error, retry, hasContent = false) {
  const known = error instanceof ApiError
    ? error
    : new ApiError(error instanceof Error ? error.message : String(error));
  if (hasContent) ctx.fail(known);
  else patch(place, failureBox(ctx, known, retry));
}

/**
 * Why something could not be read, with what a report needs and a way to try again. Tries by itself once the service is
 * heard of again.
 *
 * @param {App.Context} ctx
 * @param {import('../core/client.js').ApiError} error
 * @param {() => void} retry
 * @returns {HTMLElement}
 */
export function failureBox(ctx, error, retry) {
  const { t, bus } = ctx;
  const isGone = error.code === 'NO_ANSWER';
  if (endsPage(error)) queueMicrotask(() => ctx.fail(error));
  const life = new AbortController();
  bus.on('live', ({ state }) => {
    if (state === 'lost') return;
    life.abort();
    if (box.isConnected) retry();
  }, life.signal);
  const box = h('div', { class: 'empty failure', role: 'alert', 'data-key': 'failure' },
    h('div', { class: 'glyph' }, icon(isGone ? 'plug' : 'missing')),
    h('h2', null, t(isGone ? 'unreachable.server.title' : 'error.title')),
    isGone ? unreachableText(ctx, life.signal) : h('p', null, error.message),
    h('p', { class: 'facts-line' }, [error.code, error.requestId].filter(Boolean).join(' · ')),
    h('div', { class: 'acts' },
      h('button', { class: 'button primary', type: 'button', on: { click: retry } }, icon('refresh', 'icon-s'),
        t('action.retry')),
      h('button', { class: 'button', type: 'button', on: { click: () => void ctx.toasts.copy(error) } },
        icon('copy', 'icon-s'), t('error.copy'))));
  return box;
}

/**
 * What to do about a server that does not answer. After a while another one is likely: each start has its own address.
 *
 * @param {App.Context} ctx
 * @param {AbortSignal} signal
 * @returns {HTMLElement}
 */
export function unreachableText({ t, live, bus }, signal) {
  const text = h('p', null, t(live.isGone ? 'unreachable.gone.text' : 'unreachable.server.text'));
  bus.on('live:gone', () => {
    text.textContent = t('unreachable.gone.text');
  }, signal);
  return text;
}

/**
 * @param {App.Context} ctx
 * @returns {HTMLElement}
 */
export function waitBox(ctx) {
  return h('div', { class: 'waiting', role: 'status', 'aria-label': ctx.t('state.loading'), 'data-key': 'waiting' },
    h('div', { class: 'wait' }));
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
    h('button', { class: 'icon-button menu-button', type: 'button', 'aria-label': ctx.t('sidebar.open'),
      on: { click: () => ctx.bus.emit('sidebar', { open: true }) } }, icon('menu')), h('h1', null, title), acts);
}
