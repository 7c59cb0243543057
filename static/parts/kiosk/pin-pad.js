/**
 * Entering the PIN: large keys for fingers and controllers; a real keyboard types too. Says how it went in one line
 * whose room is kept.
 */

import { setBusy } from '../act.js';
import { openDialog } from '../dialog.js';
import { ApiError } from '../../core/client.js';
import { h, icon, patch } from '../../core/dom.js';

/** Digits of a PIN, at least and at most. */
export const PIN_DIGITS = Object.freeze(/** @type {const} */ ([4, 12]));

/**
 * @param {App.Context} ctx
 * @param {{onDone: () => void}} events `onDone` after the right PIN
 * @returns {HTMLElement}
 */
export function pinPad(ctx, { onDone }) {
  const { t, kiosk, announce } = ctx;
  let digits = '';
  const dots = h('div', { class: 'pin-dots', role: 'img' });
  const told = h('p', { class: 'pin-told', role: 'alert' });
  const show = () => {
    dots.setAttribute('aria-label', ctx.tn('kiosk.digits', digits.length));
    patch(dots,
      Array.from({ length: Math.max(PIN_DIGITS[0], digits.length) },
        (_, at) => h('i', { class: at < digits.length ? 'set' : '' })));
  };
  const add = (/** @type {string} */ digit) => {
    told.textContent = '';
    if (digits.length < PIN_DIGITS[1]) digits += digit;
    show();
  };
  const erase = () => {
    digits = digits.slice(0, -1);
    show();
  };
  const enter = async () => {
    if (digits.length < PIN_DIGITS[0] || go.getAttribute('aria-busy') === 'true') return;
    setBusy(go, true);
    try {
      if (await kiosk.verify(digits)) {
        announce(t('kiosk.unlocked'));
        onDone();
        return;
      }
      told.textContent = t('kiosk.wrong');
    } catch (error) {
      told.textContent = error instanceof ApiError && error.status === 429 ? t('kiosk.wait') : String(
        error instanceof Error ? error.message : error,
      );
    } finally {
      setBusy(go, false);
    }
    digits = '';
    show();
  };
  const key = (/** @type {string} */ digit) =>
    h('button', { class: 'pin-key', type: 'button', 'data-focus': `pin-${digit}`, on: { click: () => add(digit) } },
      digit);
  const go = h('button', { class: 'pin-key go', type: 'button', 'data-focus': 'pin-go', 'aria-label': t('kiosk.enter'),
    on: { click: () => void enter() } }, icon('unlock'));
  const back = h('button', { class: 'pin-key', type: 'button', 'data-focus': 'pin-back', 'aria-label': t('osk.erase'),
    on: { click: erase } }, icon('erase'));
  show();
  return h('div', { class: 'pin-pad', on: { keydown: (event) => {
    const { key: pressed, ctrlKey, altKey, metaKey } = /** @type {KeyboardEvent} */ (event);
    if (ctrlKey || altKey || metaKey) return;
    if (/^\d$/.test(pressed)) add(pressed);
    else if (pressed === 'Backspace') erase();
    // Enter on a key presses that key; a PIN that was typed is sent by Enter.
    else if (pressed === 'Enter' && digits.length >= PIN_DIGITS[0] && event.isTrusted) void enter();
    else return;
    event.preventDefault();
    event.stopPropagation();
  } } }, dots, told,
    h('div', { class: 'pin-keys', role: 'group', 'aria-label': t('kiosk.pin') }, [...'123456789'].map(key), back,
      key('0'), go));
}

/**
 * Asks for the PIN in a dialog.
 *
 * @param {App.Context} ctx
 */
export function askPin(ctx) {
  const pad = pinPad(ctx, { onDone: () => dialog.close('done') });
  const dialog = openDialog(ctx, { title: ctx.t('kiosk.unlock'), width: 340, content: pad });
  /** @type {HTMLElement | null} */ (pad.querySelector('[data-focus="pin-1"]'))?.focus();
}
