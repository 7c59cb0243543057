/**
 * What cards of plugins have in common: the frame, the names of hooks, and the notice about the sandbox.
 */

import { h, icon } from '../../core/dom.js';

/**
 * The frame of a card.
 *
 * @param {{id: string, name: string, state: string, about: string, isOn: boolean, toggle?: App.Child, body: App.Child,
 *   acts: App.Child}} parts
 * @returns {HTMLElement}
 */
export function pluginCard({ id, name, state, about, isOn, toggle, body, acts }) {
  return h('li', { class: isOn ? 'source' : 'source away', 'data-plugin': id, 'data-key': id },
    h('div', { class: 'top' }, h('div', { class: 'symbol' }, icon('puzzle')),
      h('div', { class: 'who' }, h('h2', null, name), h('p', { class: 'state' }, state)), toggle),
    about ? h('p', { class: 'hint' }, about) : null, body, h('div', { class: 'acts' }, acts));
}

/**
 * What a plugin does, as tags.
 *
 * @param {App.Context} ctx
 * @param {readonly string[]} hooks
 */
export function hookTags({ t, i18n }, hooks) {
  if (hooks.length === 0) return null;
  return h('ul', { class: 'tags', 'aria-label': t('plugins.hooks') },
    hooks.map((hook) => h('li', null, i18n.has(`plugins.hook.${hook}`) ? t(`plugins.hook.${hook}`) : hook)));
}

/**
 * Says when plugins do not run, or run only when they are trusted; nothing while all is well.
 *
 * @param {App.Context} ctx
 * @param {string} sandbox
 */
export function sandboxNote({ t }, sandbox) {
  if (sandbox === 'ready') return null;
  const key = sandbox === 'disabled' ? 'plugins.safeMode' : 'plugins.noSandbox';
  return h('div', { class: 'callout', role: 'note', 'data-key': 'sandbox' }, icon('missing'), h('p', null, t(key)));
}
