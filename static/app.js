/**
 * The composition root: makes the parts, hands them to each other and shows the screen of the address.
 */

import { Actions } from './parts/actions.js';
import { showMissedArt } from './parts/art.js';
import { Bulk } from './parts/library/bulk.js';
import { openPalette } from './parts/shell/palette.js';
import { mountFootBar } from './parts/shell/foot-bar.js';
import { openImport } from './parts/library/import.js';
import { receiveOtherFiles } from './parts/picture-drop.js';
import { mountRunning } from './parts/shell/running.js';
import { openSheet } from './parts/shell/sheet.js';
import { Sidebar } from './parts/shell/sidebar.js';
import { mountSteering } from './parts/controller/steer.js';
import { mountTidings } from './parts/shell/tidings.js';
import { askPin } from './parts/kiosk/pin-pad.js';
import { mountAutomaticMoments } from './parts/keepsakes/automatic.js';
import { keepNewest } from './parts/keepsakes/capture.js';
import { followFileLinks } from './parts/file-link.js';
import { toggleFullScreen } from './parts/full-screen.js';
import { loadPlatformSymbols } from './parts/platform-symbol.js';
import { updateLibrary } from './parts/shell/update.js';
import { Toasts } from './parts/shell/toast.js';
import { mountTray } from './parts/shell/tray.js';
import { BackupsView } from './views/backups.js';
import { BigView } from './views/big.js';
import { EmulatorsView } from './views/emulators.js';
import { FillView } from './views/fill.js';
import { GameView } from './views/game.js';
import { HealthView } from './views/health.js';
import { HistoryView } from './views/history.js';
import { HomeView } from './views/home.js';
import { HouseholdView } from './views/household.js';
import { InsightsView } from './views/insights.js';
import { JobsView } from './views/jobs.js';
import { KioskView } from './views/kiosk.js';
import { LibraryView } from './views/library.js';
import { PartyView } from './views/party.js';
import { MomentsView } from './views/moments.js';
import { PlayView } from './views/play.js';
import { PluginsView } from './views/plugins.js';
import { RecoveryView } from './views/recovery.js';
import { SavesView } from './views/saves.js';
import { SettingsView } from './views/settings.js';
import { SetupView } from './views/setup.js';
import { SourcesView } from './views/sources.js';
import { StoresView } from './views/stores.js';
import { ThemesView } from './views/themes.js';
import { UnreachableView } from './views/unreachable.js';
import { WebhooksView } from './views/webhooks.js';
import { Bus } from './core/bus.js';
import { Catalog } from './data/catalog.js';
import { ApiError, Client, sessionName, takeToken } from './core/client.js';
import { coalesce } from './core/coalesce.js';
import { Collections } from './data/collections.js';
import { byId, h } from './core/dom.js';
import { takeFocus } from './core/focus.js';
import { Format } from './core/format.js';
import { I18n } from './core/i18n.js';
import { Jobs } from './data/jobs.js';
import { isTextField, Keys } from './core/keys.js';
import { isLockedOut, Kiosk } from './data/kiosk.js';
import { Lists } from './data/lists.js';
import { setMedia } from './data/media.js';
import { PICTURE_TYPES } from './data/upload.js';
import { Live } from './core/live.js';
import { Notices } from './data/notices.js';
import { Over } from './core/over.js';
import { isPhone } from './core/phone.js';
import { Preferences } from './data/preferences.js';
import { Queue } from './data/queue.js';
import { Resumes } from './data/resumes.js';
import { Router } from './core/router.js';
import { Sessions } from './data/sessions.js';
import { renewTheme, wearTheme } from './core/theme.js';
import { platformOf } from './data/theme-tokens.js';

/** Screens by the first part of the address. A new screen is a row here and a link in the sidebar. */
const SCREENS = Object.freeze({
  library: LibraryView,
  big: BigView,
  home: HomeView,
  game: GameView,
  health: HealthView,
  history: HistoryView,
  insights: InsightsView,
  moments: MomentsView,
  settings: SettingsView,
  jobs: JobsView,
  play: PlayView,
  webhooks: WebhooksView,
  backups: BackupsView,
  saves: SavesView,
  stores: StoresView,
  sources: SourcesView,
  emulators: EmulatorsView,
  setup: SetupView,
  plugins: PluginsView,
  themes: ThemesView,
  party: PartyView,
  household: HouseholdView,
  fill: FillView,
});

/** Pages looked at since the start, so that "back" never leaves the program. */
let visited = 0;

/** @type {App.View | null} */
let view = null;
let shown = '';
/** @type {Sidebar | null} */
let sidebar = null;
let isBooted = false;
/** What the settings said of the kiosk when they were heard of last. */
let kioskSaid = '';
/** Which part of the library was loaded: the rating that the family view ends at, or nothing for all of it. */
let libraryPart = '';
/** Settles when the symbols of the platforms are in the page. @type {Promise<void> | undefined} */
let byPlatform;

const main = byId('main');
const app = byId('app');
const i18n = new I18n();
const bus = new Bus();
/** Of two languages that are chosen quickly the later one stays, whichever arrives first. */
const applyLocale = coalesce(followLocale);
/** Whether the page was just opened by the program, and not loaded again by the user. */
const isStart = /[?&#]token=/.test(location.href);
/** What a link to the program asked for. */
const deepLink = new URLSearchParams(location.search).get('deeplink') ?? '';
const client = new Client(takeToken(location, history, sessionStorage), (status) => noAnswer(status),
  sessionName(sessionStorage));
const preferences = new Preferences(client, bus);
const router = new Router(follow);

/** @type {App.Context} */
const ctx = {
  client,
  bus,
  router,
  i18n,
  preferences,
  t: i18n.t,
  tn: i18n.tn,
  format: new Format('en'),
  catalog: new Catalog(client, bus),
  lists: new Lists(client, bus),
  collections: new Collections(client, bus),
  sessions: new Sessions(client, bus),
  resumes: new Resumes(client, bus),
  live: new Live(client, bus),
  jobs: new Jobs(client, bus),
  notices: new Notices(client, bus),
  queue: new Queue(client, bus),
  kiosk: new Kiosk(client, bus),
  keys: new Keys(() => [...document.querySelectorAll('dialog[open]')].at(-1) ?? null),
  pads: /** @type {App.Context['pads']} */ (/** @type {unknown} */ (null)),
  toasts: new Toasts(i18n.t, bus),
  announce: (text) => {
    byId('status').textContent = text;
  },
  fail,
  hasHistory: () => visited > 1,
  actions: /** @type {App.Context['actions']} */ (/** @type {unknown} */ (null)),
  bulk: /** @type {App.Context['bulk']} */ (/** @type {unknown} */ (null)),
};
const menuOver = new Over(router, byId('sidebar'), () => toggleSidebar(false));
ctx.actions = new Actions(ctx);
ctx.bulk = new Bulk(ctx);
ctx.pads = mountSteering(ctx, () => void openPalette(ctx));

followFileLinks(ctx, document.body);
// The big screen has no sidebar; it is not shown first and taken away then.
if (/^#\/big(?:[?]|$)/.test(location.hash)) app.classList.add('big-on');
listen();
await boot();

/**
 * Gets the first page of the library with the settings, the media kinds and the language, then shows the screen of the
 * address.
 */
async function boot() {
  try {
    // The stream first: what changes while the library is read is told then.
    await ctx.live.start();
    const [page, { kinds }] = await Promise.all([ctx.catalog.load(), client.get('/api/media/kinds'),
      i18n.use('en', loadStrings), byPlatform ??= loadPlatformSymbols(), ctx.kiosk.check()]);
    libraryPart = ctx.kiosk.part;
    setMedia(kinds);
    await i18n.use(String(page.settings?.['locale'] ?? 'en'), loadStrings);
    isBooted = true;
    app.classList.remove('barred');
    preferences.take(page.settings ?? {});
    dress();
    const start = startPage();
    if (start) router.replaceStart(start);
    else router.start();
    for (const part of [ctx.sessions, ctx.notices, ctx.queue]) void part.refresh();
    if (!ctx.kiosk.isLocked) void ctx.jobs.refresh();
  } catch (error) {
    await i18n.use('en', loadStrings).catch(() => undefined);
    dress();
    refuse(error);
  }
}

/**
 * Shows what keeps the page from working: no right, no server, or a library that needs recovery.
 *
 * @param {unknown} error
 */
function refuse(error) {
  isBooted = false;
  app.classList.add('barred');
  const known = ApiError.from(error);
  const reason = known.code === 'STATE_UNAVAILABLE' ? 'recovery' : known.code === 'UNAUTHORIZED' ? 'token' : 'server';
  // Whoever tried again and is refused for the same reason keeps the screen and the place on it.
  if (shown === reason) view?.update?.(router.current);
  else show(reason,
      () => (reason === 'recovery' ? new RecoveryView(ctx, main, boot) : new UnreachableView(ctx, main, reason, boot)));
  if (known.code !== 'STATE_UNAVAILABLE' && known.code !== 'NO_ANSWER' && known.code !== 'UNAUTHORIZED')
    ctx.toasts.fail(known);
}

/** Everything that listens for the life of the page. */
function listen() {
  bus.on('failure', (error) => fail(error));
  client.onAnswered = () => bus.emit('answered', {});
  // Pictures fail without a word to the client.
  bus.on('live:behind', ({ missed }) => missed && bus.emit('answered', {}));
  bus.on('answered', showMissedArt);
  bus.on('settings', applyPreferences);
  bus.on('kiosk', followKiosk);
  bus.on('settings', ({ museum_kiosk_enabled: isOn, museum_kiosk_family: isFamily, museum_kiosk_esrb: highest }) => {
    const said = JSON.stringify([isOn, isFamily, highest]);
    if (isBooted && kioskSaid && said !== kioskSaid) void ctx.kiosk.check().then(followPart).catch(fail);
    kioskSaid = said;
  });
  // What a platform has of its own is worn on its pages; a game is known once its row has arrived.
  for (const name of /** @type {const} */ (['route', 'catalog:ready'])) bus.on(name, () => isBooted && applyScheme());
  bus.on('sidebar', ({ open }) => toggleSidebar(open));
  bus.on('lists', () => ctx.catalog.setPlaylists(ctx.lists.playlists));
  bus.on('collection', ({ name, ids }) => ctx.catalog.setCollection(name, ids));
  bus.on('live', ({ state }) => showConnection(state === 'lost'));
  bus.on('live:gone', () => {
    const text = main.querySelector('.strip p');
    if (text) text.textContent = i18n.t('connection.gone');
  });
  byId('veil').addEventListener('click', () => toggleSidebar(false));
  // On a phone the menu is over once something was chosen in it.
  byId('sidebar').addEventListener('click', ({ target }) => {
    if (isPhone() && isSidebarOpen() && target instanceof Element && target.closest('.place, .foot .button'))
      toggleSidebar(false);
  });
  bus.on('focus-library', () => isPhone() && isSidebarOpen() && toggleSidebar(false));
  mountFootBar(ctx, byId('foot-bar'), { isOpen: isSidebarOpen, toggle: (isOpen) => {
    if (isOpen !== isSidebarOpen()) toggleSidebar(isOpen);
  } });
  mountRunning(ctx, byId('running'));
  mountTray(ctx, byId('tray'), app);
  mountTidings(ctx);
  mountAutomaticMoments(ctx);
  ctx.keys.add([
    { key: 'Ctrl+F', group: 'go', label: 'keys.search', run: () => {
      toggleSidebar(true, true);
      sidebar?.focusSearch();
      return true;
    } },
    { key: '/', group: 'go', label: 'keys.search', run: () => {
      toggleSidebar(true, true);
      sidebar?.focusSearch();
      return true;
    } },
    { key: 'Ctrl+K', group: 'go', label: 'keys.palette', run: () => {
      void openPalette(ctx);
      return true;
    } },
    { key: 'Ctrl+,', group: 'go', label: 'keys.settings', run: () => {
      router.go('/settings');
      return true;
    } },
    { key: 'Ctrl+E', group: 'view', label: 'keys.sidebar', run: () => {
      toggleSidebar(!isSidebarOpen());
      return true;
    } },
    { key: 'F8', group: 'go', label: 'keys.notices', run: () => ctx.toasts.focus() },
    { key: 'Ctrl+Z', group: 'view', label: 'keys.undo',
      run: (event) => !isTextField(event.target) && ctx.toasts.undo() },
    { key: '?', group: 'go', label: 'keys.sheet', run: () => {
      openSheet(ctx);
      return true;
    } },
    { key: 'Ctrl+Shift+B', group: 'go', label: 'keys.bigScreen', run: () => {
      router.go('/big');
      return true;
    } },
    { key: 'F6', group: 'go', label: 'keys.random', action: 'random', run: () => {
      void ctx.actions.openRandom();
      return true;
    } },
    { key: 'Ctrl+Alt+Q', group: 'go', label: 'keys.random', run: () => {
      void ctx.actions.openRandom();
      return true;
    } },
    { key: 'Ctrl+Alt+R', group: 'go', label: 'keys.random', run: () => {
      void ctx.actions.openRandom();
      return true;
    } },
    { key: 'F5', group: 'go', label: 'keys.update', run: () => {
      void updateLibrary(ctx);
      return true;
    } },
    { key: 'F11', group: 'view', label: 'keys.fullScreen', run: () => {
      void toggleFullScreen();
      return true;
    } },
    { key: 'F9', group: 'go', label: 'keys.moment', action: 'details', run: () => keepNewest(ctx) },
    { key: '', group: 'go', label: 'keys.running', action: 'pause', run: () => focusRunning() },
    { key: 'Escape', group: 'view', label: 'keys.escape',
      run: () => (app.classList.contains('sidebar-open') ? (toggleSidebar(false), true) : leaveScreen()) },
  ]);
  receiveOtherFiles((files) => {
    if (!isBooted || ctx.kiosk.isLocked || files.every(({ type }) => PICTURE_TYPES.includes(type))) return;
    ctx.toasts.show({ key: 'drop', text: i18n.t('drop.games'),
      actions: [{ label: i18n.t('action.addGames'), run: () => void openImport(ctx) }] });
  });
  for (const scheme of ['(prefers-color-scheme: light)', '(prefers-contrast: more)'])
    matchMedia(scheme).addEventListener('change', () => applyScheme());
  // Its style sheet may have been written anew while nobody looked at this page.
  addEventListener('focus', () => void renewTheme());
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) void renewTheme();
  });
}

/** @param {App.Route} route */
function follow(route) {
  if (!isBooted) return;
  const name = route.name in SCREENS ? /** @type {keyof typeof SCREENS} */ (route.name) : 'library';
  const key = !ctx.kiosk.shows(name) ? 'kiosk' : name === 'game' ? `game:${route.arg}` : name;
  if (!route.replaced) visited += 1;
  if (key === shown && view?.update) view.update(route);
  else show(key, () => (key === 'kiosk' ? new KioskView(ctx, main) : new SCREENS[name](ctx, main, route)));
  if (app.classList.contains('sidebar-open') && !byId('sidebar').contains(document.activeElement)) toggleSidebar(false);
  bus.emit('route', route);
}

/**
 * @param {string} key
 * @param {() => App.View} make
 */
function show(key, make) {
  const isFirst = view === null;
  view?.unmount();
  main.querySelector('.boot')?.remove();
  shown = key;
  view = make();
  // What had the focus went with the screen before: Tab and a screen reader go on in the new one, not at the top of the
  // page.
  if (!isFirst && document.activeElement === document.body) main.focus({ preventScroll: true });
}

/**
 * @param {number} [status] of an answer that is not of the service
 */
function noAnswer(status = 0) {
  return i18n.t(status > 0 ? 'error.foreign' : 'error.noAnswer');
}

/** Shows an error; one that ends the work of the page shows its own screen instead.
 *
 * @param {unknown} error
 * @param {App.NoticeAction[]} [actions]
 */
function fail(error, actions) {
  const failure = error instanceof ApiError || !(error && typeof error === 'object' && 'code' in error)
    ? error
    : new ApiError(String(/** @type {{message?: unknown}} */ (error).message ||
      noAnswer(/** @type {{status?: number}} */ (error).status)),
      /** @type {{status: number, code: string, requestId: string, path: string}} */ (error));
  if (isLockedOut(failure)) refuseVisitor(failure);
  else if (failure instanceof ApiError && (failure.code === 'STATE_UNAVAILABLE' || failure.code === 'UNAUTHORIZED'))
    refuse(failure);
  else ctx.toasts.fail(failure, actions);
}

/**
 * Says that something needs the PIN. What the page asks for by itself is not told.
 *
 * @param {unknown} failure
 */
function refuseVisitor(failure) {
  const isKnown = ctx.kiosk.isLocked;
  ctx.kiosk.set(true);
  if (isKnown && failure instanceof ApiError && !failure.path.startsWith('/api/v2/jobs'))
    ctx.toasts.show({ key: 'kiosk', text: i18n.t('kiosk.needed'),
      actions: [{ label: i18n.t('kiosk.unlock'), run: () => askPin(ctx) }] });
}

/** Draws the page for visitors, or for whoever entered the PIN. */
function followKiosk() {
  // Dialogs stand beside the shell.
  document.documentElement.classList.toggle('kiosk-on', ctx.kiosk.isLocked);
  if (!isBooted) return;
  dress();
  // A screen that stays is made anew for what this page may see now; the page of a game has other tabs.
  if (ctx.kiosk.part !== libraryPart || shown.startsWith('game:')) shown = '';
  follow({ ...router.current, replaced: true });
  if (!ctx.kiosk.isLocked) void ctx.jobs.refresh();
  void followPart().catch(fail);
}

/** Loads the library again when this page sees another part of it. */
async function followPart() {
  const { part } = ctx.kiosk;
  if (part === libraryPart) return;
  libraryPart = part;
  await ctx.catalog.load();
  for (const seen of [ctx.sessions, ctx.notices, ctx.queue]) void seen.refresh();
}

/** Puts the words of the language and the sidebar into the shell. */
function dress() {
  document.documentElement.lang = i18n.locale;
  ctx.catalog.locale = i18n.locale;
  byId('skip').textContent = i18n.t('shell.skip');
  main.setAttribute('aria-label', i18n.t('shell.main'));
  ctx.format = new Format(i18n.locale);
  sidebar?.close();
  sidebar = new Sidebar(ctx, byId('sidebar'), { onClose: () => toggleSidebar(false) });
  bus.emit('locale', { locale: i18n.locale });
}

/** Follows a change of language or colours, from the settings screen or anywhere else. */
function applyPreferences() {
  applyScheme();
  if (isBooted) void applyLocale();
}

/** Shows everything in the language that is set. */
async function followLocale() {
  if (preferences.locale === i18n.locale) return;
  try {
    await i18n.use(preferences.locale, loadStrings);
  } catch (error) {
    fail(error);
    return;
  }
  dress();
  shown = '';
  visited -= 1;
  router.start();
}

function applyScheme() {
  const chosen = preferences.scheme;
  const automatic = matchMedia('(prefers-contrast: more)').matches
    ? 'contrast'
    : matchMedia('(prefers-color-scheme: light)').matches
    ? 'light'
    : 'dark';
  document.documentElement.dataset['scheme'] = chosen === 'auto' ? automatic : chosen;
  wearTheme(client, preferences.themeFor(platformOf(router.current, (id) => ctx.catalog.find(id))));
}

/**
 * @param {string} locale
 * @returns {Promise<Record<string, string>>}
 */
async function loadStrings(locale) {
  const response = await fetch(`/locales/${locale}.json`, { credentials: 'omit' });
  if (!response.ok)
    throw new ApiError(`HTTP ${response.status}`, { status: response.status, path: `/locales/${locale}.json` });
  return /** @type {Record<string, string>} */ (await response.json());
}

/** @param {boolean} lost */
function showConnection(lost) {
  byId('main').querySelector('.strip')?.remove();
  if (!lost || !isBooted) return;
  main.prepend(
    h('div', { class: 'strip', role: 'alert' }, h('p', null, i18n.t('connection.lost')),
      h('button', { class: 'button', type: 'button', on: { click: () => ctx.live.retry() } }, i18n.t('action.retry'))),
  );
}

function isSidebarOpen() {
  return matchMedia('(max-width: 899px)').matches
    ? app.classList.contains('sidebar-open')
    : !app.classList.contains('sidebar-hidden');
}

/**
 * @param {boolean} open
 * @param {boolean} [quietly] leave the focus where it is
 */
function toggleSidebar(open, quietly = false) {
  const isNarrow = matchMedia('(max-width: 899px)').matches;
  app.classList.toggle('sidebar-open', isNarrow && open);
  app.classList.toggle('sidebar-hidden', !isNarrow && !open);
  menuOver.set(open);
  bus.emit('menu', {});
  const place = byId('sidebar').querySelector('.place[aria-current]') ??
    (isPhone() ? byId('sidebar').querySelector('.place') : null);
  if (isNarrow && open && !quietly) /** @type {HTMLElement | null} */ (place)?.focus();
  else if (isNarrow && !open && !isPhone()) bus.emit('focus-library', {});
  else if (isPhone() && !open && byId('sidebar').contains(document.activeElement))
    /** @type {HTMLElement | null} */ (byId('foot-bar').querySelector('[aria-controls]'))?.focus();
}

/**
 * The page to begin with, where a link or the settings name one and the address asks for nothing; the empty string
 * without one.
 */
function startPage() {
  if (!isStart) return '';
  if (deepLink) return placeOfLink(new URLSearchParams(location.search));
  if (router.current.hash !== '/') return '';
  if (preferences.big.startsHere) return '/big';
  return preferences.startsAtHome ? '/home' : '';
}

/**
 * Where a link to the program leads; the empty string stands for the library.
 *
 * @param {URLSearchParams} query
 */
function placeOfLink(query) {
  const id = encodeURIComponent(query.get('id') ?? '');
  if (deepLink === 'bigscreen' || deepLink === 'fullscreen') return '/big';
  if (deepLink === 'settings') return id ? `/settings/${id}` : '/settings';
  if (deepLink === 'search' && query.get('q')) return `/?q=${encodeURIComponent(query.get('q') ?? '')}`;
  return (deepLink === 'game' || deepLink === 'showgame') && id ? `/game/${id}` : '';
}

/** Goes to the bar of running games, where there is one. */
function focusRunning() {
  const button = /** @type {HTMLElement | null} */ (byId('running').querySelector('button'));
  if (!button?.checkVisibility()) return false;
  takeFocus(button);
  return true;
}

/** Escape on a screen without a deeper level goes back to the library. */
function leaveScreen() {
  if (shown === 'library' || !isBooted) return false;
  router.go('/');
  return true;
}
