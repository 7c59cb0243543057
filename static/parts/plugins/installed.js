/**
 * The installed plugins: switching them on and off, their settings and rights, what is wrong with them, installing
 * one from this computer, removing one.
 */

import { busyButton } from '../act.js';
import { confirm } from '../dialog.js';
import { askPath } from '../ask-path.js';
import { emptyBox, showFailure, waitBox } from '../state-box.js';
import { hookTags, pluginCard, sandboxNote } from './card.js';
import { openPluginSettings } from './options.js';
import { openRights } from './rights.js';
import { coalesce } from '../../core/coalesce.js';
import { h, icon, isTicked, patch } from '../../core/dom.js';

/**
 * @param {App.Context} ctx
 * @param {AbortSignal} signal
 * @returns {App.HistoryPanel}
 */
export function installedPanel(ctx, signal) {
  const root = h('div', { class: 'plugins' }, waitBox(ctx));
  const load = coalesce(async () => {
    try {
      const { plugins, sandbox } = await ctx.client.get('/api/plugins');
      if (!signal.aborted)
        show(ctx, root, /** @type {Api.Plugin[]} */ (/** @type {unknown} */ (plugins)), sandbox, load);
    } catch (error) {
      if (!signal.aborted) showFailure(ctx, root, error, () => void load(), root.querySelector('.sources') !== null);
    }
  });
  return { element: root, show: () => void load() };
}

/**
 * @param {App.Context} ctx
 * @param {HTMLElement} root
 * @param {readonly Api.Plugin[]} plugins
 * @param {string} sandbox
 * @param {() => Promise<void>} load
 */
function show(ctx, root, plugins, sandbox, load) {
  const { t, tn } = ctx;
  const add = () =>
    h('button', { class: 'button primary', type: 'button', 'data-focus': 'install', on: { click: () =>
      void install(ctx, load) } }, icon('plus', 'icon-s'), t('plugins.install'));
  if (plugins.length === 0) {
    patch(root, sandboxNote(ctx, sandbox),
      emptyBox(ctx, 'puzzle', 'plugins.none', add(),
        h('a', { class: 'button', href: '#/plugins/catalog' }, t('plugins.tab.catalog'))));
    return;
  }
  patch(root, sandboxNote(ctx, sandbox),
    h('div', { class: 'panel-head', 'data-key': 'head' },
      h('p', { class: 'about' }, tn('plugins.count', plugins.length)), add()),
    h('ul', { class: 'sources', 'aria-label': t('plugins.tab.installed') },
      plugins.map((plugin) => card(ctx, plugin, sandbox, load))));
}

/**
 * @param {App.Context} ctx
 * @param {() => Promise<void>} load
 */
async function install(ctx, load) {
  const { t, client, toasts } = ctx;
  const done = await askPath(ctx, { title: t('plugins.install'), label: t('plugins.path'), hint: t('plugins.path.hint'),
    action: t('plugins.install.action'), kind: 'file', send: async (path) => {
      const { plugin } = await client.post('/api/plugins/install', { path });
      toasts.show({ kind: 'good',
        text: t(plugin['updated'] ? 'plugins.updated' : 'plugins.installed', { name: String(plugin['name']) }) });
    } });
  if (done) await load();
}

/**
 * @param {App.Context} ctx
 * @param {Api.Plugin} plugin
 * @param {string} sandbox
 * @param {() => Promise<void>} load
 */
function card(ctx, plugin, sandbox, load) {
  const { t, client } = ctx;
  const { id, name } = plugin;
  const act = (/** @type {string} */ key, /** @type {string} */ symbol, /** @type {string} */ label,
    /** @type {() => Promise<unknown>} */ run) =>
    busyButton(ctx, { label, symbol, focus: `${key}:${id}`, about: name, run: async () => {
      await run();
      await load();
    } });
  const toggle = plugin.valid
    ? h('label', { class: 'switch' },
      h('input', { type: 'checkbox', checked: plugin.enabled, 'data-focus': `on:${id}`,
        'aria-label': t('plugins.on', { name }), on: { change: (event) => {
          const enabled = isTicked(event);
          client.post('/api/plugins/toggle', { id, enabled }).catch(ctx.fail).then(load);
        } } }), h('span', { class: 'track' }))
    : null;
  const hasOptions = Object.keys(plugin.settings?.properties ?? {}).length > 0;
  return pluginCard({
    id,
    name,
    state: [plugin.version, id].filter(Boolean).join(' · '),
    about: plugin.description ?? '',
    isOn: plugin.valid && plugin.enabled,
    toggle,
    body: [hookTags(ctx, plugin.hooks), standing(ctx, plugin, sandbox)],
    acts: [
      hasOptions ? act('set', 'gear', t('place.settings'), () => openPluginSettings(ctx, plugin)) : null,
      plugin.valid ? act('rights', 'lock', t('plugins.rights'), () => openRights(ctx, plugin)) : null,
      act('remove', 'trash', t('action.remove'), () => remove(ctx, plugin)),
    ],
  });
}

/**
 * What is wrong with a plugin, or what it waits for.
 *
 * @param {App.Context} ctx
 * @param {Api.Plugin} plugin
 * @param {string} sandbox
 */
function standing({ t }, plugin, sandbox) {
  const line = (/** @type {string} */ tone, /** @type {string} */ symbol, /** @type {string} */ text) =>
    h('p', { class: `outcome-line ${tone}` }, icon(symbol, 'icon-s'), text);
  if (!plugin.valid) return line('bad', 'missing', plugin.error ?? '');
  const isNetworkAsked = (plugin.permissions ?? []).includes('network');
  const isNetworkGiven = (plugin.granted_permissions ?? []).includes('network');
  const network = isNetworkAsked
    ? line(isNetworkGiven ? 'good' : '', 'plug', t(isNetworkGiven ? 'plugins.network.given' : 'plugins.network.asked'))
    : null;
  if (plugin.retrust) return [network, line('bad', 'missing', t('plugins.changed'))];
  if (sandbox === 'unavailable' && !plugin.trusted) return [network, line('bad', 'missing', t('plugins.waits'))];
  return [network, plugin.trusted ? line('good', 'check', t('plugins.trusted')) : null];
}

/**
 * @param {App.Context} ctx
 * @param {Api.Plugin} plugin
 */
async function remove(ctx, { id, name }) {
  const { t, client, toasts } = ctx;
  const isSure = await confirm(ctx, { title: t('plugins.remove.title', { name }), text: t('plugins.remove.text'),
    action: t('action.remove'), danger: true });
  if (!isSure) return;
  await client.post('/api/plugins/remove', { id });
  toasts.show({ kind: 'good', text: t('plugins.removed', { name }) });
}
