/**
 * The notes of a game: a field for a new one, the list, edit and delete. What is being written stays while the game
 * changes.
 */

import { ApiError } from '../../core/client.js';
import { h, icon, patch } from '../../core/dom.js';
import { askBeforeLeaving, keepDraft, readDraft } from '../../core/drafts.js';
import { isFocusFree, mayTakeFocus } from '../../core/focus.js';
import { confirm, openDialog, showFormFailure } from '../dialog.js';

/** Characters the server takes. */
const LONGEST = 2000;

/**
 * @param {App.Context} ctx
 * @param {string} id
 * @returns {App.GamePanel}
 */
export function notesPanel(ctx, id) {
  const { t } = ctx;
  const list = h('div', { class: 'note-list' });
  const area = h('textarea', { class: 'input', id: 'new-note', rows: 3, maxlength: LONGEST,
    placeholder: t('notes.placeholder') });
  const draft = `note ${id}`;
  area.value = readDraft(draft);
  area.addEventListener('input', () => keepDraft(draft, area.value));
  const error = h('p', { class: 'form-error', role: 'alert' });
  const add = h('button', { class: 'button primary', type: 'submit' }, t('notes.add'));
  const submit = async () => {
    // A key that is held down sends the form again and again.
    if (add.disabled) return;
    const text = area.value;
    error.textContent = '';
    add.disabled = true;
    // A button that is disabled loses the keyboard. Later it is not taken: the user may have gone on by then.
    if (isFocusFree() || document.activeElement === add) area.focus();
    try {
      await ctx.client.post('/api/v2/library/notes/add', { game_id: id, text });
      // What was written meanwhile belongs to the next note.
      area.value = area.value.startsWith(text) ? area.value.slice(text.length) : area.value;
      keepDraft(draft, area.value);
      ctx.announce(t('notes.added'));
    } catch (failure) {
      if (failure instanceof ApiError && failure.status === 400) error.textContent = failure.message;
      else ctx.fail(failure);
      return;
    } finally {
      add.disabled = false;
    }
    await ctx.actions.reload(id);
  };
  const form = h('form', { class: 'composer owner-only', on: { submit: (event) => {
    event.preventDefault();
    void submit();
  } } }, h('label', { class: 'label', for: area.id }, t('notes.new')), area, h('div', { class: 'foot' }, error, add));
  area.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    form.requestSubmit();
  });
  return {
    element: h('div', { class: 'notebook' }, form, list),
    update: (record) => {
      const notes = readNotes(record);
      patch(list, notes.length === 0
        ? h('p', { class: 'none' }, t('notes.none'))
        : h('ul', { class: 'notes' },
          notes.map((note, index) => ({ note, index })).reverse().map(({ note, index }) =>
            noteItem(ctx, id, note, index)
          )));
    },
  };
}

/**
 * @param {Api.Game} record
 * @returns {Api.Note[]}
 */
export function readNotes(record) {
  const notes = Array.isArray(record.notes) ? record.notes : record.notes ? [record.notes] : [];
  return notes.map((note) => (typeof note === 'string' ? { ts: '', text: note } : /** @type {Api.Note} */ (note)));
}

/**
 * @param {App.Context} ctx
 * @param {string} id
 * @param {Api.Note} note
 * @param {number} index
 */
function noteItem(ctx, id, note, index) {
  const { t, format } = ctx;
  const button = (/** @type {string} */ symbol, /** @type {string} */ label, /** @type {() => void} */ run) =>
    h('button', {
      class: 'icon-button owner-only',
      type: 'button',
      'data-focus': `note-${symbol}-${index}`,
      'aria-label': label,
      title: label,
      on: { click: run },
    }, icon(symbol, 'icon-s'));
  return h('li', null,
    h('div', { class: 'head' },
      h('time', { datetime: note.ts },
        note.ts ? `${format.date(note.ts)}, ${format.time(note.ts)}` : t('notes.undated')),
      button('edit', t('notes.edit'), () => void editNote(ctx, id, note, index)),
      button('trash', t('notes.delete'), () => void deleteNote(ctx, id, note, index))), h('p', null, note.text));
}

/**
 * @param {App.Context} ctx
 * @param {string} id
 * @param {Api.Note} note
 * @param {number} index
 */
async function editNote(ctx, id, note, index) {
  const { t } = ctx;
  const area = h('textarea', { class: 'input', rows: 8, maxlength: LONGEST, 'aria-label': t('notes.text') });
  area.value = note.text;
  const save = h('button', { class: 'button primary', type: 'submit' }, t('action.save'));
  const cancel = h('button', { class: 'button', type: 'button' }, t('action.cancel'));
  const guard = () =>
    area.value === note.text ||
    confirm(ctx, { title: t('edit.discard.title'), text: t('edit.discard.text'), action: t('edit.discard.action'),
      danger: true });
  const submit = async () => {
    showFormFailure(ctx, dialog.form, null);
    try {
      if (!(await isStill(ctx, id, note, index))) throw new ApiError(t('notes.changed'), { code: 'NOTE_CHANGED' });
      await ctx.client.post('/api/v2/library/notes/update', { game_id: id, index, text: area.value });
      dialog.close('saved');
    } catch (failure) {
      showFormFailure(ctx, dialog.form, failure);
    }
  };
  const dialog = openDialog(ctx, { title: t('notes.edit'), content: area, footer: [cancel, save],
    onSubmit: () => void submit(), guard, standIn: () => document.getElementById('new-note') });
  askBeforeLeaving(() => area.value !== note.text, dialog.signal);
  cancel.addEventListener('click', async () => {
    if (await guard()) dialog.close('');
  });
  area.focus();
  if ((await dialog.closed) !== 'saved') return;
  ctx.announce(t('notes.saved'));
  await ctx.actions.reload(id);
}

/**
 * @param {App.Context} ctx
 * @param {string} id
 * @param {Api.Note} note
 * @param {number} index
 */
async function deleteNote(ctx, id, note, index) {
  const { t } = ctx;
  const isSure = await confirm(ctx, { title: t('notes.sure.title'),
    text: note.text.length > 200 ? `${note.text.slice(0, 200)}…` : note.text, action: t('notes.delete'),
    danger: true });
  if (!isSure) return;
  try {
    if (!(await isStill(ctx, id, note, index))) throw new ApiError(t('notes.changed'), { code: 'NOTE_CHANGED' });
    await ctx.client.post('/api/v2/library/notes/delete', { game_id: id, index });
    ctx.announce(t('notes.deleted'));
    const [book, area] = [document.querySelector('.note-list'), document.getElementById('new-note')];
    if (book && mayTakeFocus(book)) area?.focus();
  } catch (failure) {
    ctx.fail(failure);
  }
  await ctx.actions.reload(id);
}

/**
 * Whether the note still stands at its index: another window may have deleted one before it.
 *
 * @param {App.Context} ctx
 * @param {string} id
 * @param {Api.Note} note
 * @param {number} index
 */
async function isStill(ctx, id, note, index) {
  const [record] = await ctx.catalog.refresh([id]);
  const now = record ? readNotes(record)[index] : undefined;
  return now !== undefined && now.text === note.text && (note.ts === '' || now.ts === note.ts);
}
