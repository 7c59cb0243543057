/** One picture over everything, closed by a key, a click or the cross. */

import { h, icon } from '../core/dom.js';
import { activeTile, rememberFocus } from '../core/focus.js';

/**
 * @param {App.Context} ctx
 * @param {string} source
 * @param {string} label
 */
export function openPicture(ctx, source, label) {
  const restore = rememberFocus(activeTile);
  const close = h('button', { class: 'icon-button', type: 'button', 'aria-label': ctx.t('action.close') }, icon('close'));
  const element = h('dialog', { class: 'picture', 'aria-label': label }, h('img', { src: source, alt: label }), close);
  const end = () => {
    element.close();
    element.remove();
    ctx.bus.emit('dialog', { open: document.querySelector('dialog[open]') !== null });
    restore();
  };
  element.addEventListener('click', end);
  element.addEventListener('cancel', (event) => {
    event.preventDefault();
    end();
  });
  document.body.append(element);
  element.showModal();
  ctx.bus.emit('dialog', { open: true });
  close.focus();
}
