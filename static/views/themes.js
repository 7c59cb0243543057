/**
 * The themes screen: every theme as a small picture of the page, trying one on, themes of platforms, and what a theme
 * can set. The address names the tab (`#/themes/tokens`).
 */

import { themesPanel } from '../parts/themes/choose.js';
import { tokensPanel } from '../parts/themes/tokens.js';
import { platformThemesPanel } from '../parts/themes/platforms.js';
import { pageHead } from '../parts/state-box.js';
import { makeTabs } from '../parts/tabs.js';
import { fill, h } from '../core/dom.js';
import { tryTheme } from '../core/theme.js';

const FIRST_TAB = 'all';

const TABS = Object.freeze(
  /** @type {Record<string, {label: string, make: (ctx: App.Context, signal: AbortSignal) => App.HistoryPanel}>} */ ({
    all: { label: 'place.themes', make: themesPanel },
    platforms: { label: 'sidebar.platforms', make: platformThemesPanel },
    tokens: { label: 'themes.tab.tokens', make: tokensPanel },
  }),
);

/** @implements {App.View} */
export class ThemesView {
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
      label: t('place.themes'),
      items: Object.entries(TABS).map(([key, { label }]) => ({ key, label: t(label) })),
      shown: FIRST_TAB,
      onChoose: (key) => router.replace(key === FIRST_TAB ? '/themes' : `/themes/${key}`),
    });
    this.#root = h('div', { class: 'page work scroll', tabindex: -1 },
      h('div', { class: 'inner' }, pageHead(ctx, t('place.themes')), h('p', { class: 'about' }, t('themes.about')),
        h('div', { class: 'page-tabs' }, this.#tabs.list), this.#tabs.panel));
    root.append(this.#root);
    this.update(route);
  }

  /** @param {App.Route} route */
  update(route) {
    const tab = route.arg in TABS ? route.arg : FIRST_TAB;
    if (tab === this.#tab) return;
    const panel = this.#panels.get(tab) ?? (TABS[tab] ?? { make: themesPanel }).make(this.#ctx, this.#life.signal);
    this.#panels.set(tab, panel);
    this.#tab = tab;
    this.#tabs.show(tab);
    fill(this.#tabs.panel, panel.element);
    this.#root.scrollTop = 0;
    panel.show(route);
  }

  unmount() {
    this.#life.abort();
    void tryTheme(null);
    this.#root.remove();
  }
}
