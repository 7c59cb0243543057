/**
 * The history screen: the timeline of sessions, the trash, the journal of the library, and what the program
 * changed by itself. The address names the tab (`#/history/trash`).
 */

import { journalPanel } from '../parts/history/journal.js';
import { passesPanel } from '../parts/history/passes.js';
import { pageHead } from '../parts/state-box.js';
import { makeTabs } from '../parts/tabs.js';
import { timelinePanel } from '../parts/history/timeline.js';
import { trashPanel } from '../parts/history/trash.js';
import { fill, h } from '../core/dom.js';

const TABS = Object.freeze(
  /** @type {Record<string, {label: string, make: (ctx: App.Context, signal: AbortSignal) => App.HistoryPanel}>} */ ({
    timeline: { label: 'history.tab.timeline', make: timelinePanel },
    trash: { label: 'history.tab.trash', make: trashPanel },
    journal: { label: 'history.tab.journal', make: journalPanel },
    passes: { label: 'history.tab.passes', make: passesPanel },
  }),
);

const FIRST_TAB = 'timeline';

/** @implements {App.View} */
export class HistoryView {
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
      label: t('place.history'),
      items: Object.entries(TABS).map(([key, { label }]) => ({ key, label: t(label) })),
      shown: FIRST_TAB,
      onChoose: (key) => router.replace(key === FIRST_TAB ? '/history' : `/history/${key}`),
    });
    this.#root = h('div', { class: 'page scroll', tabindex: -1 },
      h('div', { class: 'inner' }, pageHead(ctx, t('place.history')), h('div', { class: 'page-tabs' }, this.#tabs.list),
        this.#tabs.panel));
    root.append(this.#root);
    this.update(route);
  }

  /** @param {App.Route} route */
  update(route) {
    const tab = route.arg in TABS ? route.arg : FIRST_TAB;
    let panel = this.#panels.get(tab);
    if (!panel) {
      panel = (TABS[tab] ?? { make: timelinePanel }).make(this.#ctx, this.#life.signal);
      this.#panels.set(tab, panel);
    }
    if (tab !== this.#tab) {
      this.#tab = tab;
      this.#tabs.show(tab);
      fill(this.#tabs.panel, panel.element);
      this.#root.scrollTop = 0;
    }
    panel.show(route);
  }

  unmount() {
    this.#life.abort();
    this.#root.remove();
  }
}
