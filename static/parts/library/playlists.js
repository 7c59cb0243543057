/**
 * Dialogs and menus of playlists and filter presets: make, rename, place below another, describe, delete with undo, and
 * put games in.
 */

import { setBusy } from '../act.js';
import { confirm, openDialog, showFormFailure } from '../dialog.js';
import { makeField } from '../fields.js';
import { openMenu } from '../menu.js';
import { filterLabel } from './filters.js';
import { h } from '../../core/dom.js';
import { filtersOf, rulesOf, searchFor, writeFilters } from '../../data/filters.js';
import { formatHash } from '../../core/router.js';

/**
 * The address that shows what a preset takes.
 *
 * @param {Record<string, unknown>} rules
 * @returns {string}
 */
export function presetHash(rules) {
  const { view, phrase, filters } = filtersOf(rules);
  return formatHash('/', { view: view === 'all' ? '' : view, q: searchFor(phrase), ...writeFilters(filters) });
}

/**
 * Makes a playlist of games, or renames and describes one.
 *
 * @param {App.Context} ctx
 * @param {{playlist?: Api.Playlist, ids?: readonly string[], parent?: string}} subject an existing playlist, or the
 *   first games of a new one
 * @returns {Promise<string>} the name it has now; the empty string when nothing was saved
 */
export async function editPlaylist(ctx, { playlist, ids = [], parent = '' }) {
  const { t, lists } = ctx;
  const name = makeField({ key: 'name', kind: 'text', value: playlist?.name ?? '', label: t('field.name'),
    required: true, wide: true });
  const others = lists.playlists.filter((other) =>
    other.name !== playlist?.name && !isBelow(lists.playlists, other.name, playlist?.name ?? '')
  );
  const above = makeField({
    key: 'parent',
    kind: 'select',
    value: playlist?.parent ?? parent,
    label: t('playlist.parent'),
    wide: true,
    options: [{ value: '', label: t('playlist.top') },
      ...others.map((other) => ({ value: other.name, label: other.name }))],
  });
  const notes = makeField({ key: 'notes', kind: 'area', value: playlist?.notes ?? '', label: t('playlist.notes'),
    wide: true, rows: 2 });
  return askAndSave(ctx, {
    title: t(playlist ? 'playlist.edit' : 'playlist.new'),
    action: t(playlist ? 'action.save' : 'playlist.create'),
    name,
    content: [name.element, h('div', { class: 'gap' }, above.element), h('div', { class: 'gap' }, notes.element)],
    isTaken: (wanted) => wanted !== playlist?.name && lists.playlist(wanted) !== undefined,
    taken: t('playlist.taken'),
    save: async (wanted) => {
      const words = { name: wanted, parent: String(above.read()), notes: String(notes.read()) };
      await lists.save({ ...words, type: playlist?.type ?? 'manual', rules: playlist?.rules ?? {} }, playlist?.name);
      if (ids.length > 0) await lists.add(wanted, ids);
      const { query, name: screen } = ctx.router.current;
      if (playlist && screen === 'library' && query['playlist'] === playlist.name)
        ctx.router.replace('/', { ...query, playlist: wanted });
      else if (!playlist)
        ctx.toasts.show({ kind: 'good', text: t('playlist.made', { name: wanted }),
          actions: [{ label: t('playlist.open'), run: () => ctx.router.go('/', { playlist: wanted }) }] });
    },
  });
}

/**
 * Saves what the library shows now as a preset, or as a playlist that fills itself.
 *
 * @param {App.Context} ctx
 * @param {App.LibraryQuery} query
 */
export async function saveFilters(ctx, query) {
  const { t, lists } = ctx;
  const name = makeField({ key: 'name', kind: 'text', value: '', label: t('field.name'), required: true, wide: true });
  const kind = makeField({
    key: 'kind',
    kind: 'select',
    value: 'preset',
    label: t('filter.saveAs'),
    wide: true,
    options: [{ value: 'preset', label: t('filter.saveAs.preset') }, { value: 'playlist',
      label: t('filter.saveAs.playlist') }],
  });
  const quick = makeField({ key: 'quick', kind: 'bool', value: false, label: t('filter.quick') });
  const note = h('p', { class: 'hints', role: 'status' });
  const chosen = () => (kind.read() === 'playlist' ? 'playlist' : 'preset');
  const describe = () => {
    const { rules, lost } = rulesOf(query, chosen());
    quick.element.hidden = chosen() === 'playlist';
    const words = lost.map((key) => t(key === 'query' ? 'filter.query' : `filter.${key}`)).join(', ');
    note.textContent = Object.keys(rules).length === 0
      ? t('filter.nothingKept')
      : lost.length > 0
      ? t('filter.lost', { filters: words })
      : '';
  };
  kind.control.addEventListener('change', describe);
  describe();
  await askAndSave(ctx, {
    title: t('filter.save'),
    action: t('action.save'),
    name,
    content: [name.element, h('div', { class: 'gap' }, kind.element), h('div', { class: 'gap' }, quick.element), note],
    isTaken: (
      wanted,
    ) => (chosen() === 'playlist'
      ? lists.playlist(wanted) !== undefined
      : lists.presets.some((preset) => preset.name === wanted)),
    taken: t('filter.taken'),
    save: async (wanted) => {
      const { rules } = rulesOf(query, chosen());
      if (chosen() === 'playlist') await lists.save({ name: wanted, type: 'filter', rules, parent: '', notes: '' });
      else await lists.savePreset(wanted, rules, Boolean(quick.read()));
      ctx.toasts.show({ kind: 'good', text: t('filter.saved', { name: wanted }) });
    },
  });
}

/**
 * A form with a name that must be free. `first` has the focus at first, the name unless told; `isReady` says whether
 * the other fields can be saved.
 *
 * @param {App.Context} ctx
 * @param {{title: string, action: string, name: App.Field, content: App.Child, isTaken: (name: string) => boolean,
 *   taken: string, save: (name: string) => Promise<void>, first?: App.Field, isReady?: () => boolean}} form
 * @returns {Promise<string>} the name that was saved, or the empty string
 */
export async function askAndSave(ctx,
  { title, action, name, content, isTaken, taken, save, first = name, isReady = () => true }) {
  const { t } = ctx;
  const yes = h('button', { class: 'button primary', type: 'submit' }, action);
  const run = async () => {
    const wanted = String(name.read()).trim();
    name.fail(wanted === '' ? t('playlist.needsName') : isTaken(wanted) ? taken : '');
    if (wanted === '' || isTaken(wanted)) {
      name.control.focus();
      return;
    }
    if (!isReady()) return;
    setBusy(yes, true);
    try {
      await save(wanted);
      dialog.close(wanted);
    } catch (error) {
      showFormFailure(ctx, dialog.form, error);
    } finally {
      setBusy(yes, false);
    }
  };
  const dialog = openDialog(ctx, {
    title,
    width: 480,
    content,
    footer: [
      h('button', { class: 'button', type: 'button', on: { click: () => dialog.close('') } }, t('action.cancel')),
      yes,
    ],
    onSubmit: () => void run(),
  });
  first.control.focus();
  return dialog.closed;
}

/**
 * Whether a playlist stands below another one, at any depth.
 *
 * @param {readonly Api.Playlist[]} playlists
 * @param {string} name
 * @param {string} above
 * @returns {boolean}
 */
export function isBelow(playlists, name, above) {
  const seen = new Set();
  for (let at = playlists.find((playlist) => playlist.name === name); at && at.parent && !seen.has(at.name);) {
    if (at.parent === above) return true;
    seen.add(at.name);
    const { parent } = at;
    at = playlists.find((playlist) => playlist.name === parent);
  }
  return false;
}

/**
 * The menu of playlists that games can be put into.
 *
 * @param {App.Context} ctx
 * @param {readonly string[]} ids
 * @param {{x: number, y: number}} at
 * @param {string} [current] the playlist that is shown, which games can leave
 */
export function choosePlaylist(ctx, ids, at, current = '') {
  const { t, lists } = ctx;
  const manual = lists.playlists.filter((playlist) => playlist.type === 'manual');
  const here = manual.find((playlist) => playlist.name === current);
  openMenu(ctx, [
    { icon: 'plus', label: t('playlist.newWith'), run: () => void editPlaylist(ctx, { ids }) },
    here
      ? { icon: 'close', label: t('playlist.leave', { name: here.name }),
        run: () => void leavePlaylist(ctx, here.name, ids) }
      : null,
    ...manual.filter((playlist) => playlist !== here).map((playlist) => ({ icon: 'playlist', label: playlist.name,
      run: () => void addToPlaylist(ctx, playlist.name, ids) })
    ),
  ].filter((item) => item !== null), at, t('bulk.playlist'));
}

/**
 * @param {App.Context} ctx
 * @param {string} name
 * @param {readonly string[]} ids
 */
export async function addToPlaylist(ctx, name, ids) {
  const { t, tn, lists } = ctx;
  const members = new Set(lists.playlist(name)?.members);
  const fresh = ids.filter((id) => !members.has(id));
  if (fresh.length === 0) {
    ctx.toasts.show({ text: tn('playlist.there', ids.length, { name }) });
    return;
  }
  try {
    await lists.add(name, fresh);
    ctx.toasts.show({ kind: 'good', text: tn('playlist.added', fresh.length, { name }),
      actions: [{ label: t('action.undo'), run: () => void lists.leave(name, fresh).catch(ctx.fail) }] });
  } catch (error) {
    ctx.fail(error);
  }
}

/**
 * @param {App.Context} ctx
 * @param {string} name
 * @param {readonly string[]} ids
 */
async function leavePlaylist(ctx, name, ids) {
  const { t, tn, lists } = ctx;
  const former = lists.playlist(name)?.members ?? [];
  try {
    await lists.leave(name, ids);
    ctx.toasts.show({ kind: 'good', text: tn('playlist.left', ids.length, { name }),
      actions: [{ label: t('action.undo'), run: () => void lists.putBack(name, ids, former).catch(ctx.fail) }] });
  } catch (error) {
    ctx.fail(error);
  }
}

/**
 * @param {App.Context} ctx
 * @param {Api.Playlist} playlist
 */
export async function deletePlaylist(ctx, playlist) {
  const { t, lists, router, catalog } = ctx;
  if (!(await confirm(ctx, { title: t('playlist.delete.title', { name: playlist.name }),
    text: t('playlist.delete.text'), action: t('playlist.delete'), danger: true }))) return;
  try {
    await lists.removePlaylist(playlist.name);
    if (router.current.query['playlist'] === playlist.name) router.go('/');
    // Games that were deleted are members until their playlist goes, and cannot be put into a new one.
    const members = catalog.isReady ? playlist.members.filter((id) => catalog.has(id)) : playlist.members;
    const restore = () => void lists.restore({ ...playlist, members }).catch(ctx.fail);
    ctx.toasts.show({ kind: 'good', text: t('playlist.deleted', { name: playlist.name }),
      actions: [{ label: t('action.undo'), run: restore }] });
  } catch (error) {
    ctx.fail(error);
  }
}

/**
 * @param {App.Context} ctx
 * @param {Api.Preset} preset
 */
export async function deletePreset(ctx, preset) {
  const { t, lists } = ctx;
  try {
    await lists.removePreset(preset.name);
    ctx.toasts.show({
      kind: 'good',
      text: t('preset.deleted', { name: preset.name }),
      actions: [{ label: t('action.undo'), run: () =>
        void lists.savePreset(preset.name, preset.rules, preset.bigscreen_quick).catch(ctx.fail) }],
    });
  } catch (error) {
    ctx.fail(error);
  }
}

/**
 * Gives a preset another name.
 *
 * @param {App.Context} ctx
 * @param {Api.Preset} preset
 * @returns {Promise<string>} the name it has now, or the empty string
 */
export async function renamePreset(ctx, preset) {
  const { t, lists } = ctx;
  const name = makeField({ key: 'name', kind: 'text', value: preset.name, label: t('field.name'), required: true,
    wide: true });
  const quick = makeField({ key: 'quick', kind: 'bool', value: preset.bigscreen_quick, label: t('filter.quick') });
  return askAndSave(ctx, {
    title: t('preset.edit'),
    action: t('action.save'),
    name,
    content: [name.element, h('div', { class: 'gap' }, quick.element),
      h('p', { class: 'hints' }, describeRules(ctx, preset.rules))],
    isTaken: (wanted) => wanted !== preset.name && lists.presets.some((other) => other.name === wanted),
    taken: t('filter.taken'),
    save: async (wanted) => {
      await lists.savePreset(wanted, preset.rules, Boolean(quick.read()));
      // The old name goes only after the new one is safe.
      if (wanted !== preset.name) await lists.removePreset(preset.name);
    },
  });
}

/**
 * What rules say, in words.
 *
 * @param {App.Context} ctx
 * @param {Record<string, unknown>} rules
 * @returns {string}
 */
export function describeRules(ctx, rules) {
  const { t } = ctx;
  const { view, phrase, filters } = filtersOf(rules);
  return [view === 'all' || !ctx.i18n.has(`view.${view}`) ? '' : t(`view.${view}`),
    phrase ? t('chip.search', { query: phrase }) : '',
    ...Object.entries(filters).map(([key, values]) => values.map((value) => filterLabel(ctx, key, value)).join(', '))]
    .filter(Boolean).join(' · ');
}
