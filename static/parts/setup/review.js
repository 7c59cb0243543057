/**
 * The second step of the setup flow: what was found, by what would become of it, with a decision for each candidate.
 * Decisions are kept on the server as they are made, so a reload loses none; the library is written only by the last
 * button.
 */

import { busyButton } from '../act.js';
import { emptyBox, waitBox } from '../state-box.js';
import { h, icon, isTicked, patch, valueOf } from '../../core/dom.js';
import { GROUPS, inclusion, OPEN_GROUPS, plannedAction } from '../../data/setup.js';

/** Candidates of one page, and of one request with decisions. */
const PAGE = 100;
const BATCH = 200;

/** The words of each group. */
const WORDS = Object.freeze(/** @type {Record<string, {label: string, text: string}>} */ ({
  ambiguities: { label: 'setup.group.ambiguities', text: 'setup.group.ambiguities.text' },
  additions: { label: 'setup.group.additions', text: 'setup.group.additions.text' },
  merges: { label: 'setup.group.merges', text: 'setup.group.merges.text' },
  unsupported: { label: 'setup.group.unsupported', text: 'setup.group.unsupported.text' },
  duplicates: { label: 'setup.group.duplicates', text: 'setup.group.duplicates.text' },
  exclusions: { label: 'setup.group.exclusions', text: 'setup.group.exclusions.text' },
}));

/** The review of one preview. */
export class SetupReview {
  #ctx;
  #preview;
  #events;
  #group = '';
  #items = /** @type {Api.SetupItem[]} */ ([]);
  #next = /** @type {string | null} */ (null);
  #isReading = true;
  /** Candidates that still need a decision, and those that were left out here. */
  #open;
  #left = new Map(/** @type {[string, number][]} */ ([]));
  /** Decisions made here. */
  #made = 0;
  /** The decisions that are being kept, one after the other: the last word counts. */
  #keeping = Promise.resolve();
  #body = h('div', null);
  #bar = h('div', { class: 'commit-bar' });

  /**
   * @param {App.Context} ctx
   * @param {Api.SetupPreview} preview
   * @param {{commit: () => Promise<void>, again: () => Promise<void>, back: () => void}} events
   */
  constructor(ctx, preview, events) {
    this.#ctx = ctx;
    this.#preview = preview;
    this.#events = events;
    this.#open = preview.counts['ambiguities'] ?? 0;
    this.#left.set('unsupported', preview.counts['unsupported'] ?? 0);
    this.element = h('section', { class: 'setup-review', 'aria-label': ctx.t('setup.review') }, this.#body, this.#bar);
    this.#group = GROUPS.find((group) => (preview.counts[group] ?? 0) > 0) ?? 'additions';
    void this.#start().catch(ctx.fail);
  }

  async #start() {
    await this.#choose(this.#group);
    for (const group of OPEN_GROUPS) if ((this.#preview.counts[group] ?? 0) > 0) await this.#count(group);
    this.#drawBar();
  }

  /**
   * Counts what was decided before, because the page may have been reloaded in the middle. A decision made meanwhile
   * makes it count again.
   *
   * @param {string} group
   */
  async #count(group) {
    const made = this.#made;
    let cursor = /** @type {string | null} */ (null);
    let left = 0;
    let open = 0;
    do {
      const page = await this.#page(group, cursor, BATCH);
      for (const item of page.items) {
        const action = plannedAction(item);
        if (isOut(action, group)) left += 1;
        else if (action === 'review') open += 1;
      }
      cursor = page.next_cursor;
    } while (cursor && this.element.isConnected);
    if (made !== this.#made && this.element.isConnected) {
      await this.#count(group);
      return;
    }
    this.#left.set(group, left);
    if (group === 'ambiguities') this.#open = open;
  }

  /**
   * @param {string} group
   * @param {string | null} cursor
   * @param {number} limit
   * @returns {Promise<Api.SetupItems>}
   */
  #page(group, cursor, limit) {
    return this.#ctx.client.get('/api/v2/setup/preview/items', { preview_id: this.#preview.preview_id, group, limit,
      cursor: cursor ?? undefined });
  }

  /** @param {string} group */
  async #choose(group) {
    this.#group = group;
    this.#isReading = true;
    this.#items = [];
    this.#draw();
    await this.#show(PAGE);
  }

  /**
   * Reads the group that is chosen from its beginning.
   *
   * @param {number} least candidates that are shown, if there are so many
   */
  async #show(least) {
    const group = this.#group;
    /** @type {Api.SetupItem[]} */
    const items = [];
    let next = /** @type {string | null} */ (null);
    do {
      const page = await this.#page(group, next, PAGE);
      // Another group was chosen meanwhile.
      if (group !== this.#group) return;
      items.push(...page.items);
      next = page.next_cursor;
    } while (next && items.length < least);
    this.#items = items;
    this.#next = next;
    this.#isReading = false;
    this.#draw();
  }

  async #more() {
    const before = this.#items;
    const page = await this.#page(this.#group, this.#next, PAGE);
    // What is shown now was read anew, or is of another group.
    if (before !== this.#items) return;
    this.#items = [...before, ...page.items];
    this.#next = page.next_cursor;
    this.#draw();
  }

  #draw() {
    const { t, format } = this.#ctx;
    const { counts, sources } = this.#preview;
    const groups = GROUPS.filter((group) => (counts[group] ?? 0) > 0);
    const errors = sources.filter((source) => source.error);
    patch(this.#body, errors.length > 0
      ? h('div', { class: 'callout', role: 'note' }, icon('missing'),
        h('ul', { class: 'plain' },
          errors.map((source) => h('li', null, `${source.path || source.label || source.type}: ${source.error}`))))
      : null, groups.length === 0
      ? emptyBox(this.#ctx, 'folder', 'setup.nothing',
        h('button', { class: 'button primary', type: 'button', on: { click: () => this.#events.back() } },
          t('setup.back')))
      : [
        h('div', { class: 'segment wraps', role: 'group', 'aria-label': t('setup.groups') },
          groups.map((group) =>
            h('button', {
              type: 'button',
              'data-focus': `group-${group}`,
              'aria-pressed': String(group === this.#group),
              on: { click: () => void this.#choose(group).catch(this.#ctx.fail) },
            }, t(WORDS[group]?.label ?? ''), h('span', { class: 'number' }, format.number(counts[group] ?? 0)))
          )),
        h('div', { class: 'panel-head finds-head' }, h('p', { class: 'about' }, t(WORDS[this.#group]?.text ?? '')),
          this.#groupActs()),
        this.#isReading
          ? waitBox(this.#ctx)
          : h('ul', { class: 'rows candidates' }, this.#items.map((item) => this.#row(item))),
        this.#next
          ? busyButton(this.#ctx, { label: t('action.showMore'), symbol: 'chevron', focus: 'more',
            run: () => this.#more() })
          : null,
      ]);
    this.#drawBar();
  }

  #drawBar() {
    const { t, tn } = this.#ctx;
    const adds = this.#kept('additions') + this.#kept('unsupported') + this.#kept('ambiguities') - this.#open;
    const merges = this.#kept('merges');
    patch(this.#bar,
      h('div', { class: 'grow', role: 'status' },
        h('b', null,
          [tn('setup.adds', adds), merges > 0 ? tn('setup.merges', merges) : ''].filter(Boolean).join(' · ')),
        h('small', null, this.#open > 0 ? tn('setup.open', this.#open) : t('setup.nothingWritten'))),
      h('button', { class: 'button quiet', type: 'button', 'data-focus': 'back',
        on: { click: () => this.#events.back() } }, t('setup.back')),
      busyButton(this.#ctx, { label: t('setup.lookAgain'), symbol: 'refresh', focus: 'again',
        run: () => this.#events.again() }), adds + merges > 0 || this.#open > 0
      ? busyButton(this.#ctx, { label: tn('setup.commit', adds + merges), symbol: 'plus',
        style: this.#open > 0 ? 'large' : 'primary large', focus: 'commit', run: () => this.#commit() })
      : null);
  }

  /** @param {string} group */
  #kept(group) {
    return (this.#preview.counts[group] ?? 0) - (this.#left.get(group) ?? 0);
  }

  #groupActs() {
    const { t } = this.#ctx;
    if (this.#group === 'ambiguities')
      return this.#open > 0
        ? busyButton(this.#ctx, { label: t('setup.skipRest'), symbol: 'hidden', focus: 'all',
          run: () =>
            this.#decideAll((
              item,
            ) => (plannedAction(item) === 'review' ? { candidate_id: item.candidate_id, action: 'skip' } : null)) })
        : null;
    if (!OPEN_GROUPS.includes(this.#group)) return null;
    const isIn = this.#kept(this.#group) > 0;
    return busyButton(this.#ctx, {
      label: t(isIn ? 'setup.allOut' : 'setup.allIn'),
      symbol: isIn ? 'hidden' : 'plus',
      focus: 'all',
      run: () =>
        this.#decideAll((item) => (isIn ? { candidate_id: item.candidate_id, action: 'skip' } : inclusion(item))),
    });
  }

  /** @param {Api.SetupItem} item */
  #row(item) {
    const { t } = this.#ctx;
    const { candidate_id: id, detected_title: title, source, existing_game_target: target } = item;
    const isOpen = OPEN_GROUPS.includes(item.group);
    const action = plannedAction(item);
    const isIn = action === 'import' || action === 'merge';
    const where = [item.decision?.platform || item.detected_platform || '', source?.label || source?.type].filter(
      Boolean,
    )
      .join(' · ');
    const words = h('span', { class: 'what' }, h('b', null, title), h('small', null, where),
      target && target.title !== title ? h('small', null, t('setup.becomes', { name: target.title })) : null,
      item.merge_diff && item.merge_diff.length > 0
        ? h('small', null,
          item.merge_diff.map((row) =>
            t(row.effect === 'fill' ? 'setup.fills' : 'setup.keeps', { field: this.#field(row.field),
              value: shown(row.effect === 'fill' ? row.proposed : row.current) })
          ).join(' · '))
        : null);
    if (!isOpen) return h('li', { 'data-candidate': title }, h('div', { class: 'grow' }, words));
    if (item.group === 'ambiguities')
      return h('li', { 'data-candidate': title, 'data-id': id, class: action === 'review' ? 'undecided' : '' },
        h('div', { class: 'grow' }, words), this.#platformPick(item));
    const box = h('input', { type: 'checkbox', checked: isIn, 'data-focus': `in:${id}`, on: {
      change: (event) =>
        void this.#decide([isTicked(event) ? inclusion(item) : { candidate_id: id, action: 'skip' }]).catch(
          this.#ctx.fail,
        ),
    } });
    return h('li', { 'data-candidate': title, 'data-id': id, class: isIn ? '' : 'left-out' },
      h('label', { class: 'check grow' }, box, words), this.#playerPick(item));
  }

  /** @param {string} field */
  #field(field) {
    return this.#ctx.i18n.has(`field.${field}`) ? this.#ctx.t(`field.${field}`) : field;
  }

  /**
   * The platform of a candidate that could be of several, or leaving it out.
   *
   * @param {Api.SetupItem} item
   */
  #platformPick(item) {
    const { t } = this.#ctx;
    const { candidate_id: id, detected_title: title } = item;
    const action = plannedAction(item);
    const platforms = item.platform_choices ?? [];
    const select = h('select', {
      class: 'input',
      'data-focus': `platform:${id}`,
      'aria-label': `${t('field.platform')}: ${title}`,
      on: { change: (event) => {
        const platform = valueOf(event);
        if (platform)
          void this.#decide([platform === '-'
            ? { candidate_id: id, action: 'skip' }
            : { candidate_id: id, action: 'import', platform }]).catch(this.#ctx.fail);
      } },
    }, action === 'review' ? h('option', { value: '' }, t('setup.choose')) : null,
      platforms.map((platform) => h('option', { value: platform }, platform)),
      h('option', { value: '-' }, t('setup.leaveOut')));
    select.value = action === 'review' ? '' : action === 'import' ? item.decision?.platform ?? '' : '-';
    return select;
  }

  /**
   * Which emulator plays a candidate, where several could.
   *
   * @param {Api.SetupItem} item
   */
  #playerPick(item) {
    const { t } = this.#ctx;
    if (item.group !== 'additions' || item.emulator_choices.length < 2) return null;
    const select = h('select', {
      class: 'input',
      'data-focus': `player:${item.candidate_id}`,
      'aria-label': `${t('setup.player')}: ${item.detected_title}`,
      on: {
        change: (event) => {
          const choice = item.emulator_choices.find((each) => each.adapter_id === valueOf(event));
          if (choice)
            void this.#decide([{ candidate_id: item.candidate_id, action: 'import', launch_setup: 'adapter',
              emulator_id: choice.emulator_id, adapter_id: choice.adapter_id }]).catch(this.#ctx.fail);
        },
      },
    }, item.emulator_choices.map((choice) => h('option', { value: choice.adapter_id }, choice.label)));
    select.value = item.selected_adapter_id ?? item.emulator_choices.find((choice) => choice.recommended)?.adapter_id ??
      item.emulator_choices[0]?.adapter_id ?? '';
    return select;
  }

  /**
   * Keeps decisions about candidates that are shown, after those that were made before. What could not be kept is shown
   * as it was.
   *
   * @param {Api.SetupDecision[]} decisions
   */
  #decide(decisions) {
    const kept = this.#keeping.catch(() => undefined).then(() => this.#keep(decisions));
    this.#keeping = kept;
    kept.catch(() => this.#draw());
    return kept;
  }

  /**
   * Keeps decisions. The rows stay, so that a control that is being used is not drawn away.
   *
   * @param {Api.SetupDecision[]} decisions
   */
  async #keep(decisions) {
    await this.#ctx.client.post('/api/v2/setup/preview/decisions', { preview_id: this.#preview.preview_id,
      items: decisions });
    this.#made += 1;
    for (const decision of decisions) {
      const item = this.#items.find((each) => each.candidate_id === decision.candidate_id);
      if (!item) continue;
      const before = plannedAction(item);
      this.#left.set(item.group, (this.#left.get(item.group) ?? 0) + Number(isOut(decision.action, item.group)) -
        Number(isOut(before, item.group)));
      if (item.group === 'ambiguities' && before === 'review') this.#open -= 1;
      item.decision = { action: decision.action, merge_target: decision.merge_target ?? null,
        platform: decision.platform ?? null };
      if (decision.adapter_id) item.selected_adapter_id = decision.adapter_id;
      const row = this.#body.querySelector(`[data-id="${CSS.escape(item.candidate_id)}"]`);
      row?.classList.remove('undecided');
      row?.classList.toggle('left-out', isOut(decision.action, item.group));
    }
    this.#drawBar();
  }

  /**
   * Decides about every candidate of the group, page by page.
   *
   * @param {(item: Api.SetupItem) => Api.SetupDecision | null} decide
   */
  async #decideAll(decide) {
    const group = this.#group;
    let cursor = /** @type {string | null} */ (null);
    do {
      const page = await this.#page(group, cursor, BATCH);
      const decisions = page.items.flatMap((item) => decide(item) ?? []);
      if (decisions.length > 0)
        await this.#ctx.client.post('/api/v2/setup/preview/decisions', { preview_id: this.#preview.preview_id,
          items: decisions });
      cursor = page.next_cursor;
    } while (cursor);
    this.#made += 1;
    await this.#count(group);
    if (group === this.#group) await this.#show(this.#items.length);
    else this.#drawBar();
  }

  async #commit() {
    await this.#keeping;
    if (this.#open > 0) {
      this.#ctx.toasts.show({ text: this.#ctx.tn('setup.open', this.#open) });
      if (this.#group !== 'ambiguities') await this.#choose('ambiguities');
      /** @type {HTMLElement | null} */ (this.#body.querySelector('.undecided select'))?.focus();
      return;
    }
    await this.#events.commit();
  }
}

/** @param {unknown} value */
function shown(value) {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}

/**
 * Whether a candidate stays out. What no emulator plays stays out without a decision.
 *
 * @param {string} action
 * @param {string} group
 */
function isOut(action, group) {
  return action === 'skip' || action === 'exclude' || (action === 'review' && group === 'unsupported');
}
