/**
 * The choices of a `<select>` as a list of buttons, for people without a keyboard or a pointer: the list the browser
 * opens hears no controller.
 */

import { h, icon } from '../../core/dom.js';
import { takeFocus } from '../../core/focus.js';
import { openDialog } from '../dialog.js';

/**
 * @param {App.Context} ctx
 * @param {HTMLSelectElement} select
 */
export async function chooseOption(ctx, select) {
  const title = select.getAttribute('aria-label') ?? select.labels?.[0]?.textContent ?? ctx.t('choose.title');
  const choices = [...select.options].filter((option) => !option.disabled && !option.hidden).map((option) =>
    h('button', {
      class: 'choice',
      type: 'button',
      'aria-pressed': String(option.selected),
      on: { click: () => dialog.close(String(option.index)) },
    }, h('span', null, option.label), option.selected ? icon('tick', 'icon-s') : null)
  );
  const dialog = openDialog(ctx, { title, width: 420, className: 'choose',
    content: h('div', { class: 'choice-list' }, choices), standIn: () => select });
  const current = choices.find((choice) => choice.getAttribute('aria-pressed') === 'true') ?? choices[0];
  if (current) takeFocus(current);
  const chosen = await dialog.closed;
  if (chosen === '' || Number(chosen) === select.selectedIndex) return;
  select.selectedIndex = Number(chosen);
  for (const name of ['input', 'change']) select.dispatchEvent(new Event(name, { bubbles: true }));
}
