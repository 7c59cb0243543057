/**
 * Playlists, smart collections and filter presets in the sidebar: playlists below the one they belong to, with a menu
 * for each, and games dropped on them.
 */

import { collectionSection, deleteCollection, editCollection } from '../library/collections.js';
import { carriesGames } from '../drag.js';
import { openMenu } from '../menu.js';
import { addToPlaylist, deletePlaylist, deletePreset, describeRules, editPlaylist, presetHash,
  renamePreset } from '../library/playlists.js';
import { h, icon } from '../../core/dom.js';
import { formatHash } from '../../core/router.js';

/** Deeper levels stand no further to the side. */
const DEEPEST = 4;

/**
 * The playlists and a button that makes one.
 *
 * @param {App.Context} ctx
 * @returns {App.Child}
 */
export function playlistSection(ctx) {
  const { t, lists } = ctx;
  return [
    h('div', { class: 'places-head' }, h('h2', { id: 'playlists-title' }, t('sidebar.playlists')),
      h('button', { class: 'icon-button', type: 'button', tabindex: -1, 'data-place': 'new:playlist',
        'data-focus': 'new:playlist', 'aria-label': t('playlist.new'), title: t('playlist.new'),
        on: { click: () => void editPlaylist(ctx, {}) } }, icon('plus', 'icon-s'))),
    lists.playlists.length > 0
      ? h('ul', { 'aria-labelledby': 'playlists-title' },
        inTree(lists.playlists).map(({ playlist, depth }) => playlistPlace(ctx, playlist, depth)))
      : h('p', { class: 'places-none' }, t('playlist.none')),
  ];
}

/**
 * The filter presets; nothing while there are none.
 *
 * @param {App.Context} ctx
 * @returns {App.Child}
 */
export function presetSection(ctx) {
  const { t, lists } = ctx;
  if (lists.presets.length === 0) return null;
  return [h('h2', { id: 'presets-title' }, t('sidebar.presets')),
    h('ul', { 'aria-labelledby': 'presets-title' }, lists.presets.map((preset) => presetPlace(ctx, preset)))];
}

/**
 * Playlists with those below them behind them. One whose parent is gone, or that stands below itself, stands at the
 * top.
 *
 * @param {readonly Api.Playlist[]} playlists
 * @returns {{playlist: Api.Playlist, depth: number}[]}
 */
export function inTree(playlists) {
  const names = new Set(playlists.map((playlist) => playlist.name));
  /** @type {{playlist: Api.Playlist, depth: number}[]} */
  const tree = [];
  const placed = new Set();
  const place = (/** @type {Api.Playlist} */ playlist, /** @type {number} */ depth) => {
    if (placed.has(playlist.name)) return;
    placed.add(playlist.name);
    tree.push({ playlist, depth: Math.min(DEEPEST, depth) });
    for (const below of playlists) if (below.parent === playlist.name) place(below, depth + 1);
  };
  for (const playlist of playlists) if (!playlist.parent || !names.has(playlist.parent)) place(playlist, 0);
  for (const playlist of playlists) place(playlist, 0);
  return tree;
}

/**
 * @param {App.Context} ctx
 * @param {Api.Playlist} playlist
 * @param {number} depth
 */
function playlistPlace(ctx, playlist, depth) {
  const { t, format, catalog } = ctx;
  const count = catalog.facets.playlists[playlist.name] ?? 0;
  const symbol = playlist.type === 'manual' ? 'playlist' : 'filter';
  return h('li', { class: 'listed', style: { '--depth': depth } },
    h('a', { class: 'place', href: formatHash('/', { playlist: playlist.name }),
      'data-place': `playlist:${playlist.name}`, 'data-focus': `playlist:${playlist.name}`, tabindex: -1,
      title: playlist.notes || null, 'data-playlist': playlist.type === 'manual' ? playlist.name : null }, icon(symbol),
      h('span', { class: 'name' }, playlist.name), h('span', { class: 'count' }, format.number(count))),
    moreButton(t('list.more', { name: playlist.name })));
}

/**
 * @param {App.Context} ctx
 * @param {Api.Preset} preset
 */
function presetPlace(ctx, preset) {
  return h('li', { class: 'listed' },
    h('a', { class: 'place', href: presetHash(preset.rules), 'data-place': `preset:${preset.name}`,
      'data-focus': `preset:${preset.name}`, tabindex: -1, title: describeRules(ctx, preset.rules) }, icon('bookmark'),
      h('span', { class: 'name' }, preset.name)), moreButton(ctx.t('list.more', { name: preset.name })));
}

/**
 * The smart collections and a button that makes one.
 *
 * @param {App.Context} ctx
 * @returns {App.Child}
 */
export function smartSection(ctx) {
  return collectionSection(ctx, moreButton);
}

/** @param {string} label */
function moreButton(label) {
  return h('button', { class: 'icon-button place-more', type: 'button', tabindex: -1, 'aria-label': label },
    icon('more', 'icon-s'));
}

/**
 * The preset an address shows.
 *
 * @param {App.Context} ctx
 * @param {App.Route} route
 * @returns {Api.Preset | undefined}
 */
export function presetOf(ctx, { query }) {
  const { sort, dir, ...rest } = query;
  const here = canonical(formatHash('/', rest));
  return ctx.lists.presets.find((preset) => canonical(presetHash(preset.rules)) === here);
}

/** @param {string} hash */
function canonical(hash) {
  return hash.slice(hash.indexOf('?') + 1).split('&').sort().join('&');
}

/**
 * An entry that can be edited and deleted: one of the three.
 *
 * @typedef {{playlist?: Api.Playlist | undefined, preset?: Api.Preset | undefined,
 *   collection?: App.Collection | undefined}} ListEntry
 */

/**
 * Opens menus, follows F2 and Delete, and takes dropped games.
 *
 * @param {App.Context} ctx
 * @param {HTMLElement} root
 * @param {AbortSignal} signal
 */
export function followLists(ctx, root, signal) {
  /** @type {readonly string[]} */
  let dragged = [];
  const entryOf = (/** @type {EventTarget | null} */ target) => {
    const link = target instanceof Element ? target.closest('.listed')?.querySelector('.place') : null;
    const [, kind, name] = /^(playlist|preset|collection):(.*)$/s.exec(link?.getAttribute('data-place') ?? '') ?? [];
    const playlist = kind === 'playlist' ? ctx.lists.playlist(name ?? '') : undefined;
    const preset = kind === 'preset' ? ctx.lists.presets.find((other) => other.name === name) : undefined;
    const collection = kind === 'collection' ? ctx.collections.find(name ?? '') : undefined;
    return link instanceof HTMLElement && (playlist || preset || collection)
      ? { link, playlist, preset, collection }
      : null;
  };
  /** Edits one and gives the focus back to it: its line in the sidebar is another one then. */
  const edit = async (/** @type {ListEntry} */ { playlist, preset, collection }) => {
    const name = playlist
      ? await editPlaylist(ctx, { playlist })
      : preset
      ? await renamePreset(ctx, preset)
      : collection
      ? await editCollection(ctx, { collection })
      : '';
    const place = `${playlist ? 'playlist' : preset ? 'preset' : 'collection'}:${
      name || (playlist ?? preset ?? collection)?.name
    }`;
    /** @type {HTMLElement | null} */ (root.querySelector(`[data-place="${CSS.escape(place)}"]`))?.focus();
  };
  const menu = (/** @type {Event} */ event) => {
    const entry = entryOf(event.target);
    if (!entry) return;
    event.preventDefault();
    const box = (event.target instanceof Element && event.target.closest('.place-more') ? event.target : entry.link)
      .getBoundingClientRect();
    const at = event instanceof MouseEvent && event.type === 'contextmenu' && (event.clientX || event.clientY)
      ? { x: event.clientX, y: event.clientY }
      : { x: box.left + 16, y: box.bottom };
    entry.link.focus();
    if (entry.playlist) playlistMenu(ctx, entry.playlist, at, edit);
    else if (entry.preset) presetMenu(ctx, entry.preset, at, edit);
    else if (entry.collection) collectionMenu(ctx, entry.collection, at, edit);
  };
  ctx.keys.add([
    { key: 'F2', group: 'sidebar', label: 'keys.entryRename' },
    { key: 'Delete', group: 'sidebar', label: 'keys.entryDelete' },
    { key: 'ContextMenu', group: 'sidebar', label: 'keys.entryMenu' },
  ], signal);
  root.addEventListener('contextmenu', menu, { signal });
  root.addEventListener('click', (event) => {
    if (event.target instanceof Element && event.target.closest('.place-more')) menu(event);
  }, { signal });
  root.addEventListener('keydown', (event) => {
    const entry = entryOf(event.target);
    if (!entry || (event.key !== 'F2' && event.key !== 'Delete')) return;
    event.preventDefault();
    if (event.key === 'F2') void edit(entry);
    else if (entry.playlist) void deletePlaylist(ctx, entry.playlist);
    else if (entry.preset) void deletePreset(ctx, entry.preset);
    else if (entry.collection) void deleteCollection(ctx, entry.collection);
  }, { signal });
  ctx.bus.on('drag', ({ ids }) => {
    dragged = ids;
    root.classList.toggle('dropping', ids.length > 0);
  }, signal);
  const target = (
    /** @type {DragEvent} */ event,
  ) => (carriesGames(event) && event.target instanceof Element ? event.target.closest('[data-playlist]') : null);
  root.addEventListener('dragover', (event) => {
    const place = target(event);
    for (const other of root.querySelectorAll('.drop')) other.classList.toggle('drop', other === place);
    if (!place) return;
    event.preventDefault();
    place.classList.add('drop');
  }, { signal });
  root.addEventListener('dragleave', () => {
    for (const place of root.querySelectorAll('.drop')) place.classList.remove('drop');
  }, { signal });
  root.addEventListener('drop', (event) => {
    const place = target(event);
    if (!place) return;
    event.preventDefault();
    place.classList.remove('drop');
    void addToPlaylist(ctx, place.getAttribute('data-playlist') ?? '', dragged);
  }, { signal });
}

/**
 * @param {App.Context} ctx
 * @param {Api.Playlist} playlist
 * @param {{x: number, y: number}} at
 * @param {(entry: {playlist: Api.Playlist}) => Promise<void>} edit
 */
function playlistMenu(ctx, playlist, at, edit) {
  const { t } = ctx;
  openMenu(ctx, [
    { icon: 'edit', label: t('playlist.edit'), run: () => void edit({ playlist }) },
    { icon: 'plus', label: t('playlist.below'), run: () => void editPlaylist(ctx, { parent: playlist.name }) },
    null,
    { icon: 'trash', label: t('playlist.delete'), danger: true, run: () => void deletePlaylist(ctx, playlist) },
  ], at, playlist.name);
}

/**
 * @param {App.Context} ctx
 * @param {Api.Preset} preset
 * @param {{x: number, y: number}} at
 * @param {(entry: {preset: Api.Preset}) => Promise<void>} edit
 */
function presetMenu(ctx, preset, at, edit) {
  const { t } = ctx;
  openMenu(ctx, [
    { icon: 'edit', label: t('preset.edit'), run: () => void edit({ preset }) },
    { icon: 'trash', label: t('preset.delete'), danger: true, run: () => void deletePreset(ctx, preset) },
  ], at, preset.name);
}

/**
 * @param {App.Context} ctx
 * @param {App.Collection} collection
 * @param {{x: number, y: number}} at
 * @param {(entry: {collection: App.Collection}) => Promise<void>} edit
 */
function collectionMenu(ctx, collection, at, edit) {
  const { t } = ctx;
  openMenu(ctx, [
    { icon: 'edit', label: t('collection.edit'), run: () => void edit({ collection }) },
    { icon: 'trash', label: t('collection.delete'), danger: true, run: () => void deleteCollection(ctx, collection) },
  ], at, collection.name);
}
