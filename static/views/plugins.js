/**
 * The plugins screen: what is installed, what it may do and how it is set, and the catalog. The address names the tab
 * (`#/plugins/catalog`).
 */

import { catalogPanel } from '../parts/plugins/catalog.js';
import { installedPanel } from '../parts/plugins/installed.js';
import { pageHead } from '../parts/state-box.js';
import { makeTabs } from '../parts/tabs.js';
import { fill, h } from '../core/dom.js';

const FIRST_TAB = 'installed';

const TABS = Object.freeze(
  /** @type {Record<string, {label: string, make: (ctx: App.Context, signal: AbortSignal) => App.HistoryPanel}>} */ ({
    installed: { label: 'plugins.tab.installed', make: installedPanel },
    catalog: { label: 'plugins.tab.catalog', make: catalogPanel },
  }),
);

/** @implements {App.View} */
export class PluginsView {
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
      label: t('place.plugins'),
      items: Object.entries(TABS).map(([key, { label }]) => ({ key, label: t(label) })),
      shown: FIRST_TAB,
      onChoose: (key) => router.replace(key === FIRST_TAB ? '/plugins' : `/plugins/${key}`),
    });
    this.#root = h('div', { class: 'page work scroll', tabindex: -1 },
      h('div', { class: 'inner' }, pageHead(ctx, t('place.plugins')), h('p', { class: 'about' }, t('plugins.about')),
        h('div', { class: 'page-tabs' }, this.#tabs.list), this.#tabs.panel));
    root.append(this.#root);
    this.update(route);
  }

  /** @param {App.Route} route */
  update(route) {
    const tab = route.arg in TABS ? route.arg : FIRST_TAB;
    if (tab === this.#tab) return;
    const panel = this.#panels.get(tab) ??
      (TABS[tab] ?? { make: installedPanel }).make(this.#ctx, this.#life.signal);
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
