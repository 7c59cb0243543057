/**
 * The stores screen: which stores are on this machine, what they have, bringing it in now or by itself; the catalog of
 * each; the library server; the wrapper launcher; what is never imported.
 */

import { busyButton } from '../parts/act.js';
import { serverForm } from '../parts/stores/libserver.js';
import { JobLists } from '../parts/job-list.js';
import { emptyBox, failureBox, pageHead, waitBox } from '../parts/state-box.js';
import { StoreCatalog } from '../parts/stores/catalog.js';
import { storeExtras } from '../parts/stores/extras.js';
import { ApiError } from '../core/client.js';
import { coalesce, Turns } from '../core/coalesce.js';
import { h, icon, isTicked, patch } from '../core/dom.js';
import { isActive } from '../data/jobs.js';
import { LOCAL_STORES, SERVER } from '../data/stores.js';

const WRAPPER = 'wrapper';

/** @implements {App.View} */
export class StoresView {
  #ctx;
  #life = new AbortController();
  #root;
  #head = h('div', null);
  #body = h('div', null);
  #jobs;
  #source;
  #shown;
  /** @type {readonly Api.Store[] | null} */
  #stores = null;
  /** @type {ApiError | null} */
  #failure = null;
  /** What each store has, or why it could not be asked. */
  /** @type {Map<string, readonly Api.Title[] | ApiError>} */
  #catalogs = new Map();
  /** @type {Api.Settings} */
  #settings = {};
  /** @type {{installed: boolean, data_dirs: string[], games: number} | null} */
  #wrapper = null;
  #extras;
  /** @type {StoreCatalog | null} */
  #panel = null;
  /** Settings may be changed while the screen is read, which knows them as they were. */
  #turns = new Turns();
  /** How switches were set whose change is not saved yet. */
  /** @type {Map<string, boolean>} */
  #wanted = new Map();
  #load = coalesce(() => this.#read());

  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   * @param {App.Route} route
   */
  constructor(ctx, root, route) {
    this.#ctx = ctx;
    this.#source = route.arg;
    this.#shown = route.query['show'] ?? 'all';
    const { bus } = ctx;
    this.#jobs = new JobLists(ctx, ['jobs.active']);
    this.#extras = storeExtras(ctx, (source, id) => this.#nameOf(source, id), () => this.#reloadAll());
    this.#root = h('div', { class: 'page work scroll', tabindex: -1 },
      h('div', { class: 'inner' }, this.#head, this.#jobs.element, this.#body));
    root.append(this.#root);
    bus.on('jobs', () => this.#drawJobs(), this.#life.signal);
    bus.on('job:ended', ({ type }) => {
      if (type === 'libserver.install') void this.#readCatalog(SERVER);
    }, this.#life.signal);
    bus.on('live:behind', () => void this.#load(), this.#life.signal);
    this.#draw();
    this.#drawJobs();
    void this.#load();
  }

  /** @param {App.Route} route */
  update(route) {
    const isElsewhere = route.arg !== this.#source;
    this.#source = route.arg;
    this.#shown = route.query['show'] ?? 'all';
    if (isElsewhere) {
      this.#panel = null;
      this.#root.scrollTop = 0;
    }
    this.#draw();
    if (isElsewhere) this.#body.querySelector('h1, .button')?.closest('.scroll')?.scrollTo(0, 0);
  }

  unmount() {
    this.#life.abort();
    this.#root.remove();
  }

  async #read() {
    const { client } = this.#ctx;
    try {
      const [status, settings, wrapper] = await this.#turns.read(() =>
        Promise.all([
          client.get('/api/storefront/status'),
          client.get('/api/settings'),
          client.get('/api/wrapper/status'),
        ])
      );
      if (this.#life.signal.aborted) return;
      this.#stores = status.stores;
      this.#settings = settings;
      this.#wrapper = { ...wrapper, games: this.#wrapper?.games ?? 0 };
      this.#failure = null;
      this.#draw();
      await this.#reloadAll();
    } catch (error) {
      const known = ApiError.from(error);
      if (this.#life.signal.aborted) return;
      if (this.#stores) {
        this.#ctx.fail(known);
        return;
      }
      this.#failure = known;
      this.#draw();
    }
  }

  /** Reads what the stores have; one that is not there is not asked. */
  async #reloadAll() {
    const found = (this.#stores ?? []).filter((store) => store.found).map((store) => store.source);
    const server = this.#settings['libserver_url'] ? [SERVER] : [];
    await Promise.all([...[...found, ...server].map((source) => this.#readCatalog(source)), this.#readWrapper(),
      this.#extras.load()]);
    this.#extras.draw();
  }

  /** @param {string} source */
  async #readCatalog(source) {
    try {
      const { catalog } = await this.#ctx.client.get('/api/storefront/catalog', { source });
      this.#catalogs.set(source, catalog);
    } catch (error) {
      this.#catalogs.set(source, ApiError.from(error));
    }
    if (!this.#life.signal.aborted) this.#draw();
  }

  async #readWrapper() {
    if (!this.#wrapper?.installed) return;
    try {
      const scan = await this.#ctx.client.get('/api/wrapper/scan');
      if (this.#wrapper) this.#wrapper.games = scan.count;
    } catch (error) {
      this.#ctx.fail(error);
    }
    if (!this.#life.signal.aborted) this.#draw();
  }

  /**
   * @param {string} source
   * @param {string} id
   * @returns {string} the name of a title, or its id when nobody knows it
   */
  #nameOf(source, id) {
    for (const titles of this.#catalogs.values()) {
      if (titles instanceof ApiError) continue;
      const title = titles.find((item) => item.id === id && item.source === source);
      if (title) return title.name;
    }
    return id;
  }

  #drawJobs() {
    this.#jobs.show(this.#ctx.jobs.list.filter((job) => job.type === 'libserver.install' && isActive(job)),
      () => 'jobs.active');
    this.#panel?.refresh();
  }

  #draw() {
    const { t } = this.#ctx;
    const name = this.#storeName(this.#source);
    if (this.#failure && !this.#stores) {
      patch(this.#head, pageHead(this.#ctx, t('place.stores')));
      patch(this.#body, failureBox(this.#ctx, this.#failure, () => void this.#load()));
    } else if (name) this.#drawCatalog(name);
    else this.#drawStores();
  }

  /** @param {string} source */
  #storeName(source) {
    if (source === SERVER) return this.#ctx.t('stores.server');
    if (!(source in LOCAL_STORES)) return '';
    return this.#stores?.find((store) => store.source === source)?.name ?? this.#ctx.t('place.stores');
  }

  #drawStores() {
    const { t } = this.#ctx;
    patch(this.#head,
      pageHead(this.#ctx, t('place.stores'),
        busyButton(this.#ctx, { label: t('stores.again'), symbol: 'refresh', focus: 'again',
          run: () => this.#load() })), h('p', { class: 'about lead-text' }, t('stores.about')));
    if (!this.#stores) {
      patch(this.#body, waitBox(this.#ctx));
      return;
    }
    patch(this.#body,
      h('ul', { class: 'sources', 'aria-label': t('place.stores') }, this.#stores.map((store) => this.#card(store)),
        this.#wrapperCard(), this.#serverCard()), this.#extras.element);
  }

  /**
   * One card: who, where, how much, and what can be done.
   *
   * @param {{key: string, symbol: string, name: string, isThere: boolean, state: string, place: string, figures:
   *   App.Child, acts: App.Child, trouble?: string}} parts
   */
  #frame({ key, symbol, name, isThere, state, place, figures, acts, trouble = '' }) {
    return h('li', { class: isThere ? 'source' : 'source away', 'data-source': key },
      h('div', { class: 'top' }, h('div', { class: 'symbol' }, icon(symbol)),
        h('div', { class: 'who' }, h('h2', null, name), h('p', { class: 'state' }, state))),
      place ? h('p', { class: 'mono-path where', title: place }, place) : null,
      trouble ? h('p', { class: 'outcome-line bad' }, icon('missing', 'icon-s'), trouble) : figures,
      this.#automatic(key, name, isThere), h('div', { class: 'acts' }, acts));
  }

  /** @param {Api.Store} store */
  #card(store) {
    const { t } = this.#ctx;
    const titles = this.#catalogs.get(store.source);
    const isKnown = titles !== undefined && !(titles instanceof ApiError);
    return this.#frame({
      key: store.source,
      symbol: 'store',
      name: store.name,
      isThere: store.found,
      state: t(store.found ? 'stores.found' : 'stores.away'),
      place: store.places[0] ?? store.client,
      trouble: titles instanceof ApiError ? titles.message : '',
      figures: store.found
        ? this.#figures(titles instanceof ApiError ? undefined : titles)
        : h('p', { class: 'hint' }, t('stores.away.text', { store: store.name })),
      acts: store.found
        ? [
          busyButton(this.#ctx, { label: t('stores.import'), symbol: 'plus', focus: `import:${store.source}`,
            about: store.name, style: 'primary',
            run: () => this.#import(LOCAL_STORES[store.source] ?? '', store.name) }),
          h('a', { class: 'button', href: `#/stores/${store.source}`, 'data-focus': `open:${store.source}`,
            'aria-label': t('stores.catalog.of', { store: store.name }), 'aria-disabled': isKnown ? null : 'true' },
            t('stores.catalog')),
        ]
        : null,
    });
  }

  /** @param {readonly Api.Title[] | undefined} titles `undefined` while nobody knows */
  #figures(titles) {
    const { t, format } = this.#ctx;
    const figure = (/** @type {string} */ key, /** @type {(title: Api.Title) => boolean} */ test) =>
      h('div', null, h('dt', null, t(key)), h('dd', null, titles ? format.number(titles.filter(test).length) : '…'));
    return h('dl', { class: 'small-figures' }, figure('stores.figure.installed', (title) => title.installed),
      figure('stores.figure.catalog', () => true), figure('stores.figure.library', (title) => title.game_id !== ''));
  }

  #serverCard() {
    const { t } = this.#ctx;
    const url = String(this.#settings['libserver_url'] ?? '');
    const titles = this.#catalogs.get(SERVER);
    return this.#frame({
      key: SERVER,
      symbol: 'server',
      name: t('stores.server'),
      isThere: url !== '',
      state: t(url ? 'stores.server.set' : 'stores.server.none'),
      place: url,
      trouble: titles instanceof ApiError ? titles.message : '',
      figures: url
        ? this.#figures(titles instanceof ApiError ? undefined : titles)
        : h('p', { class: 'hint' }, t('stores.server.text')),
      acts: h('a', { class: url ? 'button' : 'button primary', href: `#/stores/${SERVER}`,
        'data-focus': `open:${SERVER}` }, t(url ? 'stores.server.open' : 'stores.server.setUp')),
    });
  }

  #wrapperCard() {
    const { t, format } = this.#ctx;
    const { installed, data_dirs: places, games } = this.#wrapper ?? { installed: false, data_dirs: [], games: 0 };
    return this.#frame({
      key: WRAPPER,
      symbol: 'plug',
      name: t('stores.wrapper'),
      isThere: installed,
      state: t(installed ? 'stores.found' : 'stores.away'),
      place: places[0] ?? '',
      figures: installed
        ? h('dl', { class: 'small-figures' },
          h('div', null, h('dt', null, t('stores.figure.games')), h('dd', null, format.number(games))))
        : h('p', { class: 'hint' }, t('stores.wrapper.text')),
      acts: installed
        ? busyButton(this.#ctx, { label: t('stores.import'), symbol: 'plus', focus: `import:${WRAPPER}`,
          about: t('stores.wrapper'), style: 'primary',
          run: () => this.#import('/api/wrapper/import', t('stores.wrapper')) })
        : null,
    });
  }

  /**
   * The switch that brings games of a store in by itself.
   *
   * @param {string} key
   * @param {string} name
   * @param {boolean} isThere
   */
  #automatic(key, name, isThere) {
    if (key === WRAPPER || !isThere) return null;
    const { t } = this.#ctx;
    const flags = /** @type {Record<string, boolean>} */ (this.#settings['storefront_auto_import'] ?? {});
    const box = h('input', {
      type: 'checkbox',
      role: 'switch',
      checked: this.#wanted.get(key) ?? Boolean(flags[key]),
      'data-focus': `auto:${key}`,
      'aria-label': `${t('stores.automatic')}: ${name}`,
      on: { change: (event) => void this.#setAutomatic(key, isTicked(event)) },
    });
    return h('label', { class: 'switch', title: t('stores.automatic.text') },
      h('span', { class: 'words', 'aria-hidden': 'true' }, t('stores.automatic')), box, h('span', { class: 'track' }));
  }

  /**
   * @param {string} key
   * @param {boolean} isOn
   */
  async #setAutomatic(key, isOn) {
    const { client, preferences, announce, t } = this.#ctx;
    this.#wanted.set(key, isOn);
    try {
      await this.#turns.change(async () => {
        const flags = /** @type {Record<string, boolean>} */ (this.#settings['storefront_auto_import'] ?? {});
        this.#settings = await client.post('/api/settings', { storefront_auto_import: { ...flags, [key]: isOn } });
        preferences.take(this.#settings);
      });
      announce(t('settings.announce', { name: t('stores.automatic') }));
    } catch (error) {
      this.#ctx.fail(error);
    } finally {
      if (this.#wanted.get(key) === isOn) this.#wanted.delete(key);
    }
    this.#draw();
  }

  /**
   * @param {string} route
   * @param {string} name
   */
  async #import(route, name) {
    const { client, catalog, toasts, t, tn } = this.#ctx;
    const { added, errors = [] } = /** @type {Api.ImportCounts} */ (await client.post(route));
    if (added > 0) catalog.extend();
    toasts.show({ kind: 'good',
      text: added > 0 ? tn('stores.imported', added, { store: name }) : t('stores.imported.none', { store: name }) });
    for (const error of errors) toasts.show({ kind: 'error', text: error });
    await this.#reloadAll();
  }

  /** @param {string} name */
  #drawCatalog(name) {
    const { t } = this.#ctx;
    const source = this.#source;
    const isServer = source === SERVER;
    patch(this.#head,
      h('a', { class: 'button quiet back-link', href: '#/stores', 'data-focus': 'back' }, icon('back', 'icon-s'),
        t('place.stores')), pageHead(this.#ctx, name));
    if (!this.#stores) {
      patch(this.#body, waitBox(this.#ctx));
      return;
    }
    const hasServer = Boolean(this.#settings['libserver_url']);
    const titles = this.#catalogs.get(source);
    const isAway = !isServer && !this.#stores.find((store) => store.source === source)?.found;
    const shown = isServer && !hasServer
      ? null
      : isAway
      ? emptyBox(this.#ctx, 'store', 'stores.none')
      : titles === undefined
      ? waitBox(this.#ctx)
      : titles instanceof ApiError
      ? failureBox(this.#ctx, titles, () => void this.#readCatalog(source))
      : this.#catalogPanel(name, titles);
    patch(this.#body, isServer ? this.#body.querySelector('.server') ?? this.#serverPanel(hasServer) : null, shown);
  }

  /** @param {boolean} isSet */
  #serverPanel(isSet) {
    const { t } = this.#ctx;
    const form = serverForm(this.#ctx, this.#settings, (settings) =>
      void this.#turns.change(async () => {
        this.#settings = settings;
        this.#catalogs.delete(SERVER);
        if (settings['libserver_url']) void this.#readCatalog(SERVER);
        this.#draw();
      }));
    return h('details', { class: 'server', 'data-key': 'server', open: !isSet },
      h('summary', null, icon('chevron'), t('libserver.form')), h('p', { class: 'about' }, t('stores.server.text')),
      form);
  }

  /**
   * @param {string} name
   * @param {readonly Api.Title[]} titles
   */
  #catalogPanel(name, titles) {
    const source = this.#source;
    this.#panel ??= new StoreCatalog(this.#ctx, { source, name }, () => this.#readCatalog(source));
    this.#panel.show(titles, this.#shown);
    return this.#panel.element;
  }
}
