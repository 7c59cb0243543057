/**
 * A small panel that hangs below the button that opens it: Escape, a click elsewhere and another address close it, and
 * the focus returns.
 */

import { h } from '../core/dom.js';
import { trapFocus } from '../core/focus.js';

/**
 * @param {App.Context} ctx
 * @param {HTMLElement} anchor
 * @param {string} label
 * @param {App.Child} content
 * @returns {() => void} closes it
 */
export function openPopover(ctx, anchor, label, content) {
  const stop = new AbortController();
  const panel = h('div', { class: 'popover scroll', role: 'dialog', 'aria-label': label, popover: 'manual',
    tabindex: -1 }, content);
  const close = (back = true) => {
    if (stop.signal.aborted) return;
    stop.abort();
    panel.remove();
    anchor.setAttribute('aria-expanded', 'false');
    if (back) anchor.focus();
  };
  document.body.append(panel);
  panel.showPopover();
  anchor.setAttribute('aria-expanded', 'true');
  const from = anchor.getBoundingClientRect();
  const box = panel.getBoundingClientRect();
  panel.style.left = `${Math.max(8, Math.min(from.right - box.width, innerWidth - box.width - 8))}px`;
  panel.style.top = `${Math.max(8, Math.min(from.bottom + 6, innerHeight - box.height - 8))}px`;
  trapFocus(panel, stop.signal);
  panel.addEventListener('keydown', (event) => {
    event.stopPropagation();
    if (event.key !== 'Escape') return;
    event.preventDefault();
    close();
  });
  document.addEventListener('pointerdown', (event) => {
    if (event.target instanceof Node && !panel.contains(event.target) && !anchor.contains(event.target)) close(false);
  }, { signal: stop.signal, capture: true });
  ctx.bus.on('route', () => close(false), stop.signal);
  (/** @type {HTMLElement | null} */ (panel.querySelector('button, input, select')) ?? panel).focus();
  return close;
}
