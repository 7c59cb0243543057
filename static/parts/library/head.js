/**
 * The head of the library: title and count, what it is sorted by, how it is shown, and a chip for everything that
 * narrows it. Tells what was asked for; the view decides.
 */

import { columnChoice } from './columns.js';
import { editCollection, phraseTexts } from './collections.js';
import { Offer, offerButton, saidChips } from './said.js';
import { saidPhrase } from '../../data/collections.js';
import { filterLabel } from './filters.js';
import { openPopover } from '../popover.js';
import { h, icon, patch, valueOf } from '../../core/dom.js';
import { isPhone } from '../../core/phone.js';
import { readFilters, toggleFilter, writeFilters } from '../../data/filters.js';
import { GROUPS } from '../../data/grouping.js';
import { SORTS } from '../../data/ordering.js';
import { tileKinds } from '../../data/pictures.js';
import { TILE } from '../../data/preferences.js';

/** Forms of the library: setting, icon, label. */
const FORMS = Object.freeze(
  /** @type {const} */ ([['grid', 'all', 'library.asGrid'], ['list', 'rows', 'library.asList'], ['details', 'split',
    'library.asDetails']]),
);

/** The head and the chips below it. */
export class LibraryHead {
  #ctx;
  #events;
  #offer;
  element = h('header', { class: 'library-head' });
  chips = h('div', { class: 'chips', hidden: true });

  /**
   * @param {App.Context} ctx
   * @param {{onSort: (sort: string, reversed: boolean) => void, onFilters: () => void, onPanel: () => void, onAddress:
   *   (query: Record<string, string | undefined>) => void, onOffer: () => void, query: () => App.LibraryQuery}} events
   */
  constructor(ctx, events) {
    this.#ctx = ctx;
    this.#events = events;
    this.#offer = new Offer(ctx, events.onOffer);
  }

  /**
   * The button that searches by the meaning of what is typed; `null` while it has none.
   *
   * @param {App.LibraryQuery} query
   * @param {string} [style]
   */
  offer({ text, collection }, style = 'button primary') {
    const phrase = text && !collection ? this.#offer.of(text) : null;
    const { sort, dir } = this.#ctx.router.current.query;
    return phrase
      ? offerButton(this.#ctx, phrase, () => this.#events.onAddress({ sort, dir, say: text }), style)
      : null;
  }

  /**
   * @param {App.Route} route
   * @param {{results: number, isPanelOpen: boolean, hasFilters: boolean}} state
   */
  draw(route, { results, isPanelOpen, hasFilters }) {
    const { t, tn, catalog, preferences } = this.#ctx;
    const query = this.#events.query();
    const name = this.#name(query);
    document.title = `${name} – Service Launcher`;
    const isEmptyLibrary = catalog.complete && catalog.facets.total === 0;
    // A phone has no place for details beside the list.
    const shownForm = isPhone() && preferences.form === 'details' ? 'list' : preferences.form;
    const isWhole = query.view === 'all' && !query.text && !query.playlist && !query.collection &&
      Object.keys(query.filters).length === 0;
    const count = tn('library.count', isWhole && !catalog.complete ? catalog.total : results);
    const button = (/** @type {string} */ symbol, /** @type {string} */ label, /** @type {App.Props} */ more,
      /** @type {(event: Event) => void} */ click) =>
      h('button', { class: 'icon-button', type: 'button', 'aria-label': label, title: label, ...more, on: { click } },
        icon(symbol));
    const { onSort, onFilters, onPanel } = this.#events;
    patch(this.element,
      h('button', { class: 'icon-button menu-button', type: 'button', 'aria-label': t('sidebar.open'),
        on: { click: () => this.#ctx.bus.emit('sidebar', { open: true }) } }, icon('menu')),
      h('div', { class: 'title' }, h('h1', null, name),
        h('span', { class: 'count', role: 'status' }, isEmptyLibrary ? '' : count)),
      h('div', { class: 'tools', hidden: isEmptyLibrary }, this.#sort(query),
        button(query.reversed ? 'up' : 'down', t(query.reversed ? 'library.reversed' : 'library.forward'), {
          'aria-pressed': String(query.reversed),
        }, () => onSort(query.sort, !query.reversed)), button('filter', t('filter.toggle'), {
          class: Object.keys(query.filters).length > 0 ? 'icon-button active' : 'icon-button',
          'aria-pressed': String(hasFilters),
        }, onFilters),
        h('div', { class: 'forms', role: 'group', 'aria-label': t('library.forms') },
          FORMS.map(([form, symbol, label]) =>
            button(symbol, t(label), { 'data-form': form, 'aria-pressed': String(form === shownForm) }, () =>
              preferences.set({ library_view: form }))
          )), button('gear', t('library.options'), { 'aria-expanded': 'false' }, (event) => this.#openOptions(event)),
        h('a', { class: 'icon-button', href: '#/fill', 'aria-label': t('fill.offer'), title: t('fill.offer') },
          icon('spark')),
        button('panel', t('details.toggle'), { 'aria-pressed': String(isPanelOpen),
          hidden: preferences.form === 'details' }, onPanel)));
    this.#drawChips(route, query);
  }

  /** @param {App.LibraryQuery} query */
  #sort(query) {
    const { t, lists } = this.#ctx;
    const sorts = query.playlist && lists.playlist(query.playlist)?.type === 'manual'
      ? ['playlist', ...SORTS]
      : SORTS.includes(query.sort)
      ? SORTS
      : [...SORTS, query.sort];
    return h('select', { class: 'input sort', 'aria-label': t('library.sort'),
      on: { change: (event) => this.#events.onSort(valueOf(event), false) } },
      sorts.map((sort) =>
        h('option', { value: sort, selected: sort === query.sort },
          t(SORTS.includes(sort) || sort === 'playlist' ? `sort.${sort}` : `column.${sort}`))
      ));
  }

  /** @param {App.LibraryQuery} query */
  #name(query) {
    const { t } = this.#ctx;
    if (saidPhrase(query.collection)) return t('say.title');
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
        'aria-label': t('chip.remove', { label }),
        on: { click: () => this.#events.onAddress(rest) },
      }, label, icon('close'));
    /** @type {HTMLElement[]} */
    const chips = [];
    if (query.playlist) chips.push(chip(query.playlist, { ...route.query, playlist: undefined }));
    const said = saidPhrase(query.collection);
    const phrase = said && this.#ctx.collections.games?.name === query.collection
      ? this.#ctx.collections.games.phrase
      : null;
    if (phrase)
      chips.push(...saidChips(this.#ctx, phrase, (say) => this.#events.onAddress({ ...route.query, say })));
    if (query.collection && !said) chips.push(chip(query.collection, { ...route.query, collection: undefined }));
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
    this.chips.hidden = chips.length === 0 && !said;
    const focused = document.activeElement;
    const hadFocus = this.chips.contains(focused);
    patch(this.chips, chips, said ? null : this.#phrase(query), this.offer(query, 'chip act'),
      (query.text && !query.collection) || said
        ? h('button', { class: 'chip act owner-only', type: 'button', 'data-focus': 'chip-save',
          on: { click: () => void editCollection(this.#ctx, { query: query.text || said }) } }, icon('spark'),
          t('collection.save'))
        : null, chips.length > 1
      ? h('button', { class: 'chip clear', type: 'button', 'data-focus': 'chip-clear',
        on: { click: () => this.#events.onAddress(kept) } }, t('action.clearFilters'))
      : null);
    // What was focused is gone when its filter is.
    if (hadFocus && !focused?.isConnected) this.#ctx.bus.emit('focus-library', {});
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
      [...(name ? ['default'] : []), ...tileKinds().map(({ kind }) => kind)].map((group) =>
        h('option', { value: group }, t(group === 'default' ? 'library.picture.default' : `choice.${group}`))
      ));
    select.value = shown;
    return h('div', { class: 'field' },
      h('label', { class: 'label', for: 'option-picture' },
        name ? t('library.pictureOf', { name }) : t('library.picture')), select);
  }

  /**
   * Groups, pictures, tile size and columns.
   *
   * @param {Event} event the press of the button they belong to
   */
  #openOptions({ currentTarget }) {
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
    openPopover(this.#ctx, /** @type {HTMLElement} */ (currentTarget), t('library.options'), [
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
