/**
 * Dialogs of the big screen: what opens over the shelf, larger than on the desktop, moved in by directions, with its
 * own line of hints.
 */

import { moveFocus, takeFocus } from '../../core/focus.js';
import { DIRECTIONS } from '../../core/spatial.js';
import { openDialog } from '../dialog.js';
import { hintLine } from '../controller/hints.js';

/**
 * @param {App.Context} ctx
 * @param {{title: string, content: App.Child, className?: string, width?: number, first?: () => HTMLElement | null}}
 *   options `first` is what gets the focus
 * @returns {App.DialogHandle}
 */
export function openBigDialog(ctx, { title, content, className = '', width = 720, first }) {
  const dialog = openDialog(ctx, { title, width, className: `big-dialog ${className}`, content,
    standIn: () => document.querySelector('.big-shelf [tabindex="0"]') });
  steerByKeys(ctx, dialog.element, dialog.signal);
  dialog.form.append(hintLine(ctx, dialog.element, dialog.signal));
  const target = first?.() ?? /** @type {HTMLElement | null} */
    (dialog.element.querySelector('.content button:not([disabled])'));
  if (target) takeFocus(target);
  return dialog;
}

/**
 * Makes the arrow keys move by direction, as a controller does.
 *
 * @param {App.Context} ctx
 * @param {Element | null} layer the dialog, or `null` for the page
 * @param {AbortSignal} signal
 */
export function steerByKeys(ctx, layer, signal) {
  ctx.keys.add(DIRECTIONS.map((direction) => ({
    key: `Arrow${direction.charAt(0).toUpperCase()}${direction.slice(1)}`,
    group: 'big',
    label: 'keys.arrows',
    ...(layer ? { layer } : {}),
    run: () => moveFocus(direction),
  })), signal);
}
