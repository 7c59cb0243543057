/**
 * Accounts of sources: entering one, and whether it is accepted.
 */

import { ApiError } from '../../core/client.js';
import { h } from '../../core/dom.js';
import { setBusy } from '../act.js';
import { openDialog, showFormFailure } from '../dialog.js';
import { makeField } from '../fields.js';

/** Tries the account of a source; what is said of it. */
export const TRIED = Object.freeze(
  /** @type {Record<string, (ctx: App.Context) => Promise<string>>} */ ({
    artgrid: async ({ client, t }) => {
      await client.post('/api/v2/artgrid/test');
      return t('sources.accepted');
    },
    scraper: async ({ client, t, format }) => {
      const { user } = await client.post('/api/v2/scraper/test');
      const { requests_today: done, requests_per_day: all } = user;
      return done !== null && all !== null
        ? t('sources.quota', { done: format.number(done), total: format.number(all) })
        : t('sources.accepted');
    },
  }),
);

/**
 * Asks for the account of a source. What is entered is not shown again. Resolves to whether it was stored.
 *
 * @param {App.Context} ctx
 * @param {Reply.SourceRow} source
 * @returns {Promise<boolean>}
 */
export async function openAccount(ctx, source) {
  const { t, client } = ctx;
  const isKey = source.id === 'ach';
  const user = makeField({ key: 'username', kind: 'text', value: '', required: true, label: t('sources.user') });
  const secret = makeField({ key: 'secret', kind: 'text', value: '', required: true,
    label: t(isKey ? 'sources.key' : 'sources.password') });
  secret.control.setAttribute('type', 'password');
  secret.control.setAttribute('autocomplete', 'new-password');
  const save = h('button', { class: 'button primary', type: 'submit' }, t('action.save'));
  const cancel = h('button', { class: 'button', type: 'button' }, t('action.cancel'));
  const send = async () => {
    const username = String(user.read());
    if (isKey) await client.post('/api/ach/settings', { username, api_key: String(secret.read()) });
    else await client.post('/api/mediasvc/settings', { username, password: String(secret.read()) });
    dialog.close('saved');
  };
  const dialog = openDialog(ctx, {
    title: source.name,
    width: 480,
    footer: [cancel, save],
    content: h('div', { class: 'stack' }, h('p', { class: 'hints' }, t('sources.secret')), user.element,
      secret.element),
    onSubmit: () => {
      if (save.getAttribute('aria-busy') === 'true') return;
      showFormFailure(ctx, dialog.form, null);
      setBusy(save, true);
      void send()
        .catch((error) =>
          showFormFailure(ctx, dialog.form, error instanceof ApiError ? error : new ApiError(String(error)))
        )
        .finally(() => setBusy(save, false));
    },
  });
  cancel.addEventListener('click', () => dialog.close(''));
  user.control.focus();
  return (await dialog.closed) === 'saved';
}
