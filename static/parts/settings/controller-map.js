/**
 * The setting `controller_map`: which button does what. Press a button to choose it; an action that had it takes the
 * one that becomes free. Buttons that nobody chose follow the controller in use.
 */

import { h, icon, patch } from '../../core/dom.js';
import { takeFocus } from '../../core/focus.js';
import { ACTIONS, bindButton, buttonsOf, chosenButtons, LAST_BUTTON } from '../../core/pad-map.js';
import { openDialog } from '../dialog.js';
import { buttonName, glyph, glyphKind } from '../controller/glyph.js';

/**
 * @param {App.Context} ctx
 * @param {string} id for the label
 * @param {unknown} value
 * @param {(value: unknown) => void} commit
 * @returns {HTMLElement}
 */
export function controllerMap(ctx, id, value, commit) {
  const { t, pads } = ctx;
  let chosen = chosenButtons(value);
  const root = h('div', { class: 'pad-map', role: 'group', id, tabindex: -1 });
  const save = (/** @type {Record<string, number>} */ next) => {
    chosen = next;
    draw();
    commit({ ...chosen });
  };
  const choose = async (/** @type {string} */ action) => {
    const button = await askButton(ctx, t(`choice.controller_map.${action}`));
    if (button === null) return;
    const { buttons, swapped } = bindButton(buttonsOf(chosen, pads.kind), action, button);
    save(buttons);
    if (swapped)
      ctx.toasts.show({
        text: t('pad.swapped', { action: t(`choice.controller_map.${action}`),
          other: t(`choice.controller_map.${swapped}`) }),
      });
  };
  const draw = () => {
    const kind = glyphKind(ctx);
    const buttons = buttonsOf(chosen, pads.kind);
    patch(root, h('p', { class: 'hint', role: 'status' }, pads.isConnected
      ? t('pad.connected', { name: pads.name.replace(/\s*\(.*$/, '') || t('pad.unnamed') })
      : t('pad.none')), h('ul', { class: 'rows' }, ACTIONS.map((action) => {
        const button = buttons[action] ?? -1;
        const label = t(`choice.controller_map.${action}`);
        return h('li', null, h('span', { class: 'grow' }, label), button < 0
          ? h('span', { class: 'hint' }, t('pad.unbound'))
          : h('span', { class: 'pad-button' }, glyph(kind, button), h('span', null, buttonName(ctx, kind, button))),
          h('button', { class: 'button', type: 'button', 'data-focus': `bind-${action}`,
            'aria-label': `${t('pad.change.short')}: ${label}`, on: { click: () => void choose(action) } },
            t('pad.change.short')));
      })),
      h('div', { class: 'acts' },
        h('button', { class: 'button', type: 'button', 'data-focus': 'bind-reset',
          disabled: Object.keys(chosen).length === 0, on: { click: () => save({}) } }, icon('refresh', 'icon-s'),
          t('pad.reset'))));
  };
  // The symbols follow the controller for as long as the setting is on the page.
  const stop = new AbortController();
  ctx.bus.on('pad', () => {
    if (root.isConnected) draw();
    else stop.abort();
  }, stop.signal);
  draw();
  return root;
}

/**
 * Waits for a button of a controller, or for a choice from the list by people who have none at hand.
 *
 * @param {App.Context} ctx
 * @param {string} action
 * @returns {Promise<number | null>} `null` when nothing was chosen
 */
async function askButton(ctx, action) {
  const { t, pads } = ctx;
  const kind = glyphKind(ctx);
  const numbers = Array.from({ length: LAST_BUTTON + 1 }, (_, button) => button);
  const select = h('select', { class: 'input', id: 'pad-button' },
    numbers.map((button) => h('option', { value: button }, `${button + 1} · ${buttonName(ctx, kind, button)}`)));
  const cancel = h('button', { class: 'button', type: 'button', on: { click: () => dialog.close('') } },
    t('action.cancel'));
  const take = h('button', { class: 'button primary', type: 'submit' }, t('pad.take'));
  const dialog = openDialog(ctx, {
    title: t('pad.change', { action }),
    width: 460,
    onSubmit: () => dialog.close(select.value),
    content: [h('p', { role: 'status' }, t(pads.isConnected ? 'pad.press' : 'pad.pressNone')),
      h('div', { class: 'field' }, h('label', { class: 'label', for: select.id }, t('pad.list')), select)],
    footer: [cancel, take],
  });
  pads.capture((button) => dialog.close(String(Math.min(LAST_BUTTON, button))), dialog.signal);
  takeFocus(pads.isConnected ? cancel : select);
  const answer = await dialog.closed;
  return answer === '' ? null : Number(answer);
}
