/**
 * One job: what it is, how far it is, when it will have ended, and what can be done with it. Brought up to date in
 * place, so that neither the focus nor an opened list is lost.
 */

import { fill, h, icon, patch } from '../core/dom.js';
import { isActive } from '../data/jobs.js';

/** Icons by the first part of the type. */
const ICONS = Object.freeze(
  /** @type {Record<string, string>} */ ({ library: 'archive', saves: 'archive', media: 'picture', metadata: 'search',
    emulator: 'platform', setup: 'folder' }),
);

/** Kinds whose names hold an id: what they work on stands beside the title. */
const TOLD_APART = Object.freeze(['saves', 'emulator', 'libserver', 'setup', 'metadata']);

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
 * @param {string} file
 * @returns {string}
 */
export function exportAddress(file) {
  return `/api/v2/library/export/download?${new URLSearchParams({ file })}`;
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
 * @param {App.Context} ctx
 * @param {Api.Job} job
 * @returns {HTMLElement}
 */
export function jobBar(ctx, job) {
  const part = job.total ? Math.min(100, Math.floor((100 * job.current) / job.total)) : null;
  const isWaiting = job.state === 'queued';
  return h('div', {
    class: part === null && !isWaiting ? 'meter open' : 'meter',
    role: 'progressbar',
    'aria-label': jobTitle(ctx, job),
    'aria-valuemin': 0,
    'aria-valuemax': 100,
    'aria-valuenow': isWaiting ? 0 : part,
    hidden: !isActive(job),
  }, h('i', { style: { '--part': `${part ?? 0}%` } }));
}

/** The card of one job. */
export class JobCard {
  #ctx;
  #job;
  #more = h('div', { class: 'more', 'data-key': 'more' });
  #state = '';
  #isOpen = false;

  /**
   * @param {App.Context} ctx
   * @param {Api.Job} job
   */
  constructor(ctx, job) {
    this.#ctx = ctx;
    this.#job = job;
    this.element = h('li', { 'data-job': job.job_id });
    this.update(job);
  }

  /** @param {Api.Job} job */
  update(job) {
    this.#job = job;
    const { t } = this.#ctx;
    const mark = MARKS[job.state] ?? '';
    this.element.className = `job ${mark}`;
    const own = ICONS[job.type.split('.')[0] ?? ''] ?? 'work';
    const symbol = mark === MARKS['done'] ? 'tick' : mark ? 'missing' : own;
    patch(this.element, h('div', { class: 'symbol' }, icon(symbol)),
      h('div', { class: 'what' }, h('h3', null, jobTitle(this.#ctx, job), this.#subject()),
        h('p', { class: 'line' }, isActive(job) ? jobProgress(this.#ctx, job) : this.#ended())),
      h('span', { class: 'mark-text' }, t(`job.state.${job.state}`)), h('div', { class: 'acts' }, this.#buttons()),
      jobBar(this.#ctx, job), this.#more);
    const state = [job.state, job.can_cancel, job.can_retry, job.can_resume].join();
    if (state !== this.#state && this.#isOpen) void this.#drawMore();
    this.#state = state;
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
        ? h('a', { class: 'button', href: exportAddress(file), 'data-file': true, download: file,
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
    this.update(this.#job);
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
