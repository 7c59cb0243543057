/**
 * The import dialog: one folder, then how many games were found and how many are new.
 */

import { clock } from '../../core/format.js';
import { append, fill, h, icon } from '../../core/dom.js';
import { openDialog, showFieldFailure, showFormFailure } from '../dialog.js';
import { makeField } from '../fields.js';

/**
 * @param {App.Context} ctx
 * @returns {Promise<void>}
 */
export async function openImport(ctx) {
  const { t } = ctx;
  const folder = makeField({ key: 'folder', kind: 'text', value: '', label: t('import.folder'), mono: true, wide: true,
    required: true, hint: t('import.folder.hint'), isPath: true });
  const hints =
    () => [h('p', { class: 'hints' }, t('import.about')),
      h('p', { class: 'hints' },
        h('a', { href: '#/setup', on: { click: () => dialog.close('') } }, t('import.everywhere')))];
  const body = h('div', null, folder.element);
  const start = h('button', { class: 'button primary', type: 'submit' }, icon('plus', 'icon-s'), t('import.start'));
  const cancel = h('button', { class: 'button', type: 'button' }, t('action.cancel'));
  let isBusy = false;

  const run = async () => {
    const path = String(folder.read());
    folder.fail('');
    showFormFailure(ctx, dialog.form, null);
    isBusy = true;
    start.disabled = true;
    const stopClock = showBusy(ctx, body, path);
    try {
      const result = await ctx.client.post('/api/import', { folder: path });
      showOutcome(ctx, dialog, body, result, again);
      if (result.added > 0) ctx.catalog.extend();
    } catch (error) {
      fill(body, folder.element, hints());
      showFieldFailure(ctx, dialog.form, folder, error);
    } finally {
      stopClock();
      isBusy = false;
      start.disabled = false;
    }
  };
  /** Asks for a folder once more: the one before had nothing. */
  const again = () => {
    fill(body, folder.element, hints());
    const footer = dialog.form.querySelector('footer');
    if (footer) fill(footer, cancel, start);
    folder.control.focus();
    if (folder.control instanceof HTMLInputElement) folder.control.select();
  };
  const dialog = openDialog(ctx, {
    title: t('import.title'),
    width: 560,
    content: body,
    footer: [cancel, start],
    onSubmit: () => {
      if (!isBusy) void run();
    },
    // The import itself goes on in the server; closing would only hide its result.
    guard: () => !isBusy,
  });
  append(body, hints());
  cancel.addEventListener('click', () => {
    if (!isBusy) dialog.close('');
  });
  folder.control.focus();
  await dialog.closed;
}

/**
 * @param {App.Context} ctx
 * @param {HTMLElement} body
 * @param {string} path
 * @returns {() => void} stops the clock
 */
function showBusy(ctx, body, path) {
  const time = h('span', { class: 'tabular' }, clock(0));
  fill(body,
    h('div', { class: 'busy', role: 'status' },
      h('div', { class: 'row' }, h('span', null, ctx.t('import.busy', { folder: path })), time),
      h('div', { class: 'wait' })));
  const began = performance.now();
  const timer = setInterval(() => {
    time.textContent = clock((performance.now() - began) / 1000);
  }, 500);
  return () => clearInterval(timer);
}

/**
 * @param {App.Context} ctx
 * @param {App.DialogHandle} dialog
 * @param {HTMLElement} body
 * @param {Api.ImportResult} result
 * @param {() => void} again asks for another folder
 */
function showOutcome(ctx, dialog, body, result, again) {
  const { t, tn } = ctx;
  const { added, found, recommendations, skipped, skipped_types: types } = result;
  const emulators = Object.entries(recommendations ?? {}).filter(([, list]) => list.length > 0);
  fill(body,
    h('div', { class: 'outcome', role: 'status' }, h('div', { class: 'glyph' }, icon(added > 0 ? 'tick' : 'folder')),
      h('div', null, h('b', null, added > 0 ? tn('import.added', added) : t('import.nothing')),
        h('span', null, tn('import.found', found)))),
    skipped > 0 ? h('p', { class: 'hints' }, tn('import.skipped', skipped), ' ', typesOf(types)) : null,
    emulators.length > 0 ? h('p', { class: 'hints' }, t('import.emulators')) : null, emulators.length > 0
    ? h('dl', { class: 'facts', style: { 'margin-block-start': '12px' } }, emulators.map(([platform, list]) => [
      h('dt', null, platform),
      h('dd', null, list.map((item) => item.name).join(', ')),
    ]))
    : null);
  const another = h('button', { class: 'button primary', type: 'button', on: { click: again } }, t('import.another'));
  const done = h('button', { class: added > 0 ? 'button primary' : 'button', type: 'button',
    on: { click: () => dialog.close('') } }, t(added > 0 ? 'import.show' : 'action.close'));
  const back = h('button', { class: 'button', type: 'button' }, t('action.undo'));
  back.addEventListener('click', () => {
    dialog.close('');
    void undoImport(ctx, result.import_batch_id).catch(ctx.fail);
  });
  const footer = dialog.form.querySelector('footer');
  if (footer) fill(footer, added > 0 ? [back, done] : [done, another]);
  (added > 0 ? done : another).focus();
}

/**
 * Takes an import back and says what became of it.
 *
 * @param {App.Context} ctx
 * @param {string} id
 */
export async function undoImport(ctx, id) {
  const { removed, kept } = await ctx.client.post('/api/v2/import/undo', { import_batch_id: id });
  ctx.catalog.extend();
  const stay = kept > 0 ? `. ${ctx.tn('import.undone.kept', kept)}` : '';
  ctx.toasts.show({ kind: 'good', text: `${ctx.tn('import.undone', removed)}${stay}` });
}

/**
 * @param {Record<string, number>} types files by extension
 * @returns {string} the most frequent extensions with their counts
 */
function typesOf(types) {
  const known = Object.entries(types).filter(([suffix]) => suffix !== '').sort((a, b) => b[1] - a[1]);
  return known.slice(0, 8).map(([suffix, count]) => `.${suffix} (${count})`).join(', ');
}
