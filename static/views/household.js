/**
 * The household screen: members and leaderboard, challenges, and what other libraries changed. The address names the
 * tab (`#/household/challenges`).
 */

import { boardPanel } from '../parts/household/board.js';
import { challengesPanel } from '../parts/household/challenges.js';
import { reviewPanel } from '../parts/household/review.js';
import { pageHead } from '../parts/state-box.js';
import { makeTabs } from '../parts/tabs.js';
import { fill, h } from '../core/dom.js';

const FIRST_TAB = 'board';

const TABS = Object.freeze(
  /** @type {Record<string, {label: string, make: (ctx: App.Context, signal: AbortSignal) => App.HistoryPanel}>} */ ({
    board: { label: 'household.tab.board', make: boardPanel },
    challenges: { label: 'household.tab.challenges', make: challengesPanel },
    library: { label: 'household.tab.library', make: reviewPanel },
  }),
);

/** @implements {App.View} */
export class HouseholdView {
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
      label: t('place.household'),
      items: Object.entries(TABS).map(([key, { label }]) => ({ key, label: t(label) })),
      shown: FIRST_TAB,
      onChoose: (key) => router.replace(key === FIRST_TAB ? '/household' : `/household/${key}`),
    });
    this.#root = h('div', { class: 'page work scroll', tabindex: -1 },
      h('div', { class: 'inner' }, pageHead(ctx, t('place.household')),
        h('p', { class: 'about' }, t('household.about')), h('div', { class: 'page-tabs' }, this.#tabs.list),
        this.#tabs.panel));
    root.append(this.#root);
    this.update(route);
  }

  /** @param {App.Route} route */
  update(route) {
    const tab = route.arg in TABS ? route.arg : FIRST_TAB;
    if (tab === this.#tab) return;
    const panel = this.#panels.get(tab) ?? (TABS[tab] ?? { make: boardPanel }).make(this.#ctx, this.#life.signal);
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
