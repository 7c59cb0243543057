/**
 * The palette behind Ctrl+K: games, screens, actions and settings in one list that follows what is typed.
 */

import { art } from '../art.js';
import { editCollection } from '../library/collections.js';
import { openDialog } from '../dialog.js';
import { openImport } from '../library/import.js';
import { openMigrate } from '../setup/migrate.js';
import { openKeyboard } from '../controller/osk.js';
import { MORE } from './more.js';
import { openSheet } from './sheet.js';
import { askPin } from '../kiosk/pin-pad.js';
import { pluginCommands } from '../plugins/commands.js';
import { updateLibrary } from './update.js';
import { presetHash } from '../library/playlists.js';
import { fill, h, icon, setAttribute } from '../../core/dom.js';
import { hueSymbol } from '../platform-symbol.js';
import { VIEWS } from '../../data/ordering.js';
import { formatHash, parseHash } from '../../core/router.js';
import { fold } from '../../data/search.js';
import { shownSettings } from '../../data/settings-table.js';

/** Games, and entries of every other kind, shown at most. */
const GAMES = 8;
const OTHERS = 6;

/** What is typed first by somebody who wants a command and no game. */
const COMMAND = /^[>#]/;

/**
 * Settings by the words that find them; asked for once.
 *
 * @type {Promise<App.SettingRow[]> | null}
 */
let settings = null;

/** @param {App.Context} ctx */
export async function openPalette(ctx) {
  const { t } = ctx;
  const list = h('div', { class: 'palette-list scroll', role: 'listbox', id: 'palette-list',
    'aria-label': t('palette.results') });
  const input = h('input', {
    class: 'input',
    type: 'text',
    role: 'combobox',
    placeholder: t('palette.placeholder'),
    'aria-label': t('palette.title'),
    'aria-controls': list.id,
    'aria-expanded': 'true',
    'aria-autocomplete': 'list',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const typing = h('button', { class: 'icon-button osk-open', type: 'button', 'aria-label': t('osk.open'),
    on: { click: () => void openKeyboard(ctx, input, { title: t('palette.title') }) } }, icon('keyboard'));
  const dialog = openDialog(ctx, { title: t('palette.title'), width: 620, className: 'palette',
    content: [h('div', { class: 'palette-row' }, h('div', { class: 'search' }, icon('search'), input), typing),
      list] });
  /** @type {App.Entry[]} */
  let entries = [];
  let at = 0;
  let turn = 0;
  /** What the list that is shown was made for. */
  let shown = '';
  /** Settles when the list is the one for what stands in the field. */
  let drawn = Promise.resolve();
  /** @type {readonly App.SettingRow[]} */
  let rows = [];
  /** Commands of plugins. @type {readonly App.Entry[]} */
  let added = [];

  const run = (/** @type {App.Entry | undefined} */ entry) => {
    if (!entry || !dialog.element.isConnected) return;
    dialog.close('');
    entry.run();
  };
  const move = (/** @type {number} */ to) => {
    at = Math.max(0, Math.min(entries.length - 1, to));
    [...list.querySelectorAll('[role="option"]')].forEach((option, index) => {
      setAttribute(option, 'aria-selected', String(index === at));
      if (index === at) option.scrollIntoView({ block: 'nearest' });
    });
    setAttribute(input, 'aria-activedescendant', entries.length > 0 ? `palette-${at}` : null);
  };
  const draw = async () => {
    turn += 1;
    const now = turn;
    const text = input.value.trim();
    const isCommand = COMMAND.test(text);
    const games = text && !isCommand ? await ctx.catalog.search(text, GAMES) : [];
    if (now !== turn) return;
    // A list that only grows keeps the entry somebody has gone to.
    const kept = text === shown ? entries[at] : undefined;
    shown = text;
    entries = isCommand
      ? commands([...actions(ctx), ...added], text.slice(1).trim())
      : [...games.map((row) => gameEntry(ctx, row)), ...matching(text, places(ctx)),
        ...matching(text, [...actions(ctx), ...added]), ...(text ? matching(text, settingEntries(ctx, rows)) : [])];
    let index = 0;
    const groups = [...new Set(entries.map((entry) => entry.group))];
    fill(list, entries.length === 0
      ? h('p', { class: 'nothing' }, t('palette.nothing'))
      : groups.map((group) =>
        h('div', { role: 'group', 'aria-label': t(`palette.${group}`) },
          h('h3', { 'aria-hidden': 'true' }, t(`palette.${group}`)), entries.filter((entry) =>
            entry.group === group
          ).map((entry) => {
            const here = index;
            index += 1;
            return h('div', { class: 'goal', role: 'option', id: `palette-${here}`,
              on: { click: () => run(entries[here]), pointermove: () => {
                if (at !== here) move(here);
              } } }, entry.glyph, h('span', { class: 'name' }, entry.label),
              entry.note ? h('small', null, entry.note) : null);
          }))
      ));
    move(Math.max(0, entries.findIndex(({ group, label }) => group === kept?.group && label === kept.label)));
  };
  const redraw = () => {
    drawn = draw().catch(ctx.fail);
  };
  input.addEventListener('input', redraw);
  input.addEventListener('keydown', (event) => {
    const to =
      { ArrowDown: at >= entries.length - 1 ? 0 : at + 1, ArrowUp: at <= 0 ? entries.length - 1 : at - 1,
        PageDown: at + 8, PageUp: at - 8 }[event.key];
    if (to !== undefined) move(to);
    // Who types faster than games are found means what was typed, not what was listed before it.
    else if (event.key === 'Enter') void drawn.then(() => run(entries[at]));
    else return;
    event.preventDefault();
  });
  input.focus();
  redraw();
  settings ??= loadSettings(ctx);
  try {
    [rows, added] = ctx.kiosk.isLocked ? [[], []] : await Promise.all([settings, pluginCommands(ctx)]);
    // What was typed before they were there finds them now.
    if (input.value.trim()) redraw();
  } catch (error) {
    settings = null;
    ctx.fail(error);
  }
}

/**
 * @param {App.Context} ctx
 * @param {App.Row} row
 * @returns {App.Entry}
 */
function gameEntry(ctx, row) {
  return { group: 'games', label: row.name, note: [row.platform, row.year].filter(Boolean).join(' · '),
    glyph: art(ctx, row), run: () => ctx.router.go(`/game/${encodeURIComponent(row.id)}`) };
}

/**
 * Everywhere one can go.
 *
 * @param {App.Context} ctx
 * @returns {App.Entry[]}
 */
function places(ctx) {
  const { t, tn, catalog, collections, lists, router, kiosk } = ctx;
  const go = (/** @type {string} */ hash) => () => {
    location.hash = hash;
  };
  const place = (/** @type {string} */ symbol, /** @type {string} */ label, /** @type {string} */ hash, note = '') => ({
    group: 'places',
    label,
    note,
    glyph: icon(symbol),
    hash,
    run: go(hash),
  });
  // Every screen that the sidebar links to, and those behind its "More".
  const links = /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll('#sidebar .foot a.place')]);
  return [
    place('home', t('place.home'), '#/home'),
    ...VIEWS.map((view) => place('all', t(`view.${view}`), formatHash('/', { view: view === 'all' ? '' : view }))),
    ...links.map((link) => ({ group: 'places', label: link.querySelector('.name')?.textContent ?? '', note: '',
      glyph: link.querySelector('svg')?.cloneNode(true) ?? icon('open'), hash: link.hash, run: go(link.hash) })
    ),
    ...(kiosk.isLocked ? [] : MORE).map(([name, symbol]) => place(symbol, t(`place.${name}`), `#/${name}`)),
    place('players', t('place.party'), '#/party'),
    place('star', t('place.household'), '#/household'),
    place('server', t('household.tab.library'), '#/household/library', t('place.household')),
    place('folder', t('place.setup'), '#/setup'),
    place('picture', t('place.fill'), '#/fill'),
    place('server', t('place.sources'), '#/sources'),
    place('store', t('place.stores'), '#/stores'),
    place('platform', t('place.emulators'), '#/emulators'),
    place('puzzle', t('plugins.tab.catalog'), '#/plugins/catalog', t('place.plugins')),
    place('palette', t('place.themes'), '#/themes'),
    place('palette', t('themes.tab.tokens'), '#/themes/tokens', t('place.themes')),
    place('download', t('updates.title'), '#/settings/about'),
    place('lock', t('settings.group.kiosk'), '#/settings/kiosk'),
    ...lists.playlists.map((list) =>
      place('playlist', list.name, formatHash('/', { playlist: list.name }), t('sidebar.playlists'))
    ),
    ...collections.list.map(({ name }) =>
      place('spark', name, formatHash('/', { collection: name }), t('sidebar.collections'))
    ),
    ...lists.presets.map((preset) => place('bookmark', preset.name, presetHash(preset.rules), t('sidebar.presets'))),
    ...catalog.facets.platforms.map(([name, count]) => ({ group: 'places', label: name || t('platform.none'),
      note: tn('library.count', count), glyph: hueSymbol(name), run: () => router.go('/', { platform: name || '-' }) })
    ),
  ].filter((entry) => !('hash' in entry) || kiosk.shows(parseHash(entry.hash).name));
}

/**
 * @param {App.Context} ctx
 * @returns {App.Entry[]}
 */
function actions(ctx) {
  const { t, preferences, router, kiosk } = ctx;
  const action = (/** @type {string} */ symbol, /** @type {string} */ key, /** @type {() => void} */ run) => ({
    group: 'actions',
    label: t(key),
    note: '',
    glyph: icon(symbol),
    run,
  });
  if (kiosk.isLocked)
    return [action('unlock', 'kiosk.unlock', () => askPin(ctx)),
      action('dice', 'action.random', () => void ctx.actions.openRandom())];
  return [
    action('plus', 'action.addGames', () => void openImport(ctx)),
    action('archive', 'migrate.title', () => void openMigrate(ctx)),
    action('refresh', 'action.updateLibrary', () => void updateLibrary(ctx)),
    action('spark', 'collection.new', () => void editCollection(ctx, { query: router.current.query['q'] ?? '' })),
    action('dice', 'action.random', () => void ctx.actions.openRandom()),
    action('all', 'library.asGrid', () => preferences.set({ library_view: 'grid' })),
    action('rows', 'library.asList', () => preferences.set({ library_view: 'list' })),
    action('split', 'library.asDetails', () => preferences.set({ library_view: 'details' })),
    action('filter', 'filter.title', () => {
      preferences.set({ ui_filters_open: true });
      if (router.current.name !== 'library') router.go('/');
    }),
    action('keyboard', 'place.keyboard', () => openSheet(ctx)),
  ];
}

/**
 * The actions alone, all of them when nothing more is typed.
 *
 * @param {readonly App.Entry[]} all
 * @param {string} text
 * @returns {App.Entry[]}
 */
function commands(all, text) {
  return text === '' ? [...all] : matching(text, all);
}

/**
 * @param {App.Context} ctx
 * @param {readonly App.SettingRow[]} rows
 * @returns {App.Entry[]}
 */
function settingEntries(ctx, rows) {
  const { t, i18n, router } = ctx;
  const named = (/** @type {string} */ key,
    /** @type {string} */ fallback) => (i18n.has(key) ? t(key) : fallback.replaceAll('_', ' '));
  return rows.map((row) => ({
    group: 'settings',
    label: named(`setting.${row.key}`, row.key),
    note: named(`settings.group.${row.group}`, row.group),
    glyph: icon('gear'),
    run: () => router.go(`/settings/${row.group}`),
  }));
}

/**
 * Entries in which every word begins a word, those that begin with the text first.
 *
 * @param {string} text
 * @param {readonly App.Entry[]} entries
 * @returns {App.Entry[]}
 */
function matching(text, entries) {
  const words = fold(text).split(/\s+/).filter(Boolean);
  const found = entries.filter((entry) => {
    const label = ` ${fold(`${entry.label} ${entry.note}`)}`;
    return words.every((word) => label.includes(` ${word}`) || (word.length > 2 && label.includes(word)));
  });
  const first = words[0] ?? '';
  return found.sort((a, b) => Number(fold(b.label).startsWith(first)) - Number(fold(a.label).startsWith(first))).slice(
    0,
    OTHERS,
  );
}

/**
 * @param {App.Context} ctx
 * @returns {Promise<App.SettingRow[]>}
 */
async function loadSettings(ctx) {
  return shownSettings(/** @type {Api.OpenApi} */ (await ctx.client.get('/api/openapi.json')));
}
