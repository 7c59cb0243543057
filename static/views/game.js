/**
 * The page of one game: hero with artwork, the main button and what the player says about it, and tabs with everything
 * else. The address names the tab (`#/game/ID?tab=notes`).
 */

import { aboutPanel } from '../parts/game/about.js';
import { art } from '../parts/art.js';
import { favoriteButton, gameName, missingNotice, moreButton, playButton, playStats, progressPicker, stopButton,
  tint } from '../parts/library/details.js';
import { documentsPanel, readExtras, versionsPanel } from '../parts/game/extras.js';
import { fixButton } from '../parts/fixes.js';
import { countMedia, galleryPanel } from '../parts/game/gallery.js';
import { sessionsPanel } from '../parts/game/sessions.js';
import { addPictures, dropPictures } from '../parts/game/picture-add.js';
import { picturesOf, receivePictures } from '../parts/picture-drop.js';
import { momentsPanel } from '../parts/keepsakes/moments.js';
import { notesPanel, readNotes } from '../parts/game/notes.js';
import { resumeButtons, resumeNotice } from '../parts/game/resume.js';
import { relatedPanel } from '../parts/game/related.js';
import { savesPanel } from '../parts/game/saves.js';
import { starRating } from '../parts/stars.js';
import { showFailure } from '../parts/state-box.js';
import { makeTabs } from '../parts/tabs.js';
import { causeText, emulatorName, GAPS } from '../data/causes.js';
import { coalesce } from '../core/coalesce.js';
import { fill, h, icon, patch } from '../core/dom.js';
import { isFocusFree } from '../core/focus.js';
import { FLAG, isMissing, makeRow } from '../data/game.js';

/** The tabs: their words and what makes their panel. */
const TABS = Object.freeze(
  /** @type {Record<string, {label: string, make: (ctx: App.Context, id: string) => App.GamePanel}>} */ ({
    about: { label: 'game.tab.about', make: aboutPanel },
    media: { label: 'game.tab.media', make: galleryPanel },
    sessions: { label: 'game.tab.sessions', make: sessionsPanel },
    moments: { label: 'game.tab.moments', make: momentsPanel },
    saves: { label: 'game.tab.saves', make: savesPanel },
    notes: { label: 'game.tab.notes', make: notesPanel },
    documents: { label: 'game.tab.documents', make: documentsPanel },
    versions: { label: 'game.tab.versions', make: versionsPanel },
    related: { label: 'game.tab.related', make: relatedPanel },
  }),
);

const FIRST_TAB = 'about';

/** What it shows is told of all games, so the family view has no such tab. */
const NOT_FOR_FAMILIES = 'sessions';

/** What it shows is not for visitors. */
const NOT_FOR_VISITORS = 'saves';

/** @implements {App.View} */
export class GameView {
  #ctx;
  #id;
  #life = new AbortController();
  #root = h('article', { class: 'game-page scroll', tabindex: -1 });
  #hero = h('header', { class: 'hero' });
  /** Stands in for the tabs until the record is here. */
  #wait = h('div', { class: 'wait' });
  #tabs;
  #tabBar;
  #tab;
  /** @type {Map<string, App.GamePanel>} */
  #panels = new Map();
  /** @type {Api.Game | null} */
  #record = null;
  /** What is in the way of a launch, the worst first. */
  /** @type {Api.Check | null} */
  #trouble = null;
  /** Whether the library does not have it. */
  #isGone = false;
  /** @type {readonly Api.Definition[]} */
  #definitions = [];

  #load = coalesce(() => this.#read());

  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   * @param {App.Route} route
   */
  constructor(ctx, root, route) {
    this.#ctx = ctx;
    this.#id = route.arg;
    this.#tab = tabOf(ctx, route);
    this.#tabs = makeTabs({
      label: ctx.t('game.tabs'),
      items: tabsFor(ctx).map(([key, { label }]) => ({ key, label: ctx.t(label) })),
      shown: this.#tab,
      onChoose: (key) =>
        ctx.router.replace(`/game/${encodeURIComponent(this.#id)}`, { tab: key === FIRST_TAB ? '' : key }),
    });
    this.#tabBar = h('div', { class: 'tab-bar' }, this.#tabs.list);
    root.append(this.#root);
    const { bus, keys, actions } = ctx;
    const { signal } = this.#life;
    bus.on('game', ({ ids }) => {
      if (ids.includes(this.#id)) void this.#load();
    }, signal);
    bus.on('removed', ({ id }) => {
      if (id === this.#id) this.#back();
    }, signal);
    bus.on('catalog:gone', ({ ids }) => {
      if (ids.includes(this.#id)) this.#drawGone();
    }, signal);
    for (const name of /** @type {const} */ (['sessions', 'catalog:expected']))
      bus.on(name, () => {
        const row = ctx.catalog.find(this.#id);
        if (row && !this.#isGone) this.#drawHero(row);
      }, signal);
    bus.on('resume', ({ id }) => {
      if (id === this.#id) this.#draw();
    }, signal);
    bus.on('session:event', ({ kind }) => {
      if (kind === 'stopped') void this.#load();
    }, signal);
    bus.on('job:ended', ({ type }) => {
      if (type === 'emulator.install') void this.#load();
    }, signal);
    keys.add([
      { key: 'P', group: 'game', label: 'keys.launch', run: () => {
        void actions.launch(this.#id);
        return true;
      } },
      { key: 'F', group: 'game', label: 'keys.favorite', action: 'favorite', run: () => {
        void actions.toggleFavorite(this.#id);
        return true;
      } },
      { key: 'F3', group: 'game', label: 'keys.edit', run: () => {
        void actions.edit(this.#id);
        return true;
      } },
      { key: 'Delete', group: 'game', label: 'keys.remove', run: () => {
        void actions.remove(this.#id);
        return true;
      } },
      { key: '0…5', group: 'game', label: 'keys.stars' },
      { key: 'Ctrl+Enter', group: 'game', label: 'keys.addNote' },
      { key: 'Escape', group: 'view', label: 'keys.back', run: () => {
        this.#back();
        return true;
      } },
    ], signal);
    receivePictures(this.#hero, '.lead .art', (files) => void dropPictures(ctx, this.#id, files).catch(ctx.fail),
      signal);
    document.addEventListener('paste', (event) => this.#paste(event), { signal });
    this.#draw();
    void this.#load();
  }

  /**
   * Pictures of the clipboard are for the game, unless a dialog is open.
   *
   * @param {ClipboardEvent} event
   */
  #paste(event) {
    const files = picturesOf(event.clipboardData);
    if (files.length === 0 || document.querySelector('dialog[open]')) return;
    event.preventDefault();
    void addPictures(this.#ctx, this.#id, files).catch(this.#ctx.fail);
  }

  /** @param {App.Route} route */
  update(route) {
    const tab = tabOf(this.#ctx, route);
    if (tab === this.#tab) return;
    this.#tab = tab;
    this.#tabs.show(tab);
    if (this.#record) this.#drawTabs(this.#record);
  }

  unmount() {
    this.#life.abort();
    this.#root.remove();
  }

  async #read() {
    try {
      // A game that the page does not know may not be there at all.
      const early = this.#ctx.catalog.find(this.#id) ? this.#readResume() : null;
      const [record] = await this.#ctx.catalog.refresh([this.#id]);
      if (this.#life.signal.aborted) return;
      if (!record) {
        this.#drawGone();
        return;
      }
      this.#isGone = false;
      // The tabs wait for what can be gone on with: its button would move them.
      if (!this.#record) this.#draw();
      if (!this.#ctx.catalog.find(this.#id)) this.#drawSoon();
      await (early ?? this.#readResume());
      if (this.#life.signal.aborted || this.#isGone) return;
      this.#record = record;
      this.#draw();
      await this.#examine();
    } catch (error) {
      if (!this.#life.signal.aborted)
        showFailure(this.#ctx, this.#root, error, () => void this.#load(), this.#record !== null);
    }
  }

  /** Games without a file have nothing to go on with. */
  async #readResume() {
    const row = this.#ctx.catalog.find(this.#id);
    if (!row || !(isMissing(row) || row.flags & FLAG.shelf)) await this.#ctx.resumes.read(this.#id);
  }

  /**
   * Looks whether the game would start, and at what would cure it if not. Games without a file of their own are not
   * looked at.
   */
  async #examine() {
    const { client } = this.#ctx;
    const row = this.#record ? makeRow(this.#record) : null;
    // Nobody could cure it while the kiosk is locked.
    if (!row || isMissing(row) || row.flags & FLAG.shelf || this.#ctx.kiosk.isLocked) {
      this.#trouble = null;
      return;
    }
    try {
      const { checks } = await client.post('/api/v2/launch/preflight', { game_id: this.#id });
      const trouble = checks.find((check) => check.severity === 'error') ?? checks.find((check) =>
        check.severity === 'warning' && !GAPS.includes(check.code)
      ) ?? null;
      if (trouble && this.#definitions.length === 0)
        this.#definitions = (await client.get('/api/emulators/definitions', { pack: 'all' })).definitions;
      if (this.#life.signal.aborted) return;
      const isNews = JSON.stringify(trouble) !== JSON.stringify(this.#trouble);
      this.#trouble = trouble;
      if (isNews) this.#draw();
    } catch (error) {
      this.#ctx.fail(error);
    }
  }

  #draw() {
    const row = this.#ctx.catalog.find(this.#id);
    if (!row) return;
    document.title = `${row.name} – Service Launcher`;
    if (!this.#root.contains(this.#hero)) fill(this.#root, this.#hero, this.#wait);
    this.#drawHero(row);
    if (this.#record) this.#drawTabs(this.#record);
    if (isFocusFree())
      /** @type {HTMLElement | null} */ (this.#hero.querySelector('.play, .favorite'))?.focus({
        preventScroll: true,
      });
  }

  /** The record is here before its row: the worker answers in a moment. */
  #drawSoon() {
    this.#ctx.bus.on('catalog:rows', ({ ids }) => {
      if (ids.includes(this.#id) && this.#root.childElementCount === 0) this.#draw();
    }, this.#life.signal);
  }

  /** @param {App.Row} row */
  #drawHero(row) {
    const { t, catalog, client, actions } = this.#ctx;
    const source = row.flags & FLAG.background ? client.media(row.id, 'background', catalog.epoch) : '';
    const backdrop = source
      ? h('img', { class: 'backdrop', alt: '', src: source, 'data-key': source, 'data-game': row.id,
        on: { load: ({ currentTarget }) => /** @type {Element} */ (currentTarget).classList.add('shown') } })
      : null;
    const edit = h('button', {
      class: 'icon-button filled tall',
      type: 'button',
      'data-focus': 'edit',
      'aria-label': t('action.edit'),
      title: t('action.edit'),
      on: { click: () => void actions.edit(row.id) },
    }, icon('edit'));
    // The lead is drawn anew when the record or what keeps the game from starting is known: its size changes then.
    patch(this.#hero, backdrop,
      h('div', { class: 'bar' },
        h('button', { class: 'icon-button menu-button', type: 'button', 'data-focus': 'menu',
          'aria-label': t('sidebar.open'), on: { click: () => this.#ctx.bus.emit('sidebar', { open: true }) } },
          icon('menu')),
        h('button', { class: 'button quiet', type: 'button', 'data-focus': 'back', on: { click: () => this.#back() } },
          icon('back', 'icon-s'), t('action.back'))),
      h('div', { class: row.flags & FLAG.clear_logo ? 'lead signed' : 'lead', 'data-key': this.#leadKey() },
        art(this.#ctx, row, { width: 232, follows: true, onHue: (hue) => tint(this.#root, hue) }),
        h('div', null, gameName('h1', row.name),
          h('p', { class: 'line' },
            [row.platform || t('platform.none'), row.year, row.genre].filter(Boolean).join(' · ')),
          h('div', { class: 'acts' }, h('span', { class: 'play-acts' }, this.#playActs(row)),
            favoriteButton(this.#ctx, row), edit, moreButton(this.#ctx, row)),
          isMissing(row) ? missingNotice(this.#ctx, row.id) : [this.#notice(), resumeNotice(this.#ctx, row)],
          h('div', { class: 'told', 'data-key': 'told' },
            playStats(this.#ctx, row, this.#ctx.kiosk.isLocked ? undefined : () => void actions.playtime(row.id)),
            progressPicker(this.#ctx, row), this.#record
            ? h('div', { class: 'field owner-only' },
              h('span', { class: 'label', 'aria-hidden': 'true' }, t('stars.label')),
              starRating(this.#ctx, actions.pending(row.id, 'user_rating', Number(this.#record['user_rating']) || 0),
                (stars) => void actions.setStars(row.id, stars)))
            : null)), this.#logo(row)));
  }

  /**
   * The drawn name, beside the written one where the page has the room.
   *
   * @param {App.Row} row
   */
  #logo(row) {
    const { client, catalog } = this.#ctx;
    if (!(row.flags & FLAG.clear_logo)) return null;
    const source = client.media(row.id, 'clear_logo', catalog.epoch);
    return h('img', { class: 'logo', alt: '', src: source, 'data-key': source,
      on: { load: ({ currentTarget }) => /** @type {Element} */ (currentTarget).classList.add('shown') } });
  }

  /** What the size of the lead follows from. */
  #leadKey() {
    const { resumes, sessions } = this.#ctx;
    return ['lead', this.#record ? 'whole' : '', this.#trouble?.code ?? '',
      sessions.of(this.#id) ? '' : resumes.of(this.#id).state].join(':');
  }

  /** @param {App.Row} row */
  #playActs(row) {
    const trouble = this.#trouble;
    const { t, actions, preferences, sessions } = this.#ctx;
    const fix = trouble?.severity === 'error' && preferences.namesCures && !sessions.of(row.id)
      ? this.#fix(trouble, 'primary large play', 'play')
      : null;
    if (!fix) return resumeButtons(this.#ctx, row) ?? [playButton(this.#ctx, row), stopButton(this.#ctx, row)];
    return [fix,
      h('button', { class: 'button large quiet', type: 'button', 'data-focus': 'anyway',
        on: { click: () => void actions.launch(row.id) } }, icon('play', 'icon-s'), t('play.anyway'))];
  }

  /**
   * @param {Api.Check} trouble
   * @param {string} style
   * @param {string} focus
   */
  #fix(trouble, style, focus) {
    return fixButton(this.#ctx, trouble.fix_action, { definitions: this.#definitions, games: async () => [this.#id],
      done: () => this.#load(), focus, style });
  }

  /** What is in the way, in words; for a warning with its cure beside it. */
  #notice() {
    const trouble = this.#trouble;
    if (!trouble) return null;
    const { payload = {} } = trouble.fix_action ?? {};
    const app = typeof payload['app_id'] === 'string' ? emulatorName(payload['app_id'], this.#definitions) : '';
    const subject = app || String(payload['core'] ?? payload['extension'] ?? payload['name'] ?? '');
    return h('div', { class: 'callout', role: 'note' }, icon('plug'),
      h('span', null, causeText(this.#ctx, trouble, subject)),
      trouble.severity === 'error' && this.#ctx.preferences.namesCures ? null : this.#fix(trouble, '', 'trouble'));
  }

  /**
   * Tabs come with their counts and with the whole lead above them: those would move them.
   *
   * @param {Api.Game} record
   */
  #drawTabs(record) {
    const { format } = this.#ctx;
    const count = (/** @type {string} */ key, /** @type {number} */ number) =>
      this.#tabs.count(key, number, format.number(number));
    count('media', countMedia(record));
    count('moments', Array.isArray(record['moments']) ? record['moments'].length : 0);
    count('notes', readNotes(record).length);
    count('documents', readExtras(record, 'documents').length);
    count('versions', readExtras(record, 'versions').length + readExtras(record, 'applications').length);
    let panel = this.#panels.get(this.#tab);
    if (!panel) {
      panel = (TABS[this.#tab] ?? { make: aboutPanel }).make(this.#ctx, this.#id);
      this.#panels.set(this.#tab, panel);
    }
    panel.update(record);
    if (this.#tabs.panel.firstElementChild !== panel.element) fill(this.#tabs.panel, panel.element);
    if (this.#wait.isConnected) this.#wait.replaceWith(this.#tabBar, this.#tabs.panel);
  }

  /** Also while it is looked at: it may be removed on another device. */
  #drawGone() {
    const { t, announce } = this.#ctx;
    if (this.#isGone) return;
    this.#isGone = true;
    this.#record = null;
    this.#trouble = null;
    document.title = `${t('game.gone.title')} – Service Launcher`;
    const isMine = isFocusFree() || this.#root.contains(document.activeElement);
    fill(this.#root,
      h('div', { class: 'empty whole' }, h('div', { class: 'glyph' }, icon('missing')),
        h('h1', null, t('game.gone.title')), h('p', null, t('game.gone.text')),
        h('div', { class: 'acts' }, h('a', { class: 'button primary', href: '#/' }, t('game.gone.action')),
          h('a', { class: 'button owner-only', href: '#/history/trash' }, t('game.gone.trash')))));
    announce(t('game.gone.title'));
    if (isMine)
      /** @type {HTMLElement | null} */ (this.#root.querySelector('.acts a'))?.focus({ preventScroll: true });
  }

  #back() {
    if (this.#ctx.hasHistory()) history.back();
    else this.#ctx.router.go('/');
  }
}

/** The tabs that this page may show. @param {App.Context} ctx */
function tabsFor({ kiosk }) {
  return Object.entries(TABS).filter(([key]) =>
    (!kiosk.isFamily || key !== NOT_FOR_FAMILIES) && (!kiosk.isLocked || key !== NOT_FOR_VISITORS)
  );
}

/**
 * @param {App.Context} ctx
 * @param {App.Route} route
 * @returns {string}
 */
function tabOf(ctx, route) {
  const tab = route.query['tab'] ?? FIRST_TAB;
  return tabsFor(ctx).some(([key]) => key === tab) ? tab : FIRST_TAB;
}
