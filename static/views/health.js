/**
 * The health screen: what is wrong with the library and the way to each fix. Looks at the disk only when it is opened
 * or asked to.
 */

import { emptyLibrary } from '../parts/first-steps.js';
import { busyButton, setBusy } from '../parts/act.js';
import { confirm } from '../parts/dialog.js';
import { Artwork } from '../parts/health/artwork.js';
import { LaunchAudit } from '../parts/health/launch-audit.js';
import { ScorePanel } from '../parts/health/score.js';
import { openRelink } from '../parts/health/relink.js';
import { emptyBox, pageHead, showFailure } from '../parts/state-box.js';
import { makeTabs } from '../parts/tabs.js';
import { cleanTitles, countTitles } from '../parts/health/titles.js';
import { Twins } from '../parts/health/twins.js';
import { coalesce } from '../core/coalesce.js';
import { fill, h, icon, patch } from '../core/dom.js';
import { fillLibrary } from '../data/filling.js';

/** Kinds of findings: words, icon and the tab of the edit dialog that helps. */
const KINDS = Object.freeze(/** @type {Record<string, {label: string, icon: string, tab: string}>} */ ({
  'Missing game': { label: 'health.missingGame', icon: 'missing', tab: 'launch' },
  Duplicate: { label: 'health.duplicate', icon: 'copy', tab: 'general' },
  'No emulator': { label: 'health.noEmulator', icon: 'plug', tab: 'launch' },
  'Missing box front': { label: 'health.missingCover', icon: 'picture', tab: 'media' },
  'Missing extra': { label: 'health.missingExtra', icon: 'file', tab: 'launch' },
  'Missing save path': { label: 'health.missingSave', icon: 'folder', tab: 'launch' },
}));

/** The tabs of the address for the launch check, for games that look like one, for artwork, and for the score. */
const LAUNCH = 'launch';
const TWINS = 'duplicates';
const ARTWORK = 'artwork';
const SCORE = 'score';

/** Games without a cover from which on filling them is offered. */
const MANY = 3;

/** Findings of one kind shown before the button for more, and those of each kind where all kinds are shown. */
const PAGE = 100;
const FIRST = 8;

/** @implements {App.View} */
export class HealthView {
  #ctx;
  #life = new AbortController();
  #root;
  #again;
  #load = coalesce(() => this.#read());
  #tabs;
  #body = h('div', null);
  /** @type {LaunchAudit | null} */
  #audit = null;
  /** @type {Twins | null} */
  #twins = null;
  /** @type {Artwork | null} */
  #artwork = null;
  /** @type {ScorePanel | null} */
  #score = null;
  /** @type {Api.Health | null} */
  #report = null;
  /** Titles that are names of files. */
  #titles = 0;
  /** Findings by kind. */
  #counts = /** @type {Map<string, number>} */ (new Map());
  #kind = '';
  #shown = PAGE;

  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   * @param {App.Route} route
   */
  constructor(ctx, root, route) {
    this.#ctx = ctx;
    const { t, router } = ctx;
    this.#tabs = makeTabs({
      label: t('place.health'),
      items: [{ key: SCORE, label: t('score.tab') }, { key: 'library', label: t('health.tab.library') }, { key: LAUNCH,
        label: t('health.tab.launch') }, {
        key: TWINS,
        label: t('health.duplicates'),
      }, { key: ARTWORK, label: t('health.tab.artwork') }],
      shown: 'library',
      onChoose: (key) => router.replace(key === 'library' ? '/health' : `/health/${key}`),
    });
    this.#again = h('button', { class: 'button', type: 'button', on: {
      click: () => void this.#refresh(),
    } }, icon('refresh', 'icon-s'), t('health.again'));
    this.#root = h('div', { class: 'page scroll', tabindex: -1 },
      h('div', { class: 'inner' }, pageHead(ctx, t('place.health'), this.#again),
        h('div', { class: 'page-tabs' }, this.#tabs.list), this.#tabs.panel));
    root.append(this.#root);
    this.update(route);
  }

  /** @param {App.Route} route */
  update(route) {
    const isLaunch = route.arg === LAUNCH;
    this.#tabs.show(isLaunch ? LAUNCH : 'library');
    this.#again.hidden = isLaunch;
    if (isLaunch) {
      this.#audit ??= new LaunchAudit(this.#ctx, this.#life.signal);
      if (this.#tabs.panel.firstElementChild !== this.#audit.element) fill(this.#tabs.panel, this.#audit.element);
      return;
    }
    if (route.arg === TWINS) {
      this.#tabs.show(TWINS);
      this.#twins ??= new Twins(this.#ctx, this.#life.signal);
      if (this.#tabs.panel.firstElementChild !== this.#twins.element) fill(this.#tabs.panel, this.#twins.element);
      return;
    }
    if (route.arg === ARTWORK) {
      this.#tabs.show(ARTWORK);
      this.#artwork ??= new Artwork(this.#ctx, this.#life.signal);
      if (this.#tabs.panel.firstElementChild !== this.#artwork.element) fill(this.#tabs.panel, this.#artwork.element);
      return;
    }
    if (route.arg === SCORE) {
      this.#tabs.show(SCORE);
      this.#score ??= new ScorePanel(this.#ctx, this.#life.signal);
      if (this.#tabs.panel.firstElementChild !== this.#score.element) fill(this.#tabs.panel, this.#score.element);
      this.#score.show(route);
      return;
    }
    if (this.#tabs.panel.firstElementChild !== this.#body) fill(this.#tabs.panel, this.#body);
    this.#kind = route.query['kind'] ?? '';
    this.#shown = PAGE;
    if (this.#report) this.#draw();
    else void this.#load();
  }

  /** Looks again at what the shown tab is about. */
  async #refresh() {
    const shown = this.#tabs.panel.firstElementChild;
    if (shown === this.#twins?.element) await this.#twins?.refresh();
    else if (shown === this.#score?.element) await this.#score?.refresh();
    else if (shown === this.#artwork?.element) await this.#artwork?.refresh();
    else await this.#load();
  }

  unmount() {
    this.#life.abort();
    this.#root.remove();
  }

  async #read() {
    if (!this.#report)
      patch(this.#body,
        h('div', { class: 'busy', role: 'status', 'data-key': 'busy' }, h('p', null, this.#ctx.t('health.busy')),
          h('div', { class: 'wait' })));
    setBusy(this.#again, true);
    try {
      const [report, titles] = await Promise.all([this.#ctx.client.post('/api/health'), countTitles(this.#ctx)]);
      if (this.#life.signal.aborted) return;
      this.#titles = titles;
      this.#report = report;
      this.#counts = new Map(Object.keys(KINDS).map((kind) => [kind, 0]));
      for (const { type } of report.issues) this.#counts.set(type, (this.#counts.get(type) ?? 0) + 1);
      this.#draw();
      this.#ctx.announce(this.#ctx.tn('health.count', report.issues.length));
    } catch (failure) {
      if (!this.#life.signal.aborted)
        showFailure(this.#ctx, this.#body, failure, () => void this.#load(), this.#report !== null);
    } finally {
      setBusy(this.#again, false);
    }
  }

  #draw() {
    const report = this.#report;
    if (!report) return;
    const { t, format } = this.#ctx;
    const counts = this.#counts;
    const figure = (/** @type {string} */ key, /** @type {number} */ value) =>
      h('div', { class: value > 0 && key !== 'health.games' ? 'bad' : '' }, h('dt', null, t(key)),
        h('dd', null, format.number(value)));
    const kinds = [...counts].filter(([, count]) => count > 0);
    const shown = counts.get(this.#kind) ? this.#kind : '';
    patch(this.#body,
      h('dl', { class: 'figures' }, figure('health.games', report.games), figure('health.missing', report.missing),
        figure('health.duplicates', report.duplicates), figure('health.unconfigured', report.unconfigured),
        figure('health.withoutCover', report.missing_media)), this.#titlesRow(), this.#coversRow(report.missing_media),
      report.games === 0
        ? emptyLibrary(this.#ctx)
        : report.issues.length === 0
        ? emptyBox(this.#ctx, 'check', 'health.fine', h('a', { class: 'button', href: '#/' }, t('history.none.action')))
        : [
          h('div', { class: 'panel-head' },
            h('div', { class: 'segment wraps', role: 'group', 'aria-label': t('health.kinds') },
              this.#choice('', t('health.all'), report.issues.length, shown),
              kinds.map(([kind, count]) => this.#choice(kind, t(KINDS[kind]?.label ?? ''), count, shown)))),
          this.#issues(shown),
        ]);
  }

  /**
   * The offer to fill games without a cover; none for a few, whose rows say how to help them.
   *
   * @param {number} count
   */
  #coversRow(count) {
    if (count < MANY) return null;
    const { t, tn } = this.#ctx;
    return h('div', { class: 'callout', 'data-key': 'covers' }, icon('picture'),
      h('div', { class: 'grow' }, h('b', null, tn('health.covers', count)), h('p', null, t('health.covers.hint'))),
      busyButton(this.#ctx, { label: t('fill.platform'), symbol: 'spark', focus: 'covers', run: async () => {
        await fillLibrary(this.#ctx);
        await this.#load();
      } }));
  }

  /** The offer to clean titles; none when all are clean. */
  #titlesRow() {
    const { t, tn } = this.#ctx;
    if (this.#titles === 0) return null;
    return h('div', { class: 'callout', 'data-key': 'titles' }, icon('edit'),
      h('div', { class: 'grow' }, h('b', null, tn('titles.count', this.#titles)), h('p', null, t('titles.hint'))),
      h('button', { class: 'button', type: 'button', 'data-focus': 'titles',
        on: { click: () => void cleanTitles(this.#ctx, () => void this.#load()) } }, t('titles.clean')));
  }

  /**
   * @param {string} kind
   * @param {string} label
   * @param {number} count
   * @param {string} shown
   */
  #choice(kind, label, count, shown) {
    return h('button', { type: 'button', 'data-focus': `kind-${kind}`, 'aria-pressed': String(kind === shown),
      on: { click: () => this.#ctx.router.replace('/health', { kind }) } }, label,
      h('span', { class: 'number' }, this.#ctx.format.number(count)));
  }

  /**
   * The findings by kind: what cures all of a kind stands once in its head, and its rows say what is special to them.
   *
   * @param {string} wanted the only kind, or all
   */
  #issues(wanted) {
    const { t, format } = this.#ctx;
    const more = () => {
      this.#shown += PAGE;
      this.#draw();
    };
    const most = wanted ? this.#shown : FIRST;
    const sections = Object.entries(KINDS).filter(([kind]) => !wanted || kind === wanted).map(
      ([kind, { label, icon: symbol }]) => {
        const count = this.#counts.get(kind) ?? 0;
        if (count === 0) return null;
        const issues = (this.#report?.issues ?? []).filter((issue) => issue.type === kind).slice(0, most);
        const id = `found-${kind.replaceAll(' ', '-')}`;
        return h('section', { class: 'found', 'data-key': kind, 'aria-labelledby': id },
          h('div', { class: 'section-head' },
            h('h2', { id }, icon(symbol), t(label), h('span', { class: 'number' }, format.number(count))),
            this.#cure(kind)),
          h('ul', { class: 'rows findings' }, issues.map((issue, index) => this.#finding(issue, index))), count <= most
          ? null
          : h('button', { class: 'button', type: 'button', 'data-focus': `more-${kind}`,
            on: { click: () => (wanted ? more() : this.#showKind(kind)) } },
            wanted ? t('health.more') : t('health.showAll', { count: format.number(count) })));
      },
    );
    return sections;
  }

  /**
   * Shows one kind alone. Its button among the kinds takes the keyboard from the one that is gone then.
   *
   * @param {string} kind
   */
  #showKind(kind) {
    this.#ctx.router.replace('/health', { kind });
    /** @type {HTMLElement | null} */ (this.#body.querySelector(`[data-focus="kind-${kind}"]`))?.focus();
  }

  /**
   * @param {string} kind
   * @returns {App.Child} what cures every finding of a kind
   */
  #cure(kind) {
    const { t } = this.#ctx;
    if (kind === 'No emulator')
      return h('a', { class: 'button', href: '#/health/launch' }, icon('plug', 'icon-s'), t('play.setUp'));
    if (kind === 'Missing game')
      return h('button', { class: 'button', type: 'button', 'data-focus': 'relink',
        on: { click: () => void this.#relink() } }, icon('folder', 'icon-s'), t('relink.title'));
    if (kind === 'Duplicate')
      return h('button', { class: 'button', type: 'button', 'data-focus': 'dedupe',
        on: { click: () => void this.#dedupe() } }, icon('copy', 'icon-s'), t('health.dedupe'));
    return null;
  }

  /**
   * @param {Api.HealthIssue} issue
   * @param {number} index among those of its kind
   */
  #finding(issue, index) {
    const { t } = this.#ctx;
    // The detail of a missing cover says the same again.
    const detail = issue.type === 'Missing box front' ? '' : issue.detail;
    return h('li', { class: 'extra' },
      h('div', { class: 'grow' }, h('b', null, issue.game), detail ? h('small', { title: detail }, detail) : null),
      issue.type === 'No emulator'
        ? null
        : h('button', { class: 'button quiet', type: 'button', 'data-focus': `fix-${issue.type}-${index}`,
          'aria-label': t('health.edit', { name: issue.game }), on: { click: () => void this.#fix(issue) } },
          icon('edit', 'icon-s'), t('action.edit')),
      h('button', { class: 'icon-button', type: 'button', 'data-focus': `open-${issue.type}-${index}`,
        'aria-label': t('health.open', { name: issue.game }), title: t('action.openPage'),
        on: { click: () => void this.#open(issue) } }, icon('open')));
  }

  /**
   * The stable id of a finding, which names its game by position. When games moved since, the findings are asked for
   * anew.
   *
   * @param {Api.HealthIssue} issue
   */
  async #find(issue) {
    try {
      const { games } = await this.#ctx.client.get('/api/library/delta', { ids: String(issue.id) });
      const game = games[0];
      if (game && game.name === issue.game) return game.game_id;
      this.#ctx.announce(this.#ctx.t('health.moved'));
      await this.#load();
    } catch (failure) {
      this.#ctx.fail(failure);
    }
    return '';
  }

  /** @param {Api.HealthIssue} issue */
  async #open(issue) {
    const id = await this.#find(issue);
    if (id) this.#ctx.router.go(`/game/${encodeURIComponent(id)}`);
  }

  /** @param {Api.HealthIssue} issue */
  async #fix(issue) {
    const id = await this.#find(issue);
    if (!id) return;
    await this.#ctx.actions.edit(id, KINDS[issue.type]?.tab);
    await this.#load();
  }

  async #relink() {
    if ((await openRelink(this.#ctx)) === 0) return;
    await Promise.all([this.#ctx.catalog.load(), this.#load()]);
  }

  async #dedupe() {
    const { t, tn, client, catalog, toasts } = this.#ctx;
    const names = (this.#report?.issues ?? []).filter((issue) => issue.type === 'Duplicate').map((issue) => issue.game);
    const list = h('ul', { class: 'plain scroll short' }, names.map((name) => h('li', null, name)));
    const isSure = await confirm(this.#ctx, { title: tn('health.sure', names.length), text: t('health.sure.text'),
      action: t('health.dedupe'), danger: true, extra: list });
    if (!isSure) return;
    try {
      const { removed } = await client.post('/api/health/dedupe');
      toasts.show({ kind: 'good', text: tn('health.removed', removed.length) });
      await catalog.load();
    } catch (failure) {
      this.#ctx.fail(failure);
    }
    await this.#load();
  }
}
