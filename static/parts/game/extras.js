/**
 * What belongs to a game besides its file: versions, applications and documents, with start or open, add, edit and
 * remove. Also the documents of a platform, which have the same form.
 */

import { ApiError } from '../../core/client.js';
import { fill, h, icon, patch } from '../../core/dom.js';
import { setBusy } from '../act.js';
import { confirm, openDialog, showFormFailure } from '../dialog.js';
import { makeField } from '../fields.js';
import { canRead, openReader } from '../reader.js';

/** Words of each kind of list. */
const WORDS = Object.freeze(/** @type {Record<string, {title: string, none: string, add: string}>} */ ({
  versions: { title: 'extras.versions', none: 'extras.versions.none', add: 'extras.versions.add' },
  applications: { title: 'extras.applications', none: 'extras.applications.none', add: 'extras.applications.add' },
  documents: { title: 'extras.documents', none: 'extras.documents.none', add: 'extras.documents.add' },
  platform: { title: 'extras.platform', none: 'extras.platform.none', add: 'extras.documents.add' },
}));

/** Versions and applications of a game.
 *
 * @param {App.Context} ctx
 * @param {string} id
 * @returns {App.GamePanel}
 */
export function versionsPanel(ctx, id) {
  const lists = ['versions', 'applications'].map((kind) => gameExtras(ctx, id, kind));
  return { element: h('div', null, lists.map((list) => list.element)),
    update: (record) => lists.forEach((list) => list.update(record)) };
}

/**
 * Documents of a game and of its platform.
 *
 * @param {App.Context} ctx
 * @param {string} id
 * @returns {App.GamePanel}
 */
export function documentsPanel(ctx, id) {
  const own = gameExtras(ctx, id, 'documents');
  const shared = h('div', null);
  let platform = '';
  return {
    element: h('div', null, own.element, shared),
    update: (record) => {
      own.update(record);
      const current = record.platform ?? '';
      if (current === platform) return;
      platform = current;
      fill(shared, current ? platformDocuments(ctx, current) : null);
    },
  };
}

/**
 * The documents of one platform, loaded and kept by itself.
 *
 * @param {App.Context} ctx
 * @param {string} platform
 * @param {string} [none] what stands there while there are none; where it is said above what they are for, it is not
 *   said again
 * @returns {HTMLElement}
 */
export function platformDocuments(ctx, platform, none) {
  const { t, client } = ctx;
  const path = '/api/platform/documents';
  const load = async () => /** @type {{documents: Api.Extra[]}} */ (await client.get(path, { platform })).documents;
  const list = extraList(ctx, {
    kind: 'platform',
    title: t('extras.platform', { platform }),
    load,
    ...(none ? { none } : {}),
    save: (documents) => client.post(path, { platform, documents }),
    adopt: async (document) => (await client.post('/api/document/adopt', { path: document })).path,
    address: (index) => `/api/platform/document?${new URLSearchParams({ platform, index: String(index) })}`,
  });
  load().then(list.show, ctx.fail);
  return list.element;
}

/**
 * @param {App.Context} ctx
 * @param {string} id
 * @param {string} kind
 * @returns {App.GamePanel}
 */
function gameExtras(ctx, id, kind) {
  const { t, client } = ctx;
  const list = extraList(ctx, {
    kind,
    title: t(WORDS[kind]?.title ?? ''),
    load: async () => {
      const [record] = await ctx.catalog.refresh([id]);
      return record ? readExtras(record, kind) : [];
    },
    save: async (extras) => {
      const [record] = await ctx.catalog.refresh([id]);
      await client.post('/api/game', { game_id: id, game: { name: record?.name, [kind]: extras } });
      await ctx.actions.reload(id);
    },
    run: (index) => client.post('/api/extra/launch', { game_id: id, kind, index }),
    ...(kind === 'documents'
      ? {
        address: (/** @type {number} */ index) =>
          `/api/document?${new URLSearchParams({ game_id: id, index: String(index) })}`,
        adopt: async (/** @type {string} */ path) =>
          (await client.post('/api/document/adopt', { path, game_id: id })).path,
      }
      : {}),
  });
  return { element: list.element, update: (record) => list.show(readExtras(record, kind)) };
}

/**
 * @param {Api.Game} record
 * @param {string} kind
 * @returns {Api.Extra[]}
 */
export function readExtras(record, kind) {
  const list = record[kind];
  return Array.isArray(list) ? /** @type {Api.Extra[]} */ (list) : [];
}

/**
 * @typedef {{kind: string, title: string, load: () => Promise<Api.Extra[]>,
 *   save: (extras: Api.Extra[]) => Promise<unknown>, run?: (index: number) => Promise<unknown>,
 *   address?: (index: number) => string, adopt?: (path: string) => Promise<string>, none?: string}} ExtraSource `run`
 *   starts an entry, `address` is where a document can be read, `adopt` copies one to where it may lie and returns its
 *   path, `none` stands where there is none
 */

/**
 * @param {App.Context} ctx
 * @param {ExtraSource} source
 */
function extraList(ctx, source) {
  const { t } = ctx;
  const words = WORDS[source.kind] ?? { title: '', none: '', add: '' };
  const titleId = `extras-${source.kind}`;
  /** @param {(extras: Api.Extra[]) => Api.Extra[]} edit applied to the newest list, so that nobody's entry is lost */
  const change = async (edit) => {
    await source.save(edit(await source.load()));
    show(await source.load());
  };
  const head = h('div', { class: 'section-head', 'data-key': 'head' }, h('h2', { id: titleId }, source.title),
    h('button', { class: 'button owner-only', type: 'button',
      on: { click: () => void editExtra(ctx, source, null, change) } }, icon('plus', 'icon-s'), t(words.add)));
  const element = h('section', { class: 'extras' }, head);
  const show = (/** @type {readonly Api.Extra[]} */ extras) =>
    patch(element, head, extras.length === 0
      ? h('p', { class: 'none' }, source.none ?? t(words.none))
      : h('ul', { class: 'rows', 'aria-labelledby': titleId },
        extras.map((extra, index) => extraRow(ctx, source, extra, index, change))));
  return { element, show };
}

/**
 * @param {App.Context} ctx
 * @param {ExtraSource} source
 * @param {Api.Extra} extra
 * @param {number} index
 * @param {(edit: (extras: Api.Extra[]) => Api.Extra[]) => Promise<void>} change
 */
function extraRow(ctx, source, extra, index, change) {
  const { t } = ctx;
  const { run, address } = source;
  const focus = (/** @type {string} */ what) => `${source.kind}-${what}-${index}`;
  const button = (/** @type {string} */ symbol, /** @type {string} */ label, /** @type {() => void} */ press) =>
    h('button', {
      class: 'icon-button owner-only',
      type: 'button',
      'data-focus': focus(symbol),
      'aria-label': label,
      title: label,
      on: { click: press },
    }, icon(symbol, 'icon-s'));
  const start = async () => {
    try {
      await run?.(index);
      ctx.announce(t('extras.started', { name: extra.name }));
    } catch (failure) {
      ctx.fail(failure);
    }
  };
  const remove = async () => {
    const isSure = await confirm(ctx, { title: t('extras.sure.title', { name: extra.name }),
      text: t('extras.sure.text'), action: t('action.remove'), danger: true });
    if (!isSure) return;
    try {
      await change((extras) => extras.filter((other) => !isSame(other, extra)));
      ctx.announce(t('extras.removed', { name: extra.name }));
    } catch (failure) {
      ctx.fail(failure);
    }
  };
  return h('li', { class: 'extra' }, icon(address ? 'file' : 'platform'),
    h('div', { class: 'grow' }, h('b', null, extra.name),
      h('small', { title: extra.path }, extra.command || extra.path)),
    address ? openControl(ctx, extra, address(index), focus('open')) : null, run
    ? h('button', { class: 'button', type: 'button', 'data-focus': focus('run'),
      'aria-label': t(address ? 'extras.system.of' : 'extras.start.of', { name: extra.name }),
      on: { click: () => void start() } }, icon(address ? 'open' : 'play', 'icon-s'),
      t(address ? 'extras.system' : 'extras.start'))
    : null, button('edit', t('extras.edit', { name: extra.name }), () => void editExtra(ctx, source, extra, change)),
    button('trash', t('extras.remove', { name: extra.name }), () => void remove()));
}

/**
 * Texts and pictures open on the page, everything else as a page of the browser.
 *
 * @param {App.Context} ctx
 * @param {Api.Extra} extra
 * @param {string} address
 * @param {string} focus
 */
function openControl(ctx, extra, address, focus) {
  const { t } = ctx;
  const label = t('extras.read.of', { name: extra.name });
  return canRead(extra.path)
    ? h('button', { class: 'button', type: 'button', 'data-focus': focus, 'aria-label': label,
      on: { click: () => void openReader(ctx, extra, address) } }, icon('file', 'icon-s'), t('extras.read'))
    : h('a', { class: 'button', 'data-focus': focus, 'aria-label': label, href: address, 'data-file': true,
      target: '_blank', rel: 'noopener noreferrer' }, icon('file', 'icon-s'), t('extras.read'));
}

/**
 * @param {Api.Extra} one
 * @param {Api.Extra} other
 */
function isSame(one, other) {
  return one.path === other.path && one.name === other.name && (one.command ?? '') === (other.command ?? '');
}

/**
 * @param {App.Context} ctx
 * @param {ExtraSource} source
 * @param {Api.Extra | null} extra `null` for a new one
 * @param {(edit: (extras: Api.Extra[]) => Api.Extra[]) => Promise<void>} change
 */
async function editExtra(ctx, source, extra, change) {
  const { t } = ctx;
  const words = WORDS[source.kind];
  const hasCommand = source.kind === 'versions' || source.kind === 'applications';
  const path = makeField({ key: 'path', kind: 'text', value: extra?.path ?? '', label: t('field.path'),
    hint: t('extras.path.hint'), wide: true, mono: true, required: true });
  const name = makeField({ key: 'name', kind: 'text', value: extra?.name ?? '', label: t('field.name'),
    hint: t('extras.name.hint'), wide: true });
  const command = makeField({ key: 'command', kind: 'text', value: extra?.command ?? '', label: t('field.launch'),
    hint: t('extras.command.hint'), wide: true, mono: true });
  const save = h('button', { class: 'button primary', type: 'submit' }, t('action.save'));
  const cancel = h('button', { class: 'button', type: 'button' }, t('action.cancel'));
  const submit = async () => {
    showFormFailure(ctx, dialog.form, null);
    path.fail('');
    setBusy(save, true);
    /** @type {Api.Extra} */
    const wanted = { name: String(name.read()), path: String(path.read()),
      ...(hasCommand ? { command: String(command.read()) } : {}) };
    try {
      if (source.adopt && wanted.path !== extra?.path) wanted.path = await source.adopt(wanted.path);
      await change((
        extras,
      ) => (extra ? extras.map((other) => (isSame(other, extra) ? wanted : other)) : [...extras, wanted]));
      ctx.announce(t('extras.saved', { name: wanted.name || wanted.path }));
      dialog.close('saved');
    } catch (failure) {
      const known = ApiError.from(failure);
      if (known.status === 400 && /path/i.test(known.message)) {
        path.fail(known.message);
        path.control.focus();
      } else {
        showFormFailure(ctx, dialog.form, known);
      }
    } finally {
      setBusy(save, false);
    }
  };
  const dialog = openDialog(ctx, {
    title: extra ? t('extras.edit', { name: extra.name }) : t(words?.add ?? ''),
    content: h('div', { class: 'form-grid' }, path.element, name.element, hasCommand ? command.element : null),
    footer: [cancel, save],
    onSubmit: () => void submit(),
  });
  cancel.addEventListener('click', () => dialog.close(''));
  path.control.focus();
  await dialog.closed;
}
