/**
 * The screen "Pictures and facts": the state of the games database, what is missing on each platform, and what arrives
 * while it is filled.
 */

import { firstSteps } from '../parts/first-steps.js';
import { Arrivals } from '../parts/fill/arrivals.js';
import { databaseCard } from '../parts/fill/database.js';
import { gapList } from '../parts/fill/gaps.js';
import { localCard } from '../parts/fill/local-pictures.js';
import { pageHead, showFailure, waitBox } from '../parts/state-box.js';
import { busyButton } from '../parts/act.js';
import { JobLists } from '../parts/job-list.js';
import { beginReview, Review } from '../parts/fill/review.js';
import { coalesce } from '../core/coalesce.js';
import { fill, h, icon, patch } from '../core/dom.js';
import { fillLibrary, JOBS } from '../data/filling.js';
import { isActive } from '../data/jobs.js';

/** Jobs that are shown while they run, besides that of the database. */
/** @type {readonly string[]} */
const SHOWN = Object.freeze([JOBS.match, JOBS.media, JOBS.review, JOBS.fill, JOBS.opendb, JOBS.local, JOBS.look]);

/** The part of the address that leads to the review. */
const REVIEW = 'review';

/** How long changes of the library are gathered before what is missing is counted again, in milliseconds. */
const GATHER = 200;

/** @implements {App.View} */
export class FillView {
  #ctx;
  #life = new AbortController();
  #root;
  #card = h('section', { class: 'bare' });
  #gaps = h('section', { class: 'bare' });
  #arrivals;
  #jobs;
  #body;
  #place = h('div', { class: 'bare' });
  #acts = h('div', { class: 'page-acts' });
  /** The review that is shown. */
  #review = { id: '', life: new AbortController() };
  /** @type {Reply.MetadataStatus | null} */
  #status = null;
  /** @type {App.Timer} */
  #timer;
  #load = coalesce(() => this.#read());

  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   * @param {App.Route} route
   */
  constructor(ctx, root, route) {
    this.#ctx = ctx;
    const { t, bus } = ctx;
    const { signal } = this.#life;
    this.#arrivals = new Arrivals(ctx, signal);
    this.#jobs = new JobLists(ctx, ['jobs.active']);
    this.#body = [h('p', { class: 'about' }, t('fill.about')), this.#card, localCard(ctx), this.#jobs.element,
      this.#arrivals.element, this.#gaps];
    this.#root = h('div', { class: 'page work scroll', tabindex: -1 },
      h('div', { class: 'inner fill' }, pageHead(ctx, t('place.fill'), this.#acts), this.#place));
    root.append(this.#root);
    patch(this.#card, waitBox(ctx));
    bus.on('jobs', () => this.#drawCard(), signal);
    bus.on('job:ended', ({ type }) => {
      if (type === JOBS.sync) void this.#load();
    }, signal);
    bus.on('live:behind', () => void this.#load(), signal);
    bus.on('catalog:rows', () => {
      this.#timer ??= setTimeout(() => this.#drawGaps(), GATHER);
    }, signal);
    bus.on('catalog:ready', () => this.#drawGaps(), signal);
    bus.on('catalog:facets', () => this.#drawCard(), signal);
    this.#drawGaps();
    this.update(route);
    void this.#load();
  }

  /** @param {App.Route} route */
  update(route) {
    const id = route.arg === REVIEW ? route.query['id'] ?? '' : '';
    if (id && id === this.#review.id) return;
    this.#review.life.abort();
    this.#review = { id, life: new AbortController() };
    fill(this.#place, id ? new Review(this.#ctx, id, this.#review.life.signal).element : this.#body);
    this.#drawCard();
  }

  unmount() {
    clearTimeout(this.#timer);
    this.#life.abort();
    this.#review.life.abort();
    this.#root.remove();
  }

  async #read() {
    try {
      this.#status = await this.#ctx.client.get('/api/metadata/status');
      if (!this.#life.signal.aborted) this.#drawCard();
    } catch (error) {
      if (!this.#life.signal.aborted)
        showFailure(this.#ctx, this.#card, error, () => void this.#load(), this.#status !== null);
    }
  }

  #drawCard() {
    const { t, jobs, client, router } = this.#ctx;
    this.#jobs.show(jobs.list.filter((job) => SHOWN.includes(job.type) && isActive(job) && !jobs.isFollowed(job)),
      () => 'jobs.active');
    if (!this.#status) return;
    // Without the database, its download is the one action of the screen.
    const isReady = this.#status.ready;
    const run = (/** @type {string} */ label, /** @type {string} */ symbol, /** @type {string} */ focus,
      /** @type {() => Promise<unknown>} */ work) =>
      busyButton(this.#ctx, { label, symbol, focus, style: focus === 'fill' && isReady ? 'primary' : '', run: work });
    patch(this.#acts, this.#review.id
      ? h('a', { class: 'button', href: '#/fill', 'data-focus': 'back' }, icon('back', 'icon-s'), t('review.back'))
      : this.#ctx.catalog.isCounted && this.#ctx.catalog.facets.total === 0
      ? firstSteps(this.#ctx)
      : [
        h('a', { class: 'button', href: '#/sources', 'data-focus': 'sources' }, icon('server', 'icon-s'),
          t('place.sources')),
        isReady
          ? run(t('fill.review'), 'search', 'review',
            async () => router.go('/fill/review', { id: await beginReview(this.#ctx) }))
          : null,
        run(t('fill.all'), 'spark', 'fill', () => fillLibrary(this.#ctx)),
      ]);
    const active = jobs.list.find((job) => job.type === JOBS.sync && isActive(job)) ?? null;
    patch(this.#card, databaseCard(this.#ctx, this.#status, active, async () => {
      await client.post('/api/metadata/sync');
      await jobs.refresh();
    }));
  }

  #drawGaps() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    patch(this.#gaps,
      gapList(this.#ctx,
        (platform) =>
          busyButton(this.#ctx, { label: this.#ctx.t('fill.platform'), symbol: 'spark', focus: `fill:${platform}`,
            about: platform, run: () => fillLibrary(this.#ctx, platform) })));
  }
}
