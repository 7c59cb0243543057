/**
 * The tab "Artwork" of the health screen: pictures that are missing, gone, small, of wrong proportions or shared, with
 * what they look like, a better one from the artwork provider, and the way back.
 */

import { busyButton } from '../act.js';
import { comparePictures, fieldName, Fixes } from './artwork-pairs.js';
import { emptyBox, showFailure, waitBox } from '../state-box.js';
import { coalesce } from '../../core/coalesce.js';
import { h, icon, patch } from '../../core/dom.js';
import { runJob } from '../../data/filling.js';

/** Findings that are shown before the button for more. */
const PAGE = 60;

/** The job that replaces pictures. */
const FIX = 'artgrid.hygiene_fix';

/** Kinds of findings with their names, in the order in which they are shown. */
const KINDS = Object.freeze(
  /** @type {Record<string, string>} */ ({
    missing_cover: 'artwork.missing_cover',
    missing_file: 'artwork.missing_file',
    low_res: 'artwork.low_res',
    wrong_aspect: 'artwork.wrong_aspect',
    duplicate: 'artwork.duplicate',
  }),
);

/** The report and what can be done about it. */
export class Artwork {
  #ctx;
  #signal;
  element = h('div', { class: 'bare hygiene' });
  /** @type {Reply.ArtworkReport | null} */
  #report = null;
  /** Whether the provider that replaces pictures can be asked. */
  #canFix = false;
  /** The only kind that is shown; blank for all. */
  #kind = '';
  #shown = PAGE;
  #fixes;
  #load = coalesce(() => this.#read());

  /**
   * @param {App.Context} ctx
   * @param {AbortSignal} signal
   */
  constructor(ctx, signal) {
    this.#ctx = ctx;
    this.#signal = signal;
    this.#fixes = new Fixes(ctx, { undo: (batch) => this.#undo(batch), redraw: () => this.#draw() });
    patch(this.element, waitBox(ctx));
    void this.#load();
  }

  refresh() {
    return this.#load();
  }

  async #read() {
    try {
      const { client } = this.#ctx;
      const [report, provider] = await Promise.all([client.get('/api/v2/artgrid/hygiene/report'),
        client.get('/api/v2/artgrid/status')]);
      await this.#fixes.read(report.batches);
      this.#report = report;
      this.#canFix = provider.enabled && provider.configured && !provider.disabled;
      if (!this.#signal.aborted) this.#draw();
    } catch (error) {
      if (!this.#signal.aborted)
        showFailure(this.#ctx, this.element, error, () => void this.#load(), this.#report !== null);
    }
  }

  #draw() {
    const report = this.#report;
    if (!report) return;
    const { t, format } = this.#ctx;
    const counts = /** @type {Record<string, number>} */ (/** @type {unknown} */ (report.counts));
    const kinds = Object.keys(KINDS).filter((kind) => (counts[kind] ?? 0) > 0);
    const wanted = kinds.some((kind) => kind === this.#kind) ? this.#kind : '';
    const issues = report.issues.filter((issue) => !wanted || issue.issue === wanted);
    patch(this.element, this.#fixes.draw(report.batches), issues.length === 0
      ? emptyBox(this.#ctx, 'check', 'artwork.fine', h('a', { class: 'button', href: '#/' }, t('history.none.action')))
      : [
        h('div', { class: 'panel-head' },
          h('div', { class: 'segment wraps', role: 'group', 'aria-label': t('health.kinds') },
            this.#choice('', t('health.all'), report.issues.length, wanted),
            kinds.map((kind) => this.#choice(kind, t(KINDS[kind] ?? ''), counts[kind] ?? 0, wanted))), this.#canFix
          ? busyButton(this.#ctx, { label: t('artwork.fixAll'), symbol: 'spark', focus: 'fix-all', style: 'primary',
            run: () => this.#fixAll(issues, wanted) })
          : h('a', { class: 'button', href: '#/sources', 'data-focus': 'sources' }, t('place.sources'))),
        h('ul', { class: 'rows findings' }, issues.slice(0, this.#shown).map((issue) => this.#row(issue))),
        issues.length <= this.#shown
          ? null
          : h('button', { class: 'button', type: 'button', 'data-focus': 'more', on: { click: () => {
            this.#shown += PAGE;
            this.#draw();
          } } }, t('health.more')),
        h('p', { class: 'hints' }, report.provider_attribution),
      ], h('p', { class: 'hints', role: 'status' }, t('artwork.scanned', { count: format.number(report.scanned) })));
  }

  /**
   * @param {string} kind
   * @param {string} label
   * @param {number} count
   * @param {string} wanted
   */
  #choice(kind, label, count, wanted) {
    return h('button', { type: 'button', 'data-focus': `artwork-${kind}`, 'aria-pressed': String(kind === wanted),
      on: { click: () => {
        this.#kind = kind;
        this.#shown = PAGE;
        this.#draw();
      } } }, label, h('span', { class: 'number' }, this.#ctx.format.number(count)));
  }

  /** @param {Reply.ArtworkIssue} issue */
  #row(issue) {
    const { t, client, catalog } = this.#ctx;
    const key = `${issue.game_id}:${issue.field}:${issue.issue}`;
    const size = issue.width && issue.height ? `${issue.width}\u00a0×\u00a0${issue.height}` : '';
    const field = issue.issue === 'missing_cover' ? '' : fieldName(this.#ctx, issue.field);
    const what = [t(KINDS[issue.issue] ?? ''), field, size].filter(Boolean).join(' · ');
    const hasPicture = issue.issue !== 'missing_cover' && issue.issue !== 'missing_file';
    const canFix = issue.issue !== 'missing_file' && this.#canFix && !issue.locked;
    const replace = () => this.#fix({ game_ids: [issue.game_id], fields: [issue.field], issues: [issue.issue] });
    return h('li', { class: 'extra', 'data-key': key }, h('span', { class: 'sample' }, hasPicture
      ? h('img', { alt: '', loading: 'lazy', decoding: 'async',
        src: client.media(issue.game_id, issue.field, catalog.epoch, { width: 96 }) })
      : icon('picture')),
      h('div', { class: 'grow' }, h('b', null, issue.name),
        h('small', { title: issue.path ?? '' },
          issue.locked ? [icon('lock', 'icon-s'), h('span', { class: 'sr-only' }, `${t('origin.locked')} · `)] : null,
          what)), canFix
      ? [
        busyButton(this.#ctx, { label: t('artwork.compare'), symbol: 'split', focus: `compare:${key}`,
          about: issue.name, style: 'quiet',
          run: () => comparePictures(this.#ctx, issue, { has: hasPicture, size, replace }) }),
        busyButton(this.#ctx, { label: t('artwork.replace'), symbol: 'spark', focus: `fix:${key}`, about: issue.name,
          style: 'quiet', run: replace }),
      ]
      : null,
      h('a', { class: 'icon-button', href: `#/game/${encodeURIComponent(issue.game_id)}?tab=media`,
        'data-focus': `open:${key}`, 'aria-label': t('health.open', { name: issue.name }),
        title: t('action.openPage') }, icon('open')));
  }

  /**
   * Fixes what is shown, but for pictures that the user chose.
   *
   * @param {Reply.ArtworkIssue[]} issues
   * @param {string} kind of issue, or '' for all
   */
  async #fixAll(issues, kind) {
    const open = issues.filter((issue) => !issue.locked && issue.issue !== 'missing_file');
    if (open.length === 0) {
      this.#ctx.toasts.show({ text: this.#ctx.t('artwork.nothing') });
      return;
    }
    const findings = open.map(({ game_id, field }) => ({ game_id, field }));
    await this.#fix({ findings, issues: kind ? [kind] : undefined });
  }

  /** @param {{findings?: object[], game_ids?: string[], fields?: string[], issues?: string[] | undefined}} what */
  async #fix(what) {
    const { client, catalog, toasts, t } = this.#ctx;
    const before = this.#report?.batches[0]?.batch_id;
    await runJob(this.#ctx, FIX, () => client.post('/api/v2/artgrid/hygiene/fix', what));
    await Promise.all([catalog.load(), this.#load()]);
    if (this.#report?.batches[0]?.batch_id === before) toasts.show({ text: t('artwork.nothing') });
  }

  /** @param {Reply.ArtworkBatch} batch */
  async #undo(batch) {
    const { client, catalog, toasts, tn } = this.#ctx;
    const { counts } = await client.post('/api/v2/artgrid/hygiene/undo', { batch_id: batch.batch_id });
    toasts.show({ kind: 'good', text: tn('artwork.undone', counts.removed + counts.restored) });
    await Promise.all([catalog.load(), this.#load()]);
  }
}
