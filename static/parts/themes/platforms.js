/**
 * Themes of platforms: pages of their games wear them instead of the theme of all.
 */

import { emptyLibrary } from '../first-steps.js';
import { showFailure, waitBox } from '../state-box.js';
import { hueSymbol } from '../platform-symbol.js';
import { themeName } from './swatch.js';
import { coalesce } from '../../core/coalesce.js';
import { h, patch, valueOf } from '../../core/dom.js';

/**
 * @param {App.Context} ctx
 * @param {AbortSignal} signal
 * @returns {App.HistoryPanel}
 */
export function platformThemesPanel(ctx, signal) {
  const root = h('div', { class: 'themes' }, waitBox(ctx));
  const { t, client, catalog } = ctx;
  const load = coalesce(async () => {
    try {
      const [{ themes, mappings }] = await Promise.all([client.get('/api/themes'), catalog.counted]);
      if (!signal.aborted) draw(themes, mappings);
    } catch (error) {
      if (!signal.aborted) showFailure(ctx, root, error, () => void load(), root.querySelector('.rows') !== null);
    }
  });
  const choose = async (/** @type {string} */ platform, /** @type {string} */ name) => {
    try {
      await client.post('/api/themes/select', { name, platform });
      ctx.preferences.take(await client.get('/api/settings'));
      ctx.announce(t('settings.announce', { name: platform }));
    } catch (error) {
      ctx.fail(error);
    }
    await load();
  };
  const draw = (/** @type {readonly string[]} */ themes, /** @type {Record<string, string>} */ mappings) => {
    const platforms = [
      ...new Set([...catalog.facets.platforms.map(([name]) => name).filter(Boolean), ...Object.keys(mappings)]),
    ];
    if (platforms.length === 0) {
      patch(root, emptyLibrary(ctx));
      return;
    }
    patch(root, h('p', { class: 'about' }, t('themes.platforms.about')),
      h('ul', { class: 'rows', 'aria-label': t('sidebar.platforms') }, platforms.map((platform) => {
        const id = `theme-of-${platform}`;
        return h('li', { 'data-key': platform }, hueSymbol(platform), h('label', { class: 'grow', for: id }, platform),
          select(id, platform, mappings[platform] ?? '', themes));
      })));
  };
  const select = (/** @type {string} */ id, /** @type {string} */ platform, /** @type {string} */ chosen,
    /** @type {readonly string[]} */ themes) => {
    const box = h('select', { class: 'input theme-pick', id, 'data-focus': id,
      on: { change: (event) => void choose(platform, valueOf(event)) } }, h('option', { value: '' }, t('themes.asAll')),
      themes.map((name) => h('option', { value: name, selected: name === chosen }, themeName(ctx, name))));
    box.value = chosen;
    return box;
  };
  return { element: root, show: () => void load() };
}
