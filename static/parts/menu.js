/**
 * A menu at a point: opened by the menu key, the right button or a "more" button; arrows move, Escape and a click
 * elsewhere close.
 */

import { h, icon } from '../core/dom.js';
import { activeTile, rememberFocus } from '../core/focus.js';

/**
 * Where a menu opens: at the pointer, or at the element for the menu key, which has no position.
 *
 * @param {MouseEvent} event
 * @returns {{x: number, y: number}}
 */
export function menuPoint(event) {
  const box = event.target instanceof Element ? event.target.getBoundingClientRect() : null;
  return event.clientX || event.clientY || !box
    ? { x: event.clientX, y: event.clientY }
    : { x: box.left + 24, y: box.top + 24 };
}

/**
 * @param {App.Context} ctx
 * @param {readonly (App.MenuItem | null)[]} items `null` is a line between groups
 * @param {{x: number, y: number}} at corner of the menu in the window
 * @param {string} label
 */
export function openMenu(ctx, items, at, label) {
  const stop = new AbortController();
  const restore = rememberFocus(activeTile);
  const buttons = items.map((item) => (item === null ? h('hr', { role: 'separator' }) : h('button', {
    type: 'button',
    role: 'menuitem',
    class: item.danger ? 'danger' : '',
    tabindex: -1,
    on: { click: () => {
      close(true);
      item.run();
    } },
  }, icon(item.icon), item.label, item.note ? h('span', { class: 'count' }, item.note) : null)));
  const menu = h('div', { class: 'menu', role: 'menu', 'aria-label': label, popover: 'manual' }, buttons);
  const close = (/** @type {boolean} */ back) => {
    if (stop.signal.aborted) return;
    stop.abort();
    menu.remove();
    if (back) restore();
  };
  document.body.append(menu);
  menu.showPopover();
  const box = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(8, Math.min(at.x, innerWidth - box.width - 8))}px`;
  menu.style.top = `${Math.max(8, Math.min(at.y, innerHeight - box.height - 8))}px`;
  const choices = /** @type {HTMLButtonElement[]} */ (buttons.filter((button) => button instanceof HTMLButtonElement));
  choices[0]?.focus();
  menu.addEventListener('keydown', (event) => onKey(event, choices, close));
  document.addEventListener('pointerdown', (event) => {
    if (!(event.target instanceof Node && menu.contains(event.target))) close(false);
  }, { signal: stop.signal, capture: true });
  addEventListener('blur', () => close(false), { signal: stop.signal });
  ctx.bus.on('route', () => close(false), stop.signal);
}

/**
 * @param {KeyboardEvent} event
 * @param {HTMLButtonElement[]} choices
 * @param {(back: boolean) => void} close
 */
function onKey(event, choices, close) {
  const at = choices.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
  const last = choices.length - 1;
  event.stopPropagation();
  switch (event.key) {
    case 'Escape':
    case 'Tab':
      event.preventDefault();
      close(true);
      break;
    case 'ArrowDown':
      event.preventDefault();
      choices[at >= last ? 0 : at + 1]?.focus();
      break;
    case 'ArrowUp':
      event.preventDefault();
      choices[at <= 0 ? last : at - 1]?.focus();
      break;
    case 'Home':
      event.preventDefault();
      choices[0]?.focus();
      break;
    case 'End':
      event.preventDefault();
      choices[last]?.focus();
      break;
  }
}
