/**
 * The dialog for one webhook: where, which events, signed with what, how patient. It can be tried before it is saved.
 */

import { ApiError } from '../../core/client.js';
import { fill, h, icon } from '../../core/dom.js';
import { setBusy } from '../act.js';
import { openDialog, showFormFailure } from '../dialog.js';
import { makeField } from '../fields.js';

/** Beginnings of the server's sentences, and the field they are about. */
const MESSAGES = Object.freeze(/** @type {const} */ ([
  [/^(?:Webhook URL|HTTP webhooks|Webhook loopback|Webhook hostname)/, 'url'],
  [/event/, 'events'],
  [/secret/, 'secret'],
  [/attempts|timeout/, 'attempts'],
]));

/**
 * Opens the dialog. Resolves to whether something was saved.
 *
 * @param {App.Context} ctx
 * @param {Api.Webhook | null} hook `null` for a new one
 * @param {readonly string[]} events that can be chosen
 * @returns {Promise<boolean>}
 */
export async function openWebhook(ctx, hook, events) {
  const { t } = ctx;
  const field = (/** @type {string} */ key, /** @type {Partial<App.FieldSpec>} */ spec) =>
    makeField({ key, kind: 'text', value: '', label: t(`webhook.field.${key}`), ...spec });
  const url = field('url', { value: hook?.url ?? '', required: true, mono: true, hint: t('webhook.hint.url') });
  const secret = field('secret', { hint: t(hook?.secret_set ? 'webhook.hint.secretKept' : 'webhook.hint.secret') });
  secret.control.setAttribute('type', 'password');
  secret.control.setAttribute('autocomplete', 'new-password');
  const attempts = field('attempts', { kind: 'number', value: hook?.attempts ?? 3, min: 1, max: 5 });
  const timeout = field('timeout', { kind: 'number', value: hook?.timeout ?? 5, min: 1, max: 15 });
  const enabled = field('enabled', { kind: 'bool', value: hook?.enabled ?? true });
  const boxes = events.map((name) =>
    h('input', { type: 'checkbox', value: name, checked: hook ? hook.events.includes(name) : false })
  );
  const error = h('span', { class: 'error', id: 'webhook-events-error' });
  const chosen = h('fieldset', { class: 'field events', 'aria-describedby': error.id },
    h('legend', { class: 'label' }, t('webhook.field.events'), ' *'),
    h('div', { class: 'checks' }, boxes.map((box) => h('label', { class: 'check' }, box, eventName(ctx, box.value)))),
    error);
  const forget = hook?.secret_set ? h('input', { type: 'checkbox' }) : null;

  const outcome = h('p', { class: 'tried', role: 'status', hidden: true });
  const test = h('button', { class: 'button start', type: 'button' }, icon('playing', 'icon-s'), t('webhook.test'));
  const save = h('button', { class: 'button primary', type: 'submit' }, t('action.save'));
  const cancel = h('button', { class: 'button', type: 'button' }, t('action.cancel'));

  const read = () => ({
    ...(hook ? { id: hook.id } : {}),
    url: url.read(),
    events: boxes.filter((box) => box.checked).map((box) => box.value),
    enabled: enabled.read(),
    attempts: attempts.read(),
    timeout: timeout.read(),
    secret: secret.read(),
    secret_set: Boolean(hook?.secret_set && !forget?.checked),
  });
  const show = (/** @type {unknown} */ problem) => {
    const known = ApiError.from(problem);
    const name = MESSAGES.find(([pattern]) => pattern.test(known.message))?.[1];
    if (!name) {
      showFormFailure(ctx, dialog.form, known);
      return;
    }
    const target = name === 'events' ? null : { url, secret, attempts }[name];
    if (target) target.fail(known.message);
    else error.textContent = known.message;
    (target?.control ?? boxes[0])?.focus();
  };
  const during = async (/** @type {HTMLButtonElement} */ button, /** @type {() => Promise<void>} */ work) => {
    if (button.getAttribute('aria-busy') === 'true') return;
    for (const each of [url, secret, attempts]) each.fail('');
    error.textContent = '';
    showFormFailure(ctx, dialog.form, null);
    setBusy(button, true);
    await work().catch(show);
    setBusy(button, false);
  };
  const dialog = openDialog(ctx, {
    title: t(hook ? 'webhook.edit' : 'webhook.add'),
    width: 600,
    footer: [test, cancel, save],
    content: h('div', { class: 'stack' }, url.element, chosen, secret.element,
      forget ? h('label', { class: 'check' }, forget, t('webhook.forget')) : null,
      h('div', { class: 'form-grid' }, attempts.element, timeout.element), enabled.element, outcome),
    onSubmit: () =>
      void during(save, async () => {
        await ctx.client.post('/api/webhooks', { webhook: read() });
        dialog.close('saved');
      }),
  });
  cancel.addEventListener('click', () => dialog.close(''));
  test.addEventListener('click', () =>
    void during(test, async () => {
      outcome.hidden = true;
      const result = await tryWebhook(ctx, read());
      outcome.hidden = false;
      outcome.className = `tried ${result.ok ? 'good' : 'bad'}`;
      fill(outcome, icon(result.ok ? 'check' : 'missing', 'icon-s'), testText(ctx, result));
    }));
  url.control.focus();
  return (await dialog.closed) === 'saved';
}

/**
 * The name of an event in the language of the page.
 *
 * @param {App.Context} ctx
 * @param {string} name
 * @returns {string}
 */
export function eventName(ctx, name) {
  return ctx.i18n.has(`webhook.event.${name}`) ? ctx.t(`webhook.event.${name}`) : name;
}

/**
 * Has one test event delivered.
 *
 * @param {App.Context} ctx
 * @param {object} webhook
 * @returns {Promise<Api.WebhookTest>}
 */
export function tryWebhook(ctx, webhook) {
  return ctx.client.post('/api/webhooks/test', { webhook });
}

/**
 * @param {App.Context} ctx
 * @param {Api.WebhookTest} result
 * @returns {string}
 */
export function testText(ctx, { ok, status, error }) {
  if (ok) return ctx.t('webhook.test.good', { status: status ?? '' });
  return ctx.t('webhook.test.bad', { reason: error || `HTTP ${status ?? ''}` });
}
