/**
 * Everything one store has, installed or not: search, what is shown, and for each game adding it, installing it,
 * opening it in its client, leaving it out for good.
 */

import { busyButton } from '../act.js';
import { confirm } from '../dialog.js';
import { emptyBox } from '../state-box.js';
import { h, icon, patch } from '../../core/dom.js';
import { isActive } from '../../data/jobs.js';
import { fold } from '../../data/search.js';
import { chosenTitles, clientAddress, countTitles, exclusionOf, SERVER, SHOWN, titleKey } from '../../data/stores.js';

/** Titles shown before the button for more. */
const PAGE = 100;

/** The words of each choice. */
const LABELS = Object.freeze(/** @type {Record<string, string>} */ ({
  all: 'stores.show.all',
  new: 'stores.show.new',
  uninstalled: 'stores.show.uninstalled',
  installed: 'stores.show.installed',
}));

/** The catalog of one store. */
export class StoreCatalog {
  #ctx;
  #source;
  #name;
  #onChange;
  #titles = /** @type {readonly Api.Title[]} */ ([]);
  #shown = 'all';
  #limit = PAGE;
  #search;
  #searchBox;
  #bar = h('div', { class: 'panel-head' });
  #list = h('div', null);

  /**
   * @param {App.Context} ctx
   * @param {{source: string, name: string}} store
   * @param {() => Promise<unknown>} onChange something was added, removed or left out; reads the catalog anew
   */
  constructor(ctx, { source, name }, onChange) {
    this.#ctx = ctx;
    this.#source = source;
    this.#name = name;
    this.#onChange = onChange;
    const { t } = ctx;
    this.#search = h('input', {
      class: 'input',
      type: 'search',
      placeholder: t('stores.search'),
      'aria-label': t('stores.search'),
      autocomplete: 'off',
      spellcheck: 'false',
      on: { input: () => {
        this.#limit = PAGE;
        this.#drawList();
      } },
    });
    this.#searchBox = h('div', { class: 'search grow', 'data-key': 'search' }, icon('search'), this.#search);
    this.element = h('section', { class: 'catalog', 'data-key': `catalog-${source}`,
      'aria-label': t('stores.catalog.of', { store: name }) }, this.#bar, this.#list);
  }

  /**
   * @param {readonly Api.Title[]} titles
   * @param {string} shown one of `SHOWN`
   */
  show(titles, shown) {
    this.#titles = titles;
    if (shown !== this.#shown) this.#limit = PAGE;
    this.#shown = SHOWN.includes(shown) ? shown : 'all';
    this.#drawBar();
    this.#drawList();
  }

  /** Draws the games again, because a job went on. */
  refresh() {
    this.#drawList();
  }

  #drawBar() {
    const { t, tn, router, format } = this.#ctx;
    const counts = countTitles(this.#titles);
    const fresh = chosenTitles(this.#titles, 'new', '', fold);
    patch(this.#bar,
      h('div', { class: 'segment wraps', role: 'group', 'aria-label': t('stores.show') },
        SHOWN.map((shown) =>
          h('button', {
            type: 'button',
            'data-focus': `show-${shown}`,
            'aria-pressed': String(shown === this.#shown),
            on: { click: () => router.replace(`/stores/${this.#source}`, { show: shown === 'all' ? '' : shown }) },
          }, t(LABELS[shown] ?? ''), h('span', { class: 'number' }, format.number(counts[shown] ?? 0)))
        )), this.#searchBox, fresh.length > 0
      ? busyButton(this.#ctx, { label: tn('stores.addAll', fresh.length), symbol: 'plus', focus: 'add-all',
        run: () => this.#addAll(fresh) })
      : null);
  }

  #drawList() {
    const { t } = this.#ctx;
    const all = chosenTitles(this.#titles, this.#shown, fold(this.#search.value), fold);
    const more = () => {
      this.#limit += PAGE;
      this.#drawList();
    };
    patch(this.#list, this.#titles.length === 0
      ? emptyBox(this.#ctx, 'store', 'stores.empty')
      : all.length === 0
      ? h('p', { class: 'none' }, t('stores.nothing'))
      : h('ul', { class: 'rows titles' }, all.slice(0, this.#limit).map((title) => this.#row(title))),
      all.length > this.#limit
        ? h('button', { class: 'button', type: 'button', 'data-focus': 'more', on: { click: more } },
          t('action.showMore'))
        : null);
  }

  /** @param {Api.Title} title */
  #row(title) {
    const { t } = this.#ctx;
    const job = this.#jobOf(title);
    const isServer = this.#source === SERVER;
    const mark = job ? h('span', { class: 'mark-text' }, t('stores.installing')) : title.excluded
      ? h('span', { class: 'mark-text' }, t('stores.excluded'))
      : title.installed
      ? h('span', { class: 'mark-text good-text' }, t('stores.installed'))
      : title.game_id
      ? h('span', { class: 'mark-text' }, t('stores.inLibrary'))
      : null;
    return h('li', { 'data-title': titleKey(title), 'data-key': titleKey(title) },
      h('div', { class: 'grow' }, h('b', null, title.name),
        h('small', null,
          [title.source === this.#source ? '' : title.source, title.platform].filter(Boolean).join(' · '))), mark,
      h('div', { class: 'acts' }, this.#first(title),
        isServer ? this.#serverAct(title, job !== undefined) : this.#clientLink(title), this.#last(title)));
  }

  /**
   * The way into the library, or to the game that is there.
   *
   * @param {Api.Title} title
   */
  #first(title) {
    const { t } = this.#ctx;
    const focus = `first:${titleKey(title)}`;
    if (title.game_id) {
      return h('a', { class: 'button quiet', 'data-focus': focus, href: `#/game/${encodeURIComponent(title.game_id)}`,
        'aria-label': `${t('action.openPage')}: ${title.name}` }, t('action.openPage'));
    }
    if (title.excluded) {
      return busyButton(this.#ctx, { label: t('stores.restore'), symbol: 'refresh', focus, about: title.name, run: () =>
        this.#setExcluded(title, false) });
    }
    return busyButton(this.#ctx, { label: t('stores.add'), symbol: 'plus', focus, about: title.name,
      run: () => this.#add([title]) });
  }

  /** @param {Api.Title} title */
  #clientLink(title) {
    const address = clientAddress(title);
    if (!address) return null;
    const label = this.#ctx.t(title.installed ? 'stores.openClient' : 'stores.installClient', { store: this.#name });
    return h('a', { class: 'icon-button', href: address, 'data-focus': `client:${titleKey(title)}`,
      'aria-label': `${label}: ${title.name}`, title: label }, icon(title.installed ? 'open' : 'download'));
  }

  /**
   * @param {Api.Title} title
   * @param {boolean} isBusy whether it is being installed now
   */
  #serverAct(title, isBusy) {
    const { t } = this.#ctx;
    const focus = `install:${titleKey(title)}`;
    if (isBusy || title.excluded) return null;
    if (!title.installed)
      return busyButton(this.#ctx, { label: t('stores.install'), symbol: 'download', focus, about: title.name,
        style: 'primary', run: () => this.#install(title) });
    if (!title.game_id) return null;
    return busyButton(this.#ctx, { label: t('stores.uninstall'), symbol: 'trash', focus, about: title.name,
      run: () => this.#uninstall(title) });
  }

  /** @param {Api.Title} title */
  #last(title) {
    const { t } = this.#ctx;
    if (title.game_id || title.excluded) return null;
    return h('button', {
      class: 'icon-button',
      type: 'button',
      'data-focus': `never:${titleKey(title)}`,
      'aria-label': `${t('stores.never')}: ${title.name}`,
      title: t('stores.never'),
      on: { click: () => void this.#setExcluded(title, true).catch(this.#ctx.fail) },
    }, icon('hidden'));
  }

  /** @param {Api.Title} title */
  #jobOf(title) {
    return this.#ctx.jobs.list.find((job) =>
      job.type === 'libserver.install' && isActive(job) && job.input['libserver_id'] === title.id
    );
  }

  /** @param {readonly Api.Title[]} titles */
  async #add(titles) {
    const { client, catalog, toasts, tn } = this.#ctx;
    const { added } = await client.post('/api/storefront/import', { source: this.#source,
      ids: titles.map((title) => title.id) });
    if (added > 0) catalog.extend();
    toasts.show({ kind: 'good', text: tn('import.added', added) });
    await this.#onChange();
  }

  /**
   * @param {readonly Api.Title[]} titles everything that is not in the library; left out titles stay out on the server
   */
  async #addAll(titles) {
    const { client, catalog, toasts, t, tn } = this.#ctx;
    const isSure = await confirm(this.#ctx, { title: tn('stores.addAll.title', titles.length),
      text: t('stores.addAll.text', { store: this.#name }), action: t('stores.add') });
    if (!isSure) return;
    const { added } = await client.post('/api/storefront/import', { source: this.#source });
    if (added > 0) catalog.extend();
    toasts.show({ kind: 'good', text: tn('import.added', added) });
    await this.#onChange();
  }

  /** @param {Api.Title} title */
  async #install(title) {
    const { client, jobs, announce, t } = this.#ctx;
    await client.post('/api/libserver/install', { libserver_id: title.id,
      ...(title.game_id ? { library_id: title.game_id } : {}) });
    announce(t('stores.installing.told', { name: title.name }));
    await jobs.refresh();
  }

  /** @param {Api.Title} title */
  async #uninstall(title) {
    const { client, t } = this.#ctx;
    const isSure = await confirm(this.#ctx, { title: t('stores.uninstall.title', { name: title.name }),
      text: t('stores.uninstall.text', { folder: title.install_dir ?? '' }), action: t('stores.uninstall'),
      danger: true });
    if (!isSure) return;
    await client.post('/api/libserver/uninstall', { game_id: title.game_id });
    this.#ctx.toasts.show({ text: t('stores.uninstalled', { name: title.name }) });
    await this.#ctx.actions.reload(title.game_id);
    await this.#onChange();
  }

  /**
   * @param {Api.Title} title
   * @param {boolean} excluded
   */
  async #setExcluded(title, excluded) {
    const { client, toasts, t } = this.#ctx;
    await client.post(excluded ? '/api/import/exclusions' : '/api/import/exclusions/delete', exclusionOf(title));
    if (excluded) {
      toasts.show({ text: t('stores.excluded.told', { name: title.name }),
        actions: [{ label: t('action.undo'), run: () =>
          void this.#setExcluded(title, false).catch(this.#ctx.fail) }] });
    }
    await this.#onChange();
  }
}
