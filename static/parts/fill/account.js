/**
 * Accounts of sources: entering one, removing it, and whether it is accepted.
 */

import { h } from '../../core/dom.js';
import { setBusy } from '../act.js';
import { confirm, openDialog, showFormFailure } from '../dialog.js';
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

/** Accounts that have a route of their own, what they consist of, and what else is sent. */
const OWN = Object.freeze(
  /** @type {Record<string, {path: '/api/ach/settings' | '/api/mediasvc/settings', fields: Reply.AccountField[],
   *   more?: {check: true}}>} */ ({
    ach: { path: '/api/ach/settings',
      fields: [{ key: 'username', secret: false, required: true }, { key: 'api_key', secret: true, required: true }] },
    mediasvc: { path: '/api/mediasvc/settings', more: { check: true },
      fields: [{ key: 'username', secret: false, required: true }, { key: 'password', secret: true, required: true }] },
  }),
);

/** What the parts of an account are called. */
const LABELS = Object.freeze(
  /** @type {Record<string, string>} */ ({ user: 'sources.user', username: 'sources.user', password: 'sources.password',
    api_key: 'sources.key', client_id: 'sources.clientId', client_secret: 'sources.clientSecret',
    dev_id: 'sources.developer', dev_password: 'sources.developerPassword' }),
);

/**
 * Asks for the account of a source. What is entered is tried before it is stored, and not shown again. Resolves to
 * whether it was stored.
 *
 * @param {App.Context} ctx
 * @param {Reply.SourceRow} source
 * @returns {Promise<boolean>}
 */
export async function openAccount(ctx, source) {
  const { t, client } = ctx;
  const own = OWN[source.id];
  const fields = (own?.fields ?? source.fields).map(({ key, secret, required }) => {
    const field = makeField({ key, kind: 'text', value: '', required, label: t(LABELS[key] ?? '') });
    if (secret) {
      field.control.setAttribute('type', 'password');
      field.control.setAttribute('autocomplete', 'new-password');
    }
    return field;
  });
  const save = h('button', { class: 'button primary', type: 'submit' }, t('action.save'));
  const cancel = h('button', { class: 'button', type: 'button' }, t('action.cancel'));
  const send = async () => {
    const values = Object.fromEntries(fields.map(({ spec, read }) => [spec.key, String(read())]));
    await (own
      ? client.post(own.path, { ...values, ...own.more })
      : client.post('/api/v2/sources/account', { source: source.id, values }));
    dialog.close('saved');
  };
  const dialog = openDialog(ctx, {
    title: source.name,
    width: 480,
    footer: [cancel, save],
    content: h('div', { class: 'stack' }, h('p', { class: 'hints' }, t('sources.secret')),
      fields.map(({ element }) => element)),
    onSubmit: () => {
      if (save.getAttribute('aria-busy') === 'true') return;
      showFormFailure(ctx, dialog.form, null);
      setBusy(save, true);
      void send()
        .catch((error) => showFormFailure(ctx, dialog.form, error))
        .finally(() => setBusy(save, false));
    },
  });
  cancel.addEventListener('click', () => dialog.close(''));
  fields[0]?.control.focus();
  return (await dialog.closed) === 'saved';
}

/**
 * Removes the account of a source after a question. Resolves to whether it was removed.
 *
 * @param {App.Context} ctx
 * @param {Reply.SourceRow} source
 * @returns {Promise<boolean>}
 */
export async function removeAccount(ctx, source) {
  const { t, client } = ctx;
  const isSure = await confirm(ctx, { title: t('sources.remove.title', { name: source.name }),
    text: t('sources.remove.text'), action: t('sources.remove'), danger: true });
  if (isSure) await client.post('/api/v2/sources/account/remove', { source: source.id });
  return isSure;
}
