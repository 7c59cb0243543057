/**
 * Buttons whose work takes a while: dimmed meanwhile, a second press does nothing, and a refusal is told.
 */

import { h, icon } from '../core/dom.js';

/**
 * Runs the work of a button. The button keeps the focus, so that whoever uses keys does not lose the place.
 *
 * @param {App.Context} ctx
 * @param {EventTarget | null} target the button
 * @param {() => Promise<unknown>} work
 * @returns {Promise<boolean>} whether it went well
 */
export async function runBusy(ctx, target, work) {
  const button = /** @type {HTMLElement} */ (target);
  if (button.getAttribute('aria-busy') === 'true') return false;
  button.setAttribute('aria-busy', 'true');
  button.classList.add('busy-button');
  try {
    await work();
    return true;
  } catch (error) {
    ctx.fail(error);
    return false;
  } finally {
    button.removeAttribute('aria-busy');
    button.classList.remove('busy-button');
  }
}

/**
 * A button that works for a while. `focus` names it for `keepFocus`.
 *
 * @param {App.Context} ctx
 * @param {{label: string, symbol: string, focus: string, run: () => Promise<unknown>, style?: string, about?: string}} options `about` is what the
 *   button is about, for screen readers
 * @returns {HTMLButtonElement}
 */
export function busyButton(ctx, { label, symbol, focus, run, style = '', about = '' }) {
  return h('button', {
    class: `button ${style}`, type: 'button', 'data-focus': focus, 'aria-label': about ? `${label}: ${about}` : null, on: { click: (event) => void runBusy(ctx, event.currentTarget, run) },
  }, icon(symbol, 'icon-s'), label);
}
