/**
 * What a plugin may do: the permissions it asks for, and whether it may run without a sandbox.
 */

import { setBusy } from '../act.js';
import { openDialog, prepareDialog, showFormFailure } from '../dialog.js';
import { h, icon } from '../../core/dom.js';

/**
 * @param {App.Context} ctx
 * @param {Api.Plugin} plugin
 */
export async function openRights(ctx, plugin) {
  const { t, client, format } = ctx;
  const { id, name } = plugin;
  const trust = await prepareDialog(ctx, `rights ${id}`, () => client.get('/api/v2/plugins/trust', { id }));
  if (!trust) return;
  const asked = plugin.permissions ?? [];
  const given = plugin.granted_permissions ?? [];
  const boxes = asked.map((permission) => ({ permission,
    box: h('input', { type: 'checkbox', checked: given.includes(permission) }) })
  );
  const isTrusted = trust.trusted && trust.checksum_matches;
  const trusted = h('input', { type: 'checkbox', checked: isTrusted });
  const choice = (/** @type {HTMLInputElement} */ box, /** @type {string} */ title, /** @type {string} */ text) =>
    h('label', { class: 'card-choice' }, box, h('span', null, h('b', null, title), h('small', null, text)));
  const yes = h('button', { class: 'button primary', type: 'submit' }, t('action.save'));
  const no = h('button', { class: 'button', type: 'button' }, t('action.cancel'));
  const dialog = openDialog(ctx, {
    title: t('plugins.rights.title', { name }),
    width: 560,
    content: h('div', { class: 'stack' }, boxes.length > 0
      ? boxes.map(({ permission, box }) =>
        choice(box, t(`plugins.permission.${permission}`), t(`plugins.permission.${permission}.text`))
      )
      : h('p', { class: 'none' }, t('plugins.noPermissions')),
      choice(trusted, t('plugins.trust'), t('plugins.trust.text')),
      trust.retrust ? h('div', { class: 'callout' }, icon('missing'), h('p', null, t('plugins.changed'))) : null,
      h('p', { class: 'facts-line' },
        [`SHA-256 ${trust.checksum}`, trust.granted_at ? format.date(trust.granted_at) : ''].filter(Boolean).join(
          ' · ',
        ))),
    footer: [no, yes],
    onSubmit: () => void save(),
  });
  const save = async () => {
    setBusy(yes, true);
    try {
      if (boxes.length > 0)
        await client.post('/api/v2/plugins/permissions', { id, permissions: boxes.filter(({ box }) =>
          box.checked
        ).map(({ permission }) => permission) });
      if (trusted.checked !== isTrusted)
        await client.post('/api/v2/plugins/trust', { id, trusted: trusted.checked });
      dialog.close('done');
    } catch (error) {
      showFormFailure(ctx, dialog.form, error);
    } finally {
      setBusy(yes, false);
    }
  };
  no.addEventListener('click', () => dialog.close(''));
  await dialog.closed;
}
