/**
 * A dialog that asks for a file or a folder of this computer: written, or chosen in the dialog of the desktop where
 * there is one.
 */

import { openDialog, showFieldFailure } from './dialog.js';
import { makeField } from './fields.js';
import { setBusy } from './act.js';
import { h, icon } from '../core/dom.js';

/**
 * @param {App.Context} ctx
 * @param {{title: string, label: string, hint: string, action: string, kind: 'file' | 'folder',
 *   send: (path: string) => Promise<unknown>}} options `send` may refuse the path
 * @returns {Promise<boolean>} whether a path was accepted
 */
export async function askPath(ctx, { title, label, hint, action, kind, send }) {
  const { t, client } = ctx;
  const field = makeField({ key: 'path', kind: 'text', value: '', label, hint, mono: true, wide: true, isPath: true });
  const yes = h('button', { class: 'button primary', type: 'submit' }, action);
  const choose = h('button', { class: 'button', type: 'button', on: { click: () => void browse() } },
    icon('folder', 'icon-s'), t('path.choose'));
  const no = h('button', { class: 'button', type: 'button' }, t('action.cancel'));
  const dialog = openDialog(ctx, { title, width: 560, content: h('div', { class: 'stack' }, field.element, choose),
    footer: [no, yes], onSubmit: () => void submit() });
  const browse = async () => {
    setBusy(choose, true);
    try {
      const { path } = await client.post('/api/native/dialog', { kind, title });
      if (path) field.write(path);
      field.control.focus();
    } catch (error) {
      field.fail(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(choose, false);
    }
  };
  const submit = async () => {
    setBusy(yes, true);
    try {
      await send(String(field.read()));
      dialog.close('done');
    } catch (error) {
      showFieldFailure(ctx, dialog.form, field, error);
    } finally {
      setBusy(yes, false);
    }
  };
  no.addEventListener('click', () => dialog.close(''));
  field.control.focus();
  return (await dialog.closed) === 'done';
}
