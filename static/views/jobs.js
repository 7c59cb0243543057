/**
 * The jobs screen: what runs, what waits, what ended; cancel, try again, go on; start an export and save the finished
 * files.
 */

import { openExport } from '../parts/jobs/export.js';
import { exportAddress } from '../parts/job-card.js';
import { JobLists } from '../parts/job-list.js';
import { emptyBox, failureBox, pageHead, waitBox } from '../parts/state-box.js';
import { coalesce } from '../core/coalesce.js';
import { h, icon, patch } from '../core/dom.js';
import { isActive } from '../data/jobs.js';

/** @implements {App.View} */
export class JobsView {
  #ctx;
  #life = new AbortController();
  #root;
  #lists;
  /** Stands in the empty place while there is no job. */
  #export;
  #body = h('div', { class: 'bare' });
  #files = h('section', { hidden: true });
  #loadFiles = coalesce(() => this.#readFiles());

  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   */
  constructor(ctx, root) {
    this.#ctx = ctx;
    const { t, bus, jobs } = ctx;
    this.#export = this.#button();
    this.#lists = new JobLists(ctx, ['jobs.running', 'jobs.queued', 'jobs.recent']);
    this.#root = h('div', { class: 'page work scroll', tabindex: -1 },
      h('div', { class: 'inner' }, pageHead(ctx, t('place.jobs'), this.#export), this.#body, this.#files));
    root.append(this.#root);
    bus.on('jobs', () => this.#draw(), this.#life.signal);
    bus.on('job:ended', (job) => {
      if (job.type === 'library.export') void this.#loadFiles();
    }, this.#life.signal);
    this.#draw();
    // The files stand below the jobs, so they come after them.
    void jobs.refresh().then(() => this.#loadFiles());
  }

  unmount() {
    this.#life.abort();
    this.#root.remove();
  }

  #button() {
    return h('button', { class: 'button primary', type: 'button', 'data-focus': 'export',
      on: { click: () => void openExport(this.#ctx) } }, icon('download', 'icon-s'), this.#ctx.t('export.title'));
  }

  #draw() {
    const { jobs } = this.#ctx;
    this.#export.hidden = jobs.isLoaded && jobs.list.length === 0;
    if (jobs.error && jobs.list.length === 0)
      patch(this.#body, failureBox(this.#ctx, jobs.error, () => void jobs.refresh()));
    else if (!jobs.isLoaded) patch(this.#body, waitBox(this.#ctx));
    else if (jobs.list.length === 0) patch(this.#body, emptyBox(this.#ctx, 'work', 'jobs.none', this.#button()));
    else {
      if (!this.#lists.element.isConnected) patch(this.#body, this.#lists.element);
      // What waits longest is next.
      const waiting = jobs.list.filter((job) => job.state === 'queued').reverse();
      this.#lists.show([...jobs.list.filter((job) => job.state !== 'queued'), ...waiting],
        (job) => (job.state === 'queued' ? 'jobs.queued' : isActive(job) ? 'jobs.running' : 'jobs.recent'));
    }
  }

  async #readFiles() {
    const { t, client, format } = this.#ctx;
    try {
      const { exports: files } = await client.get('/api/v2/library/export/exports');
      if (this.#life.signal.aborted) return;
      this.#files.hidden = files.length === 0;
      patch(this.#files, h('h2', null, t('export.files')), h('ul', { class: 'rows' }, files.map((file) =>
        h('li', null, icon('archive'), h('div', { class: 'grow' }, file.name),
          h('span', { class: 'end' },
            [format.bytes(file.size), format.ago(file.created, new Date())].filter(Boolean).join(' · ')),
          h('a', { class: 'icon-button', 'data-focus': `file:${file.name}`, href: exportAddress(file.name),
            'data-file': true, download: file.name, 'aria-label': `${t('action.download')}: ${file.name}`,
            title: t('action.download') }, icon('download')))
      )));
    } catch (error) {
      this.#ctx.fail(error);
    }
  }
}
