/**
 * The rail of the big screen: smart views, quick presets, platforms and playlists, one beside or below the other. One
 * stop for the Tab key; directions move in it.
 */

import { h, icon, patch } from '../../core/dom.js';
import { hueSymbol } from '../platform-symbol.js';

/** Smart views that are offered, with their icons; those of the second list only when they hold something. */
const VIEWS = Object.freeze(
  /** @type {[string, string][]} */ ([['all', 'all'], ['favorites', 'heart'], ['recent', 'clock'], ['playing',
    'playing'], ['never', 'never'], ['completed', 'check']]),
);

/**
 * Keeps the rail up to date.
 *
 * @param {App.Context} ctx
 * @param {{query: () => App.BigQuery, onChoose: (query: Partial<App.BigQuery>) => void}} events
 * @param {AbortSignal} signal
 * @returns {{element: HTMLElement, draw: () => void}}
 */
export function bigRail(ctx, { query, onChoose }, signal) {
  const { t, format } = ctx;
  const list = h('div', { class: 'big-rail scroll', role: 'toolbar', 'aria-label': t('big.rail') });
  let shown = '';
  const place = (/** @type {string} */ key, /** @type {boolean} */ isHere, /** @type {Element} */ symbol,
    /** @type {string} */ name, /** @type {number} */ count, /** @type {Partial<App.BigQuery>} */ change) =>
    h('button', {
      class: 'big-place',
      type: 'button',
      'data-focus': `rail-${key}`,
      'aria-pressed': String(isHere),
      on: { click: () => onChoose({ view: 'all', platform: null, playlist: '', preset: '', ...change }) },
    }, symbol, h('span', { class: 'name' }, name),
      count > 0 ? h('span', { class: 'count', 'aria-hidden': 'true' }, format.number(count)) : null);
  const draw = () => {
    const { views, platforms, playlists } = ctx.catalog.facets;
    const now = query();
    const isPlain = now.platform === null && !now.playlist && !now.preset;
    const state = JSON.stringify([views, platforms, playlists, ctx.lists.quick.map(({ name }) => name),
      ctx.lists.playlists.map(({ name }) => name), now, ctx.i18n.locale]);
    if (state === shown) return;
    shown = state;
    patch(list,
      VIEWS.filter(([view]) => view === 'all' || (views[view] ?? 0) > 0).map(([view, symbol]) =>
        place(`view:${view}`, isPlain && now.view === view, icon(symbol), t(`view.${view}`), views[view] ?? 0, { view })
      ),
      ctx.lists.quick.map(({ name }) =>
        place(`preset:${name}`, now.preset === name, icon('bookmark'), name, 0, { preset: name })
      ),
      platforms.map(([name, count]) =>
        place(`platform:${name}`, now.platform === name, hueSymbol(name), name || t('platform.none'), count, {
          platform: name,
        })
      ),
      ctx.lists.playlists.map(({ name }) =>
        place(`playlist:${name}`, now.playlist === name, icon('playlist'), name, playlists[name] ?? 0, {
          playlist: name,
        })
      ));
    const here = /** @type {HTMLElement | null} */ (list.querySelector('[aria-pressed="true"]'));
    here?.scrollIntoView({ block: 'nearest', inline: 'center' });
    rove(list, list.contains(document.activeElement) ? document.activeElement : here);
  };
  list.addEventListener('focusin', ({ target }) => rove(list, target instanceof Element ? target : null), { signal });
  for (const name of /** @type {const} */ (['catalog:facets', 'lists', 'locale'])) ctx.bus.on(name, draw, signal);
  draw();
  return { element: list, draw };
}

/**
 * @param {HTMLElement} list
 * @param {Element | null} stop the button the Tab key reaches
 */
function rove(list, stop) {
  for (const button of list.querySelectorAll('button'))
    button.tabIndex = button === (stop ?? list.firstElementChild)
      ? 0
      : -1;
}
