/**
 * The library screen: head, filters, the windowed grid or list, the bar of actions on chosen games, the details. The
 * address holds view, playlist, filters, query and order, so every state can be linked and "back" returns to it.
 */

import { BulkBar } from '../parts/library/bulk-bar.js';
import { editCollection } from '../parts/library/collections.js';
import { ColumnHeads } from '../parts/library/columns.js';
import { DetailsPane } from '../parts/library/details.js';
import { FiltersPanel } from '../parts/library/filters.js';
import { dropPictures } from '../parts/game/picture-add.js';
import { GameGrid } from '../parts/library/grid.js';
import { groupLabel } from '../parts/library/headings.js';
import { firstSteps } from '../parts/first-steps.js';
import { LibraryHead, scopeOf } from '../parts/library/head.js';
import { saveFilters } from '../parts/library/playlists.js';
import { LetterRail } from '../parts/library/rail.js';
import { SideScroll } from '../parts/library/side-scroll.js';
import { fill, h, icon, patch } from '../core/dom.js';
import { saidName, saidPhrase } from '../data/collections.js';
import { readFilters, toggleFilter, writeFilters } from '../data/filters.js';
import { isFocusFree } from '../core/focus.js';
import { Over } from '../core/over.js';
import { followPhone, isPhone } from '../core/phone.js';
import { isTextField, TypeAhead } from '../core/keys.js';
import { COLUMNS, SORTS, VIEWS } from '../data/ordering.js';

/** Where each address was left: scroll position and game. Lives as long as the page. */
/** @type {Map<string, {top: number, focus: string}>} */
const places = new Map();

/** From this width on the details stand beside the grid; below it they lie over it. */
const WIDE = '(min-width: 1120px)';

/** Up to this many games are looked over without letters beside them. */
const FEW = 60;

/** Views that only presets and playlists ask for. */
const RULE_VIEWS = Object.freeze(['installed', 'owned', 'saves']);

/** @implements {App.View} */
export class LibraryView {
  #ctx;
  #life = new AbortController();
  #root;
  #head;
  #line = h('div', { class: 'loading-line', 'aria-hidden': 'true' }, h('i', null));
  #shelf;
  #stage = h('div', { class: 'stage' });
  #grid;
  #rail;
  #details;
  #filters;
  #heads;
  #bar;
  #typed = h('div', { class: 'typed', hidden: true });
  /** @type {App.Route} */
  #route;
  #selected = '';
  #isOpen = false;
  #wantsStart = true;
  #results = 0;
  /** Whether games may still come; until it is known that none do, everything keeps the place it will have. */
  #isExpecting = true;
  #isNewText = false;
  #isWaiting = false;
  #asked = '';
  /** On a phone filters and details lie over the library, whatever the settings say of larger windows. */
  #hasSheet = false;
  #overs;

  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   * @param {App.Route} route
   */
  constructor(ctx, root, route) {
    this.#ctx = ctx;
    this.#route = route;
    const { preferences, router } = ctx;
    const { signal } = this.#life;
    const query = () => this.#query();
    this.#grid = new GameGrid(ctx, {
      onSelect: (id) => this.#select(id),
      onOpen: (id) => {
        this.#select(id);
        this.#setOpen(true);
      },
      onLaunch: (id) => void ctx.actions.launch(id),
      onMenu: (id, at) => this.#menu(id, at),
      onChosen: () => this.#bar.follow(),
      onPictures: (id, files) => void dropPictures(ctx, id, files).catch(ctx.fail),
    }, signal);
    this.#rail = new LetterRail((index) => this.#grid.goTo(index));
    this.#details = new DetailsPane(ctx, { onClose: () => {
      this.#setOpen(false);
      this.#grid.focus();
    } }, signal);
    this.#head = new LibraryHead(ctx, {
      query,
      onSort: (sort, reversed) => this.#setSort(sort, reversed),
      onFilters: () => this.#toggleFilters(),
      onPanel: () => this.#setOpen(!this.#isOpen),
      onAddress: (address) => router.go('/', address),
      onOffer: () => {
        this.#drawHead();
        if (this.#results === 0 && this.#stage.querySelector('.empty')) this.#showEmpty();
      },
    });
    this.#filters = new FiltersPanel(ctx, {
      onToggle: (key, value) =>
        router.replace('/', { ...this.#route.query,
          ...writeFilters(toggleFilter(readFilters(this.#route.query), key, value)) }),
      onClear: () => router.go('/', { sort: this.#route.query['sort'], dir: this.#route.query['dir'] }),
      onSave: () => void saveFilters(ctx, this.#query()),
      onClose: () => this.#toggleFilters(),
    });
    this.#heads = new ColumnHeads(ctx, { onSort: (column, reversed) => this.#setSort(column, reversed),
      onTracks: (columns, tracks) => this.#grid.setColumns(columns, tracks), onReveal: (pixels) => side.by(pixels) });
    this.#bar = new BulkBar(ctx, { ids: () => this.#grid.selection.ids, onAll: () => this.#grid.chooseAll(),
      onNone: () => {
        this.#grid.chooseNone();
        this.#grid.focus();
      } }, signal);
    this.#shelf = h('div', { class: 'shelf' }, this.#head.element, this.#head.chips, this.#line, this.#heads.element,
      this.#stage, this.#bar.element);
    this.#root = h('div', { class: 'library' }, this.#shelf,
      h('div', { class: 'sheet-veil', on: { click: () => this.#closeOver() } }));
    this.#overs = { filters: new Over(router, this.#filters.element, () => this.#closeOver()),
      details: new Over(router, this.#details.element, () => this.#closeOver()) };
    root.append(this.#root);
    const side = new SideScroll(this.#grid.element, (frame) => {
      this.#heads.follow(frame);
      for (const [name, isOn]
        of /** @type {const} */ ([['wide', frame.isWide], ['has-before', frame.hasBefore], ['has-more',
          frame.hasMore]])) this.#shelf.classList.toggle(name, isOn);
    }, signal);
    this.#isOpen = preferences.detailsOpen && matchMedia(WIDE).matches;
    this.#applyPreferences();
    this.#listen();
    this.update(route);
  }

  /** @param {App.Route} route */
  update(route) {
    const before = this.#route;
    const isSearch = placeKey(before, false) === placeKey(route, false);
    if (!isSearch) {
      this.#rememberPlace();
      this.#wantsStart = true;
      this.#grid.chooseNone();
    }
    this.#isNewText ||= before.query['q'] !== route.query['q'];
    this.#route = route;
    this.#ask();
    this.#drawHead();
  }

  /** Remembers the place and ends. */
  unmount() {
    for (const over of Object.values(this.#overs)) over.set(false);
    this.#rememberPlace();
    this.#life.abort();
    this.#root.remove();
  }

  #listen() {
    const { bus, catalog } = this.#ctx;
    const { signal } = this.#life;
    bus.on('catalog:order', (answer) => this.#show(answer), signal);
    bus.on('catalog:counts', (counts) => this.#filters.count(counts), signal);
    bus.on('catalog:rows', () => this.#grid.refresh(), signal);
    bus.on('catalog:facets', () => {
      this.#drawHead();
      this.#dropGone();
    }, signal);
    bus.on('lists', () => this.#drawHead(), signal);
    bus.on('collection', ({ name }) => {
      if (name !== this.#query().collection) return;
      if (this.#isWaiting) this.#ask();
      this.#drawHead();
    }, signal);
    bus.on('removed', () => this.#dropGone(), signal);
    bus.on('kiosk', ({ isLocked }) => isLocked && this.#grid.chooseNone(), signal);
    bus.on('catalog:progress', ({ loaded, total }) => this.#drawProgress(Math.min(0.98, loaded / Math.max(1, total))),
      signal);
    bus.on('catalog:ready', () => this.#drawProgress(1), signal);
    bus.on('focus-library', () => this.#grid.focus(), signal);
    bus.on('settings', () => this.#applyPreferences(), signal);
    bus.on('sessions', (sessions) => {
      this.#grid.running = new Set(sessions.map((session) => session.gameId));
    }, signal);
    this.#grid.running = new Set(this.#ctx.sessions.list.map((session) => session.gameId));
    if (catalog.complete) this.#drawProgress(1);
    followPhone(() => {
      this.#hasSheet = false;
      this.#applyPreferences();
    }, signal);
    this.#bindKeys(signal);
  }

  /** Chosen games that are gone are chosen no more. */
  #dropGone() {
    if (this.#grid.selection.keep((id) => this.#ctx.catalog.has(id))) this.#grid.showChosen();
  }

  /** Follows the settings: form, tile size, columns, groups, filters panel. */
  #applyPreferences() {
    const { preferences } = this.#ctx;
    this.#grid.tiles = { width: preferences.tileWidth, hasTitles: preferences.tileTitles };
    this.#grid.form = isPhone() && preferences.form === 'list' ? 'details' : preferences.form;
    this.#grid.pictures = preferences.pictures(scopeOf(this.#query()));
    this.#grid.refresh();
    this.#root.classList.toggle('split', preferences.form === 'details');
    const { element } = this.#filters;
    const isShown = this.#hasFilters;
    if (isShown && !element.isConnected) this.#root.prepend(element);
    if (!isShown && element.isConnected) element.remove();
    this.#overs.filters.set(isShown);
    if (this.#asked && this.#asked !== this.#question()) this.#ask();
    this.#drawHead();
    this.#drawDetails();
  }

  /** @param {AbortSignal} signal */
  #bindKeys(signal) {
    const { actions, router, kiosk } = this.#ctx;
    const ahead = new TypeAhead({ jump: (prefix) => this.#jump(prefix), end: () => {
      this.#typed.hidden = true;
    } }, signal);
    const active = () => (this.#inGrid() ? this.#grid.activeId : this.#isOpen ? this.#selected : '');
    const onGame = (/** @type {(id: string) => void} */ act) => () => {
      const id = active();
      if (!id) return false;
      act(id);
      return true;
    };
    const inGrid = (/** @type {(id: string, event: KeyboardEvent) => void} */ act) =>
    (
      /** @type {KeyboardEvent} */ event,
    ) => (this.#inGrid() && this.#grid.activeId ? (act(this.#grid.activeId, event), true) : false);
    // The button of a controller has no letter, so it begins no name.
    const held = (/** @type {string} */ letter, /** @type {(id: string) => void} */ act, isOwners = false) =>
      inGrid((id, event) => {
        if (event.key) ahead.type(letter, isOwners && kiosk.isLocked ? null : () => act(id));
        else act(id);
      });
    this.#ctx.keys.add([
      { key: 'Enter', group: 'library', label: 'keys.launch', run: inGrid((id) => void actions.launch(id)) },
      { key: 'Space', group: 'library', label: 'keys.details', action: 'details', run: inGrid((id, event) => {
        if (event.key && ahead.isActive) ahead.type(' ', null);
        else if (this.#grid.selection.size > 0) this.#grid.toggleActive();
        else this.#toggleDetails(id);
      }) },
      { key: 'O', group: 'library', label: 'keys.page',
        run: held('o', (id) => router.go(`/game/${encodeURIComponent(id)}`)) },
      { key: 'F', group: 'library', label: 'keys.favorite', action: 'favorite',
        run: held('f', (id) => void actions.toggleFavorite(id), true) },
      { key: 'F3', group: 'library', label: 'keys.edit', run: onGame((id) => void actions.edit(id)) },
      { key: 'Delete', group: 'library', label: 'keys.remove',
        run: inGrid((id) =>
          void (this.#grid.selection.size > 0 ? this.#ctx.bulk.trash(this.#grid.selection.ids) : actions.remove(id))
        ) },
      { key: 'ContextMenu', group: 'library', label: 'keys.gameMenu' },
      { key: 'Ctrl+Space', group: 'choose', label: 'keys.choose', run: inGrid(() => this.#grid.toggleActive()) },
      { key: 'Ctrl+A', group: 'choose', label: 'keys.chooseAll', run: inGrid(() => this.#grid.chooseAll()) },
      { key: 'Shift+Arrows', group: 'choose', label: 'keys.chooseRange' },
      { key: 'B', group: 'choose', label: 'keys.bulk', run: inGrid(() => {
        if (ahead.isActive || this.#grid.selection.size === 0) ahead.type('b', null);
        else this.#bar.focus();
      }) },
      { key: 'Ctrl+B', group: 'view', label: 'keys.filters', run: () => {
        this.#toggleFilters();
        return true;
      } },
      { key: 'Arrows', group: 'move', label: 'keys.arrows' },
      { key: 'PageUp', group: 'move', label: 'keys.pageUp' },
      { key: 'PageDown', group: 'move', label: 'keys.pageDown' },
      { key: 'Home', group: 'move', label: 'keys.home' },
      { key: 'End', group: 'move', label: 'keys.end' },
      { key: 'A…Z', group: 'move', label: 'keys.typeAhead' },
      { key: 'Ctrl+G', group: 'view', label: 'keys.panel', run: () => {
        this.#setOpen(!this.#isOpen);
        return true;
      } },
      { key: 'Escape', group: 'view', label: 'keys.escape', run: () => this.#escape() },
    ], signal);
    addEventListener('keydown', (event) => {
      const isLetter = event.key.length === 1 && /[\p{L}\p{N}]/u.test(event.key) && !event.ctrlKey && !event.metaKey &&
        !event.altKey;
      if (!isLetter || event.defaultPrevented || !this.#inGrid() || isTextField(event.target)) return;
      event.preventDefault();
      ahead.type(event.key, null);
    }, { signal });
  }

  /** @returns {App.LibraryQuery} */
  #query() {
    const { query } = this.#route;
    const { preferences, lists } = this.#ctx;
    const asked = query['view'] ?? 'all';
    const view = VIEWS.includes(asked) || RULE_VIEWS.includes(asked) ? asked : 'all';
    const [playlist, collection] = [query['playlist'] ?? '',
      saidName(query['say'] ?? '') || (query['collection'] ?? '')];
    const isManual = lists.playlist(playlist)?.type === 'manual';
    const known = (
      /** @type {string | undefined} */ sort,
    ) => (sort && (SORTS.includes(sort) || COLUMNS.includes(sort) || (isManual && sort === 'playlist')) ? sort : '');
    const sort = known(query['sort']) || (isManual ? 'playlist' : known(preferences.sort) || 'name');
    const reversed = query['dir']
      ? query['dir'] === 'reversed'
      : query['sort'] || isManual
      ? false
      : preferences.isReversed;
    return { text: query['q'] ?? '', view, filters: readFilters(query), playlist, collection, sort, reversed,
      group: preferences.group };
  }

  /** Everything an answer depends on, to know when it must be asked again. */
  #question() {
    return JSON.stringify([this.#query(), this.#hasFilters]);
  }

  #ask() {
    this.#asked = this.#question();
    this.#grid.expect();
    const query = this.#query();
    this.#bar.playlist = query.playlist;
    this.#grid.pictures = this.#ctx.preferences.pictures(scopeOf(query));
    const isNarrowed = query.view !== 'all' || query.text !== '' || query.playlist !== '' || query.collection !== '' ||
      Object.keys(query.filters).length > 0;
    this.#filters.show(query.filters, isNarrowed);
    const { catalog, collections } = this.#ctx;
    collections.show(query.collection);
    // What a collection holds the server tells; until then the list before it stays.
    this.#isWaiting = query.collection !== '' && collections.games?.name !== query.collection;
    if (!this.#isWaiting) catalog.query({ ...query, counts: this.#hasFilters });
  }

  /**
   * @param {{order: Uint32Array, groups: readonly App.Group[], letters: readonly App.Letter[], isWhole: boolean}}
   * answer an empty one says that nothing answers only when it `isWhole`
   */
  #show({ order, groups, letters, isWhole }) {
    this.#results = order.length;
    this.#rail.show(order.length > FEW ? letters : []);
    this.#isExpecting = order.length === 0 && (!isWhole || this.#isWaiting);
    if (order.length === 0) {
      this.#selected = '';
      this.#drawDetails();
      if (!this.#isExpecting) this.#showEmpty();
      this.#drawHead();
      return;
    }
    if (!this.#grid.element.isConnected) fill(this.#stage, this.#grid.element, this.#rail.element, this.#typed);
    /** @type {{top?: number, focus?: string}} */
    const start = this.#wantsStart
      ? (places.get(placeKey(this.#route, true)) ?? { top: 0, focus: '' })
      : this.#isNewText
      ? { top: 0 }
      : {};
    // The pane takes its width before the grid takes its shape, so that a remembered place means the same again.
    if (this.#isOpen && this.#selected === '')
      this.#select(start.focus || this.#ctx.catalog.idAt(order[0] ?? -1));
    const isReturn = this.#wantsStart && Boolean(start.focus);
    this.#wantsStart = false;
    this.#isNewText = false;
    this.#drawHead();
    this.#grid.show(order, { ...start, groups, groupLabel: (key) => groupLabel(this.#ctx, key) });
    if (isReturn && isFocusFree()) this.#grid.focus();
    if (!this.#selected || !this.#isShown(order, this.#selected)) this.#select(this.#grid.activeId);
    this.#drawDetails();
  }

  /**
   * @param {Uint32Array} order
   * @param {string} id
   */
  #isShown(order, id) {
    return this.#ctx.catalog.placeIn(order, id) >= 0;
  }

  #showEmpty() {
    const { t, catalog, router } = this.#ctx;
    const query = this.#query();
    /** @type {HTMLElement[]} */
    const acts = [];
    let [symbol, key] = ['all', `empty.view.${VIEWS.includes(query.view) ? query.view : 'all'}`];
    if (catalog.facets.total === 0) {
      [symbol, key] = ['platform', 'empty.library'];
      acts.push(...firstSteps(this.#ctx));
    } else if (query.text || saidPhrase(query.collection) || Object.keys(query.filters).length > 0) {
      const isTyped = query.text !== '' && Object.keys(query.filters).length === 0;
      [symbol, key] = ['search',
        saidPhrase(query.collection) ? 'empty.said' : isTyped ? 'empty.typed' : 'empty.search'];
      const offer = this.#head.offer(query);
      if (offer) acts.push(offer);
      acts.push(
        h('button', { class: offer ? 'button' : 'button primary', type: 'button', on: { click: () => router.go('/') } },
          t(isTyped ? 'empty.showAll' : 'action.clearFilters')),
      );
    } else if (query.collection) {
      [symbol, key] = ['spark', 'empty.collection'];
      const collection = this.#ctx.collections.find(query.collection);
      if (collection)
        acts.push(
          h('button', { class: 'button primary', type: 'button', on: { click: () =>
            void editCollection(this.#ctx, { collection }) } }, t('collection.edit')),
        );
      acts.push(h('a', { class: 'button', href: '#/' }, t('empty.showAll')));
    } else if (query.playlist) {
      [symbol, key] = ['playlist', 'empty.playlist'];
      acts.push(h('a', { class: 'button', href: '#/' }, t('empty.showAll')));
    } else {
      acts.push(h('a', { class: 'button', href: '#/' }, t('empty.showAll')));
    }
    const said = { query: query.text || saidPhrase(query.collection) };
    acts.forEach((act, index) => {
      act.dataset['focus'] = `empty-${index}`;
    });
    patch(this.#stage,
      h('div', { class: symbol === 'search' ? 'empty sought' : 'empty', 'data-key': 'empty' },
        h('div', { class: 'glyph' }, icon(symbol)), h('h2', null, t(`${key}.title`, said)),
        h('p', null, t(`${key}.text`, said)), h('div', { class: 'acts' }, acts)));
    if (isFocusFree()) /** @type {HTMLElement | null} */ (this.#stage.querySelector('.acts > *'))?.focus();
  }

  #drawHead() {
    const { preferences } = this.#ctx;
    this.#filters.total = this.#ctx.tn('library.count', this.#results);
    this.#head.draw(this.#route, { results: this.#results, isPanelOpen: this.#isOpen, hasFilters: this.#hasFilters });
    this.#heads.element.hidden = preferences.form !== 'list' || isPhone() ||
      (this.#results === 0 && !this.#isExpecting);
    if (!this.#heads.element.hidden) this.#heads.draw(this.#query());
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
    const isWanted = this.#isOpen || (this.#ctx.preferences.form === 'details' && !isPhone());
    const isShown = isWanted && this.#selected !== '';
    // A search that finds nothing keeps the space of the pane: what is beside it does not move while somebody types.
    const mayReturn = this.#isExpecting || this.#ctx.catalog.facets.total > 0;
    const isKept = isShown || (isWanted && mayReturn && matchMedia(WIDE).matches);
    if (this.#selected === '') this.#details.clear();
    else if (isShown) this.#details.show(this.#selected);
    pane.inert = !isShown;
    pane.ariaHidden = isShown ? null : 'true';
    if (isKept && !pane.isConnected) this.#root.append(pane);
    if (!isKept && pane.isConnected) pane.remove();
    this.#overs.details.set(isShown);
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
    if (matchMedia(WIDE).matches && open !== this.#ctx.preferences.detailsOpen)
      this.#ctx.preferences.set({ ui_details_open: open });
    this.#drawDetails();
    if (open && isPhone())
      /** @type {HTMLElement | null} */ (this.#details.element.querySelector('button'))?.focus();
  }

  /**
   * The menu of a game; of all chosen games when it is one of several.
   *
   * @param {string} id
   * @param {{x: number, y: number}} at
   */
  #menu(id, at) {
    if (this.#grid.selection.size > 1 && this.#grid.selection.has(id)) this.#bar.menu(at);
    else this.#ctx.actions.menu(id, at);
  }

  #toggleFilters() {
    const isOpen = !this.#hasFilters;
    const hadFocus = this.#filters.element.contains(document.activeElement);
    this.#hasSheet = isOpen && isPhone();
    if (isPhone()) this.#applyPreferences();
    else this.#ctx.preferences.set({ ui_filters_open: isOpen });
    if (isOpen) this.#filters.focus();
    else if (hadFocus) this.#grid.focus();
  }

  /** Whether the filters are shown. */
  get #hasFilters() {
    return isPhone() ? this.#hasSheet : this.#ctx.preferences.filtersOpen;
  }

  /** Takes away what lies over the library on a phone. */
  #closeOver() {
    if (this.#hasSheet) this.#toggleFilters();
    if (this.#isOpen) this.#setOpen(false);
    this.#grid.focus();
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

  /** Closes one level: the choice of games, panels that cover the grid, the query, the filters, the view. */
  #escape() {
    if (this.#grid.selection.size > 0) {
      this.#grid.chooseNone();
      this.#grid.focus();
      return true;
    }
    const isNarrow = !matchMedia(WIDE).matches;
    if (isNarrow && this.#hasFilters) {
      this.#toggleFilters();
      this.#grid.focus();
      return true;
    }
    if (this.#isOpen && isNarrow) {
      this.#setOpen(false);
      this.#grid.focus();
      return true;
    }
    const { q, view, playlist, collection, sort, dir, ...filters } = this.#route.query;
    const place = { view, playlist, collection };
    if (q) this.#ctx.router.go('/', { ...place, ...filters });
    else if (Object.keys(filters).length > 0 && (view || playlist || collection)) this.#ctx.router.go('/', place);
    else if (view || playlist || collection || Object.keys(filters).length > 0) this.#ctx.router.go('/');
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
  }

  /**
   * @param {string} sort
   * @param {boolean} reversed
   */
  #setSort(sort, reversed) {
    const { sort: _, dir, ...address } = this.#route.query;
    this.#wantsStart = true;
    // A playlist has an order of its own; another one is a look of this list only.
    if (this.#ctx.lists.playlist(address['playlist'] ?? '')?.type === 'manual') {
      this.#ctx.router.replace('/', { ...address, sort: sort === 'playlist' ? undefined : sort,
        dir: reversed ? 'reversed' : undefined });
      return;
    }
    this.#ctx.preferences.set({ list_sort: sort === 'name' ? '' : sort, list_sort_dir: reversed ? 'reversed' : '' });
    this.#ctx.router.replace('/', address);
  }

  #rememberPlace() {
    if (this.#grid.element.isConnected)
      places.set(placeKey(this.#route, true), { top: this.#grid.scrollTop, focus: this.#grid.activeId });
  }

  #inGrid() {
    return this.#grid.element.contains(document.activeElement);
  }
}

/**
 * What makes an address another place, whatever it is sorted by.
 *
 * @param {App.Route} route
 * @param {boolean} withText
 * @returns {string}
 */
function placeKey({ query }, withText) {
  const { q, sort, dir, ...rest } = query;
  return JSON.stringify([withText ? (q ?? '') : '', ...Object.entries(rest).filter(([, value]) => value).sort()]);
}
