/**
 * The catalog of plugins: what can be installed from it, and what is installed already.
 */

import { busyButton } from '../act.js';
import { emptyBox, showFailure, waitBox } from '../state-box.js';
import { hookTags, pluginCard, sandboxNote } from './card.js';
import { coalesce } from '../../core/coalesce.js';
import { h, icon, patch } from '../../core/dom.js';

/**
 * @param {App.Context} ctx
 * @param {AbortSignal} signal
 * @returns {App.HistoryPanel}
 */
export function catalogPanel(ctx, signal) {
  const root = h('div', { class: 'plugins' }, waitBox(ctx));
  const load = coalesce(async () => {
    try {
      const { catalog, sandbox } = await ctx.client.get('/api/v2/plugins/catalog');
      if (signal.aborted) return;
      const offers = /** @type {Api.OfferedPlugin[]} */ (/** @type {unknown} */ (catalog));
      patch(root, sandboxNote(ctx, sandbox), offers.length === 0
        ? emptyBox(ctx, 'puzzle', 'plugins.catalog.none')
        : h('ul', { class: 'sources', 'aria-label': ctx.t('plugins.tab.catalog') }, offers.map((offer) =>
          card(ctx, offer, load)
        )));
    } catch (error) {
      if (!signal.aborted) showFailure(ctx, root, error, () => void load(), root.querySelector('.sources') !== null);
    }
  });
  return { element: root, show: () => void load() };
}

/**
 * @param {App.Context} ctx
 * @param {Api.OfferedPlugin} offer
 * @param {() => Promise<void>} load
 */
function card(ctx, offer, load) {
  const { t, client, toasts } = ctx;
  const { id, name } = offer;
  const isNew = !offer.installed || offer.update_available;
  const install = busyButton(ctx, { label: t(offer.installed ? 'plugins.update' : 'plugins.install.action'),
    symbol: 'download', focus: `get:${id}`, about: name, style: 'primary', run: async () => {
      await client.post('/api/plugins/catalog/install', { id });
      toasts.show({ kind: 'good', text: t(offer.installed ? 'plugins.updated' : 'plugins.installed', { name }) });
      await load();
    } });
  const state = offer.installed
    ? h('p', { class: 'outcome-line good' }, icon('check', 'icon-s'),
      t('plugins.here', { version: offer.installed_version }))
    : offer.local_only
    ? h('p', { class: 'hint' }, t('plugins.localOnly'))
    : null;
  return pluginCard({ id, name, state: [offer.version, id].join(' · '), about: offer.description, isOn: true,
    body: [hookTags(ctx, offer.hooks), state], acts: isNew && !offer.local_only ? install : null });
}
