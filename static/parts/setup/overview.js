/**
 * What was found by source: its systems, the folders whose system can be chosen, and what stays out and why.
 */

import { h, icon } from '../../core/dom.js';
import { mostTypes, sumOf } from '../../data/setup.js';

/** What becomes of the games of a system, in the order it is told. */
const FACTS = Object.freeze(
  /** @type {[string, string][]} */ ([['additions', 'setup.system.additions'], ['merges', 'setup.system.merges'], [
    'ambiguities',
    'setup.system.ambiguities',
  ], ['unsupported', 'setup.system.unsupported'], ['duplicates', 'setup.system.duplicates'], ['exclusions',
    'setup.system.exclusions']]),
);

/** Extensions that are told of a source and of a folder. */
const TYPES = 12;
const FOLDER_TYPES = 3;

/**
 * @param {App.Context} ctx
 * @param {Api.SetupPreview} preview
 * @param {(only: App.SetupOnly) => void} onChoose shows the games of a system
 * @returns {App.Child}
 */
export function systemList(ctx, preview, onChoose) {
  const { t, tn, format } = ctx;
  const sources = preview.sources.map((source, at) => ({ source, at,
    rows: preview.systems.filter((row) => row.source === at).sort((a, b) =>
      sumOf(b.counts) - sumOf(a.counts) || a.platform.localeCompare(b.platform)
    ) })
  );
  return sources.sort((a, b) => b.rows.length - a.rows.length).map(({ source, at, rows }) => {
    if (rows.length === 0) return null;
    return h('section', { class: 'found-source', 'data-key': `source-${at}` },
      sourceHead(source, rows.length > 1 ? tn('setup.source.systems', rows.length) : ''),
      h('ul', { class: 'rows systems' }, rows.map((row) => {
        const facts = FACTS.filter(([group]) => (row.counts[/** @type {'merges'} */ (group)] ?? 0) > 0).map((
          [group, key],
        ) => tn(key, row.counts[/** @type {'merges'} */ (group)]));
        if (row.versions > 0) facts.push(tn('setup.system.versions', row.versions));
        return h('li', { 'data-system': row.platform || '?' },
          h('button', { class: 'grow', type: 'button', 'data-focus': `system-${at}-${row.platform}`,
            on: { click: () => onChoose({ source: at, platform: row.platform }) } },
            h('span', { class: 'what' }, h('b', null, row.platform || t('setup.system.open')),
              h('small', null, facts.join(' · '))), h('span', { class: 'number' }, format.number(sumOf(row.counts))),
            icon('chevron', 'icon-s ahead')));
      })));
  });
}

/**
 * @param {App.Context} ctx
 * @param {Api.SetupPreview} preview
 * @param {readonly Reply.SetupFolder[]} folders
 * @param {ReadonlyMap<string, string>} wanted platforms that were chosen just now
 * @param {(folder: Reply.SetupFolder) => void} onPick
 * @returns {App.Child}
 */
export function folderList(ctx, preview, folders, wanted, onPick) {
  const { t, tn } = ctx;
  return h('ul', { class: 'rows folders' }, folders.map((folder) => {
    const source = preview.sources[folder.source];
    const chosen = wanted.get(folder.path);
    const isNew = chosen !== undefined;
    const platform = isNew ? chosen : folder.platform ?? '';
    const facts = [tn('setup.folder.games', folder.games)];
    if (folder.open > 0) facts.push(tn('setup.system.ambiguities', folder.open));
    if (folder.skipped > 0)
      facts.push(
        tn('setup.folder.skipped', folder.skipped, { types: typeText(ctx, folder.skipped_types, FOLDER_TYPES) }),
      );
    const mixed = !folder.platform && folder.platforms.length > 0
      ? folder.platforms.map((row) => `${row.platform} (${ctx.format.number(row.games)})`).join(', ')
      : '';
    const isDoubtful = !platform && (folder.open > 0 || folder.games === 0);
    const label = platform || t(isNew ? 'setup.folder.byItself' : mixed ? 'setup.folder.each' : 'setup.folder.choose');
    const name = shortPath(folder.path, source?.path ?? '');
    return h('li', { 'data-folder': name, 'data-key': `folder-${folder.path}`, class: isDoubtful ? 'undecided' : '' },
      h('div', { class: 'grow what' }, h('b', { class: 'mono-path', title: folder.path }, name),
        h('small', null, facts.join(' · ')), mixed ? h('small', null, mixed) : null, isNew
        ? h('small', { class: 'said' }, t('setup.folder.new'))
        : folder.is_chosen
        ? h('small', { class: 'said' }, t('setup.folder.chosen'))
        : null),
      h('button', { class: 'button system', type: 'button', 'data-focus': `pick-${folder.path}`,
        'aria-label': `${t('setup.folder.system', { folder: name })}: ${label}`, on: { click: () => onPick(folder) } },
        icon('platform', 'icon-s'), h('span', null, label)));
  }));
}

/**
 * @param {App.Context} ctx
 * @param {Api.SetupPreview} preview
 * @returns {App.Child}
 */
export function leftOut(ctx, preview) {
  const { t, tn } = ctx;
  return preview.sources.map((source, at) => {
    const rows = preview.systems.filter((row) => row.source === at);
    const total = (/** @type {'exclusions'} */ key) => rows.reduce((sum, row) => sum + (row.counts[key] ?? 0), 0);
    const versions = rows.reduce((sum, row) => sum + row.versions, 0);
    const told = [
      source.error ? h('li', { class: 'bad' }, icon('missing', 'icon-s'), h('span', null, source.error)) : null,
      reason(source.unknown > 0, 'file', tn('setup.left.unknown', source.unknown), [t('setup.left.unknown.text'),
        typeText(ctx, source.skipped_types, TYPES)]),
      reason(source.unreadable > 0, 'missing', tn('setup.left.unreadable', source.unreadable), [
        t('setup.left.unreadable.text'),
      ]),
      reason(source.parts > 0, 'rows', tn('setup.left.parts', source.parts), [t('setup.left.parts.text')]),
      reason(versions > 0, 'copy', tn('setup.left.versions', versions), [t('setup.left.versions.text')]),
      reason(total('exclusions') > 0, 'hidden', tn('setup.system.exclusions', total('exclusions')), [
        t('setup.group.exclusions.text'),
      ]),
    ].filter(Boolean);
    return told.length === 0
      ? null
      : h('section', { class: 'found-source', 'data-key': `left-${at}` }, sourceHead(source, ''),
        h('ul', { class: 'rows left' }, told));
  });
}

/**
 * How many files stay out of all sources.
 *
 * @param {Api.SetupPreview} preview
 */
export function leftCount(preview) {
  return preview.sources.reduce((sum, source) => sum + source.unknown + source.unreadable, 0);
}

/**
 * @param {boolean} isTrue
 * @param {string} symbol
 * @param {string} title
 * @param {string[]} words
 */
function reason(isTrue, symbol, title, words) {
  return isTrue
    ? h('li', null, icon(symbol, 'icon-s'),
      h('div', { class: 'grow what' }, h('b', null, title),
        words.filter(Boolean).map((text) => h('small', null, text))))
    : null;
}

/**
 * @param {Reply.SetupSource} source
 * @param {string} note
 */
function sourceHead(source, note) {
  const name = source.label || source.path || source.type;
  return h('header', null, h('h3', null, name),
    source.path && source.path !== name ? h('small', { class: 'mono-path' }, source.path) : null,
    note ? h('small', null, note) : null);
}

/**
 * The part of a path below the folder that was looked into.
 *
 * @param {string} path
 * @param {string} root
 */
function shortPath(path, root) {
  const name = root.replace(/\/+$/, '').split('/').at(-1) ?? '';
  if (name && path.includes(`/${name}/`)) return path.slice(path.indexOf(`/${name}/`) + 1);
  return path.split('/').at(-1) || path;
}

/**
 * @param {App.Context} ctx
 * @param {Record<string, number>} types files by extension
 * @param {number} most
 */
function typeText({ t, format }, types, most) {
  const { told, more } = mostTypes(types, most);
  const words = told.map(([suffix, count]) =>
    t('setup.type', { type: suffix ? `.${suffix}` : t('setup.type.none'), count: format.number(count) })
  );
  return [...words, ...(more > 0 ? ['…'] : [])].join(', ');
}
