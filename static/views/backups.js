/**
 * The backups screen: make an archive of the library, see what there is, compare and restore one, take a portable
 * export along.
 */

import { setBusy } from '../parts/act.js';
import { openDialog, prepareDialog, showFormFailure } from '../parts/dialog.js';
import { makeField } from '../parts/fields.js';
import { JobLists } from '../parts/job-list.js';
import { itemName, moment, openRestore } from '../parts/jobs/restore.js';
import { emptyBox, pageHead, showFailure, waitBox } from '../parts/state-box.js';
import { coalesce } from '../core/coalesce.js';
import { h, icon, patch } from '../core/dom.js';
import { isActive } from '../data/jobs.js';

/** Kinds of jobs this screen shows while they are at work. */
const KINDS = Object.freeze(['library.backup', 'library.restore']);

/** What a backup holds unless somebody says otherwise, as on the server. */
const USUAL = Object.freeze(['library', 'settings']);

/** @implements {App.View} */
export class BackupsView {
  #ctx;
  #life = new AbortController();
  #root;
  #jobs;
  /** Stands in the empty place while there is no backup. */
  #new;
  #body = h('div', { class: 'bare' });
  /** @type {Api.Archive[] | null} */
  #archives = null;
  #load = coalesce(() => this.#read());

  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   */
  constructor(ctx, root) {
    this.#ctx = ctx;
    const { t, bus } = ctx;
    this.#jobs = new JobLists(ctx, ['jobs.active']);
    this.#new = this.#button();
    this.#root = h('div', { class: 'page work scroll', tabindex: -1 },
      h('div', { class: 'inner' },
        pageHead(ctx, t('place.backups'),
          h('a', { class: 'button', href: '/api/backup', 'data-file': true, download: 'portable-redacted-export.json',
            title: t('backup.portable.text') }, icon('download', 'icon-s'), t('backup.portable')), this.#new),
        h('p', { class: 'about' }, t('backup.about'), ' ',
          h('a', { href: '#/settings/backups' }, t('backup.automatic'))), this.#jobs.element, this.#body));
    root.append(this.#root);
    patch(this.#body, waitBox(ctx));
    bus.on('jobs', () => this.#drawJobs(), this.#life.signal);
    bus.on('job:ended', ({ type }) => {
      if (KINDS.includes(type)) void this.#load();
    }, this.#life.signal);
    bus.on('live:behind', () => void this.#load(), this.#life.signal);
    this.#drawJobs();
    void this.#load();
  }

  unmount() {
    this.#life.abort();
    this.#root.remove();
  }

  #button() {
    return h('button', { class: 'button primary', type: 'button', 'data-focus': 'create',
      on: { click: () => void this.#create() } }, icon('plus', 'icon-s'), this.#ctx.t('backup.create'));
  }

  #drawJobs() {
    this.#jobs.show(this.#ctx.jobs.list.filter((job) => KINDS.includes(job.type) && isActive(job)),
      () => 'jobs.active');
  }

  async #read() {
    try {
      const { backups } = await this.#ctx.client.get('/api/backups');
      this.#archives = backups;
      if (!this.#life.signal.aborted) this.#draw(backups);
    } catch (error) {
      if (!this.#life.signal.aborted)
        showFailure(this.#ctx, this.#body, error, () => void this.#load(), this.#archives !== null);
    }
  }

  /** @param {Api.Archive[]} archives */
  #draw(archives) {
    const { t } = this.#ctx;
    patch(this.#body, archives.length > 0
      ? h('section', { 'aria-labelledby': 'archives' }, h('h2', { id: 'archives' }, t('backup.archives')),
        h('ul', { class: 'jobs' }, archives.map((archive) => this.#card(archive))))
      : emptyBox(this.#ctx, 'archive', 'backup.none', this.#button()));
    this.#new.hidden = archives.length === 0;
  }

  /** @param {Api.Archive} archive */
  #card(archive) {
    const { t, format } = this.#ctx;
    const time = moment(this.#ctx, archive.created);
    const copy = async () => {
      await navigator.clipboard.writeText(archive.path);
      this.#ctx.announce(t('backup.pathCopied'));
    };
    return h('li', { class: archive.invalid ? 'job bad' : 'job', 'data-archive': archive.name },
      h('div', { class: 'symbol' }, icon(archive.invalid ? 'missing' : 'archive')),
      h('div', { class: 'what' }, h('h3', null, time, h('small', null, format.ago(archive.created, new Date()))),
        h('p', { class: 'line' },
          [format.bytes(archive.size),
            archive.invalid ? archive.name : archive.items.map((item) => itemName(this.#ctx, item)).join(', ')].filter(
              Boolean,
            ).join(' · '))), archive.invalid ? h('span', { class: 'mark-text' }, t('backup.invalid')) : null,
      h('div', { class: 'acts' },
        h('button', { class: 'icon-button', type: 'button', 'data-focus': `copy:${archive.name}`,
          'aria-label': `${t('action.copyPath')}: ${time}`, title: archive.path, on: { click: () => void copy() } },
          icon('copy')), archive.invalid
        ? null
        : h('button', { class: 'button', type: 'button', 'data-focus': `restore:${archive.name}`,
          'aria-label': `${t('backup.compare')}: ${time}`, on: { click: () => void openRestore(this.#ctx, archive) } },
          icon('history', 'icon-s'), t('backup.compare'))));
  }

  async #create() {
    const { t, client, jobs } = this.#ctx;
    /** @type {{items: string[]} | null} */
    let offered;
    try {
      offered = await prepareDialog(this.#ctx, 'backup', () => client.get('/api/backup/manifest'));
    } catch (error) {
      this.#ctx.fail(error);
      return;
    }
    if (!offered) return;
    const boxes = offered.items.map((item) =>
      h('input', { type: 'checkbox', value: item, checked: USUAL.includes(item) })
    );
    const keep = makeField({ key: 'keep', kind: 'number', value: 0, min: 0, label: t('backup.keep'),
      hint: t('backup.keep.hint') });
    const start = h('button', { class: 'button primary', type: 'submit' }, t('backup.create'));
    const cancel = h('button', { class: 'button', type: 'button' }, t('action.cancel'));
    const submit = async () => {
      setBusy(start, true);
      showFormFailure(this.#ctx, dialog.form, null);
      try {
        await client.post('/api/backup/create', { items: boxes.filter((box) => box.checked).map((box) => box.value),
          keep: Number(keep.read()) });
        dialog.close('started');
        await jobs.refresh();
      } catch (error) {
        setBusy(start, false);
        showFormFailure(this.#ctx, dialog.form, error);
      }
    };
    const dialog = openDialog(this.#ctx, {
      title: t('backup.create'),
      footer: [cancel, start],
      onSubmit: () => void submit(),
      content: h('div', { class: 'stack' },
        h('fieldset', { class: 'field' }, h('legend', { class: 'label' }, t('backup.items')),
          h('div', { class: 'checks items-grid' },
            boxes.map((box) => h('label', { class: 'check' }, box, itemName(this.#ctx, box.value))))), keep.element,
        h('p', { class: 'prose' }, t('backup.create.text'))),
    });
    cancel.addEventListener('click', () => dialog.close(''));
    boxes[0]?.focus();
  }
}
