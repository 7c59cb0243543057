/**
 * Pictures side by side: what a game has and what a fix would give it, and what a fix replaced beside what it gave.
 */

import { busyButton, runBusy } from '../act.js';
import { openDialog, prepareDialog } from '../dialog.js';
import { smallEmptyBox } from '../state-box.js';
import { ApiError } from '../../core/client.js';
import { h, icon } from '../../core/dom.js';
import { creditText } from '../../data/credits.js';

/** Widest a picture is drawn, in CSS pixels. */
const WIDE = 320;

/** Pictures of a fix that are shown before the button for more. */
const PAGE = 12;

/** The code of an answer for a fix that is not kept any more. */
const GONE = 'ARTWORK_UNDO_MISSING';

/** Where the pictures of a fix come from. */
const PROVIDER = 'artgrid';

/**
 * What a media field is called.
 *
 * @param {App.Context} ctx
 * @param {string} field
 */
export function fieldName({ t }, field) {
  return t(field === 'hero' ? 'artwork.hero' : `choice.${field}`);
}

/**
 * One of two pictures.
 *
 * @param {App.Context} ctx
 * @param {{label: string, source: string | null, about?: string}} options without a source there is none
 */
function side({ t }, { label, source, about = '' }) {
  const frame = h('span', { class: 'frame' }, source
    ? h('img', { alt: '', decoding: 'async', loading: 'lazy', src: source,
      on: { error: () => frame.classList.add('bad') } })
    : null, h('span', { class: 'none' }, icon('picture'), h('span', null, t('artwork.noPicture'))));
  if (!source) frame.classList.add('bad');
  return h('figure', null, frame, h('figcaption', null, h('b', null, label), about ? h('small', null, about) : null));
}

/**
 * @param {string} field
 * @param {[HTMLElement, HTMLElement]} sides
 */
function pair(field, [one, other]) {
  return h('div', { class: `pair of-${field}` }, one, icon('after', 'arrow'), other);
}

/**
 * Opens a dialog with the picture that a game has and the one that a fix would give it. Resolves when it is closed.
 *
 * @param {App.Context} ctx
 * @param {Reply.ArtworkIssue} issue
 * @param {{has: boolean, size: string, replace: () => Promise<void>}} options `has` says whether there is a picture now
 */
export async function comparePictures(ctx, issue, { has, size, replace }) {
  const { t, client, catalog } = ctx;
  // The provider has one kind of picture for both.
  const kind = issue.field === 'hero' ? 'background' : issue.field;
  const offer = await prepareDialog(ctx, `compare ${issue.game_id} ${issue.field}`,
    () => client.get('/api/v2/media/candidates', { game_id: issue.game_id, kind, provider: PROVIDER }));
  if (!offer) return;
  const [choice] = offer.choices;
  const acts = choice
    ? h('button', { class: 'button primary', type: 'button', 'data-focus': 'take',
      on: { click: ({ currentTarget }) =>
        void runBusy(ctx, currentTarget, async () => {
          await replace();
          dialog.close('');
        }) } }, icon('spark', 'icon-s'), t('artwork.replace'))
    : h('a', { class: 'button primary', 'data-focus': 'take',
      href: `#/game/${encodeURIComponent(issue.game_id)}?tab=media`, on: { click: () => dialog.close('') } },
      t('pick.action'));
  const now = side(ctx, { label: t('artwork.now'), about: size,
    source: has ? client.media(issue.game_id, issue.field, catalog.epoch, { width: WIDE }) : null });
  const dialog = openDialog(ctx, {
    title: issue.name,
    width: 760,
    className: 'compare',
    content: [h('p', { class: 'about' }, fieldName(ctx, issue.field)), choice
      ? pair(issue.field, [now,
        side(ctx, { label: t('artwork.instead'), about: [choice.title, choice.region].filter(Boolean).join(' · '),
          source: client.candidate(issue.game_id, kind, choice) })])
      : smallEmptyBox(ctx, 'picture', 'artwork.noOffer'),
      choice ? h('p', { class: 'hints' }, creditText(ctx, offer.credit)) : null],
    footer: [
      h('button', { class: 'button', type: 'button', on: { click: () => dialog.close('') } }, t('action.cancel')),
      acts,
    ],
  });
  acts.focus();
  await dialog.closed;
}

/** The fixes that can be taken back, each with its pictures before and after. */
export class Fixes {
  #ctx;
  #undo;
  #redraw;
  /** Pictures of the fixes that are open. @type {Map<string, Reply.ArtworkBatchPictures>} */
  #open = new Map();
  /** Fixes that were closed by the user. @type {Set<string>} */
  #closed = new Set();
  /** Pictures that are shown of each fix, where those are more than at first. @type {Map<string, number>} */
  #shown = new Map();

  /**
   * @param {App.Context} ctx
   * @param {{undo: (batch: Reply.ArtworkBatch) => Promise<void>, redraw: () => void}} events
   */
  constructor(ctx, { undo, redraw }) {
    this.#ctx = ctx;
    this.#undo = undo;
    this.#redraw = redraw;
  }

  /**
   * Reads the pictures of the newest fix, and again of those that are open.
   *
   * @param {readonly Reply.ArtworkBatch[]} batches the newest first
   */
  async read(batches) {
    const wanted = batches.filter(({ batch_id: id }, at) => this.#open.has(id) || (at === 0 && !this.#closed.has(id)));
    const read = await Promise.all(wanted.map(({ batch_id: id }) =>
      this.#pictures(id).catch((error) => {
        // Taken back meanwhile, perhaps in another window.
        if (error instanceof ApiError && error.code === GONE) return null;
        throw error;
      })
    ));
    this.#open = new Map(read.flatMap((pictures) => (pictures ? [[pictures.batch_id, pictures]] : [])));
  }

  /** @param {string} id */
  #pictures(id) {
    return this.#ctx.client.get('/api/v2/artgrid/hygiene/batch', { batch_id: id });
  }

  /** @param {readonly Reply.ArtworkBatch[]} batches */
  draw(batches) {
    return batches.map((batch) => this.#fix(batch));
  }

  /** @param {Reply.ArtworkBatch} batch */
  #fix(batch) {
    const { t, tn, format } = this.#ctx;
    const id = batch.batch_id;
    const pictures = this.#open.get(id)?.pictures;
    const shown = this.#shown.get(id) ?? PAGE;
    const when = format.ago(batch.created_at, new Date());
    return h('section', { class: 'fix-done', 'data-key': id },
      h('div', { class: 'fix-head' }, icon('history'),
        h('div', { class: 'grow' }, h('b', null, tn('artwork.fixed', batch.count)), h('p', null, when)),
        busyButton(this.#ctx, { label: t(pictures ? 'artwork.hidePictures' : 'artwork.showPictures'), symbol: 'split',
          focus: `pairs:${id}`, about: when, style: 'quiet', run: () => this.#toggle(id) }),
        busyButton(this.#ctx, { label: t('artwork.undo'), symbol: 'history', focus: `undo:${id}`, about: when,
          run: () => this.#undo(batch) })), pictures
      ? h('ul', { class: 'pairs' }, pictures.slice(0, shown).map((picture) => this.#pair(id, picture)))
      : null, pictures && pictures.length > shown
      ? h('button', { class: 'button', type: 'button', 'data-focus': `more:${id}`, on: { click: () => {
        this.#shown.set(id, shown + PAGE);
        this.#redraw();
      } } }, t('health.more'))
      : null);
  }

  /**
   * @param {string} id of the fix
   * @param {Reply.ArtworkBatchPicture} picture
   */
  #pair(id, { game_id: game, name, field, had_picture: had, current }) {
    const { t, client, catalog } = this.#ctx;
    const before = had ? client.before(id, game, field) : null;
    // The picture of before may have been shown a moment ago, at the same address but for the fix.
    const after = name ? client.media(game, field, catalog.epoch, { width: WIDE, change: id }) : null;
    return h('li', { 'data-key': `${game}:${field}` },
      pair(field, [side(this.#ctx, { label: t('artwork.before'), source: before }),
        side(this.#ctx, { label: t(current ? 'artwork.after' : 'artwork.now'), source: after })]),
      h('div', { class: 'what' }, name
        ? h('a', { href: `#/game/${encodeURIComponent(game)}`, 'data-focus': `pair:${id}:${game}:${field}` }, name)
        : h('b', null, t('artwork.gone')),
        h('small', null, [fieldName(this.#ctx, field), current ? '' : t('artwork.changedSince')].filter(Boolean).join(
          ' · ',
        ))));
  }

  /** @param {string} id */
  async #toggle(id) {
    if (this.#open.delete(id)) this.#closed.add(id);
    else this.#open.set(id, await this.#pictures(id));
    this.#redraw();
  }
}
