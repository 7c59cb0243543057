/**
 * The sidebar: search, smart views, platforms with counts, the other screens. Changes the address; the library follows
 * it.
 */

import { openImport } from '../library/import.js';
import { bell } from './notices.js';
import { followLists, playlistSection, presetOf, presetSection, smartSection } from './shelves.js';
import { moreButton } from './more.js';
import { keyName } from './sheet.js';
import { askPin } from '../kiosk/pin-pad.js';
import { fill, h, icon, patch, setAttribute } from '../../core/dom.js';
import { roveFocus } from '../../core/focus.js';
import { hueSymbol } from '../platform-symbol.js';
import { VIEWS } from '../../data/ordering.js';
import { isPhrase } from '../../data/phrase.js';
import { formatHash } from '../../core/router.js';

/** Icons of the smart views. */
const ICONS = Object.freeze(/** @type {Record<string, string>} */ ({
  all: 'all',
  favorites: 'heart',
  recent: 'clock',
  never: 'never',
  playing: 'playing',
  completed: 'check',
  missing: 'missing',
  hidden: 'hidden',
}));

/** Views that only show when they hold something. */
const SHY = Object.freeze(['missing', 'hidden']);

/** The sidebar of the shell. */
export class Sidebar {
  #ctx;
  #root;
  #input;
  #places = h('div', { class: 'places scroll' });
  /** Games in the play queue. */
  #queued = h('span', { class: 'count' });
  #life = new AbortController();
  #sections = '';
  /** Games that what is typed finds by name; -1 while nobody knows. */
  #found = -1;
  /** The place that was shown last, and among how many. */
  #here = '';
  #shownCount = 0;
  /** Whether the user moved the list, or the focus in it, since then. */
  #isMoved = false;

  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   * @param {{onClose: () => void}} events
   */
  constructor(ctx, root, { onClose }) {
    this.#ctx = ctx;
    this.#root = root;
    const { t } = ctx;
    this.#input = h('input', {
      class: 'input',
      type: 'search',
      id: 'search',
      placeholder: t('search.placeholder'),
      'aria-label': t('search.label'),
      autocomplete: 'off',
      spellcheck: 'false',
      enterkeyhint: 'search',
      on: {
        input: () => this.#search(this.#input.value),
        keydown: (event) => this.#onSearchKey(/** @type {KeyboardEvent} */ (event)),
      },
    });
    const clear = h('button', { class: 'icon-button', type: 'button', 'aria-label': t('search.clear'),
      on: { click: () => {
        this.#search('');
        this.#input.focus();
      } } }, icon('close'));
    root.setAttribute('aria-label', t('sidebar.label'));
    fill(root,
      h('div', { class: 'brand' }, h('img', { src: '/favicon.svg', alt: '' }), h('span', null, 'Service Launcher'),
        bell(ctx, this.#life.signal),
        h('button', { class: 'icon-button', type: 'button', 'aria-label': t('sidebar.close'), on: { click: onClose } },
          icon('close'))),
      h('div', { class: 'search', role: 'search' }, icon('search'), this.#input, clear,
        h('span', { class: 'kbd', 'aria-hidden': 'true' }, keyName(ctx, 'Ctrl+F').replace(' + ', ' '))), this.#places,
      this.#foot());
    roveFocus(this.#places, '.place, .places-head button', this.#life.signal);
    ctx.bus.on('catalog:facets', () => this.#draw(), this.#life.signal);
    ctx.bus.on('catalog:ready', () => this.#draw(), this.#life.signal);
    ctx.bus.on('lists', () => this.#draw(), this.#life.signal);
    ctx.bus.on('collections', () => this.#draw(), this.#life.signal);
    ctx.bus.on('settings', () => {
      if (this.#sections !== ctx.preferences.sidebarSections.join()) this.#draw();
    }, this.#life.signal);
    ctx.bus.on('catalog:order', ({ order, isWhole }) => {
      this.#found = isWhole || order.length > 0 ? order.length : -1;
    }, this.#life.signal);
    followLists(ctx, this.#places, this.#life.signal);
    for (const name of ['wheel', 'touchmove', 'pointerdown', 'focusin'])
      this.#places.addEventListener(name, () => {
        this.#isMoved = true;
      }, { passive: true });
    ctx.bus.on('route', () => this.#follow(), this.#life.signal);
    ctx.bus.on('queue', () => this.#count(), this.#life.signal);
    this.#count();
    this.#draw();
    this.#follow();
  }

  #count() {
    const { length } = this.#ctx.queue.list;
    this.#queued.textContent = length > 0 ? this.#ctx.format.number(length) : '';
  }

  /** Takes the listeners away; a sidebar in another language comes after it. */
  close() {
    this.#life.abort();
  }

  focusSearch() {
    this.#input.focus();
    this.#input.select();
  }

  #foot() {
    const { t } = this.#ctx;
    const link = (/** @type {string} */ name, /** @type {string} */ symbol) =>
      h('a', { class: 'place', href: `#/${name}`, 'data-place': name }, icon(symbol),
        h('span', { class: 'name' }, t(`place.${name}`)), name === 'play' ? this.#queued : null);
    const { kiosk } = this.#ctx;
    if (kiosk.isLocked)
      return h('div', { class: 'foot' },
        h('button', { class: 'button', type: 'button', 'data-focus': 'unlock', on: { click: () => askPin(this.#ctx) } },
          icon('lock', 'icon-s'), t('kiosk.unlock')), kiosk.shows('insights') ? link('insights', 'chart') : null,
        link('big', 'screen'));
    return h('div', { class: 'foot' },
      h('button', { class: 'button', type: 'button', on: { click: () => void openImport(this.#ctx) } },
        icon('plus', 'icon-s'), t('action.addGames')), link('play', 'queue'), link('insights', 'chart'),
      link('settings', 'gear'), moreButton(this.#ctx, this.#life.signal));
  }

  #draw() {
    const { t, format, catalog } = this.#ctx;
    const { views, platforms } = catalog.facets;
    this.#sections = this.#ctx.preferences.sidebarSections.join();
    const place = (/** @type {string} */ key, /** @type {string} */ hash, /** @type {Element} */ glyph,
      /** @type {string} */ name, /** @type {number} */ count) =>
      h('a', { class: 'place', href: hash, 'data-place': key, 'data-focus': key, tabindex: -1 }, glyph,
        h('span', { class: 'name' }, name), count > 0 ? h('span', { class: 'count' }, format.number(count)) : null);
    const shown = VIEWS.filter((view) => !SHY.includes(view) || (views[view] ?? 0) > 0);
    /** @type {Record<string, () => App.Child>} */
    const sections = {
      view: () =>
        h('ul', { 'aria-label': t('sidebar.views') },
          h('li', null, place('home', '#/home', icon('home'), t('place.home'), 0)), shown.map((view) =>
            h('li', null,
              place(`view:${view}`, formatHash('/', { view: view === 'all' ? '' : view }), icon(ICONS[view] ?? 'all'),
                t(`view.${view}`), views[view] ?? 0))
          )),
      platforms: () => (platforms.length === 0 ? null : [
        h('h2', { id: 'platforms-title' }, t('sidebar.platforms')),
        h('ul', { 'aria-labelledby': 'platforms-title' },
          platforms.map(([name, count]) =>
            h('li', null,
              place(`platform:${name}`, formatHash('/', { platform: name || '-' }), hueSymbol(name),
                name || t('platform.none'), count))
          )),
      ]),
      playlists: () => playlistSection(this.#ctx),
      collections: () => smartSection(this.#ctx),
      filters: () => presetSection(this.#ctx),
    };
    // Platforms would move what stands below them, so it comes with them.
    const { isCounted } = catalog;
    patch(this.#places,
      this.#ctx.preferences.sidebarSections.map((name) => isCounted || name === 'view' ? sections[name]?.() : null));
    this.#follow();
  }

  #follow() {
    const route = this.#ctx.router.current;
    const { view, platform, playlist, collection, q, say } = route.query;
    const preset = route.name === 'library' ? presetOf(this.#ctx, route) : undefined;
    const here = route.name !== 'library'
      ? route.name
      : playlist
      ? `playlist:${playlist}`
      : collection
      ? `collection:${collection}`
      : preset
      ? `preset:${preset.name}`
      : say
      ? ''
      : platform
      ? `platform:${platform === '-' ? '' : platform}`
      : `view:${view ?? 'all'}`;
    let hasStop = false;
    for (const link of this.#root.querySelectorAll('[data-place]')) {
      const isHere = link.getAttribute('data-place') === here;
      setAttribute(link, 'aria-current', isHere ? 'page' : null);
      if (!this.#places.contains(link)) continue;
      /** @type {HTMLElement} */ (link).tabIndex = isHere ? 0 : -1;
      hasStop ||= isHere;
    }
    if (hasStop) this.#scrollTo(here);
    const first = /** @type {HTMLElement | null} */ (this.#places.querySelector('.place'));
    if (!hasStop && first) first.tabIndex = 0;
    if (document.activeElement !== this.#input) this.#input.value = q ?? say ?? '';
  }

  /**
   * Lists and counts come after the address: the place is scrolled to when it is there, and again when others push it
   * out of sight, until the user moves the list or the focus in it.
   *
   * @param {string} here the place
   */
  #scrollTo(here) {
    const count = this.#places.querySelectorAll('.place').length;
    if (here !== this.#here) this.#isMoved = false;
    else if (count === this.#shownCount || this.#isMoved) return;
    this.#places.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
    this.#here = here;
    this.#shownCount = count;
  }

  /** @param {string} text */
  #search(text) {
    if (this.#input.value !== text) this.#input.value = text;
    const { name, query } = this.#ctx.router.current;
    if (name === 'library') this.#ctx.router.replace('/', { ...query, q: text, say: undefined });
    else this.#ctx.router.go('/', { q: text });
  }

  /**
   * Searches by what the words mean, where no game is called so.
   *
   * @param {string} text
   */
  async #understand(text) {
    const { bus, collections, router } = this.#ctx;
    try {
      const { chips, anchor } = await collections.read(text);
      if (this.#input.value !== text || router.current.name !== 'library') return;
      if (chips.length > 0 || anchor) router.go('/', { say: text });
      bus.emit('focus-library', {});
    } catch (error) {
      this.#ctx.fail(error);
    }
  }

  /** @param {KeyboardEvent} event */
  #onSearchKey(event) {
    if (event.key === 'Escape') {
      event.preventDefault();
      if (this.#input.value) this.#search('');
      else this.#ctx.bus.emit('focus-library', {});
    } else if (event.key === 'Enter' || event.key === 'ArrowDown') {
      event.preventDefault();
      if (event.key === 'Enter' && this.#found === 0 && isPhrase(this.#input.value)) {
        void this.#understand(this.#input.value);
        return;
      }
      this.#ctx.bus.emit('focus-library', {});
    }
  }
}
