/**
 * The head of the library: title and count, what it is sorted by, how it is shown, and a chip for everything that
 * narrows it. Tells what was asked for; the view decides.
 */

import { columnChoice } from './columns.js';
import { editCollection, phraseTexts } from './collections.js';
import { filterLabel } from './filters.js';
import { openPopover } from '../popover.js';
import { fill, h, icon, refill, setAttribute, setIcon } from '../../core/dom.js';
import { readFilters, toggleFilter, writeFilters } from '../../data/filters.js';
import { keepFocus } from '../../core/focus.js';
import { GROUPS } from '../../data/grouping.js';
import { SORTS } from '../../data/ordering.js';
import { PICTURE_GROUPS } from '../../data/pictures.js';
import { TILE } from '../../data/preferences.js';
import { formatHash } from '../../core/router.js';

/** Forms of the library: setting, icon, label. */
const FORMS = Object.freeze(
  /** @type {const} */ ([['grid', 'all', 'library.asGrid'], ['list', 'rows', 'library.asList'], ['details', 'split',
    'library.asDetails']]),
);

/** The head and the chips below it. */
export class LibraryHead {
  #ctx;
  #events;
  #title = h('h1', null);
  #count = h('span', { class: 'count', role: 'status' });
  #sort;
  #direction;
  #filters;
  #panel;
  #forms;
  #options;
  #tools;
  element;
  chips = h('div', { class: 'chips', hidden: true });

  /**
   * @param {App.Context} ctx
   * @param {{onSort: (sort: string, reversed: boolean) => void, onFilters: () => void, onPanel: () => void, onAddress:
   *   (query: Record<string, string | undefined>) => void, query: () => App.LibraryQuery}} events
   */
  constructor(ctx, events) {
    this.#ctx = ctx;
    this.#events = events;
    const { t, preferences } = ctx;
    this.#sort = h('select', { class: 'input sort', 'aria-label': t('library.sort'),
      on: { change: () => events.onSort(this.#sort.value, false) } });
    this.#direction = h('button', { class: 'icon-button', type: 'button', on: { click: () => {
      const { sort, reversed } = events.query();
      events.onSort(sort, !reversed);
    } } }, icon('down'));
    this.#filters = h('button', { class: 'icon-button', type: 'button', on: { click: events.onFilters } },
      icon('filter'));
    this.#panel = h('button', { class: 'icon-button', type: 'button', 'aria-label': t('details.toggle'),
      title: t('details.toggle'), on: { click: events.onPanel } }, icon('panel'));
    this.#options = h('button', {
      class: 'icon-button',
      type: 'button',
      'aria-label': t('library.options'),
      title: t('library.options'),
      'aria-expanded': 'false',
      on: { click: () => this.#openOptions() },
    }, icon('gear'));
    this.#forms = FORMS.map(([form, symbol, label]) =>
      h('button', { class: 'icon-button', type: 'button', 'aria-label': t(label), title: t(label), 'data-form': form,
        on: { click: () => preferences.set({ library_view: form }) } }, icon(symbol))
    );
    this.#tools = h('div', { class: 'tools' }, this.#sort, this.#direction, this.#filters,
      h('div', { class: 'forms', role: 'group', 'aria-label': t('library.forms') }, this.#forms), this.#options,
      this.#panel);
    this.element = h('header', { class: 'library-head' },
      h('button', { class: 'icon-button menu-button', type: 'button', 'aria-label': t('sidebar.open'),
        on: { click: () => ctx.bus.emit('sidebar', { open: true }) } }, icon('menu')),
      h('div', { class: 'title' }, this.#title, this.#count), this.#tools);
  }

  /**
   * @param {App.Route} route
   * @param {{results: number, isPanelOpen: boolean}} state
   */
  draw(route, { results, isPanelOpen }) {
    const { t, tn, catalog, preferences } = this.#ctx;
    const query = this.#events.query();
    const isEmptyLibrary = catalog.complete && catalog.facets.total === 0;
    this.#title.textContent = this.#name(query);
    document.title = `${this.#title.textContent} – Service Launcher`;
    const isWhole = query.view === 'all' && !query.text && !query.playlist && !query.collection &&
      Object.keys(query.filters).length === 0;
    this.#count.textContent = isEmptyLibrary
      ? ''
      : tn('library.count', isWhole && !catalog.complete ? catalog.total : results);
    const sorts = query.playlist && this.#ctx.lists.playlist(query.playlist)?.type === 'manual'
      ? ['playlist', ...SORTS]
      : SORTS.includes(query.sort)
      ? SORTS
      : [...SORTS, query.sort];
    if (this.#sort.dataset['sorts'] !== sorts.join()) {
      this.#sort.dataset['sorts'] = sorts.join();
      fill(this.#sort, sorts.map((sort) =>
        h('option', { value: sort }, t(SORTS.includes(sort) || sort === 'playlist' ? `sort.${sort}` : `column.${sort}`))
      ));
    }
    this.#sort.value = query.sort;
    this.#direction.title = t(query.reversed ? 'library.reversed' : 'library.forward');
    this.#direction.setAttribute('aria-label', this.#direction.title);
    setAttribute(this.#direction, 'aria-pressed', String(query.reversed));
    setIcon(this.#direction.firstElementChild, query.reversed ? 'up' : 'down');
    this.#filters.title = t('filter.toggle');
    this.#filters.setAttribute('aria-label', this.#filters.title);
    setAttribute(this.#filters, 'aria-pressed', String(preferences.filtersOpen));
    this.#filters.classList.toggle('active', Object.keys(query.filters).length > 0);
    setAttribute(this.#panel, 'aria-pressed', String(isPanelOpen));
    this.#panel.hidden = preferences.form === 'details';
    for (const button of this.#forms)
      setAttribute(button, 'aria-pressed', String(button.dataset['form'] === preferences.form));
    this.#tools.hidden = isEmptyLibrary;
    this.#drawChips(route, query);
  }

  /** @param {App.LibraryQuery} query */
  #name(query) {
    const { t } = this.#ctx;
    if (query.playlist || query.collection) return query.playlist || query.collection;
    const platforms = query.filters['platform'] ?? [];
    if (platforms.length === 1) return platforms[0] || t('platform.none');
    return t(this.#ctx.i18n.has(`view.${query.view}`) ? `view.${query.view}` : 'view.all');
  }

  /**
   * @param {App.Route} route
   * @param {App.LibraryQuery} query
   */
  #drawChips(route, query) {
    const { t } = this.#ctx;
    const { sort, dir } = route.query;
    const kept = { sort, dir };
    const chip = (/** @type {string} */ label, /** @type {Record<string, string | undefined>} */ rest) =>
      h('button', {
        class: 'chip',
        type: 'button',
        'data-focus': `chip-${label}`,
        'data-leads': formatHash('/', rest),
        'aria-label': t('chip.remove', { label }),
        on: { click: () => this.#events.onAddress(rest) },
      }, label, icon('close'));
    /** @type {HTMLElement[]} */
    const chips = [];
    if (query.playlist) chips.push(chip(query.playlist, { ...route.query, playlist: undefined }));
    if (query.collection) chips.push(chip(query.collection, { ...route.query, collection: undefined }));
    if (query.view !== 'all')
      chips.push(
        chip(t(this.#ctx.i18n.has(`view.${query.view}`) ? `view.${query.view}` : 'view.all'), { ...route.query,
          view: undefined }),
      );
    const filters = readFilters(route.query);
    for (const [key, values] of Object.entries(filters)) {
      for (const value of values)
        chips.push(
          chip(filterLabel(this.#ctx, key, value), { ...route.query,
            ...writeFilters(toggleFilter(filters, key, value)) }),
        );
    }
    if (query.text) chips.push(chip(t('chip.search', { query: query.text }), { ...route.query, q: undefined }));
    this.chips.hidden = chips.length === 0;
    const hadFocus = this.chips.contains(document.activeElement);
    keepFocus(this.chips, () =>
      refill(this.chips, chips, this.#phrase(query), query.text && !query.collection
        ? h('button', { class: 'chip act', type: 'button', 'data-focus': 'chip-save',
          on: { click: () => void editCollection(this.#ctx, { query: query.text }) } }, icon('spark'),
          t('collection.save'))
        : null, chips.length > 1
        ? h('button', { class: 'chip clear', type: 'button', 'data-focus': 'chip-clear',
          'data-leads': formatHash('/', kept), on: { click: () => this.#events.onAddress(kept) } },
          t('action.clearFilters'))
        : null));
    // What was focused is gone when its filter is.
    if (hadFocus && !this.chips.contains(document.activeElement)) this.#ctx.bus.emit('focus-library', {});
  }

  /**
   * What the phrase of the shown collection says.
   *
   * @param {App.LibraryQuery} query
   * @returns {App.Child}
   */
  #phrase({ collection }) {
    const { t, format, collections } = this.#ctx;
    const { games } = collections;
    if (!collection || games?.name !== collection || !games.phrase) return null;
    const cut = games.total > games.ids.length
      ? t('collection.cut', { shown: format.number(games.ids.length), total: format.number(games.total) })
      : '';
    return [...phraseTexts(this.#ctx, games.phrase), cut].filter(Boolean).map((text) =>
      h('span', { class: 'chip read' }, text)
    );
  }

  /**
   * Chooses which picture stands for the games of the list: those of its playlist, of its platform, or all.
   *
   * @returns {HTMLElement}
   */
  #pictureField() {
    const { t, client, preferences } = this.#ctx;
    const { playlist, platform } = scopeOf(this.#events.query());
    const [scope, name] = playlist ? ['playlist', playlist] : platform ? ['platform', platform] : ['global', ''];
    const shown = preferences.ownPictureGroup({ playlist, platform });
    const choose = async () => {
      try {
        preferences.take(
          await client.post('/api/image-group', { group: select.value, scope, ...(name ? { name } : {}) }),
        );
      } catch (error) {
        select.value = preferences.ownPictureGroup({ playlist, platform });
        this.#ctx.fail(error);
      }
    };
    const select = h('select', { class: 'input', id: 'option-picture', on: { change: () => void choose() } },
      [...(name ? ['default'] : []), ...PICTURE_GROUPS].map((group) =>
        h('option', { value: group }, t(group === 'default' ? 'library.picture.default' : `choice.${group}`))
      ));
    select.value = shown;
    return h('div', { class: 'field' },
      h('label', { class: 'label', for: 'option-picture' },
        name ? t('library.pictureOf', { name }) : t('library.picture')), select);
  }

  /** Groups, pictures, tile size and columns. */
  #openOptions() {
    const { t, preferences } = this.#ctx;
    const group = h('select', { class: 'input', id: 'option-group',
      on: { change: () => preferences.set({ ui_group: group.value }) } },
      GROUPS.map((name) => h('option', { value: name }, t(`group.${name || 'none'}`))));
    group.value = preferences.group;
    const size = h('input', {
      type: 'range',
      id: 'option-size',
      min: TILE.min,
      max: TILE.max,
      step: TILE.step,
      value: preferences.tileWidth,
      on: { input: () => preferences.set({ ui_tile_width: Number(size.value) }) },
    });
    openPopover(this.#ctx, this.#options, t('library.options'), [
      h('div', { class: 'field' }, h('label', { class: 'label', for: 'option-group' }, t('library.group')), group),
      this.#pictureField(),
      preferences.form === 'grid'
        ? h('div', { class: 'field' }, h('label', { class: 'label', for: 'option-size' }, t('library.tileSize')),
          h('div', { class: 'size' }, icon('small'), size, icon('large')))
        : null,
      preferences.form === 'list'
        ? h('div', { class: 'field' }, h('span', { class: 'label' }, t('columns.title')), columnChoice(this.#ctx))
        : null,
    ]);
  }
}

/**
 * What all games of a list have in common, as far as a picture is chosen for it.
 *
 * @param {App.LibraryQuery} query
 * @returns {{playlist: string, platform: string}}
 */
export function scopeOf({ playlist, filters }) {
  const platforms = filters['platform'] ?? [];
  return { playlist, platform: platforms.length === 1 ? (platforms[0] ?? '') : '' };
}
