/**
 * One job: what it is, how far it is, when it will have ended, and what can be done with it. Brought up to date in
 * place, so that neither the focus nor an opened list is lost.
 */

import { fill, h, icon, patch, setAttribute } from '../core/dom.js';
import { isActive } from '../data/jobs.js';

/** Icons by the first part of the type. */
const ICONS = Object.freeze(
  /** @type {Record<string, string>} */ ({ library: 'archive', saves: 'archive', media: 'picture', metadata: 'search',
    emulator: 'platform', setup: 'folder' }),
);

/** Kinds whose names hold an id: what they work on stands beside the title. */
const TOLD_APART = Object.freeze(['saves', 'emulator', 'libserver', 'setup']);

/** How a job that has ended is marked. */
const MARKS = Object.freeze(
  /** @type {Record<string, string>} */ ({ done: 'good', partial: 'warn', interrupted: 'warn', error: 'bad' }),
);

/**
 * The name of a job in the language of the page; one that says more than its type keeps the words of the server.
 *
 * @param {App.Context} ctx
 * @param {Api.Job} job
 * @returns {string}
 */
export function jobTitle(ctx, job) {
  const key = `job.type.${job.type}`;
  const isPlain = TOLD_APART.includes(job.type.split('.')[0] ?? '') || !job.name.includes(':');
  return ctx.i18n.has(key) && isPlain ? ctx.t(key) : job.title;
}

/**
 * The file an export wrote, or the empty string.
 *
 * @param {Api.Job} job
 * @returns {string}
 */
export function exportedFile(job) {
  return job.type === 'library.export' && job.state === 'done' ? String(job.result?.['file'] ?? '') : '';
}

/**
 * The address an exported file is saved from.
 *
 * @param {App.Context} ctx
 * @param {string} file
 * @returns {string}
 */
export function exportAddress(ctx, file) {
  return ctx.client.download('/api/v2/library/export/download', { file });
}

/**
 * How far a job is: `1,234 of 20,000 · about 12 s left`.
 *
 * @param {App.Context} ctx
 * @param {Api.Job} job
 * @returns {string}
 */
export function jobProgress(ctx, job) {
  const { t, format, jobs } = ctx;
  if (job.state === 'queued') return t('job.waiting');
  const left = jobs.left(job);
  const count = job.total
    ? t('job.count', { done: format.number(job.current), total: format.number(job.total) })
    : job.message;
  return [count, left === null ? '' : t('job.left', { time: format.span(Math.max(1, left)) })].filter(Boolean).join(
    ' · ',
  );
}

/**
 * A bar that shows how far a job is, or that it is at work.
 *
 * @param {string} label
 * @returns {{element: HTMLElement, update: (job: Api.Job) => void}}
 */
export function jobBar(label) {
  const line = h('i', null);
  const element = h('div', { class: 'meter', role: 'progressbar', 'aria-label': label, 'aria-valuemin': 0,
    'aria-valuemax': 100 }, line);
  const update = (/** @type {Api.Job} */ job) => {
    const part = job.total ? Math.min(100, Math.floor((100 * job.current) / job.total)) : null;
    element.classList.toggle('open', part === null && job.state !== 'queued');
    setAttribute(element, 'aria-valuenow', job.state === 'queued' ? 0 : part);
    line.style.setProperty('--part', `${part ?? 0}%`);
  };
  return { element, update };
}

/** The card of one job. */
export class JobCard {
  #ctx;
  #job;
  #bar;
  #line = h('p', { class: 'line' });
  #mark = h('span', { class: 'mark-text' });
  #acts = h('div', { class: 'acts' });
  #more = h('div', { class: 'more' });
  #symbol = h('div', { class: 'symbol' });
  #state = '';
  #isOpen = false;

  /**
   * @param {App.Context} ctx
   * @param {Api.Job} job
   */
  constructor(ctx, job) {
    this.#ctx = ctx;
    this.#job = job;
    const title = jobTitle(ctx, job);
    this.#bar = jobBar(title);
    this.element = h('li', { class: 'job', 'data-job': job.job_id }, this.#symbol,
      h('div', { class: 'what' }, h('h3', null, title, this.#subject()), this.#line), this.#mark, this.#acts,
      this.#bar.element, this.#more);
    this.update(job);
  }

  /** @param {Api.Job} job */
  update(job) {
    this.#job = job;
    const { t } = this.#ctx;
    const isAtWork = isActive(job);
    this.#line.textContent = isAtWork ? jobProgress(this.#ctx, job) : this.#ended();
    this.#bar.element.hidden = !isAtWork;
    this.#bar.update(job);
    const state = [job.state, job.can_cancel, job.can_retry, job.can_resume].join();
    if (state === this.#state) return;
    this.#state = state;
    const mark = MARKS[job.state] ?? '';
    this.element.className = `job ${mark}`;
    const own = ICONS[job.type.split('.')[0] ?? ''] ?? 'work';
    const symbol = mark === 'good' ? 'tick' : mark ? 'missing' : own;
    fill(this.#symbol, icon(symbol));
    this.#mark.textContent = t(`job.state.${job.state}`);
    patch(this.#acts, this.#buttons());
    if (this.#isOpen) void this.#drawMore();
  }

  /** What the job works on, where its name does not say it. */
  #subject() {
    const { t } = this.#ctx;
    const { format, scope, scope_name: name, game_id: game, app_id: app } = this.#job.input;
    if (typeof app === 'string') return h('small', null, app.split('.').at(-1) ?? app);
    if (typeof game === 'string') return h('small', null, this.#ctx.catalog.find(game)?.name ?? '');
    if (this.#job.type !== 'library.export' || typeof format !== 'string') return null;
    return h('small', null,
      [format.toUpperCase(), scope === 'all' ? t('export.scope.all') : String(name ?? '')].join(' · '));
  }

  #ended() {
    const { t, format } = this.#ctx;
    const { error_detail: fault, finished_at: finished, started_at: started, result } = this.#job;
    if (fault) return fault.message;
    const count = Number(result?.['count'] ?? 0);
    const seconds = (Date.parse(finished ?? '') - Date.parse(started ?? '')) / 1000;
    return [
      count > 0 ? this.#ctx.tn('library.count', count) : '',
      finished ? format.ago(finished, new Date()) : '',
      seconds >= 0 ? t('job.took', { time: format.span(Math.max(1, seconds)) }) : '',
    ].filter(Boolean).join(' · ');
  }

  #buttons() {
    const { t } = this.#ctx;
    const job = this.#job;
    const title = jobTitle(this.#ctx, job);
    const act = (/** @type {'cancel' | 'retry' | 'resume'} */ action, /** @type {string} */ label,
      /** @type {string} */ symbol, /** @type {string} */ style) =>
      h('button', {
        class: `button ${style}`,
        type: 'button',
        'data-focus': `${action}:${job.job_id}`,
        'aria-label': `${label}: ${title}`,
        on: { click: () => void this.#act(action) },
      }, icon(symbol, 'icon-s'), label);
    const file = exportedFile(job);
    return [
      job.can_cancel && job.state !== 'cancelling' ? act('cancel', t('action.cancel'), 'close', '') : null,
      job.can_resume ? act('resume', t('job.resume'), 'play', 'primary') : null,
      job.can_retry && job.state !== 'done'
        ? act('retry', t('action.retry'), 'refresh', job.can_resume || job.state === 'cancelled' ? '' : 'primary')
        : null,
      file
        ? h('a', { class: 'button', href: exportAddress(this.#ctx, file), download: file,
          'data-focus': `file:${job.job_id}` }, icon('download', 'icon-s'), t('action.download'))
        : null,
      h('button', {
        class: 'icon-button',
        type: 'button',
        'data-focus': `more:${job.job_id}`,
        'aria-expanded': String(this.#isOpen),
        'aria-label': `${t('job.details')}: ${title}`,
        title: t('job.details'),
        on: { click: () => this.#toggle() },
      }, icon('chevron')),
    ];
  }

  /** @param {'cancel' | 'retry' | 'resume'} action */
  async #act(action) {
    try {
      await this.#ctx.jobs.act(this.#job.job_id, action);
      this.#ctx.announce(this.#ctx.t(`job.asked.${action}`, { title: jobTitle(this.#ctx, this.#job) }));
    } catch (error) {
      this.#ctx.fail(error);
    }
  }

  #toggle() {
    this.#isOpen = !this.#isOpen;
    this.#acts.querySelector('[aria-expanded]')?.setAttribute('aria-expanded', String(this.#isOpen));
    if (this.#isOpen) void this.#drawMore();
    else fill(this.#more);
  }

  async #drawMore() {
    const { t, format } = this.#ctx;
    const job = this.#job;
    const when = (/** @type {string | null} */ stamp) => (stamp ? `${format.date(stamp)}, ${format.time(stamp)}` : '');
    const facts = [
      ['job.fact.created', when(job.created_at)],
      ['job.fact.started', when(job.started_at)],
      ['job.fact.finished', when(job.finished_at)],
      ['job.fact.message', job.message],
      ['job.fact.file', exportedFile(job)],
      ['job.fact.archive', String(job.result?.['archive'] ?? '')],
    ].filter(([, value]) => value);
    const items = h('div', { class: 'items' });
    const fault = job.error_detail;
    fill(this.#more,
      h('dl', { class: 'facts' }, facts.map(([key, value]) => [h('dt', null, t(key ?? '')), h('dd', null, value)])),
      fault ? h('p', { class: 'facts-line' }, [fault.code, fault.request_id].filter(Boolean).join(' · ')) : null,
      items);
    await this.#readItems(items, null);
  }

  /**
   * Shows the next page of items behind those that are there.
   *
   * @param {HTMLElement} root
   * @param {string | null} cursor
   */
  async #readItems(root, cursor) {
    const { t } = this.#ctx;
    try {
      const page = await this.#ctx.jobs.items(this.#job.job_id, cursor);
      root.querySelector('.button')?.remove();
      if (!cursor)
        fill(root, h('h4', null, t('job.items')),
          page.items.length > 0 ? h('ul', { class: 'rows' }) : h('p', { class: 'none' }, t('job.items.none')));
      root.querySelector('.rows')?.append(
        ...page.items.map((item) =>
          h('li', null,
            h('div', { class: 'grow' }, item.label, item.error ? h('small', null, item.error.message) : null),
            h('span', { class: 'end' }, this.#itemState(item.state)))
        ),
      );
      const next = page.next_cursor;
      if (next)
        root.append(
          h('button', { class: 'button', type: 'button', on: { click: () => void this.#readItems(root, next) } },
            t('action.showMore')),
        );
    } catch (error) {
      this.#ctx.fail(error);
    }
  }

  /** @param {string} state */
  #itemState(state) {
    const key = `job.item.${state}`;
    return this.#ctx.i18n.has(key) ? this.#ctx.t(key) : state;
  }
}
