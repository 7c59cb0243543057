/**
 * The dialog for pictures that the user brings: shows them small, asks what each is, and gives them to the game.
 */

import { openDialog, showFormFailure } from '../dialog.js';
import { setBusy } from '../act.js';
import { h } from '../../core/dom.js';
import { MEDIA } from '../../data/media.js';
import { LARGEST_PICTURE, likelyKind, PICTURE_TYPES } from '../../data/upload.js';

/** Longest side of a picture in the dialog, in CSS pixels. */
const SMALL = 120;

/** Pictures that are taken at once. */
const MOST = 20;

/**
 * Lets the user choose files of this machine, then opens the dialog for them.
 *
 * @param {App.Context} ctx
 * @param {string} id
 * @param {string} [kind] what they are, when it is known
 */
export function chooseFiles(ctx, id, kind) {
  const input = h('input', { type: 'file', accept: PICTURE_TYPES.join(','), multiple: true, on: {
    change: () => void addPictures(ctx, id, [...input.files ?? []], kind),
  } });
  input.click();
}

/**
 * Takes pictures that were dropped on a game: one becomes its cover, of several the user says what they are.
 *
 * @param {App.Context} ctx
 * @param {string} id
 * @param {readonly File[]} files
 */
export async function dropPictures(ctx, id, files) {
  const [file] = files;
  if (file && files.length === 1 && file.size <= LARGEST_PICTURE)
    await ctx.actions.addPictures(id, [{ file, kind: 'cover' }]);
  else
    await addPictures(ctx, id, files);
}

/**
 * Opens the dialog for pictures, unless none of the files is one.
 *
 * @param {App.Context} ctx
 * @param {string} id
 * @param {readonly File[]} files
 * @param {string} [kind] what they are, when it is known
 */
export async function addPictures(ctx, id, files, kind = '') {
  const { t } = ctx;
  const fitting = files.filter(({ type, size }) => PICTURE_TYPES.includes(type) && size <= LARGEST_PICTURE);
  const drawn = await Promise.all(fitting.slice(0, MOST).map(draw));
  const pictures = drawn.filter((picture) => picture !== null);
  if (pictures.length === 0) {
    ctx.toasts.show({ kind: 'error', text: t('picture.add.none') });
    return;
  }
  const record = (await ctx.catalog.refresh([id]))[0];
  if (!record) return;
  let hasCover = Boolean(record['cover']);
  const rows = pictures.map((picture, at) => {
    const likely = kind || likelyKind(picture.canvas, hasCover);
    hasCover ||= likely === 'cover';
    const select = h('select', { class: 'input', 'data-focus': `kind-${at}`,
      'aria-label': t('picture.add.kind', { name: picture.file.name }) },
      MEDIA.filter(({ content }) => content === 'picture').map(({ field }) =>
        h('option', { value: field, selected: field === likely }, t(`choice.${field}`))
      ));
    return { ...picture, select };
  });
  const save = h('button', { class: 'button primary', type: 'submit' }, t('picture.add.save'));
  const dialog = openDialog(ctx, {
    title: t('picture.add.title', { name: ctx.catalog.find(id)?.name ?? '' }),
    className: 'picture-add',
    content: [
      fitting.length < files.length ? h('p', { class: 'hints' }, t('picture.add.left')) : null,
      h('ul', { class: 'brought' },
        rows.map(({ canvas, select, file }) =>
          h('li', null, h('div', { class: 'frame' }, canvas),
            h('div', { class: 'what' }, h('b', null, file.name), select))
        )),
    ],
    footer: save,
    onSubmit: () => void submit(),
  });
  rows[0]?.select.focus();

  async function submit() {
    showFormFailure(ctx, dialog.form, null);
    setBusy(save, true);
    try {
      await ctx.actions.addPictures(id, rows.map(({ file, select }) => ({ file, kind: select.value })));
      dialog.close('saved');
    } catch (error) {
      showFormFailure(ctx, dialog.form, error);
    } finally {
      setBusy(save, false);
    }
  }
}

/**
 * Draws a picture small.
 *
 * @param {File} file
 * @returns {Promise<{file: File, canvas: HTMLCanvasElement} | null>} `null` when it cannot be read
 */
async function draw(file) {
  try {
    const bitmap = await createImageBitmap(file);
    const scale = Math.min(1, 2 * SMALL / Math.max(bitmap.width, bitmap.height));
    const canvas = h('canvas', { width: Math.max(1, Math.round(bitmap.width * scale)),
      height: Math.max(1, Math.round(bitmap.height * scale)), 'aria-hidden': 'true' });
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    bitmap.close();
    return { file, canvas };
  } catch {
    return null;
  }
}
