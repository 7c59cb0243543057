/**
 * Bringing over the list of another front end: what would come in is shown first, and nothing is written before it is
 * agreed to.
 */

import { ApiError } from '../../core/client.js';
import { fill, h } from '../../core/dom.js';
import { openDialog, showFieldFailure, showFormFailure } from '../dialog.js';
import { makeField } from '../fields.js';
import { undoImport } from '../library/import.js';
import { waitBox } from '../state-box.js';

/** Kinds of lists in the order they are tried; which one it is only its content tells. */
const KINDS = Object.freeze(/** @type {const} */ (['legacy', 'frontend']));

/** A list of another kind, and a list or library that changed since it was looked at. */
const OTHER_KIND = /_IMPORT_INVALID_SOURCE$/;
const STALE = /_IMPORT_STALE_PLAN$/;

/** What a list holds, whatever its kind. */
/** @typedef {{kind: 'legacy' | 'frontend', token: string, added: number, merged: number, skipped: number}} Found */

/** @param {App.Context} ctx */
export async function openMigrate(ctx) {
  const { t, tn, client, catalog, toasts } = ctx;
  const list = makeField({ key: 'list', kind: 'text', value: '', label: t('migrate.list'), hint: t('migrate.list.hint'),
    mono: true, wide: true, required: true });
  const from = makeField({ key: 'from', kind: 'text', value: '', label: t('migrate.from'), hint: t('migrate.from.hint'),
    mono: true });
  const to = makeField({ key: 'to', kind: 'text', value: '', label: t('migrate.to'), mono: true, isPath: true });
  const plan = h('div', { class: 'relink-plan', role: 'status' });
  const cancel = h('button', { class: 'button', type: 'button' }, t('action.cancel'));
  const go = h('button', { class: 'button primary', type: 'submit' }, t('relink.look'));
  /** @type {Found | null} */
  let found = null;

  const request = () => {
    const [source, destination] = [String(from.read()), String(to.read())];
    return { xml_path: list.read(),
      options: source && destination ? { source_root: source, destination_root: destination } : {} };
  };
  const forget = () => {
    found = null;
    go.textContent = t('relink.look');
    go.disabled = false;
    fill(plan);
  };
  const look = async () => {
    forget();
    go.disabled = true;
    fill(plan, waitBox(ctx));
    try {
      const seen = await preview(client, request());
      found = seen;
      const isEmpty = seen.added + seen.merged === 0;
      fill(plan, isEmpty ? h('p', null, t('migrate.nothing')) : null,
        seen.added > 0 ? h('p', null, tn('migrate.added', seen.added)) : null,
        seen.merged > 0 ? h('p', null, tn('migrate.merged', seen.merged)) : null,
        seen.skipped > 0 ? h('p', { class: 'hints' }, tn('migrate.skipped', seen.skipped)) : null);
      go.textContent = t('migrate.apply');
      go.disabled = isEmpty;
    } catch (failure) {
      forget();
      throw failure;
    }
  };
  const apply = async (/** @type {Found} */ { kind, token }) => {
    go.disabled = true;
    try {
      const { added, merged } = await client.post(`/api/v2/import/${kind}/apply`, { ...request(),
        preview_token: token });
      dialog.close('applied');
      const { imports } = await client.get('/api/v2/import/batches');
      const made = imports.find((batch) => batch.source === kind);
      toasts.show({ kind: 'good', text: tn('migrate.done', added + merged), actions: made
        ? [{ label: t('action.undo'), run: () => void undoImport(ctx, made.import_batch_id).catch(ctx.fail) }]
        : [] });
      catalog.extend();
    } catch (failure) {
      go.disabled = false;
      if (!(failure instanceof ApiError && STALE.test(failure.code))) throw failure;
      await look();
      throw new ApiError(t('migrate.stale'), { status: 409, code: failure.code, requestId: failure.requestId,
        path: failure.path });
    }
  };
  const submit = async () => {
    if (go.disabled) return;
    list.fail('');
    showFormFailure(ctx, dialog.form, null);
    await (found ? apply(found) : look()).catch((failure) => showFieldFailure(ctx, dialog.form, list, failure));
  };
  const dialog = openDialog(ctx, {
    title: t('migrate.title'),
    width: 640,
    content: [h('p', { class: 'hints' }, t('migrate.about')),
      h('div', { class: 'form-grid' }, list.element, from.element, to.element), plan],
    footer: [cancel, go],
    onSubmit: () => void submit(),
  });
  for (const field of [list, from, to]) field.control.addEventListener('input', forget);
  cancel.addEventListener('click', () => dialog.close(''));
  list.control.focus();
  await dialog.closed;
}

/**
 * What a list would bring. A list that is of neither kind is refused as the last kind says.
 *
 * @param {import('../../core/client.js').Client} client
 * @param {object} request
 * @returns {Promise<Found>}
 */
async function preview(client, request) {
  const ask = async (/** @type {Found['kind']} */ kind) => {
    const answer = await client.post(`/api/v2/import/${kind}/preview`, request);
    const { added, merged, skipped_malformed: skipped } = 'counts' in answer ? answer.counts : answer;
    return { kind, token: answer.preview_token, added, merged, skipped };
  };
  const [first, second] = KINDS;
  try {
    return await ask(first);
  } catch (failure) {
    if (failure instanceof ApiError && OTHER_KIND.test(failure.code)) return ask(second);
    throw failure;
  }
}
