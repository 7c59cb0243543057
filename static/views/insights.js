/**
 * The statistics screen: what the history and the library say, the recap of a year, what to play next, the
 * constellation, and the trophies. The address names the tab (`#/insights/next`).
 */

import { nextPanel } from '../parts/insights/next.js';
import { overviewPanel } from '../parts/insights/overview.js';
import { starPanel } from '../parts/insights/star-map.js';
import { trophyPanel } from '../parts/insights/trophies.js';
import { openPick } from '../parts/insights/pick.js';
import { yearPanel } from '../parts/insights/year.js';
import { pageHead } from '../parts/state-box.js';
import { makeTabs } from '../parts/tabs.js';
import { fill, h, icon } from '../core/dom.js';

const TABS = Object.freeze(
  /** @type {Record<string, {label: string, make: (ctx: App.Context, signal: AbortSignal) => App.HistoryPanel}>} */ ({
    overview: { label: 'insights.tab.overview', make: overviewPanel },
    year: { label: 'insights.tab.year', make: yearPanel },
    next: { label: 'insights.tab.next', make: nextPanel },
    stars: { label: 'insights.tab.stars', make: starPanel },
    trophies: { label: 'insights.tab.trophies', make: trophyPanel },
  }),
);

const FIRST_TAB = 'overview';

/** @implements {App.View} */
export class InsightsView {
  #life = new AbortController();
  #root;
  #ctx;
  #tabs;
  #tab = '';
  /** @type {Map<string, App.HistoryPanel>} */
  #panels = new Map();

  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   * @param {App.Route} route
   */
  constructor(ctx, root, route) {
    this.#ctx = ctx;
    const { t, router } = ctx;
    this.#tabs = makeTabs({
      label: t('place.insights'),
      items: Object.entries(TABS).map(([key, { label }]) => ({ key, label: t(label) })),
      shown: FIRST_TAB,
      onChoose: (key) => router.replace(key === FIRST_TAB ? '/insights' : `/insights/${key}`),
    });
    const pick = h('button', { class: 'button', type: 'button', on: { click: () => openPick(ctx) } },
      icon('dice', 'icon-s'), t('pick.title'));
    this.#root = h('div', { class: 'page scroll', tabindex: -1 },
      h('div', { class: 'inner' }, pageHead(ctx, t('place.insights'), pick),
        h('div', { class: 'page-tabs' }, this.#tabs.list), this.#tabs.panel));
    root.append(this.#root);
    this.update(route);
  }

  /** @param {App.Route} route */
  update(route) {
    const tab = route.arg in TABS ? route.arg : FIRST_TAB;
    if (tab === this.#tab) return;
    const panel = this.#panels.get(tab) ??
      (TABS[tab] ?? { make: overviewPanel }).make(this.#ctx, this.#life.signal);
    this.#panels.set(tab, panel);
    this.#tab = tab;
    this.#tabs.show(tab);
    fill(this.#tabs.panel, panel.element);
    this.#root.scrollTop = 0;
    panel.show(route);
  }

  unmount() {
    this.#life.abort();
    this.#root.remove();
  }
}
