/**
 * What is kept of all games: the gallery of moments by month, and the inbox of found pictures. The address names the
 * tab (`#/moments/inbox`).
 */

import { galleryPanel } from '../parts/keepsakes/gallery.js';
import { Inbox } from '../parts/keepsakes/inbox.js';
import { pageHead } from '../parts/state-box.js';
import { makeTabs } from '../parts/tabs.js';
import { fill, h } from '../core/dom.js';

const TABS = Object.freeze(
  /** @type {Record<string, {label: string, make: (ctx: App.Context, signal: AbortSignal) => App.HistoryPanel}>} */ ({
    gallery: { label: 'moment.tab.gallery', make: galleryPanel },
    inbox: { label: 'moment.tab.inbox', make: (ctx, signal) => new Inbox(ctx, signal) },
  }),
);

const FIRST_TAB = 'gallery';

/** @implements {App.View} */
export class MomentsView {
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
      label: t('place.moments'),
      items: Object.entries(TABS).map(([key, { label }]) => ({ key, label: t(label) })),
      shown: FIRST_TAB,
      onChoose: (key) => router.replace(key === FIRST_TAB ? '/moments' : `/moments/${key}`),
    });
    this.#root = h('div', { class: 'page scroll moments-page', tabindex: -1 },
      h('div', { class: 'inner' }, pageHead(ctx, t('place.moments')), h('div', { class: 'page-tabs' }, this.#tabs.list),
        this.#tabs.panel));
    root.append(this.#root);
    this.update(route);
  }

  /** @param {App.Route} route */
  update(route) {
    const tab = route.arg in TABS ? route.arg : FIRST_TAB;
    if (tab === this.#tab) return;
    const panel = this.#panels.get(tab) ?? (TABS[tab] ?? { make: galleryPanel }).make(this.#ctx, this.#life.signal);
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
