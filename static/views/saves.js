/**
 * The saves screen: looks for the save folders of all games, shows what it found, and configures it when somebody says
 * so. Below it, the statistics that several computers share.
 */

import { busyButton } from '../parts/act.js';
import { emptyBox, pageHead } from '../parts/state-box.js';
import { fill, h, icon, patch } from '../core/dom.js';
import { mayTakeFocus } from '../core/focus.js';

/** @implements {App.View} */
export class SavesView {
  #ctx;
  #life = new AbortController();
  #root;
  #body = h('div', { class: 'bare' });

  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   */
  constructor(ctx, root) {
    this.#ctx = ctx;
    const { t } = ctx;
    this.#root = h('div', { class: 'page work scroll', tabindex: -1 },
      h('div', { class: 'inner' }, pageHead(ctx, t('place.saves')),
        h('p', { class: 'about' }, t('saves.about'), ' ', h('a', { href: '#/settings/backups' }, t('saves.settings'))),
        this.#body, this.#sharing()));
    root.append(this.#root);
    fill(this.#body, emptyBox(ctx, 'save', 'saves.start', this.#button('saves.scan')));
  }

  unmount() {
    this.#life.abort();
    this.#root.remove();
  }

  /** @param {string} label */
  #button(label) {
    return h('button', { class: 'button primary', type: 'button', 'data-focus': 'scan',
      on: { click: () => void this.#scan() } }, icon('search', 'icon-s'), this.#ctx.t(label));
  }

  /** Statistics are shared once there is a folder; until then the way to choose one stands in its place. */
  #sharing() {
    const { t, bus, client } = this.#ctx;
    const act = h('div', { class: 'acts' });
    const draw = (/** @type {Api.Settings} */ settings) => {
      patch(act, settings['cloud_folder']
        ? busyButton(this.#ctx, { label: t('cloud.sync'), symbol: 'refresh', focus: 'cloud', run: () => this.#sync() })
        : h('a', { class: 'button', 'data-focus': 'cloud', href: '#/settings/sharing' }, icon('folder', 'icon-s'),
          t('cloud.settings')));
    };
    bus.on('settings', draw, this.#life.signal);
    client.get('/api/settings').then(draw, this.#ctx.fail);
    return h('section', null, h('div', { class: 'section-head' }, h('h2', null, t('cloud.title')), act),
      h('p', { class: 'about' }, t('cloud.about')));
  }

  async #sync() {
    const { client, toasts, tn } = this.#ctx;
    const { merged } = await client.post('/api/cloud/sync');
    toasts.show({ kind: 'good', text: tn('cloud.merged', merged) });
  }

  async #scan() {
    const { t, client } = this.#ctx;
    fill(this.#body,
      h('div', { class: 'waiting', role: 'status', 'aria-label': t('saves.scanning') }, h('div', { class: 'wait' })));
    try {
      const { games } = await client.post('/api/saves/scan');
      if (!this.#life.signal.aborted) this.#draw(games);
    } catch (error) {
      if (this.#life.signal.aborted) return;
      const isHere = mayTakeFocus(this.#body);
      fill(this.#body, emptyBox(this.#ctx, 'save', 'saves.start', this.#button('saves.scan')));
      if (isHere) /** @type {HTMLElement | null} */ (this.#body.querySelector('button'))?.focus();
      this.#ctx.fail(error);
    }
  }

  /** @param {Record<string, string[]>} games paths by game */
  #draw(games) {
    const { t, tn, catalog } = this.#ctx;
    const found = Object.entries(games);
    const isHere = mayTakeFocus(this.#body);
    if (found.length === 0) {
      fill(this.#body, emptyBox(this.#ctx, 'check', 'saves.nothing', this.#button('saves.again')));
      if (isHere) /** @type {HTMLElement | null} */ (this.#body.querySelector('button'))?.focus();
      return;
    }
    const apply = busyButton(this.#ctx, { label: t('saves.apply'), symbol: 'tick', focus: 'apply', style: 'primary',
      run: () => this.#apply() });
    fill(this.#body,
      h('section', null,
        h('div', { class: 'section-head' }, h('h2', { role: 'status' }, tn('saves.games', found.length)), apply),
        h('ul', { class: 'rows' },
          found.map(([id, paths]) =>
            h('li', null,
              h('div', { class: 'grow' },
                h('a', { href: `#/game/${encodeURIComponent(id)}?tab=saves` }, catalog.find(id)?.name ?? id),
                paths.map((path) => h('small', { class: 'mono-path' }, path))))
          ))));
    if (isHere) apply.focus();
  }

  async #apply() {
    const { client, toasts, tn } = this.#ctx;
    const { games } = await client.post('/api/saves/scan/apply');
    toasts.show({ kind: 'good', text: tn('saves.applied', games) });
    await this.#scan();
  }
}
