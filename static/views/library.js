/**
 * The library screen: header with title, count, chips and tools, the windowed grid, the details pane. The address holds view, platform, query
 * and order, so every state can be linked and "back" returns to it.
 */

import { DetailsPane } from '../parts/details.js';
import { GameGrid } from '../parts/grid.js';
import { openImport } from '../parts/import.js';
import { fill, h, icon, setAttribute, setIcon } from '../core/dom.js';
import { keepFocus } from '../core/focus.js';
import { isTextField, TypeAhead } from '../core/keys.js';
import { SORTS, VIEWS } from '../core/ordering.js';
import { TILE } from '../core/preferences.js';

/** Where each address was left: scroll position and game. Lives as long as the page. */
/** @type {Map<string, {top: number, focus: string}>} */
const places = new Map();

/** From this width on the details stand beside the grid; below it they lie over it. */
const WIDE = '(min-width: 1120px)';

/** Headings of the list: column, sort order or none, label. */
const COLUMNS = Object.freeze(/** @type {const} */ ([
  ['name', 'name', 'sort.name'], ['platform', 'platform', 'sort.platform'], ['year', 'year', 'sort.year'], ['progress', '', 'field.progress'], ['time', 'playtime_seconds', 'sort.playtime_seconds'],
  ['last', 'last_played', 'sort.last_played'],
]));

/** @implements {App.View} */
export class LibraryView {
  #ctx;
  #life = new AbortController();
  #root;
  #title = h('h1', null);
  #count = h('span', { class: 'count', role: 'status' });
  #chips = h('div', { class: 'chips', hidden: true });
  #line = h('div', { class: 'loading-line', 'aria-hidden': 'true' }, h('i', null));
  #shelf;
  #stage = h('div', { style: { display: 'contents' } });
  #grid;
  #details;
  #sort;
  #direction;
  #panelButton;
  #viewButton;
  #columns = h('div', { class: 'columns-head', hidden: true });
  #typed = h('div', { class: 'typed', hidden: true });
  /** @type {App.Timer} */
  #typedTimer;
  /** @type {App.Route} */
  #route;
  #selected = '';
  #isOpen = false;
  #wantsStart = true;
  #results = 0;
  #isNewText = false;

  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   * @param {App.Route} route
   */
  constructor(ctx, root, route) {
    this.#ctx = ctx;
    this.#route = route;
    const { t, preferences } = ctx;
    const { signal } = this.#life;
    this.#grid = new GameGrid(ctx, {
      onSelect: (id) => this.#select(id),
      onOpen: (id) => { this.#select(id); this.#setOpen(true); },
      onLaunch: (id) => void ctx.actions.launch(id),
      onMenu: (id, at) => ctx.actions.menu(id, at),
    }, signal);
    this.#grid.tileWidth = preferences.tileWidth;
    this.#details = new DetailsPane(ctx, { onClose: () => { this.#setOpen(false); this.#grid.focus(); } }, signal);
    this.#sort = h('select', { class: 'input sort', 'aria-label': t('library.sort'), on: { change: () => this.#setSort(this.#sort.value, false) } },
      SORTS.map((sort) => h('option', { value: sort }, t(`sort.${sort}`))));
    this.#direction = h('button', { class: 'icon-button', type: 'button', on: { click: () => this.#setSort(this.#query().sort, !this.#query().reversed) } }, icon('down'));
    this.#panelButton = h('button', { class: 'icon-button', type: 'button', 'aria-label': t('details.toggle'), title: t('details.toggle'), on: { click: () => this.#setOpen(!this.#isOpen) } }, icon('panel'));
    this.#viewButton = h('button', { class: 'icon-button', type: 'button', on: { click: () => preferences.set({ library_view: preferences.isList ? 'grid' : 'list' }) } }, icon('rows'));
    this.#shelf = h('div', { class: 'shelf' }, this.#head(), this.#chips, this.#line, this.#columns, this.#stage);
    this.#root = h('div', { class: 'library' }, this.#shelf);
    root.append(this.#root);
    this.#listen();
    this.#isOpen = preferences.detailsOpen && matchMedia(WIDE).matches;
    this.update(route);
  }

  /** @param {App.Route} route */
  update(route) {
    const before = this.#route;
    const isSearch = before.query['view'] === route.query['view'] && before.query['platform'] === route.query['platform'];
    if (!isSearch) {
      this.#rememberPlace();
      this.#wantsStart = true;
    }
    this.#isNewText ||= before.query['q'] !== route.query['q'];
    this.#route = route;
    this.#ask();
    this.#drawHead();
  }

  /** Remembers the place and ends. */
  unmount() {
    this.#rememberPlace();
    clearTimeout(this.#typedTimer);
    this.#life.abort();
    this.#root.remove();
  }

  #listen() {
    const { bus } = this.#ctx;
    const { signal } = this.#life;
    bus.on('catalog:order', ({ order }) => this.#show(order), signal);
    bus.on('catalog:rows', () => this.#grid.refresh(), signal);
    bus.on('catalog:facets', () => this.#drawHead(), signal);
    bus.on('catalog:progress', ({ loaded, total }) => this.#drawProgress(Math.min(0.98, loaded / Math.max(1, total))), signal);
    bus.on('catalog:ready', () => {
      this.#drawProgress(1);
      // Only now it is certain that nothing answers the query.
      if (this.#results === 0) this.#showEmpty();
    }, signal);
    bus.on('focus-library', () => this.#grid.focus(), signal);
    bus.on('settings', () => {
      this.#grid.tileWidth = this.#ctx.preferences.tileWidth;
      this.#grid.isList = this.#ctx.preferences.isList;
      this.#drawHead();
    }, signal);
    this.#grid.isList = this.#ctx.preferences.isList;
    bus.on('sessions', (sessions) => { this.#grid.running = new Set(sessions.map((session) => session.gameId)); }, signal);
    this.#grid.running = new Set(this.#ctx.sessions.list.map((session) => session.gameId));
    this.#bindKeys(signal);
  }

  /** @param {AbortSignal} signal */
  #bindKeys(signal) {
    const { actions, router } = this.#ctx;
    const ahead = new TypeAhead((prefix) => this.#jump(prefix));
    const active = () => (this.#inGrid() ? this.#grid.activeId : this.#isOpen ? this.#selected : '');
    const onGame = (/** @type {(id: string) => void} */ act) => () => {
      const id = active();
      if (!id) return false;
      act(id);
      return true;
    };
    const inGrid = (/** @type {(id: string) => void} */ act) => () => (this.#inGrid() && this.#grid.activeId ? (act(this.#grid.activeId), true) : false);
    this.#ctx.keys.add([
      { key: 'Enter', group: 'library', label: 'keys.launch', run: inGrid((id) => void actions.launch(id)) },
      { key: 'Space', group: 'library', label: 'keys.details', run: inGrid((id) => { if (ahead.isActive) ahead.type(' ', null); else this.#toggleDetails(id); }) },
      { key: 'O', group: 'library', label: 'keys.page', run: inGrid((id) => ahead.type('o', () => router.go(`/game/${encodeURIComponent(id)}`))) },
      { key: 'F', group: 'library', label: 'keys.favorite', run: inGrid((id) => ahead.type('f', () => void actions.toggleFavorite(id))) },
      { key: 'F3', group: 'library', label: 'keys.edit', run: onGame((id) => void actions.edit(id)) },
      { key: 'Delete', group: 'library', label: 'keys.remove', run: inGrid((id) => void actions.remove(id)) },
      { key: 'Arrows', group: 'move', label: 'keys.arrows' },
      { key: 'PageUp', group: 'move', label: 'keys.pageUp' },
      { key: 'PageDown', group: 'move', label: 'keys.pageDown' },
      { key: 'Home', group: 'move', label: 'keys.home' },
      { key: 'End', group: 'move', label: 'keys.end' },
      { key: 'A…Z', group: 'move', label: 'keys.typeAhead' },
      { key: 'Ctrl+G', group: 'view', label: 'keys.panel', run: () => { this.#setOpen(!this.#isOpen); return true; } },
      { key: 'Escape', group: 'view', label: 'keys.escape', run: () => this.#escape() },
    ], signal);
    addEventListener('keydown', (event) => {
      const isLetter = event.key.length === 1 && /[\p{L}\p{N}]/u.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey;
      if (!isLetter || event.defaultPrevented || !this.#inGrid() || isTextField(event.target)) return;
      event.preventDefault();
      ahead.type(event.key, null);
    }, { signal });
  }

  #head() {
    const { t } = this.#ctx;
    const size = h('input', {
      type: 'range', min: TILE.min, max: TILE.max, step: TILE.step, value: this.#ctx.preferences.tileWidth, 'aria-label': t('library.tileSize'),
      on: { input: () => this.#ctx.preferences.set({ ui_tile_width: Number(size.value) }) },
    });
    return h('header', { class: 'library-head' },
      h('button', { class: 'icon-button menu-button', type: 'button', 'aria-label': t('sidebar.open'), on: { click: () => this.#ctx.bus.emit('sidebar', { open: true }) } }, icon('menu')),
      h('div', { class: 'title' }, this.#title, this.#count),
      h('div', { class: 'tools' }, this.#sort, this.#direction,
        h('label', { class: 'size' }, icon('small'), size, icon('large')), this.#viewButton, this.#panelButton));
  }

  /** @returns {App.LibraryQuery} */
  #query() {
    const { query } = this.#route;
    const { preferences } = this.#ctx;
    const view = VIEWS.includes(query['view'] ?? '') ? (query['view'] ?? 'all') : 'all';
    const sort = SORTS.includes(query['sort'] ?? '') ? (query['sort'] ?? 'name') : SORTS.includes(preferences.sort) ? preferences.sort : 'name';
    const reversed = query['dir'] ? query['dir'] === 'reversed' : query['sort'] ? false : preferences.isReversed;
    const platform = query['platform'] === undefined ? null : query['platform'] === '-' ? '' : query['platform'];
    return { text: query['q'] ?? '', view, platform, sort, reversed };
  }

  #ask() {
    this.#grid.expect();
    this.#ctx.catalog.query(this.#query());
  }

  /** @param {Uint32Array} order */
  #show(order) {
    this.#results = order.length;
    if (order.length === 0) {
      this.#showEmpty();
      this.#drawHead();
      return;
    }
    if (!this.#grid.element.isConnected) fill(this.#stage, this.#grid.element, this.#typed);
    /** @type {{top?: number, focus?: string}} */
    const start = this.#wantsStart ? (places.get(this.#placeKey()) ?? { top: 0, focus: '' }) : this.#isNewText ? { top: 0 } : {};
    // The pane takes its width before the grid takes its shape, so that a remembered place means the same again.
    if (this.#isOpen && !this.#details.element.isConnected) {
      this.#select(start.focus || this.#selected || (this.#ctx.catalog.row(order[0] ?? -1)?.id ?? ''));
    }
    const isReturn = this.#wantsStart && Boolean(start.focus);
    this.#wantsStart = false;
    this.#isNewText = false;
    this.#grid.show(order, start);
    if (isReturn && document.activeElement === document.body) this.#grid.focus();
    if (!this.#selected || !this.#isShown(order, this.#selected)) this.#select(this.#grid.activeId);
    this.#drawDetails();
    this.#drawHead();
  }

  /**
   * @param {Uint32Array} order
   * @param {string} id
   */
  #isShown(order, id) {
    return order.some((slot) => this.#ctx.catalog.row(slot)?.id === id);
  }

  #showEmpty() {
    const { t, catalog } = this.#ctx;
    this.#selected = '';
    this.#drawDetails();
    if (!catalog.complete && catalog.total > 0) return;
    const query = this.#query();
    const acts = [];
    let [symbol, key] = ['all', `empty.view.${query.view}`];
    if (catalog.facets.total === 0) {
      [symbol, key] = ['platform', 'empty.library'];
      acts.push(h('button', { class: 'button primary large', type: 'button', on: { click: () => void openImport(this.#ctx) } }, icon('folder', 'icon-s'), t('empty.library.action')));
    } else if (query.text || query.platform !== null) {
      [symbol, key] = ['search', 'empty.search'];
      acts.push(h('button', { class: 'button primary', type: 'button', on: { click: () => this.#ctx.router.go('/') } }, t('action.clearFilters')));
    } else {
      acts.push(h('a', { class: 'button', href: '#/' }, t('empty.showAll')));
    }
    fill(this.#stage, h('div', { class: 'empty' }, h('div', { class: 'glyph' }, icon(symbol)), h('h2', null, t(`${key}.title`)), h('p', null, t(`${key}.text`, { query: query.text })),
      h('div', { class: 'acts' }, acts)));
    if (document.activeElement === document.body) acts[0]?.focus();
  }

  #drawHead() {
    const { t, tn, catalog } = this.#ctx;
    const query = this.#query();
    const isEmptyLibrary = catalog.complete && catalog.facets.total === 0;
    this.#title.textContent = query.platform !== null ? query.platform || t('platform.none') : t(`view.${query.view}`);
    document.title = `${this.#title.textContent} – Service Launcher`;
    const isWhole = query.view === 'all' && query.platform === null && !query.text;
    this.#count.textContent = isEmptyLibrary ? '' : tn('library.count', isWhole && !catalog.complete ? catalog.total : this.#results);
    this.#sort.value = query.sort;
    this.#direction.title = t(query.reversed ? 'library.reversed' : 'library.forward');
    this.#direction.setAttribute('aria-label', this.#direction.title);
    setAttribute(this.#direction, 'aria-pressed', String(query.reversed));
    setIcon(this.#direction.firstElementChild, query.reversed ? 'up' : 'down');
    setAttribute(this.#panelButton, 'aria-pressed', String(this.#isOpen));
    /** @type {HTMLElement} */ (this.#shelf.querySelector('.tools')).hidden = isEmptyLibrary;
    const { isList } = this.#ctx.preferences;
    this.#viewButton.title = t(isList ? 'library.asGrid' : 'library.asList');
    this.#viewButton.setAttribute('aria-label', this.#viewButton.title);
    setIcon(this.#viewButton.firstElementChild, isList ? 'all' : 'rows');
    /** @type {HTMLElement} */ (this.#shelf.querySelector('.size')).hidden = isList;
    this.#drawColumns(query);
    this.#drawChips(query);
  }

  /**
   * The headings of the list, which sort; the one that does so again turns the order round.
   *
   * @param {App.LibraryQuery} query
   */
  #drawColumns(query) {
    const { t, preferences } = this.#ctx;
    this.#columns.hidden = !preferences.isList || this.#results === 0;
    if (this.#columns.hidden) return;
    keepFocus(this.#columns, () => fill(this.#columns, COLUMNS.map(([name, sort, label]) => {
      if (!sort) return h('span', { class: `cell ${name}` }, h('span', null, t(label)));
      const isSorted = query.sort === sort;
      const direction = t(query.reversed ? 'library.reversed' : 'library.forward');
      return h('button', {
        type: 'button', class: `cell ${name}`, 'data-focus': name, 'aria-pressed': String(isSorted), title: isSorted ? direction : null,
        on: { click: () => this.#setSort(sort, isSorted && !query.reversed) },
      }, h('span', null, t(label)), isSorted ? icon(query.reversed ? 'up' : 'down') : null);
    })));
  }

  /** @param {App.LibraryQuery} query */
  #drawChips(query) {
    const { t, router } = this.#ctx;
    const { view, platform, q, sort, dir } = this.#route.query;
    const chip = (/** @type {string} */ label, /** @type {Record<string, string | undefined>} */ rest) => h('button', {
      class: 'chip', type: 'button', 'aria-label': t('chip.remove', { label }), on: { click: () => router.go('/', { ...rest, sort, dir }) },
    }, label, icon('close'));
    const chips = [];
    if (query.view !== 'all') chips.push(chip(t(`view.${query.view}`), { platform, q }));
    if (query.platform !== null) chips.push(chip(query.platform || t('platform.none'), { view, q }));
    if (query.text) chips.push(chip(t('chip.search', { query: query.text }), { view, platform }));
    this.#chips.hidden = chips.length === 0;
    const hadFocus = this.#chips.contains(document.activeElement);
    fill(this.#chips, chips, chips.length > 1 ? h('button', { class: 'chip clear', type: 'button', on: { click: () => router.go('/') } }, t('action.clearFilters')) : null);
    if (hadFocus) this.#grid.focus();
  }

  /** @param {number} part 0..1 */
  #drawProgress(part) {
    const bar = /** @type {HTMLElement} */ (this.#line.firstElementChild);
    bar.style.scale = `${part} 1`;
    this.#line.classList.toggle('done', part >= 1);
    if (part >= 1) this.#drawHead();
  }

  #drawDetails() {
    const pane = this.#details.element;
    const isShown = this.#isOpen && this.#selected !== '';
    if (isShown) this.#details.show(this.#selected);
    if (isShown && !pane.isConnected) this.#root.append(pane);
    if (!isShown && pane.isConnected) pane.remove();
    setAttribute(this.#panelButton, 'aria-pressed', String(this.#isOpen));
  }

  /** @param {string} id */
  #select(id) {
    this.#selected = id;
    this.#grid.selected = id;
    this.#drawDetails();
  }

  /** @param {boolean} open */
  #setOpen(open) {
    if (open && !this.#selected) this.#select(this.#grid.activeId);
    this.#isOpen = open;
    if (matchMedia(WIDE).matches && open !== this.#ctx.preferences.detailsOpen) this.#ctx.preferences.set({ ui_details_open: open });
    this.#drawDetails();
  }

  /** @param {string} id */
  #toggleDetails(id) {
    if (this.#isOpen && this.#selected === id) {
      this.#setOpen(false);
      return;
    }
    this.#select(id);
    this.#setOpen(true);
  }

  /** Closes one level: the details where they cover the grid, then the query, then the view. */
  #escape() {
    if (this.#isOpen && !matchMedia(WIDE).matches) {
      this.#setOpen(false);
      this.#grid.focus();
      return true;
    }
    const { view, platform, q } = this.#route.query;
    if (q) this.#ctx.router.go('/', { view, platform });
    else if (view || platform) this.#ctx.router.go('/');
    else if (this.#isOpen) this.#setOpen(false);
    else return false;
    return true;
  }

  /** @param {string} prefix */
  #jump(prefix) {
    const found = this.#grid.jumpTo(prefix);
    this.#typed.textContent = prefix;
    this.#typed.hidden = false;
    if (!found) this.#ctx.announce(this.#ctx.t('announce.noMatch', { text: prefix }));
    clearTimeout(this.#typedTimer);
    this.#typedTimer = setTimeout(() => { this.#typed.hidden = true; }, 1000);
  }

  /**
   * @param {string} sort
   * @param {boolean} reversed
   */
  #setSort(sort, reversed) {
    const { view, platform, q } = this.#route.query;
    this.#ctx.preferences.set({ list_sort: sort === 'name' ? '' : sort, list_sort_dir: reversed ? 'reversed' : '' });
    this.#wantsStart = true;
    this.#ctx.router.replace('/', { view, platform, q });
  }

  #rememberPlace() {
    if (this.#grid.element.isConnected) places.set(this.#placeKey(), { top: this.#grid.scrollTop, focus: this.#grid.activeId });
  }

  #inGrid() {
    return this.#grid.element.contains(document.activeElement);
  }

  #placeKey() {
    const { view, platform, q } = this.#route.query;
    return JSON.stringify([view ?? '', platform ?? '', q ?? '']);
  }
}
