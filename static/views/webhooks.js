/**
 * The webhooks screen: who is told what, how the last delivery went, and whether it works.
 */

import { setBusy } from '../parts/act.js';
import { confirm } from '../parts/dialog.js';
import { emptyBox, pageHead, showFailure, waitBox } from '../parts/state-box.js';
import { eventName, openWebhook, testText, tryWebhook } from '../parts/jobs/webhook-editor.js';
import { coalesce } from '../core/coalesce.js';
import { h, icon, patch } from '../core/dom.js';

/** @implements {App.View} */
export class WebhooksView {
  #ctx;
  #life = new AbortController();
  #root;
  /** Stands in the empty place while there is no webhook. */
  #add;
  #body = h('div', { class: 'bare' });
  /** @type {Api.WebhookList | null} */
  #answer = null;
  /** How the tests of this visit went. */
  /** @type {Map<string, Api.WebhookTest>} */
  #tests = new Map();
  /** Webhooks that are being tested. */
  #testing = /** @type {Set<string>} */ (new Set());
  #load = coalesce(() => this.#read());

  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   */
  constructor(ctx, root) {
    this.#ctx = ctx;
    const { t, bus } = ctx;
    this.#add = this.#button();
    this.#root = h('div', { class: 'page work scroll', tabindex: -1 },
      h('div', { class: 'inner' }, pageHead(ctx, t('place.webhooks'), this.#add),
        h('p', { class: 'about' }, t('webhook.about')), this.#body));
    root.append(this.#root);
    patch(this.#body, waitBox(ctx));
    bus.on('sections', ({ names }) => {
      if (names.includes('settings')) void this.#load();
    }, this.#life.signal);
    bus.on('live:behind', () => void this.#load(), this.#life.signal);
    void this.#load();
  }

  unmount() {
    this.#life.abort();
    this.#root.remove();
  }

  async #read() {
    try {
      this.#answer = await this.#ctx.client.get('/api/webhooks');
      if (!this.#life.signal.aborted) this.#draw();
    } catch (error) {
      if (!this.#life.signal.aborted)
        showFailure(this.#ctx, this.#body, error, () => void this.#load(), this.#answer !== null);
    }
  }

  #button() {
    return h('button', { class: 'button primary', type: 'button', 'data-focus': 'add',
      on: { click: () => void this.#edit(null) } }, icon('plus', 'icon-s'), this.#ctx.t('webhook.add'));
  }

  #draw() {
    const hooks = this.#answer?.webhooks ?? [];
    this.#add.hidden = hooks.length === 0;
    patch(this.#body, hooks.length > 0
      ? h('ul', { class: 'hooks' }, hooks.map((hook) => this.#card(hook)))
      : emptyBox(this.#ctx, 'plug', 'webhook.none', this.#button()));
  }

  /** @param {Api.Webhook} hook */
  #card(hook) {
    const { t } = this.#ctx;
    const name = hostOf(hook.url);
    const toggle = h('input', { type: 'checkbox', checked: hook.enabled, 'data-focus': `on:${hook.id}`,
      'aria-label': `${t('webhook.field.enabled')}: ${name}`, on: {
        change: ({ currentTarget }) => void this.#enable(hook, /** @type {HTMLInputElement} */ (currentTarget).checked),
      } });
    const button = (/** @type {string} */ key, /** @type {string} */ symbol, /** @type {string} */ label,
      /** @type {() => void} */ run) =>
      h('button', {
        class: 'button',
        type: 'button',
        'data-focus': `${key}:${hook.id}`,
        'aria-label': `${label}: ${name}`,
        on: { click: run },
      }, icon(symbol, 'icon-s'), label);
    const test = button('test', 'playing', t('webhook.test'), () => void this.#test(hook));
    setBusy(test, this.#testing.has(hook.id));
    const drop = h('button', {
      class: 'icon-button',
      type: 'button',
      'data-focus': `delete:${hook.id}`,
      'aria-label': `${t('webhook.delete')}: ${name}`,
      title: t('webhook.delete'),
      on: { click: () => void this.#remove(hook) },
    }, icon('trash'));
    return h('li', { class: hook.enabled ? 'hook' : 'hook off', 'data-hook': hook.id },
      h('div', { class: 'top' }, h('div', { class: 'who' }, h('h2', null, name), h('p', { class: 'url' }, hook.url)),
        h('label', { class: 'switch' }, toggle, h('span', { class: 'track' }))),
      h('ul', { class: 'tags', 'aria-label': t('webhook.field.events') },
        hook.events.map((event) => h('li', null, eventName(this.#ctx, event)))),
      h('div', { class: 'bottom' }, this.#status(hook),
        h('div', { class: 'acts' }, test, button('edit', 'edit', t('action.edit'), () => void this.#edit(hook)),
          drop)));
  }

  /**
   * How the last delivery or the test of this visit went.
   *
   * @param {Api.Webhook} hook
   */
  #status(hook) {
    const { t, format } = this.#ctx;
    const symbols = /** @type {Record<string, string>} */ ({ good: 'check', bad: 'missing' });
    const line = (/** @type {string} */ tone, /** @type {string} */ text) =>
      h('p', { class: `outcome-line ${tone}`, role: 'status' }, icon(symbols[tone] ?? 'clock', 'icon-s'), text);
    const test = this.#tests.get(hook.id);
    if (test) return line(test.ok ? 'good' : 'bad', testText(this.#ctx, test));
    const time = format.ago(hook.last_delivery_at || hook.last_sent_at, new Date());
    if (hook.last_error) return line('bad', t('webhook.last.bad', { reason: hook.last_error, time }));
    if (hook.last_status) return line('good', t('webhook.last.good', { status: hook.last_status, time }));
    return line('', t('webhook.last.none'));
  }

  /** @param {Api.Webhook | null} hook */
  async #edit(hook) {
    if (!this.#answer) return;
    if (!(await openWebhook(this.#ctx, hook, this.#answer.events))) return;
    if (hook) this.#tests.delete(hook.id);
    await this.#load();
  }

  /** @param {Api.Webhook} hook */
  async #test(hook) {
    if (this.#testing.has(hook.id)) return;
    this.#testing.add(hook.id);
    this.#draw();
    await this.#try(async () => {
      const result = await tryWebhook(this.#ctx, hook);
      this.#tests.set(hook.id, result);
      this.#ctx.announce(testText(this.#ctx, result));
    });
    this.#testing.delete(hook.id);
    if (!this.#life.signal.aborted) this.#draw();
  }

  /**
   * @param {Api.Webhook} hook
   * @param {boolean} enabled
   */
  async #enable(hook, enabled) {
    await this.#try(() => this.#ctx.client.post('/api/webhooks', { webhook: { ...hook, enabled } }));
    await this.#load();
  }

  /** @param {Api.Webhook} hook */
  async #remove(hook) {
    const { t, client } = this.#ctx;
    const isSure = await confirm(this.#ctx, { title: t('webhook.delete.title', { host: hostOf(hook.url) }),
      text: t('webhook.delete.text'), action: t('webhook.delete'), danger: true });
    if (!isSure) return;
    await this.#try(async () => {
      // The list is replaced as a whole, so it is read just before.
      const { webhooks, attempts, timeout } = await client.get('/api/webhooks');
      await client.post('/api/webhooks', { webhooks: webhooks.filter(({ id }) => id !== hook.id), attempts, timeout });
    });
    await this.#load();
  }

  /** @param {() => Promise<unknown>} work */
  async #try(work) {
    try {
      await work();
    } catch (error) {
      this.#ctx.fail(error);
    }
  }
}

/**
 * @param {string} url
 * @returns {string}
 */
function hostOf(url) {
  return URL.canParse(url) ? new URL(url).host : url;
}
