/**
 * What stands below the stores: games that are never imported, with the way back, and the compatibility layers of this
 * machine.
 */

import { busyButton } from '../act.js';
import { fill, h, icon, patch } from '../../core/dom.js';

/**
 * @param {App.Context} ctx
 * @param {(source: string, id: string) => string} nameOf the name of a title where a catalog knows it
 * @param {() => Promise<unknown>} onRestore a game may be imported again
 * @returns {{element: HTMLElement, load: () => Promise<void>, draw: () => void}} `draw` when the names are known
 */
export function storeExtras(ctx, nameOf, onRestore) {
  const { t, client } = ctx;
  const never = h('section', { class: 'never', 'aria-labelledby': 'never-title' });
  const layers = h('section', { class: 'layers', 'aria-labelledby': 'layers-title' });

  /** @type {readonly Api.Exclusion[]} */
  let list = [];

  const restore = async (/** @type {Api.Exclusion} */ exclusion) => {
    const inner = exclusion.store_b?.[1];
    await client.post('/api/import/exclusions/delete', { source: exclusion.source, external_id: exclusion.external_id,
      ...(inner ? { store_b_source: inner } : {}) });
    ctx.announce(t('stores.restored', { name: nameOf(exclusion.source, exclusion.external_id) }));
    await onRestore();
  };
  const element = h('div', { 'data-key': 'extras' }, never, layers);
  const drawNever = () =>
    patch(never, h('h2', { id: 'never-title' }, t('stores.never.title')),
      h('p', { class: 'about' }, t('stores.never.text')), list.length === 0
      ? h('p', { class: 'none' }, t('stores.never.none'))
      : h('ul', { class: 'rows' }, list.map((item) =>
        h('li', null, icon('hidden'),
          h('div', { class: 'grow' }, nameOf(item.source, item.external_id),
            h('small', null, [item.source, item.external_id].join(' · '))),
          busyButton(ctx, { label: t('stores.restore'), symbol: 'refresh',
            focus: `restore:${item.source}:${item.external_id}`, about: nameOf(item.source, item.external_id),
            run: () =>
              restore(item) }))
      )));
  const group = (/** @type {string} */ key, /** @type {readonly Api.Runtime[]} */ list) =>
    h('details', { class: 'fold' },
      h('summary', null, icon('chevron'), t(key), h('span', { class: 'number' }, ctx.format.number(list.length))),
      list.length === 0
        ? h('p', { class: 'none' }, t('stores.layers.none'))
        : h('ul', { class: 'rows' }, list.map((item) =>
          h('li', null, h('div', { class: 'grow' }, item.name, h('small', { class: 'mono-path' }, item.path)))
        )));

  const load = async () => {
    try {
      const [excluded, prefixes, runtimes] = await Promise.all([
        client.get('/api/import/exclusions'),
        client.get('/api/compat/prefixes'),
        client.get('/api/compat/runtimes'),
      ]);
      list = excluded.exclusions;
      drawNever();
      if (layers.childElementCount === 0) {
        fill(layers, h('h2', { id: 'layers-title' }, t('stores.layers')),
          h('p', { class: 'about' }, t('stores.layers.text')), group('stores.layers.runtimes', runtimes.runtimes),
          group('stores.layers.prefixes', prefixes.prefixes));
      }
    } catch (error) {
      ctx.fail(error);
    }
  };
  return { element, load, draw: drawNever };
}
