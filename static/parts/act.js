/**
 * Buttons whose work takes a while: dimmed meanwhile, a second press does nothing, and a refusal is told.
 */

import { h, icon } from '../core/dom.js';

/**
 * Shows that a button is at work, or no more. It is not disabled meanwhile: a disabled button loses the keyboard. A
 * dialog is not sent again while one of its buttons is at work.
 *
 * @param {HTMLElement} button
 * @param {boolean} isBusy
 */
export function setBusy(button, isBusy) {
  if (isBusy) button.setAttribute('aria-busy', 'true');
  else button.removeAttribute('aria-busy');
  button.classList.toggle('busy-button', isBusy);
}

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
  setBusy(button, true);
  try {
    await work();
    return true;
  } catch (error) {
    ctx.fail(error);
    return false;
  } finally {
    setBusy(button, false);
  }
}

/**
 * Work of buttons that is going on, by screen, name and words of the button, with the buttons that stand for it.
 *
 * @type {Map<string, EventTarget[]>}
 */
const running = new Map();

/**
 * A button that works for a while. `focus` names it as `data-focus`; one of the same name and words that is drawn while
 * the work goes on is at work too. One of the same name and other words is a new element that takes over the focus, so
 * that it is not at work.
 *
 * @param {App.Context} ctx
 * @param {{label: string, symbol: string, focus: string, run: () => Promise<unknown>, style?: string, about?: string}}
 *   options `about` is what the button is about, for screen readers
 * @returns {HTMLButtonElement}
 */
export function busyButton(ctx, { label, symbol, focus, run, style = '', about = '' }) {
  const { name: screen, arg } = ctx.router.current;
  const name = `${screen} ${arg} ${focus} ${label}`;
  const press = async (/** @type {EventTarget | null} */ pressed) => {
    if (running.has(name) || !pressed) return;
    const drawn = [pressed];
    running.set(name, drawn);
    await runBusy(ctx, pressed, run);
    running.delete(name);
    for (const other of drawn) setBusy(/** @type {HTMLElement} */ (other), false);
  };
  const button = h('button', { class: `button ${style}`, type: 'button', 'data-focus': focus,
    'data-key': `${focus} ${label}`, 'aria-label': about ? `${label}: ${about}` : null,
    on: { click: ({ currentTarget }) => void press(currentTarget) } }, icon(symbol, 'icon-s'), label);
  const sameWork = running.get(name);
  if (sameWork) {
    sameWork.push(button);
    setBusy(button, true);
  }
  return button;
}
