/**
 * The launch check of the whole library: what keeps games from starting, by cause, with what cures all games of a cause
 * at once. The check itself is a job; its report stays until the next one.
 */

import { busyButton } from '../act.js';
import { fixButton } from '../fixes.js';
import { JobLists } from '../job-list.js';
import { emptyBox, failureBox, waitBox } from '../state-box.js';
import { ApiError } from '../../core/client.js';
import { causeText, emulatorName, GAPS } from '../../data/causes.js';
import { coalesce } from '../../core/coalesce.js';
import { h, icon, isTicked, patch } from '../../core/dom.js';
import { isActive } from '../../data/jobs.js';

const TYPE = 'launch.audit';

/** Games of a cause that are shown at once, and asked for at once when all are cured. */
const PAGE = 50;
const ALL = 500;

/** The panel. */
export class LaunchAudit {
  #ctx;
  #signal;
  #jobs;
  #body = h('div', null);
  /** @type {Api.Audit | null} */
  #report = null;
  /** @type {readonly Api.Definition[]} */
  #definitions = [];
  /** Games shown of each cause that is open. */
  /** @type {Map<string, {games: {game_id: string, name: string}[], total: number}>} */
  #open = new Map();
  #isDeep = false;
  #load = coalesce(() => this.#read());

  /**
   * @param {App.Context} ctx
   * @param {AbortSignal} signal
   */
  constructor(ctx, signal) {
    this.#ctx = ctx;
    this.#signal = signal;
    this.#jobs = new JobLists(ctx, ['jobs.active']);
    this.element = h('div', { class: 'audit work' }, this.#jobs.element, this.#body);
    patch(this.#body, waitBox(ctx));
    ctx.bus.on('jobs', () => this.#drawJobs(), signal);
    ctx.bus.on('job:ended', (job) => void this.#follow(job), signal);
    ctx.bus.on('live:behind', () => void this.#load(), signal);
    this.#drawJobs();
    void this.#load();
  }

  /** Reads the report again, because something else on the page changed a game. */
  refresh() {
    return this.#load();
  }

  async #read() {
    const { client } = this.#ctx;
    try {
      const [report, { definitions }] = await Promise.all([
        client.get('/api/v2/launch/audit'),
        client.get('/api/emulators/definitions', { pack: 'all' }),
      ]);
      if (this.#signal.aborted) return;
      this.#report = report;
      this.#definitions = definitions;
      await this.#readOpen();
      this.#draw();
    } catch (error) {
      const known = ApiError.from(error);
      if (this.#signal.aborted) return;
      if (this.#report) this.#ctx.fail(known);
      else patch(this.#body, failureBox(this.#ctx, known, () => void this.#load()));
    }
  }

  /** Reads the games of the causes that are open again; a cause that is gone closes. */
  async #readOpen() {
    const keys = new Set((this.#report?.groups ?? []).map((group) => group.key));
    for (const [key, page] of [...this.#open]) {
      if (!keys.has(key)) this.#open.delete(key);
      else this.#open.set(key, await this.#page(key, 0, Math.max(PAGE, page.games.length)));
    }
  }

  /**
   * @param {string} key
   * @param {number} offset
   * @param {number} limit
   */
  async #page(key, offset, limit) {
    const answer = await this.#ctx.client.get('/api/v2/launch/audit', { group: key, offset,
      limit: Math.min(ALL, limit) });
    return { games: answer.members?.games ?? [], total: answer.members?.total ?? 0 };
  }

  /**
   * @param {string} key
   * @returns {Promise<string[]>} every game of a cause
   */
  async #members(key) {
    /** @type {string[]} */
    const ids = [];
    for (;;) {
      const { games, total } = await this.#page(key, ids.length, ALL);
      ids.push(...games.map((game) => game.game_id));
      if (games.length === 0 || ids.length >= total) return ids;
    }
  }

  /** @param {Api.Job} job */
  async #follow(job) {
    if (job.type === TYPE) {
      await this.#load();
      const totals = this.#report?.totals;
      if (totals && job.state === 'done') this.#ctx.announce(this.#ctx.tn('audit.told', totals.blocked));
    } else if (job.type === 'emulator.install') {
      // What was installed cures its causes; they are looked at again, and nothing else.
      const cured = (this.#report?.groups ?? []).filter((group) =>
        group.fix?.kind === 'flatpak_install' &&
        (job.input['app_id'] === undefined || group.fix.payload['app_id'] === job.input['app_id'])
      );
      for (const group of cured) await this.#again(group.key).catch(this.#ctx.fail);
    }
  }

  #drawJobs() {
    const kinds = [TYPE, 'emulator.install'];
    this.#jobs.show(this.#ctx.jobs.list.filter((job) => kinds.includes(job.type) && isActive(job)),
      () => 'jobs.active');
  }

  #draw() {
    const { t } = this.#ctx;
    const report = this.#report;
    if (!report) return;
    if (!report.scanned) {
      patch(this.#body, emptyBox(this.#ctx, 'playing', 'audit.none', this.#scanButton('primary large')),
        this.#deepChoice());
      return;
    }
    const groups = report.groups ?? [];
    const needed = groups.filter((group) => !GAPS.includes(group.code) && group.severity !== 'info');
    const gaps = groups.filter((group) => !needed.includes(group));
    patch(this.#body, this.#figures(report), report.stale
      ? h('div', { class: 'callout', role: 'note' }, icon('missing'), h('span', null, t('audit.stale')))
      : null, needed.length === 0
      ? emptyBox(this.#ctx, 'check', 'audit.fine')
      : h('ul', { class: 'causes' }, needed.map((group) => this.#cause(group))), gaps.length > 0
      ? h('details', { class: 'fold gaps' },
        h('summary', { 'data-focus': 'gaps' }, icon('chevron'), t('audit.gaps'),
          h('span', { class: 'number' }, this.#ctx.format.number(gaps.length))),
        h('ul', { class: 'causes' }, gaps.map((group) => this.#cause(group))))
      : null);
  }

  /** @param {string} style */
  #scanButton(style) {
    const { t } = this.#ctx;
    return busyButton(this.#ctx, { label: t(this.#report?.scanned ? 'audit.again' : 'audit.start'), symbol: 'refresh',
      style, focus: 'scan', run: () => this.#scan() });
  }

  #deepChoice() {
    return h('label', { class: 'check deep' },
      h('input', { type: 'checkbox', id: 'audit-deep', checked: this.#isDeep, on: { change: (event) => {
        this.#isDeep = isTicked(event);
      } } }), this.#ctx.t('audit.deep'));
  }

  /** @param {Api.Audit} report */
  #figures(report) {
    const { t, format } = this.#ctx;
    const { totals = { ready: 0, warning: 0, blocked: 0 } } = report;
    const figure = (/** @type {string} */ key, /** @type {number} */ value, bad = false) =>
      h('div', { class: bad && value > 0 ? 'bad' : '' }, h('dt', null, t(key)), h('dd', null, format.number(value)));
    return [
      h('div', { class: 'panel-head' },
        h('p', { class: 'about' }, t('audit.when', { time: format.ago(report.computed_at ?? '', new Date()) })),
        h('div', { class: 'scan-acts' }, this.#deepChoice(), this.#scanButton(report.stale ? 'primary' : ''))),
      h('dl', { class: 'figures' }, figure('audit.blocked', totals.blocked, true),
        figure('audit.warning', totals.warning), figure('audit.ready', totals.ready)),
    ];
  }

  /** @param {Api.AuditGroup} group */
  #cause(group) {
    const { t, tn } = this.#ctx;
    const { key, severity, count } = group;
    const page = this.#open.get(key);
    const words = this.#words(group);
    const id = `cause-${[...key].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, 7) >>> 0}`;
    return h('li', { class: `cause ${severity === 'error' ? 'bad' : 'warn'}`, 'data-cause': group.code,
      'data-key': key }, h('div', { class: 'symbol' }, icon('missing')),
      h('div', { class: 'what' }, h('h3', { id }, words),
        h('p', { class: 'line', title: group.code }, tn('library.count', count))),
      h('div', { class: 'acts' }, this.#fix(group, words), h('button', {
        class: 'button',
        type: 'button',
        'data-focus': `games:${key}`,
        'aria-expanded': String(page !== undefined),
        'aria-label': `${t('audit.games')}: ${words}`,
        on: { click: () => void this.#toggle(key).catch(this.#ctx.fail) },
      }, t('audit.games'), icon('chevron', 'icon-s')),
        h('button', { class: 'icon-button', type: 'button', 'data-focus': `again:${key}`,
          'aria-label': `${t('audit.group.again')}: ${words}`, title: t('audit.group.again'),
          on: { click: () => void this.#again(key).catch(this.#ctx.fail) } }, icon('refresh'))),
      page ? this.#games(key, page) : null);
  }

  /** @param {Api.AuditGroup} group */
  #words(group) {
    const name = group.subject.includes('.') ? emulatorName(group.subject, this.#definitions) : group.subject;
    return causeText(this.#ctx, group, name);
  }

  /**
   * @param {Api.AuditGroup} group
   * @param {string} words
   */
  #fix(group, words) {
    const { t } = this.#ctx;
    const options = { definitions: this.#definitions, games: () => this.#members(group.key),
      done: () => this.#again(group.key), focus: `fix:${group.key}`, style: 'primary', about: words };
    // The places of the games differ, so the group names none; the first game knows where its firmware belongs.
    if (group.fix?.kind === 'reveal_bios_path' && !group.fix.payload['path'] && group.subject)
      return busyButton(this.#ctx, { label: t('reveal.action'), symbol: 'folder', style: 'primary',
        focus: options.focus, about: words, run: () => this.#reveal(group) });
    return fixButton(this.#ctx, group.fix, options);
  }

  /** @param {Api.AuditGroup} group */
  async #reveal(group) {
    const { client, announce, t } = this.#ctx;
    const [first] = (await this.#page(group.key, 0, 1)).games;
    if (!first) return;
    const { checks } = await client.post('/api/v2/launch/preflight', { game_id: first.game_id });
    const path = checks.find((check) => check.code === group.code)?.fix_action?.payload['path'];
    if (typeof path !== 'string') {
      await this.#again(group.key);
      return;
    }
    const { folder } = await client.post('/api/v2/launch/reveal', { path });
    announce(t('reveal.told', { folder }));
  }

  /**
   * @param {string} key
   * @param {{games: {game_id: string, name: string}[], total: number}} page
   */
  #games(key, { games, total }) {
    const { t, actions } = this.#ctx;
    const edit = async (/** @type {string} */ id) => {
      await actions.edit(id, 'launch');
      await this.#again(key);
    };
    return h('div', { class: 'more' },
      h('ul', { class: 'rows' },
        games.map((game) =>
          h('li', null, h('a', { class: 'grow', href: `#/game/${encodeURIComponent(game.game_id)}` }, game.name),
            h('button', { class: 'button quiet', type: 'button', 'data-focus': `edit:${key}:${game.game_id}`,
              'aria-label': `${t('action.edit')}: ${game.name}`, on: { click: () =>
                void edit(game.game_id).catch(this.#ctx.fail) } }, icon('edit', 'icon-s'), t('action.edit')))
        )), games.length < total
      ? h('button', { class: 'button', type: 'button', 'data-focus': `more:${key}`,
        on: { click: () => void this.#more(key).catch(this.#ctx.fail) } }, t('action.showMore'))
      : null);
  }

  /** @param {string} key */
  async #toggle(key) {
    if (this.#open.has(key)) this.#open.delete(key);
    else {
      const page = await this.#page(key, 0, PAGE);
      if (this.#open.has(key)) return;
      this.#open.set(key, page);
    }
    this.#draw();
  }

  /** @param {string} key */
  async #more(key) {
    const shown = this.#open.get(key);
    if (!shown) return;
    const next = await this.#page(key, shown.games.length, PAGE);
    // Pressed twice, or read again meanwhile: what was asked for does not follow what is shown any more.
    if (this.#open.get(key) !== shown) return;
    this.#open.set(key, { games: [...shown.games, ...next.games], total: next.total });
    this.#draw();
  }

  /**
   * Looks again at the games of one cause. When games came or went since the check, all must be looked at.
   *
   * @param {string} key
   */
  async #again(key) {
    const { client, t, toasts } = this.#ctx;
    try {
      await client.post('/api/v2/launch/audit/refresh', { group: key });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 400) throw error;
      toasts.show({ text: error.message, actions: [{ label: t('audit.again'), run: () =>
        void this.#scan().catch(this.#ctx.fail) }] });
    }
    await this.#load();
  }

  async #scan() {
    await this.#ctx.client.post('/api/v2/launch/audit/scan', { deep: this.#isDeep });
    await this.#ctx.jobs.refresh();
  }
}
