/**
 * The connection to the library server: address, user, password, way of downloading, folder. Nothing is saved before it
 * was tried or the user says so; the password is written, never shown.
 */

import { ApiError } from '../../core/client.js';
import { fill, h, icon } from '../../core/dom.js';
import { runBusy } from '../act.js';
import { makeField } from '../fields.js';

/**
 * The form of the connection.
 *
 * @param {App.Context} ctx
 * @param {Api.Settings} settings
 * @param {(settings: Api.Settings) => void} onSaved with the settings as they are now
 * @returns {HTMLElement}
 */
export function serverForm(ctx, settings, onSaved) {
  const { t, tn, client } = ctx;
  const text = (/** @type {string} */ key) => String(settings[key] ?? '');
  const url = makeField({ key: 'libserver_url', kind: 'text', value: text('libserver_url'), label: t('libserver.url'),
    hint: t('libserver.url.hint'), mono: true, required: true });
  const user = makeField({ key: 'libserver_username', kind: 'text', value: text('libserver_username'),
    label: t('libserver.user') });
  const password = makeField({ key: 'libserver_password', kind: 'text', value: '', label: t('libserver.password') });
  password.control.setAttribute('type', 'password');
  password.control.setAttribute('autocomplete', 'new-password');
  if (settings['libserver_password_set']) password.control.setAttribute('placeholder', t('settings.secretSet'));
  const folder = makeField({ key: 'libserver_install_dir', kind: 'text', value: text('libserver_install_dir'),
    label: t('libserver.folder'), hint: t('libserver.folder.hint'), mono: true, isPath: true });
  const provider = h('select', { class: 'input', id: 'libserver-provider' });
  const offer = (/** @type {readonly Api.Provider[]} */ providers) => {
    const chosen = provider.value || text('libserver_provider');
    const all = chosen && providers.every((item) => item.key !== chosen)
      ? [...providers, { key: chosen, name: chosen, priority: 0 }]
      : providers;
    fill(provider, h('option', { value: '' }, t('libserver.provider.usual')),
      all.map((item) => h('option', { value: item.key }, item.name || item.key)));
    provider.value = chosen;
  };
  const result = h('p', { class: 'tried', role: 'status', hidden: true });
  const tell = (/** @type {boolean} */ isGood, /** @type {string} */ words) => {
    result.hidden = false;
    result.className = `tried ${isGood ? 'good' : 'bad'}`;
    fill(result, icon(isGood ? 'check' : 'missing', 'icon-s'), words);
  };
  const values = () => ({
    libserver_url: url.read(),
    libserver_username: user.read(),
    libserver_provider: provider.value,
    libserver_install_dir: folder.read(),
    ...(password.read() ? { libserver_password: password.read() } : {}),
  });
  const attempt = async (/** @type {() => Promise<void>} */ work) => {
    try {
      await work();
    } catch (error) {
      const known = ApiError.from(error);
      if (known.status !== 400) throw known;
      tell(false, known.message);
    }
  };
  const test = () =>
    attempt(async () => {
      const answer = await client.post('/api/libserver/test', values());
      offer(answer.providers);
      tell(true, tn('libserver.works', answer.games));
    });
  const save = () =>
    attempt(async () => {
      const saved = await client.post('/api/settings', values());
      ctx.preferences.take(saved);
      password.write('');
      tell(true, t('libserver.saved'));
      onSaved(saved);
    });
  offer([]);
  return h('form', {
    class: 'server-form',
    novalidate: true,
    'aria-label': t('libserver.form'),
    on: { submit: (event) => {
      event.preventDefault();
      void runBusy(ctx, event.currentTarget, save);
    } },
  },
    h('div', { class: 'form-grid' }, url.element, folder.element, user.element, password.element,
      h('div', { class: 'field' }, h('label', { class: 'label', for: provider.id }, t('libserver.provider')), provider,
        h('span', { class: 'hint' }, t('libserver.provider.hint')))), result,
    h('div', { class: 'acts' },
      h('button', { class: 'button', type: 'button', 'data-focus': 'server-test',
        on: { click: (event) => void runBusy(ctx, event.currentTarget, test) } }, icon('plug', 'icon-s'),
        t('libserver.test')),
      h('button', { class: 'button primary', type: 'submit', 'data-focus': 'server-save' }, t('action.save'))));
}
