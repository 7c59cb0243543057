/**
 * The second step of the setup flow: what was found, by what would become of it, with a decision for each candidate.
 * Decisions are kept on the server as they are made, so a reload loses none; the library is written only by the last
 * button.
 */

import { busyButton } from '../act.js';
import { folderList, leftCount, leftOut, systemList } from './overview.js';
import { BY_ITSELF, pickPlatform } from '../platform-pick.js';
import { emptyBox, waitBox } from '../state-box.js';
import { makeTabs } from '../tabs.js';
import { fill, h, icon, isTicked, patch, valueOf } from '../../core/dom.js';
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

/** The words of each tab. */
const TABS = Object.freeze(
  /** @type {Record<string, string>} */ ({ games: 'setup.tab.games', systems: 'setup.tab.systems',
    folders: 'setup.tab.folders', left: 'setup.tab.left' }),
);

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
  #tabs;
  #tab;
  /** The system whose games alone are shown. */
  #only = /** @type {App.SetupOnly | null} */ (null);
  /** Folders that were read, and where the next ones begin; `undefined` before the first. */
  #folders = /** @type {Reply.SetupFolder[]} */ ([]);
  #nextFolders = /** @type {string | null | undefined} */ (undefined);
  /** Platforms that were chosen for folders and wait for a look with them. */
  #wanted = new Map(/** @type {[string, string][]} */ ([]));

  /**
   * @param {App.Context} ctx
   * @param {Api.SetupPreview} preview
   * @param {{tab: string, commit: () => Promise<void>, again: (platforms?: Record<string, string>) => Promise<void>,
   *   back: () => void, onTab: (tab: string) => void}} events `tab` is the one to begin with
   */
  constructor(ctx, preview, events) {
    this.#ctx = ctx;
    this.#preview = preview;
    this.#events = events;
    const { t, format } = ctx;
    const counts = { systems: new Set(preview.systems.map((row) => row.platform)).size, folders: preview.folders,
      left: leftCount(preview) };
    const tabs = Object.keys(TABS).filter((key) => key === 'games' || counts[/** @type {'left'} */ (key)] > 0);
    this.#tab = tabs.includes(events.tab) ? events.tab : 'games';
    this.#tabs = makeTabs({
      label: t('setup.review'),
      items: tabs.map((key) => ({ key, label: t(TABS[key] ?? '') })),
      shown: this.#tab,
      onChoose: (key) => this.#openTab(key),
    });
    for (const key of /** @type {const} */ (['systems', 'folders', 'left']))
      this.#tabs.count(key, counts[key], format.number(counts[key]));
    this.#open = preview.counts['ambiguities'] ?? 0;
    this.#left.set('unsupported', preview.counts['unsupported'] ?? 0);
    this.element = h('section', { class: 'setup-review', 'aria-label': ctx.t('setup.review') },
      tabs.length > 1 ? this.#tabs.list : null, this.#tabs.panel, this.#bar);
    this.#showTab();
    this.#group = GROUPS.find((group) => (preview.counts[group] ?? 0) > 0) ?? 'additions';
    void this.#start().catch(ctx.fail);
  }

  /** @param {string} key */
  #openTab(key) {
    this.#tab = key;
    this.#events.onTab(key);
    this.#showTab();
  }

  #showTab() {
    if (this.#tabs.panel.dataset['tab'] !== this.#tab) {
      this.#tabs.panel.dataset['tab'] = this.#tab;
      fill(this.#tabs.panel, this.#tab === 'games' ? this.#body : h('div', { class: 'found' }));
    }
    const place = this.#tabs.panel.querySelector('.found');
    if (!place) return;
    const { t } = this.#ctx;
    if (this.#tab === 'systems')
      patch(place, h('p', { class: 'about' }, t('setup.systems.text')),
        systemList(this.#ctx, this.#preview, (only) => void this.#showOnly(only).catch(this.#ctx.fail)));
    else if (this.#tab === 'left')
      patch(place, h('p', { class: 'about' }, t('setup.left.text')), leftOut(this.#ctx, this.#preview));
    else {
      patch(place, h('p', { class: 'about' }, t('setup.folders.text')), this.#nextFolders === undefined
        ? waitBox(this.#ctx)
        : folderList(this.#ctx, this.#preview, this.#folders, this.#wanted, (folder) =>
          void this.#pick(folder).catch(this.#ctx.fail)), this.#nextFolders
        ? busyButton(this.#ctx, { label: t('action.showMore'), symbol: 'chevron', focus: 'more-folders', run: () =>
          this.#readFolders() })
        : null);
      if (this.#nextFolders === undefined)
        void this.#readFolders().catch(this.#ctx.fail);
    }
  }

  async #readFolders() {
    const cursor = this.#nextFolders ?? null;
    const page = await this.#ctx.client.get('/api/v2/setup/preview/folders', { preview_id: this.#preview.preview_id,
      limit: PAGE, cursor: cursor ?? undefined });
    // Two may be under way: the tab was left and opened again.
    if ((this.#nextFolders ?? null) !== cursor) return;
    this.#folders = [...(cursor ? this.#folders : []), ...page.folders];
    this.#nextFolders = page.next_cursor;
    if (this.#tab === 'folders') this.#showTab();
  }

  /** @param {Reply.SetupFolder} folder */
  async #pick(folder) {
    const { t } = this.#ctx;
    const shown = this.#wanted.get(folder.path) ?? folder.platform ?? '';
    const name = await pickPlatform(this.#ctx, { title: t('setup.folder.pick'), about: folder.path, shown,
      byItself: folder.is_chosen || this.#wanted.has(folder.path) ? t('setup.folder.byItself') : '' });
    if (!name) return;
    const wanted = name === BY_ITSELF ? '' : name;
    const isSame = wanted === (folder.is_chosen ? folder.platform : '');
    if (isSame) this.#wanted.delete(folder.path);
    else this.#wanted.set(folder.path, wanted);
    this.#showTab();
    this.#drawBar();
  }

  /** @param {App.SetupOnly | null} only */
  async #showOnly(only) {
    this.#only = only;
    this.#tabs.show('games');
    this.#openTab('games');
    const counts = this.#counts();
    await this.#choose(
      (counts[this.#group] ?? 0) > 0 ? this.#group : GROUPS.find((group) => (counts[group] ?? 0) > 0) ?? this.#group,
    );
    /** @type {HTMLElement | null} */ (this.#body.querySelector('[data-focus="only"]'))?.focus();
  }

  /** Candidates by group: of the system that is shown alone, else of all. */
  #counts() {
    const only = this.#only;
    const row = only &&
      this.#preview.systems.find((row) => row.source === only.source && row.platform === only.platform);
    return /** @type {Record<string, number>} */ (row ? row.counts : this.#preview.counts);
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
      const page = await this.#page(group, cursor, BATCH, null);
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
   * @param {App.SetupOnly | null} only
   * @returns {Promise<Api.SetupItems>}
   */
  #page(group, cursor, limit, only = this.#only) {
    return this.#ctx.client.get('/api/v2/setup/preview/items', { preview_id: this.#preview.preview_id, group, limit,
      cursor: cursor ?? undefined, source: only?.source, platform: only?.platform });
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
    const only = this.#only;
    /** @type {Api.SetupItem[]} */
    const items = [];
    let next = /** @type {string | null} */ (null);
    do {
      const page = await this.#page(group, next, PAGE);
      // Another group or system was chosen meanwhile.
      if (group !== this.#group || only !== this.#only) return;
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
    const { sources } = this.#preview;
    const counts = this.#counts();
    const only = this.#only;
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
        only
          ? h('div', { class: 'chips only' },
            h('button', { class: 'chip', type: 'button', 'data-focus': 'only',
              'aria-label': t('chip.remove', { label: only.platform || t('setup.system.open') }),
              on: { click: () => void this.#showOnly(null).catch(this.#ctx.fail) } },
              only.platform || t('setup.system.open'), icon('close')))
          : null,
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
    if (this.#wanted.size > 0) {
      patch(this.#bar,
        h('div', { class: 'grow', role: 'status' }, h('b', null, tn('setup.folders.chosen', this.#wanted.size)),
          h('small', null, t('setup.folders.apply.text'))),
        h('button', { class: 'button quiet', type: 'button', 'data-focus': 'drop', on: { click: () => {
          this.#wanted.clear();
          this.#showTab();
          this.#drawBar();
        } } }, t('action.cancel')),
        busyButton(this.#ctx, { label: t('setup.folders.apply'), symbol: 'refresh', style: 'primary', focus: 'apply',
          run: () => this.#events.again(Object.fromEntries(this.#wanted)) }));
      return;
    }
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
        style: this.#open > 0 ? '' : 'primary', focus: 'commit', run: () => this.#commit() })
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
    const versions = this.#versions(item);
    if (!isOpen) return h('li', { 'data-candidate': title }, h('div', { class: 'grow' }, words), versions);
    if (item.group === 'ambiguities')
      return h('li', { 'data-candidate': title, 'data-id': id, class: action === 'review' ? 'undecided' : '' },
        h('div', { class: 'grow' }, words), this.#platformPick(item), versions);
    const box = h('input', { type: 'checkbox', checked: isIn, 'data-focus': `in:${id}`, on: {
      change: (event) =>
        void this.#decide([isTicked(event) ? inclusion(item) : { candidate_id: id, action: 'skip' }]).catch(
          this.#ctx.fail,
        ),
    } });
    return h('li', { 'data-candidate': title, 'data-id': id, class: isIn ? '' : 'left-out' },
      h('label', { class: 'check grow' }, box, words), this.#playerPick(item), versions);
  }

  /**
   * The versions that are one game, the one that is played first.
   *
   * @param {Api.SetupItem} item
   */
  #versions(item) {
    const { t, tn } = this.#ctx;
    if (item.version_count < 2) return null;
    const name = (/** @type {string} */ path) => path.split('/').at(-1) ?? path;
    const [best = '', ...others] = item.versions;
    const more = item.version_count - item.versions.length;
    return h('details', { class: 'versions', 'data-key': `versions-${item.candidate_id}` },
      h('summary', { 'data-focus': `versions-${item.candidate_id}` }, tn('setup.versions', item.version_count)),
      h('ul', { class: 'plain' },
        h('li', null, h('span', { class: 'mono-path' }, name(best)), ' ', h('small', null, t('setup.versions.best'))),
        others.map((path) => h('li', { class: 'mono-path' }, name(path))),
        more > 0 ? h('li', null, tn('setup.versions.more', more)) : null));
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
