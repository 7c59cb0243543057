/**
 * A screen of several tabs under one head. The address names the tab (`#/history/trash`), the first tab needs no name;
 * the panel of a tab is made when it is first shown and kept until the screen goes.
 */

import { pageHead } from './state-box.js';
import { makeTabs } from './tabs.js';
import { fill, h } from '../core/dom.js';

/** @implements {App.View} */
export class TabbedPage {
  #ctx;
  #life = new AbortController();
  #root;
  #tabs;
  #list;
  #isFollowing;
  #tab = '';
  /** @type {Map<string, App.HistoryPanel>} */
  #panels = new Map();

  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   * @param {App.Route} route
   * @param {{name: string, tabs: App.TabList, about?: string, action?: HTMLElement, className?: string,
   *   isFollowing?: boolean}} page `name` is that of the place, `tabs` holds the tabs by their name in the address;
   *   `isFollowing` tells a shown panel of every change of the address, not only when its tab is opened
   */
  constructor(ctx, root, route, { name, tabs, about, action, className = '', isFollowing = false }) {
    this.#ctx = ctx;
    this.#list = new Map(Object.entries(tabs));
    this.#isFollowing = isFollowing;
    const { t, router } = ctx;
    const [first = ''] = this.#list.keys();
    this.#tabs = makeTabs({
      label: t(`place.${name}`),
      items: [...this.#list].map(([key, { label }]) => ({ key, label: t(label) })),
      shown: first,
      onChoose: (key) => router.replace(key === first ? `/${name}` : `/${name}/${key}`),
    });
    this.#root = h('div', { class: `page scroll ${className}`, tabindex: -1 },
      h('div', { class: 'inner' }, pageHead(ctx, t(`place.${name}`), action),
        about ? h('p', { class: 'about' }, about) : null, h('div', { class: 'page-tabs' }, this.#tabs.list),
        this.#tabs.panel));
    root.append(this.#root);
    this.update(route);
  }

  /** @param {App.Route} route */
  update(route) {
    const [first] = this.#list;
    const found = this.#list.get(route.arg);
    const [name, row] = found ? [route.arg, found] : first ?? [];
    if (!name || !row || (name === this.#tab && !this.#isFollowing)) return;
    const panel = this.#panels.get(name) ?? row.make(this.#ctx, this.#life.signal);
    this.#panels.set(name, panel);
    if (name !== this.#tab) {
      this.#tab = name;
      this.#tabs.show(name);
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
