/**
 * The review of doubtful matches, one game at a time: ours beside theirs, and what else it could be. Every decision is
 * kept by the server at once, so a review can be left and gone on with for a day.
 */

import { art } from '../art.js';
import { busyButton } from '../act.js';
import { emptyBox, showFailure, waitBox } from '../state-box.js';
import { coalesce, Turns } from '../../core/coalesce.js';
import { h, icon, patch } from '../../core/dom.js';
import { fillLibrary, JOBS, runJob } from '../../data/filling.js';
import { NO_ROW } from '../../data/game.js';

/** Games of one review: as many ids as one request holds. */
const GAMES = 1000;

/** Matches of one request. */
const PAGE = 200;

/** Facts that stand side by side. */
const FACTS = Object.freeze(
  /** @type {const} */ (['platform', 'year', 'developer', 'publisher', 'genre', 'esrb', 'description']),
);

/** Classes whose proposal may be accepted as such. */
const ACCEPTED = Object.freeze(['exact_review', 'likely']);

/**
 * Has games matched that lack a cover or facts.
 *
 * @param {App.Context} ctx
 * @returns {Promise<string>} the id of the review
 */
export async function beginReview({ client, catalog, jobs }) {
  // A page that was just opened has not read its games yet.
  await catalog.whole();
  const answer = await client.post('/api/v2/metadata/matches/preview', { game_ids: catalog.bare(GAMES) });
  void jobs.refresh();
  return answer.preview_id;
}

/** The review. */
export class Review {
  #ctx;
  #signal;
  #id;
  /** @type {Reply.MatchItem[]} */
  #items = [];
  #revision = 0;
  #taken = 0;
  #isRead = false;
  /** A decision may be made while the list is read, which knows it still open then. */
  #turns = new Turns();
  #load = coalesce(() => this.#read());

  /**
   * @param {App.Context} ctx
   * @param {string} id
   * @param {AbortSignal} signal
   */
  constructor(ctx, id, signal) {
    this.#ctx = ctx;
    this.#id = id;
    this.#signal = signal;
    this.element = h('section', { class: 'review' }, waitBox(ctx));
    ctx.bus.on('job:ended', ({ type }) => {
      if (type === JOBS.review) void this.#load();
    }, signal);
    ctx.keys.add([
      { key: 'A', group: 'review', label: 'keys.accept', run: () => this.#press('accept') },
      { key: 'N', group: 'review', label: 'keys.next', run: () => this.#press('skip') },
      { key: 'X', group: 'review', label: 'keys.never', run: () => this.#press('never') },
    ], signal);
    void this.#load();
  }

  /**
   * Presses the button of an action, when it is there.
   *
   * @param {string} action
   */
  #press(action) {
    if (!this.element.isConnected) return false;
    const button = /** @type {HTMLElement | null} */ (this.element.querySelector(`[data-focus="${action}"]`));
    button?.click();
    return button !== null;
  }

  async #read() {
    try {
      const list = await this.#turns.read(() => this.#fetch());
      if (!list || this.#signal.aborted) return;
      const { items, revision } = list;
      this.#revision = revision;
      this.#taken = items.filter(({ decision }) => decision === 'accept' || decision === 'choose').length;
      this.#items = items.filter(({ proposed, decision }) => proposed && !decision);
      this.#isRead = true;
      this.#draw();
    } catch (error) {
      if (!this.#signal.aborted) showFailure(this.#ctx, this.element, error, () => void this.#load(), this.#isRead);
    }
  }

  /** All matches, with the revision they belong to; `null` while they are looked for. */
  async #fetch() {
    const { client } = this.#ctx;
    const preview = await client.get('/api/v2/metadata/matches/preview', { preview_id: this.#id });
    if (preview.state !== 'ready') return null;
    /** @type {Reply.MatchItem[]} */
    const items = [];
    let revision = 0;
    let cursor = '';
    do {
      const page = await client.get('/api/v2/metadata/matches/items', { preview_id: this.#id, limit: PAGE,
        cursor: cursor || undefined });
      items.push(...page.items);
      revision = page.revision;
      cursor = page.next_cursor ?? '';
    } while (cursor);
    return { items, revision };
  }

  #draw() {
    const { t, tn } = this.#ctx;
    const [item] = this.#items;
    if (item?.proposed) {
      patch(this.element, h('p', { class: 'about', role: 'status' }, tn('review.left', this.#items.length)),
        this.#sides(item, item.proposed), this.#acts(item, item.proposed), this.#others(item));
      return;
    }
    const done = this.#taken > 0
      ? busyButton(this.#ctx, { label: tn('review.apply', this.#taken), symbol: 'tick', focus: 'apply',
        style: 'primary', run: () => this.#apply() })
      : h('a', { class: 'button primary', href: '#/fill', 'data-focus': 'apply' }, t('review.back'));
    patch(this.element, emptyBox(this.#ctx, 'tick', 'review.done', done));
  }

  /**
   * @param {Reply.MatchItem} item
   * @param {Reply.MatchSide} proposed
   */
  #sides({ game_id: id, current }, proposed) {
    const { t, catalog } = this.#ctx;
    const side = (/** @type {string} */ label, /** @type {Reply.MatchSide} */ shown,
      /** @type {Reply.MatchSide} */ other, /** @type {App.Row} */ row) =>
      h('section', { 'aria-label': label, 'data-key': label },
        h('div', { class: 'head' }, art(this.#ctx, row, { width: 96 }),
          h('div', null, h('small', null, label), h('h2', null, shown.title || t('option.none')))),
        h('dl', null, FACTS.filter((key) => shown[key] || other[key]).map((key) => [
          h('dt', null, t(`field.${key}`)),
          h('dd', { class: shown[key] === other[key] ? '' : 'new' }, shown[key] || '–'),
        ])));
    const row = catalog.find(id) ?? NO_ROW;
    return h('div', { class: 'sides' }, side(t('review.ours'), current, proposed, row),
      side(t('review.theirs'), proposed, current, { ...NO_ROW, name: proposed.title, platform: proposed.platform }));
  }

  /**
   * @param {Reply.MatchItem} item
   * @param {Reply.MatchSide} proposed
   */
  #acts(item, proposed) {
    const { t } = this.#ctx;
    // Less likely proposals are chosen like any other game.
    const accept = ACCEPTED.includes(item.class)
      ? { action: 'accept' }
      : { action: 'choose', database_id: proposed.database_id };
    const button = (/** @type {string} */ focus, /** @type {string} */ symbol, /** @type {string} */ label,
      /** @type {{action: string, database_id?: number | undefined}} */ decision) =>
      busyButton(this.#ctx, { label, symbol, focus, style: focus === 'accept' ? 'primary' : '', run: () =>
        this.#decide(item, decision) });
    return h('div', { class: 'step-acts' }, button('accept', 'tick', t('review.accept'), accept),
      button('skip', 'after', t('review.next'), { action: 'skip' }),
      button('never', 'close', t('review.never'), { action: 'never' }));
  }

  /** @param {Reply.MatchItem} item */
  #others(item) {
    const { t } = this.#ctx;
    if (item.alternatives.length === 0) return null;
    return [h('h3', { id: 'others-title' }, t('review.others')),
      h('ul', { class: 'rows', 'aria-labelledby': 'others-title' },
        item.alternatives.map((other) =>
          h('li', { 'data-key': String(other.database_id) }, icon('picture'),
            h('div', { class: 'grow' }, h('b', null, other.title), h('small', null, other.platform)),
            busyButton(this.#ctx, { label: t('review.take'), symbol: 'tick', focus: `take:${other.database_id}`,
              about: other.title, run: () =>
                this.#decide(item, { action: 'choose', database_id: other.database_id }) }))
        ))];
  }

  /**
   * @param {Reply.MatchItem} item
   * @param {{action: string, database_id?: number | undefined}} decision
   */
  async #decide(item, decision) {
    const answer = await this.#turns.change(() =>
      this.#ctx.client.post('/api/v2/metadata/matches/decisions', { preview_id: this.#id,
        items: [{ game_id: item.game_id, ...decision }] })
    );
    this.#revision = answer.revision;
    this.#taken += answer.accepted + answer.chosen;
    this.#items = this.#items.filter((other) => other !== item);
    this.#draw();
    const first = this.#items.length > 0 ? 'accept' : 'apply';
    /** @type {HTMLElement | null} */ (this.element.querySelector(`[data-focus="${first}"]`))?.focus();
  }

  /** Has the facts written, then loads the pictures of what was matched. */
  async #apply() {
    const { client, router } = this.#ctx;
    const isDone = await runJob(this.#ctx, JOBS.match,
      () => client.post('/api/v2/metadata/matches/apply', { preview_id: this.#id, revision: this.#revision }));
    if (!isDone) return;
    router.go('/fill');
    void fillLibrary(this.#ctx).catch(this.#ctx.fail);
  }
}
