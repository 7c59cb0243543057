/**
 * The big screen: games for people who sit back. Artwork first, large type, everything within reach of a controller, of
 * arrow keys and of a finger. The address holds what is shown, so that every shelf can be linked; the layout comes from
 * the settings.
 */

import { openBigDetails } from '../parts/big/details.js';
import { openBigDialog, steerByKeys } from '../parts/big/dialog.js';
import { bigFeedback } from '../parts/big/feedback.js';
import { BigFlow } from '../parts/big/flow.js';
import { BigGrid } from '../parts/big/grid.js';
import { BigHero } from '../parts/big/hero.js';
import { BigIdle } from '../parts/big/idle.js';
import { openBigMenu } from '../parts/big/menu.js';
import { openBigParty } from '../parts/big/party.js';
import { bigRail } from '../parts/big/rail.js';
import { openSession } from '../parts/big/session.js';
import { bigMusic, showStartupVideo } from '../parts/big/sound.js';
import { bigStatus } from '../parts/big/status.js';
import { openBigSystems } from '../parts/big/systems.js';
import { openPick } from '../parts/insights/pick.js';
import { hintLine } from '../parts/controller/hints.js';
import { openKeyboard } from '../parts/controller/osk.js';
import { byId, fill, h, icon } from '../core/dom.js';
import { filtersOf, searchFor } from '../data/filters.js';
import { isFocusFree } from '../core/focus.js';
import { isMissing } from '../data/game.js';
import { letterOf, sortKey } from '../data/ordering.js';

/** How far a page button goes. */
const PAGE = 10;

/** The orders the menu offers; `name` is the first. */
const SORTS = Object.freeze(['name', 'rating', 'last_played', 'recent_activity', 'playtime_seconds', 'random']);

/** The game each address was left at. Lives as long as the page. */
/** @type {Map<string, string>} */
const places = new Map();

/** Whether the server knows that the big screen is on. */
let isEntered = false;

/** @implements {App.View} */
export class BigView {
  #ctx;
  #life = new AbortController();
  /** @type {HTMLElement} */
  #root;
  #hero;
  #rail;
  #idle;
  #title = h('h1', null);
  /** Which game of how many; the list itself tells it to a screen reader. */
  #at = h('span', { class: 'at', 'aria-hidden': 'true' });
  #count = h('span', { class: 'count' });
  #scope = h('div', { class: 'big-scope', role: 'status' }, this.#title, this.#at, this.#count);
  #place = h('div', { class: 'big-shelf' });
  /** @type {App.Shelf | null} */
  #shelf = null;
  #layout = '';
  /** @type {App.Route} */
  #route;
  #key = '';
  /** @type {Uint32Array} */
  #order = new Uint32Array(0);
  #hasAnswer = false;
  /** A game that was asked to start and has not begun. */
  #starting = '';
  /** @type {App.DialogHandle | null} */
  #session = null;

  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   * @param {App.Route} route
   */
  constructor(ctx, root, route) {
    this.#ctx = ctx;
    this.#route = route;
    const { signal } = this.#life;
    document.title = `${ctx.t('place.big')} – Service Launcher`;
    document.documentElement.classList.add('is-big');
    byId('app').classList.add('big-on');
    const music = bigMusic(ctx, signal);
    bigFeedback(ctx, () => this.#shelf?.activeId ?? '', signal);
    this.#hero = new BigHero(ctx, {
      onPlay: (id) => void this.#play(id),
      onAnew: (id) => void this.#play(id, true),
      onDetails: (id) => this.#details(id),
      onSession: () => this.#openSession(),
      onVideo: music.duck,
      onHue: (hue) => this.#tint(hue),
    }, signal);
    this.#rail = bigRail(ctx, { query: () => this.#query(), onChoose: (change) => this.#choose(change) }, signal);
    const status = bigStatus(ctx, { onSession: (id) => this.#openSession(id), onSearch: () => void this.#search(),
      onMenu: () => this.#menu() }, signal);
    this.#root = h('div', { class: 'big is-waiting' }, this.#hero.back,
      h('header', { class: 'big-top' }, this.#scope, status), this.#rail.element, this.#hero.info, this.#place,
      h('footer', { class: 'big-foot' }, hintLine(ctx, null, signal, () => this.#root.classList.contains('is-empty'))));
    root.append(this.#root);
    this.#bindKeys(signal);
    this.#listen(signal);
    this.#idle = new BigIdle(ctx, { pick: () => this.#pick(), onPlay: (id) => void this.#play(id),
      onShow: (id) => this.#goToGame(id) });
    this.#follow();
    this.update(route);
    this.#enter();
    void showStartupVideo(ctx, music.duck).then(() => {
      if (isFocusFree()) this.#shelf?.focus();
    });
  }

  /** @param {App.Route} route */
  update(route) {
    this.#remember();
    this.#route = route;
    const key = JSON.stringify({ ...this.#query() });
    if (key === this.#key && this.#hasAnswer) return;
    this.#key = key;
    this.#ask();
    this.#rail.draw();
  }

  unmount() {
    this.#remember();
    this.#idle.close();
    this.#session?.close('');
    this.#life.abort();
    this.#shelf?.close();
    this.#root.remove();
    document.documentElement.classList.remove('is-big', 'mood');
    document.documentElement.style.removeProperty('--h');
    byId('app').classList.remove('big-on');
    // Another language makes the screen anew; only going elsewhere leaves it.
    if (this.#ctx.router.current.name !== 'big') this.#leave();
  }

  /** @param {AbortSignal} signal */
  #listen(signal) {
    const { bus } = this.#ctx;
    bus.on('catalog:order', ({ order, isWhole }) => this.#show(order, isWhole), signal);
    bus.on('catalog:rows', () => this.#shelf?.refresh(), signal);
    bus.on('catalog:facets', () => this.#drawScope(), signal);
    bus.on('lists', () => {
      if (this.#query().preset) this.#ask();
    }, signal);
    bus.on('settings', () => this.#follow(), signal);
    bus.on('sessions', () => this.#followSessions(), signal);
    addEventListener('pagehide', () => this.#leave(true), { signal });
  }

  /** @param {AbortSignal} signal */
  #bindKeys(signal) {
    const { keys, actions } = this.#ctx;
    const inShelf = () => Boolean(this.#shelf?.element.contains(document.activeElement));
    const onGame = (/** @type {(id: string) => void} */ act) => () => {
      const id = this.#shelf?.activeId;
      if (!id) return false;
      act(id);
      return true;
    };
    const inGame = (/** @type {(id: string) => void} */ act) => () => (inShelf() ? onGame(act)() : false);
    const move =
      (/** @type {App.Direction} */ direction) =>
      () => (inShelf() && this.#shelf ? this.#shelf.move(direction) : false);
    const page = (/** @type {number} */ step) => () => {
      this.#shelf?.jump(step);
      this.#shelf?.focus();
      return true;
    };
    const letter = (/** @type {1 | -1} */ step) => () => this.#turnLetter(step);
    steerByKeys(this.#ctx, null, signal);
    keys.add([
      { key: 'ArrowLeft', group: 'big', label: 'keys.arrows', action: 'left', run: move('left') },
      { key: 'ArrowRight', group: 'big', label: 'keys.arrows', action: 'right', run: move('right') },
      { key: 'ArrowUp', group: 'big', label: 'keys.arrows', action: 'up', run: move('up') },
      { key: 'ArrowDown', group: 'big', label: 'keys.arrows', action: 'down', run: move('down') },
      { key: 'Enter', group: 'big', label: 'big.start', action: 'play', run: inGame((id) => void this.#play(id)) },
      { key: 'Escape', group: 'big', label: 'keys.back', action: 'back', run: () => this.#back() },
      { key: 'Backspace', group: 'big', label: 'keys.back', run: () => this.#back() },
      { key: 'I', group: 'big', label: 'keys.details', action: 'details', run: onGame((id) => this.#details(id)) },
      { key: 'Space', group: 'big', label: 'keys.details', run: inGame((id) => this.#details(id)) },
      { key: 'F', group: 'big', label: 'keys.favorite', action: 'favorite',
        run: onGame((id) => void actions.toggleFavorite(id)) },
      { key: 'R', group: 'big', label: 'keys.random', action: 'random', run: () => this.#random() },
      { key: 'PageUp', group: 'big', label: 'big.pages', action: 'page_left', run: page(-PAGE) },
      { key: 'PageDown', group: 'big', label: 'big.pages', action: 'page_right', run: page(PAGE) },
      { key: '[', group: 'big', label: 'big.letters', action: 'first', run: letter(-1) },
      { key: ']', group: 'big', label: 'big.letters', action: 'last', run: letter(1) },
      { key: 'Home', group: 'big', label: 'keys.home', run: () => {
        this.#shelf?.goTo(0);
        return true;
      } },
      { key: 'End', group: 'big', label: 'keys.end', run: () => {
        this.#shelf?.goTo(Math.max(0, this.#shelf.count - 1));
        return true;
      } },
      { key: 'P', group: 'big', label: 'keys.running', action: 'pause', run: () => this.#openSession() },
      { key: 'M', group: 'big', label: 'big.menu', action: 'menu', run: () => {
        this.#menu();
        return true;
      } },
      { key: 'Ctrl+F', group: 'big', label: 'keys.search', run: () => {
        void this.#search();
        return true;
      } },
      { key: '/', group: 'big', label: 'keys.search', run: () => {
        void this.#search();
        return true;
      } },
    ], signal);
  }

  /** @returns {App.BigQuery} */
  #query() {
    const { query } = this.#route;
    const sort = query['sort'] ?? '';
    return {
      view: query['view'] ?? 'all',
      platform: query['platform'] === undefined ? null : query['platform'] === '-' ? '' : query['platform'],
      playlist: query['playlist'] ?? '',
      preset: query['preset'] ?? '',
      text: query['q'] ?? '',
      sort: SORTS.includes(sort) ? sort : 'name',
      achievements: query['achievements'] === 'yes' || query['achievements'] === 'no' ? query['achievements'] : '',
    };
  }

  /** @param {Partial<App.BigQuery>} change */
  #choose(change) {
    const { view, platform, playlist, preset, text, sort, achievements } = { ...this.#query(), ...change };
    this.#ctx.router.replace('/big', {
      view: view === 'all' ? '' : view,
      platform: platform === null ? undefined : platform || '-',
      playlist,
      preset,
      q: text,
      sort: sort === 'name' ? '' : sort,
      achievements,
    });
  }

  #ask() {
    const { view, platform, playlist, preset, text, sort, achievements } = this.#query();
    const rules = preset ? filtersOf(this.#ctx.lists.presets.find(({ name }) => name === preset)?.rules ?? {}) : null;
    const phrase = rules?.phrase ? searchFor(rules.phrase) : '';
    this.#hasAnswer = false;
    this.#ctx.catalog.query({
      text: [phrase, text].filter(Boolean).join(' '),
      view: rules ? rules.view : view,
      playlist,
      collection: '',
      sort,
      reversed: false,
      group: '',
      counts: false,
      isBig: true,
      filters: { ...rules?.filters, ...(platform === null ? {} : { platform: [platform] }),
        ...(achievements ? { achievements: [achievements] } : {}) },
    });
  }

  /**
   * @param {Uint32Array} order
   * @param {boolean} isWhole whether every game was looked at; until then an empty answer says nothing
   */
  #show(order, isWhole) {
    if (order.length === 0 && !isWhole) return;
    const isFirst = !this.#hasAnswer;
    this.#hasAnswer = true;
    this.#order = order;
    this.#drawScope();
    this.#root.classList.remove('is-waiting');
    if (order.length === 0) {
      this.#showEmpty();
      return;
    }
    const shelf = this.#makeShelf();
    if (!shelf.element.isConnected) fill(this.#place, shelf.element);
    const keep = isFirst ? (places.get(this.#key) ?? '') : shelf.activeId;
    shelf.show(order, keep);
    this.#root.classList.remove('is-empty');
    if (isFocusFree()) shelf.focus();
  }

  #showEmpty() {
    const { t, catalog } = this.#ctx;
    this.#hero.show('');
    this.#at.textContent = '';
    this.#root.classList.add('is-empty');
    const query = this.#query();
    const isBare = catalog.facets.total === 0;
    const isSearch = query.text !== '';
    const key = isBare ? 'empty.library' : isSearch ? 'empty.search' : 'empty.view.all';
    const act = h('button', { class: 'button large primary', type: 'button', on: {
      click: () => (isBare
        ? this.#go('/')
        : this.#choose({ view: 'all', platform: null, playlist: '', preset: '', text: '', achievements: '' })),
    } }, t(isBare ? 'big.leave' : 'empty.showAll'));
    fill(this.#place,
      h('div', { class: 'empty' }, h('div', { class: 'glyph' }, icon(isSearch ? 'search' : 'all')),
        h('h2', null, t(`${key}.title`)), h('p', null, t(`${key}.text`, { query: query.text })),
        h('div', { class: 'acts' }, act)));
    if (isFocusFree() || this.#root.contains(document.activeElement)) act.focus();
  }

  #drawScope() {
    const { t, tn } = this.#ctx;
    const { view, platform, playlist, preset, text } = this.#query();
    const name = preset || playlist || (platform === null ? t(`view.${view}`) : platform || t('platform.none'));
    this.#title.textContent = text ? t('big.found', { name, query: text }) : name;
    this.#count.textContent = this.#hasAnswer ? tn('library.count', this.#order.length) : '';
  }

  /** @returns {App.Shelf} the shelf of the layout that the settings ask for */
  #makeShelf() {
    const { layout } = this.#ctx.preferences.big;
    if (this.#shelf && this.#layout === layout) return this.#shelf;
    this.#shelf?.close();
    this.#layout = layout;
    this.#root.dataset['layout'] = layout;
    const events = { onActive: (/** @type {string} */ id) => this.#onActive(id),
      onPlay: (/** @type {string} */ id) => void this.#play(id),
      onMenu: (/** @type {string} */ id) => this.#details(id) };
    this.#shelf = layout === 'hybrid' ? new BigGrid(this.#ctx, events) : new BigFlow(this.#ctx, layout, events);
    return this.#shelf;
  }

  /** @param {string} id */
  #onActive(id) {
    this.#hero.show(id);
    this.#at.textContent = this.#shelf ? `${this.#ctx.format.number(this.#shelf.index + 1)} /` : '';
    if (this.#shelf?.element.contains(document.activeElement)) return;
    const row = this.#ctx.catalog.find(id);
    if (row) this.#ctx.announce(row.name);
  }

  /** Follows the settings: layout, mood. */
  #follow() {
    const { layout, mood } = this.#ctx.preferences.big;
    document.documentElement.classList.toggle('mood', mood);
    if (this.#shelf && layout !== this.#layout) {
      const [before, hadFocus] = [this.#shelf.activeId, this.#root.contains(document.activeElement) || isFocusFree()];
      const shelf = this.#makeShelf();
      fill(this.#place, shelf.element);
      shelf.show(this.#order, before);
      if (hadFocus) shelf.focus();
    } else {
      this.#root.dataset['layout'] = layout;
    }
    this.#drawScope();
  }

  /** @param {number | null} hue of the picture behind */
  #tint(hue) {
    const { style } = document.documentElement;
    if (hue === null) style.removeProperty('--h');
    else style.setProperty('--h', String(hue));
  }

  #remember() {
    if (this.#key && this.#shelf?.activeId) places.set(this.#key, this.#shelf.activeId);
  }

  /**
   * Starts a game, from where it was left when that is known.
   *
   * @param {string} id
   * @param {boolean} [isAnew] from the beginning
   */
  async #play(id, isAnew = false) {
    const { actions, resumes, sessions } = this.#ctx;
    if (sessions.of(id)) {
      this.#openSession(sessions.of(id)?.launchId);
      return;
    }
    this.#starting = id;
    this.#hero.stopVideo();
    if (!isAnew && resumes.of(id).state === 'ready') await actions.resume(id);
    else await actions.launch(id);
    if (!sessions.of(id)) this.#starting = '';
  }

  /** A game that was started here shows its overlay; what has ended gives the screen back. */
  #followSessions() {
    const session = this.#ctx.sessions.of(this.#starting);
    if (!session) return;
    this.#starting = '';
    this.#openSession(session.launchId);
  }

  /**
   * @param {string} [launchId] the newest one without
   * @returns {boolean}
   */
  #openSession(launchId) {
    const id = launchId ?? this.#ctx.sessions.list.at(-1)?.launchId;
    if (!id || this.#session) return false;
    this.#session = openSession(this.#ctx, id);
    void this.#session?.closed.then(() => {
      this.#session = null;
    });
    return this.#session !== null;
  }

  /** @param {string} id */
  #details(id) {
    this.#hero.stopVideo();
    openBigDetails(this.#ctx, id, { onPlay: (game, isAnew) => void this.#play(game, isAnew),
      onSession: () => this.#openSession(this.#ctx.sessions.of(id)?.launchId) });
  }

  #menu() {
    this.#hero.stopVideo();
    openBigMenu(this.#ctx, { query: () => this.#query(), onChoose: (change) => this.#choose(change),
      onSearch: () => void this.#search(), onRandom: () => this.#random(),
      onPick: () => openPick(this.#ctx, { isBig: true, onPlay: (id) => void this.#play(id) }),
      onLeave: (path) => this.#go(path),
      onSystems: () =>
        openBigSystems(this.#ctx, { now: this.#query().platform, onChoose: (platform) =>
          this.#choose({ view: 'all', platform, playlist: '', preset: '' }) }),
      onParty: () => void openBigParty(this.#ctx, { onPlay: (id) => void this.#play(id) }).catch(this.#ctx.fail) });
  }

  /** The search follows each letter; what it finds stands behind the keyboard, and its first names beside it. */
  async #search() {
    const { t, tn } = this.#ctx;
    const field = h('input', { type: 'search', 'aria-label': t('big.search') });
    const found = h('div', { class: 'osk-found', 'aria-live': 'polite' });
    field.value = this.#query().text;
    const draw = () =>
      fill(found, h('p', null, tn('library.count', this.#order.length)),
        h('ol', null, [...this.#order.subarray(0, 8)].map((slot) => {
          const row = this.#ctx.catalog.row(slot);
          return h('li', null, row?.name ?? '', h('small', null, row?.platform ?? ''));
        })));
    const stop = new AbortController();
    this.#ctx.bus.on('catalog:order', () => draw(), stop.signal);
    field.addEventListener('input', () => this.#choose({ text: field.value }), { signal: stop.signal });
    draw();
    await openKeyboard(this.#ctx, field, { title: t('big.search'), aside: found });
    stop.abort();
    this.#shelf?.focus();
  }

  /** @returns {boolean} */
  #random() {
    if (!this.#shelf || this.#order.length === 0) return false;
    this.#shelf.goTo(Math.floor(Math.random() * this.#order.length));
    this.#shelf.focus();
    return true;
  }

  /** A game by chance for the show when nobody is there; one that could start. */
  #pick() {
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const row = this.#ctx.catalog.row(this.#order[Math.floor(Math.random() * this.#order.length)] ?? -1);
      if (row && !isMissing(row)) return row;
    }
    return undefined;
  }

  /** @param {string} id */
  #goToGame(id) {
    const index = this.#ctx.catalog.placeIn(this.#order, id);
    if (index < 0) return;
    this.#shelf?.goTo(index);
    this.#shelf?.focus();
  }

  /**
   * The next game that begins with another letter; in other orders the ends of the shelf.
   *
   * @param {1 | -1} step
   * @returns {boolean}
   */
  #turnLetter(step) {
    const shelf = this.#shelf;
    if (!shelf || shelf.count === 0) return false;
    const letterAt = (/** @type {number} */ index) =>
      letterOf(sortKey(this.#ctx.catalog.sortAt(this.#order[index] ?? -1), this.#ctx.i18n.locale));
    let at = shelf.index;
    if (this.#query().sort !== 'name') {
      at = step > 0 ? shelf.count - 1 : 0;
    } else {
      const from = letterAt(at);
      while (at + step >= 0 && at + step < shelf.count && letterAt(at) === from) at += step;
      // Backwards a letter begins with its first game, not with its last.
      if (step < 0) { for (const letter = letterAt(at); at > 0 && letterAt(at - 1) === letter;) at -= 1; }
    }
    shelf.goTo(at);
    shelf.focus();
    this.#ctx.announce(letterAt(at));
    return true;
  }

  /** One level back: to the shelf, out of a search, to all games, and then the question whether to leave. */
  #back() {
    const query = this.#query();
    if (this.#shelf && this.#root.contains(document.activeElement) &&
      !this.#shelf.element.contains(document.activeElement) && this.#order.length > 0) this.#shelf.focus();
    else if (query.text) this.#choose({ text: '' });
    else if (query.view !== 'all' || query.platform !== null || query.playlist || query.preset || query.achievements)
      this.#choose({ view: 'all', platform: null, playlist: '', preset: '', achievements: '' });
    else this.#askLeave();
    return true;
  }

  #askLeave() {
    const { t } = this.#ctx;
    const act = (/** @type {string} */ symbol, /** @type {string} */ label, /** @type {() => void} */ run) =>
      h('button', { class: 'big-act', type: 'button', on: { click: () => {
        dialog.close('');
        run();
      } } }, icon(symbol), label);
    const dialog = openBigDialog(this.#ctx, {
      title: t('big.leave.title'),
      width: 480,
      className: 'big-question',
      content: h('div', { class: 'big-list' }, act('playing', t('big.stay'), () => this.#shelf?.focus()),
        act('back', t('big.leave'), () => this.#go('/')), act('menu', t('big.menu'), () => this.#menu())),
    });
  }

  /** @param {string} path */
  #go(path) {
    if (document.fullscreenElement) void document.exitFullscreen().catch(() => undefined);
    this.#ctx.router.go(path);
  }

  /** Tells the server, which makes room for the big screen. */
  #enter() {
    if (isEntered || this.#ctx.kiosk.isLocked) return;
    isEntered = true;
    this.#ctx.client.post('/api/bigscreen/mode', { entering: true }).catch(this.#ctx.fail);
  }

  /** @param {boolean} [isLast] the page goes away */
  #leave(isLast = false) {
    if (!isEntered) return;
    isEntered = false;
    if (isLast) this.#ctx.client.postLast('/api/bigscreen/mode', { entering: false });
    else this.#ctx.client.post('/api/bigscreen/mode', { entering: false }).catch(this.#ctx.fail);
  }
}
