/**
 * The setup flow: where to look, what was found, bringing it in, the first check. The address holds the preview, and
 * the jobs of the server know the newest one, so a reload or another window goes on where this one stopped.
 */

import { JobLists } from '../parts/job-list.js';
import { SetupReview } from '../parts/setup/review.js';
import { setupDone } from '../parts/setup/done.js';
import { SetupSources } from '../parts/setup/sources.js';
import { failureBox, pageHead, waitBox } from '../parts/state-box.js';
import { ApiError } from '../core/client.js';
import { coalesce } from '../core/coalesce.js';
import { fill, h, icon } from '../core/dom.js';
import { isActive } from '../data/jobs.js';
import { isBeingMade, newestPreview } from '../data/setup.js';

/** What the library or the sources became meanwhile, by the code of a commit that was refused for it. */
const CHANGES = Object.freeze(
  /** @type {Record<string, string>} */ ({ PREVIEW_LIBRARY_CHANGED: 'setup.changed.library',
    PREVIEW_STALE: 'setup.changed.sources' }),
);

/** The steps by their words. */
const STEPS = Object.freeze(['setup.step.sources', 'setup.step.review', 'setup.step.done']);

/** @implements {App.View} */
export class SetupView {
  #ctx;
  #life = new AbortController();
  #root;
  #steps = h('ol', { class: 'steps' });
  #jobs;
  #body = h('div', null);
  #id;
  /** @type {Api.SetupPreview | null} */
  #preview = null;
  #shown = '';
  /** The part of what was found that is shown. */
  #tab = 'games';
  #load = coalesce(() => this.#read());

  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   * @param {App.Route} route
   */
  constructor(ctx, root, route) {
    this.#ctx = ctx;
    this.#id = route.arg;
    const { t, bus } = ctx;
    this.#jobs = new JobLists(ctx, ['jobs.active']);
    this.#root = h('div', { class: 'page work scroll setup', tabindex: -1 },
      h('div', { class: 'inner' }, pageHead(ctx, t('setup.title')), this.#steps, this.#jobs.element, this.#body));
    root.append(this.#root);
    fill(this.#body, waitBox(ctx));
    const { signal } = this.#life;
    bus.on('jobs', () => this.#drawJobs(), signal);
    bus.on('job:ended', (job) => {
      if (this.#isMine(job)) void this.#load();
    }, signal);
    bus.on('live:behind', () => void this.#load(), signal);
    this.#drawJobs();
    void this.#load();
  }

  /** @param {App.Route} route */
  update(route) {
    if (route.arg === this.#id) return;
    this.#id = route.arg;
    this.#preview = null;
    this.#shown = '';
    fill(this.#body, waitBox(this.#ctx));
    this.#drawJobs();
    void this.#load();
  }

  unmount() {
    this.#life.abort();
    this.#root.remove();
  }

  /** @param {Api.Job} job */
  #isMine(job) {
    return this.#id !== '' && job.type.startsWith('setup.') &&
      (job.input['preview_id'] === this.#id || job.name.endsWith(`:${this.#id}`));
  }

  /** The newest job that brings in, or brought in, what was found. */
  #commitJob() {
    return this.#ctx.jobs.list.find((job) => job.type === 'setup.commit' && this.#isMine(job));
  }

  #drawJobs() {
    this.#jobs.show(
      this.#ctx.jobs.list.filter((job) => isActive(job) && (this.#isMine(job) || job.type === 'emulator.install')),
      () => 'jobs.active',
    );
  }

  async #read() {
    const { jobs, client } = this.#ctx;
    try {
      if (!this.#id) {
        await jobs.refresh();
        await this.#offerNewest();
        return;
      }
      const preview = await client.get('/api/v2/setup/preview', { preview_id: this.#id });
      // What came in is told by the job, which the list may not know yet.
      if (preview.import_batch_id && !this.#commitJob()) await jobs.refresh();
      if (this.#life.signal.aborted) return;
      this.#preview = preview;
      this.#draw(preview);
    } catch (error) {
      const known = ApiError.from(error);
      if (this.#life.signal.aborted) return;
      if (known.code === 'PREVIEW_NOT_FOUND' || known.code === 'PREVIEW_EXPIRED') {
        this.#ctx.toasts.show({ text: this.#ctx.t('setup.gone') });
        this.#ctx.router.replace('/setup');
      } else if (this.#preview) this.#ctx.fail(known);
      else fill(this.#body, failureBox(this.#ctx, known, () => void this.#load()));
    }
  }

  /** Shows where to look, and the way back to what was found before and not brought in yet. */
  async #offerNewest() {
    const { client, t, jobs, router } = this.#ctx;
    const id = newestPreview(jobs.list);
    /** @type {Api.SetupPreview | null} */
    let open = null;
    if (id) {
      try {
        open = await client.get('/api/v2/setup/preview', { preview_id: id });
      } catch (error) {
        // A preview that is over is nothing to go back to.
        if (!(error instanceof ApiError) || (error.status !== 404 && error.status !== 409)) throw error;
      }
    }
    if (this.#life.signal.aborted || this.#id) return;
    const isOpen = open !== null && !open.import_batch_id && (open.state === 'ready' || isBeingMade(open));
    this.#mark(0);
    if (this.#shown === 'sources') return;
    this.#shown = 'sources';
    fill(this.#body, isOpen
      ? h('div', { class: 'callout plain-note', role: 'note' }, icon('clock'), h('span', null, t('setup.waiting')),
        h('button', { class: 'button', type: 'button', 'data-focus': 'continue',
          on: { click: () => router.go(`/setup/${id}`) } }, t('setup.continue')))
      : null, new SetupSources(this.#ctx, (sources) => this.#start(sources, isOpen ? id : '')).element);
  }

  /**
   * Marks the step that is shown.
   *
   * @param {number} at
   */
  #mark(at) {
    fill(this.#steps,
      STEPS.map((key, index) =>
        h('li', { class: index < at ? 'past' : '', 'aria-current': index === at ? 'step' : null },
          h('span', { class: 'bullet', 'aria-hidden': 'true' },
            index < at ? icon('tick', 'icon-s') : String(index + 1)), this.#ctx.t(key))
      ));
  }

  /** @param {Api.SetupPreview} preview */
  #draw(preview) {
    const { t, jobs, tn } = this.#ctx;
    const commit = this.#commitJob();
    const isCommitting = commit !== undefined && isActive(commit);
    const change = isCommitting ? undefined : CHANGES[commit?.error_detail?.code ?? ''];
    // What was found can still be brought in after a commit that stopped, unless it is not what is there any more.
    const isOpen = preview.state === 'ready' || (commit !== undefined && change === undefined);
    // The games stand in the library a moment before the job has ended and says how many they are.
    const state = isCommitting
      ? 'committing'
      : preview.import_batch_id
      ? 'done'
      : isBeingMade(preview)
      ? 'looking'
      : isOpen
      ? `review:${preview.revision}:${commit?.job_id ?? ''}`
      : 'failed';
    this.#mark(state === 'done' || state === 'committing' ? 2 : 1);
    if (state === this.#shown) return;
    this.#shown = state;
    if (state === 'looking' || state === 'committing') {
      fill(this.#body,
        h('div', { class: 'busy', role: 'status' },
          h('p', null, t(state === 'looking' ? 'setup.looking' : 'setup.committing'))));
    } else if (state === 'done') {
      fill(this.#body,
        setupDone(this.#ctx, { batch: preview.import_batch_id ?? '', result: commit?.result ?? {},
          signal: this.#life.signal, restart: () => this.#ctx.router.go('/setup') }));
      this.#ctx.catalog.extend();
      this.#ctx.announce(tn('import.added', Number(commit?.result?.['added'] ?? 0)));
    } else if (state === 'failed') {
      const job = jobs.list.find((item) => item.job_id === preview.job_id);
      const wasWanted = !change && preview.state === 'cancelled';
      const reason = change
        ? t(change)
        : wasWanted
        ? t('setup.cancelled.text')
        : job?.error_detail?.message ?? t('setup.stopped');
      fill(this.#body,
        h('div', { class: 'empty', role: wasWanted ? 'status' : 'alert' },
          h('div', { class: 'glyph' }, icon(change ? 'refresh' : wasWanted ? 'search' : 'missing')),
          h('h2', null, t(change ? 'setup.changed' : wasWanted ? 'setup.cancelled' : 'setup.failed')),
          h('p', null, reason),
          h('div', { class: 'acts' }, h('button', { class: 'button primary', type: 'button', on: { click: () =>
            void this.#again().catch(this.#ctx.fail) } }, icon('refresh', 'icon-s'), t('setup.lookAgain')),
            h('button', { class: 'button', type: 'button', on: { click: () =>
              this.#ctx.router.go('/setup') } }, t('setup.back')))));
    } else {
      fill(this.#body, this.#stopped(commit), new SetupReview(this.#ctx, preview, { tab: this.#tab, commit: () =>
        this.#commit(preview), again: (platforms) =>
          this.#again(platforms), back: () => this.#ctx.router.go('/setup'), onTab: (tab) => {
          this.#tab = tab;
        } }).element);
    }
  }

  /**
   * Why the games were not brought in, when that was tried.
   *
   * @param {Api.Job | undefined} commit
   */
  #stopped(commit) {
    if (!commit || isActive(commit) || ['done', 'partial'].includes(commit.state)) return null;
    return h('div', { class: 'callout', role: 'alert' }, icon('missing'),
      h('span', null, commit.error_detail?.message ?? this.#ctx.t('setup.notAdded')));
  }

  /**
   * @param {readonly Api.SetupSource[]} sources
   * @param {string} earlier a preview that is given up
   * @param {Record<string, string>} [platforms] of folders; what was decided before is kept then
   */
  async #start(sources, earlier, platforms) {
    const { client, router, jobs } = this.#ctx;
    const { preview_id: id } = await client.post('/api/v2/setup/preview', { sources,
      ...(earlier ? { replaces: earlier } : {}), ...(platforms ? { platforms, keep_decisions: true } : {}) });
    await jobs.refresh();
    if (platforms) router.replace(`/setup/${id}`);
    else router.go(`/setup/${id}`);
  }

  /**
   * Looks into the same sources once more.
   *
   * @param {Record<string, string>} [platforms] that were chosen for folders since
   */
  async #again(platforms) {
    const sources = (this.#preview?.sources ?? []).map(({ type, id, label, path }) => ({ type, ...(id ? { id } : {}),
      ...(label ? { label } : {}), ...(path ? { path } : {}) })
    );
    const before = this.#preview?.platforms ?? {};
    await this.#start(sources, this.#id, platforms ? { ...before, ...platforms } : undefined);
  }

  /** @param {Api.SetupPreview} preview */
  async #commit(preview) {
    const { client, jobs } = this.#ctx;
    await client.post('/api/v2/setup/commit', { preview_id: preview.preview_id, revision: preview.revision,
      emulator_choices: [] });
    await jobs.refresh();
    await this.#load();
  }
}
