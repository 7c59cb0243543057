/**
 * Accounts and sources: where facts and pictures come from, whether each source can be asked, and what is due to it.
 */

import { busyButton } from '../parts/act.js';
import { jobBar } from '../parts/job-card.js';
import { pageHead, showFailure, waitBox } from '../parts/state-box.js';
import { openAccount, removeAccount, TRIED } from '../parts/fill/account.js';
import { SourceOrder } from '../parts/fill/source-order.js';
import { coalesce, Turns } from '../core/coalesce.js';
import { h, icon, patch } from '../core/dom.js';
import { creditText } from '../data/credits.js';
import { JOBS } from '../data/filling.js';
import { isActive } from '../data/jobs.js';

/** The job that loads a source, and how it is begun. */
const LOADS = Object.freeze(
  /** @type {Record<string, {type: string, path: '/api/v2/opendb/sync' | '/api/metadata/sync'}>} */ ({
    opendb: { type: JOBS.opendb, path: '/api/v2/opendb/sync' },
    metadb: { type: JOBS.sync, path: '/api/metadata/sync' },
  }),
);

/** What a source gives. */
const GIVES = Object.freeze(
  /** @type {Record<string, string>} */ ({
    facts: 'sources.gives.facts',
    pictures: 'sources.gives.pictures',
    videos: 'sources.gives.videos',
    achievements: 'sources.gives.achievements',
  }),
);

/** Symbols of how a source stands. */
const SYMBOLS = Object.freeze(/** @type {Record<string, string>} */ ({ good: 'check', bad: 'missing' }));

/** @implements {App.View} */
export class SourcesView {
  #ctx;
  #life = new AbortController();
  #root;
  #body = h('div', { class: 'bare' });
  #order = h('div', { class: 'bare' });
  /** @type {Reply.Sources | null} */
  #answer = null;
  /** @type {Reply.ScrapeSettings | null} */
  #after = null;
  /** How the tests of this visit went. */
  /** @type {Map<string, {good: boolean, text: string}>} */
  #tests = new Map();
  /** A switch may be turned while the screen is read, which knows it as it was. */
  #turns = new Turns();
  #load = coalesce(() => this.#read());

  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   */
  constructor(ctx, root) {
    this.#ctx = ctx;
    const { t, bus } = ctx;
    const { signal } = this.#life;
    this.#root = h('div', { class: 'page work scroll', tabindex: -1 },
      h('div', { class: 'inner' },
        pageHead(ctx, t('place.sources'),
          h('a', { class: 'button', href: '#/fill', 'data-focus': 'fill' }, icon('spark', 'icon-s'), t('place.fill'))),
        h('p', { class: 'about' }, t('sources.about')), this.#body, this.#order));
    root.append(this.#root);
    patch(this.#body, waitBox(ctx));
    bus.on('jobs', () => this.#draw(), signal);
    bus.on('job:ended', ({ type }) => {
      if (Object.values(LOADS).some((load) => load.type === type)) void this.#load();
    }, signal);
    bus.on('live:behind', () => void this.#load(), signal);
    void this.#load();
  }

  unmount() {
    this.#life.abort();
    this.#root.remove();
  }

  async #read() {
    try {
      const { client } = this.#ctx;
      const [answer, after, order] = await this.#turns.read(() =>
        Promise.all([client.get('/api/v2/sources'), client.get('/api/v2/metadata/scrape-settings'),
          client.get('/api/v2/metadata/source-order')])
      );
      if (this.#life.signal.aborted) return;
      this.#answer = answer;
      this.#after = after;
      this.#draw();
      // What is chosen there stays, because nothing but this screen changes it.
      if (!this.#order.hasChildNodes())
        this.#order.append(new SourceOrder(this.#ctx, order, answer.sources).element);
    } catch (error) {
      if (!this.#life.signal.aborted)
        showFailure(this.#ctx, this.#body, error, () => void this.#load(), this.#answer !== null);
    }
  }

  #draw() {
    if (!this.#answer) return;
    patch(this.#body, h('ul', { class: 'hooks' }, this.#answer.sources.map((source) => this.#card(source))));
  }

  /** @param {Reply.SourceRow} source */
  #card(source) {
    const { t, jobs } = this.#ctx;
    const load = LOADS[source.id];
    const active = load ? jobs.list.find((job) => job.type === load.type && isActive(job)) : undefined;
    return h('li', { class: source.ready && source.enabled ? 'hook' : 'hook off', 'data-source': source.id },
      h('div', { class: 'top' },
        h('div', { class: 'who' }, h('h2', null, source.name),
          h('p', null,
            h('a', { href: source.page, target: '_blank', rel: 'noopener noreferrer',
              'data-focus': `page:${source.id}` }, creditText(this.#ctx, source.credit)))), this.#switch(source)),
      h('ul', { class: 'tags', 'aria-label': t('sources.gives', { name: source.name }) },
        source.gives.map((part) => h('li', null, t(GIVES[part] ?? '')))), active ? jobBar(this.#ctx, active) : null,
      h('div', { class: 'bottom' }, this.#status(source, active),
        h('div', { class: 'acts' }, this.#acts(source, active))));
  }

  /**
   * Whether a source with an account is asked after imports.
   *
   * @param {Reply.SourceRow} source
   */
  #switch({ id, name, after_import: key }) {
    if (!key || !this.#after) return null;
    const label = `${this.#ctx.t('sources.afterImport')}: ${name}`;
    const isOn = Boolean(/** @type {Record<string, unknown>} */ (/** @type {unknown} */ (this.#after))[key]);
    return h('label', { class: 'switch', title: this.#ctx.t('sources.afterImport') },
      h('input', { type: 'checkbox', checked: isOn, 'data-focus': `after:${id}`, 'aria-label': label, on: {
        change: ({ currentTarget }) =>
          void this.#setAfter(key, /** @type {HTMLInputElement} */ (currentTarget).checked),
      } }), h('span', { class: 'track' }));
  }

  /**
   * @param {string} key
   * @param {boolean} isOn
   */
  async #setAfter(key, isOn) {
    try {
      await this.#turns.change(async () => {
        this.#after = await this.#ctx.client.post('/api/v2/metadata/scrape-settings', { [key]: isOn });
      });
    } catch (error) {
      this.#ctx.fail(error);
    }
    this.#draw();
  }

  /**
   * @param {Reply.SourceRow} source
   * @param {Api.Job | undefined} active
   */
  #status(source, active) {
    const { t, tn, format } = this.#ctx;
    const line = (/** @type {string} */ tone, /** @type {string} */ text) =>
      h('p', { class: `outcome-line ${tone}`, role: 'status' }, icon(SYMBOLS[tone] ?? 'clock', 'icon-s'), text);
    const test = this.#tests.get(source.id);
    if (active) return line('', t(active.phase === 'importing' ? 'fill.db.reading' : 'fill.db.loading'));
    if (test) return line(test.good ? 'good' : 'bad', test.text);
    if (source.last_error)
      return line('bad',
        t('sources.failed', { reason: source.last_error, time: format.ago(source.last_error_at, new Date()) }));
    if (!source.enabled) return line('', t('sources.off'));
    if (source.ready && source.games !== null) return line('good', tn('fill.db.games', source.games));
    if (source.account === 'environment') return line('good', t('sources.environment'));
    if (source.ready) return line('good', t(source.needs ? 'sources.ready' : 'sources.free'));
    return line('', t(source.needs === 'download' ? 'sources.notLoaded' : 'sources.noAccount'));
  }

  /**
   * @param {Reply.SourceRow} source
   * @param {Api.Job | undefined} active
   */
  #acts(source, active) {
    const { t, client, jobs } = this.#ctx;
    const button = (/** @type {string} */ label, /** @type {string} */ symbol, /** @type {string} */ key,
      /** @type {() => Promise<unknown>} */ run, style = '') =>
      busyButton(this.#ctx, { label, symbol, focus: `${key}:${source.id}`, about: source.name, run, style });
    const load = LOADS[source.id];
    if (load && active) return button(t('action.cancel'), 'close', 'load', () => jobs.act(active.job_id, 'cancel'));
    if (load)
      return button(t(source.ready ? 'fill.db.renew' : 'fill.db.load'), source.ready ? 'refresh' : 'download', 'load',
        async () => {
          await client.post(load.path);
          await jobs.refresh();
        }, source.ready ? '' : 'primary');
    const isOwn = source.account === 'stored';
    const tried = source.ready && source.enabled ? TRIED[source.id] : undefined;
    return [
      tried
        ? button(t('sources.test'), 'playing', 'test', async () => {
          try {
            this.#tests.set(source.id, { good: true, text: await tried(this.#ctx) });
          } catch (error) {
            this.#tests.set(source.id, { good: false, text: error instanceof Error ? error.message : String(error) });
          }
          this.#ctx.announce(this.#tests.get(source.id)?.text ?? '');
          this.#draw();
        })
        : null,
      isOwn ? button(t('sources.remove'), 'trash', 'remove', () => this.#change(source, removeAccount)) : null,
      isOwn || source.account === 'missing'
        ? button(t(isOwn ? 'sources.change' : 'sources.enter'), 'edit', 'enter',
          () => this.#change(source, openAccount))
        : null,
    ];
  }

  /**
   * @param {Reply.SourceRow} source
   * @param {(ctx: App.Context, source: Reply.SourceRow) => Promise<boolean>} change resolves to whether it did
   */
  async #change(source, change) {
    if (!await change(this.#ctx, source)) return;
    this.#tests.delete(source.id);
    await this.#load();
  }
}
