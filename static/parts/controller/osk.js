/**
 * The keyboard on the screen, for people who hold a controller or have only a finger: types into a field, and moves by
 * directions like everything else.
 */

import { fill, h, icon } from '../../core/dom.js';
import { takeFocus } from '../../core/focus.js';
import { openDialog } from '../dialog.js';
import { hintLine } from './hints.js';

/** Rows of letters by language; the digits stand above them. */
const LETTERS = Object.freeze(/** @type {Record<string, readonly string[]>} */ ({
  en: ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'],
  es: ['qwertyuiop', 'asdfghjklñ', 'zxcvbnmáéíóúü'],
  de: ['qwertzuiopü', 'asdfghjklöä', 'yxcvbnmß'],
  fr: ['azertyuiop', 'qsdfghjklm', 'wxcvbnéèàçùêô'],
  pt: ['qwertyuiop', 'asdfghjklç', 'zxcvbnmáàâãéêíóôõú'],
}));
const DIGITS = '1234567890';
const SIGNS = Object.freeze(['!?#$%&*+=@', '-_/\\:;.,\'"', '()[]{}<>|~']);
const NUMBERS = Object.freeze(['123', '456', '789', '-0.']);

/**
 * Opens the keyboard for a field and resolves when it is done. What is typed stands in the field at once, so whatever
 * follows the field follows the keyboard too.
 *
 * @param {App.Context} ctx
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 * @param {{title: string, aside?: HTMLElement}} options `aside` is shown beside the keys, such as what a search found
 * @returns {Promise<void>}
 */
export async function openKeyboard(ctx, field, { title, aside }) {
  const { t } = ctx;
  const isNumber = field instanceof HTMLInputElement && (field.type === 'number' || field.inputMode === 'numeric');
  let [isUpper, hasSigns] = [false, false];
  const before = field.value;
  const shown = h('output', { class: 'osk-text', 'aria-live': 'polite' });
  const keys = h('div', { class: 'osk-keys', role: 'group', 'aria-label': title });
  const show = () =>
    fill(shown,
      field instanceof HTMLInputElement && field.type === 'password' ? '•'.repeat(field.value.length) : field.value,
      h('i', { 'aria-hidden': 'true' }));
  const write = (/** @type {string} */ value) => {
    field.value = value;
    field.dispatchEvent(new Event('input', { bubbles: true }));
    show();
  };
  const type = (/** @type {string} */ text) => {
    write(field.value + text);
    if (isUpper) {
      isUpper = false;
      draw();
    }
  };
  const erase = () => write([...field.value].slice(0, -1).join(''));
  const key = (/** @type {string} */ text) =>
    h('button', { class: 'osk-key', type: 'button', 'data-focus': `osk-${text}`, on: { click: () =>
      type(isUpper ? text.toUpperCase() : text) } }, isUpper ? text.toUpperCase() : text);
  const special = (/** @type {string} */ name, /** @type {App.Child} */ face, /** @type {() => void} */ run,
    pressed = false) =>
    h('button', {
      class: `osk-key ${name}`,
      type: 'button',
      'data-focus': `osk-${name}`,
      'aria-label': t(`osk.${name}`),
      ...(name === 'shift' || name === 'signs' ? { 'aria-pressed': String(pressed) } : {}),
      on: { click: run },
    }, face);
  const toggle = (/** @type {string} */ name, /** @type {() => void} */ change) => () => {
    change();
    draw();
    /** @type {HTMLElement | null} */ (keys.querySelector(`[data-focus="osk-${name}"]`))?.focus();
  };
  const draw = () => {
    const focused = keys.contains(document.activeElement) ? document.activeElement?.getAttribute('data-focus') : null;
    const rows = isNumber
      ? NUMBERS
      : hasSigns
      ? [DIGITS, ...SIGNS]
      : [DIGITS, ...(LETTERS[ctx.i18n.locale] ?? LETTERS['en'] ?? [])];
    fill(keys, rows.map((row) => h('div', { class: 'osk-row' }, [...row].map(key))),
      h('div', { class: 'osk-row' }, isNumber ? null : special('shift', icon('up', 'icon-s'), toggle('shift', () => {
        isUpper = !isUpper;
      }), isUpper), isNumber ? null : special('signs', hasSigns ? 'abc' : '#+=', toggle('signs', () => {
        hasSigns = !hasSigns;
      }), hasSigns), isNumber ? null : special('space', h('span', { class: 'bar' }), () => type(' ')),
        special('erase', icon('erase', 'icon-s'), erase), special('clear', icon('close', 'icon-s'), () => write('')),
        special('done', icon('tick', 'icon-s'), () => dialog.close('done'))));
    if (focused)
      /** @type {HTMLElement | null} */ (keys.querySelector(`[data-focus="${CSS.escape(focused)}"]`))?.focus();
  };
  const dialog = openDialog(ctx, { title, width: 860, className: 'osk',
    content: h('div', { class: 'osk-body' }, h('div', { class: 'osk-board' }, shown, keys), aside ?? null),
    standIn: () => field });
  // A real keyboard types here too.
  dialog.element.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !event.isTrusted) return;
    if (event.key.length !== 1 || event.key === ' ') return;
    type(event.key);
    event.preventDefault();
  });
  ctx.keys.add([
    { key: 'Backspace', group: 'osk', label: 'osk.erase', action: 'favorite', layer: dialog.element, run: () => {
      erase();
      return true;
    } },
    { key: 'Space', group: 'osk', label: 'osk.space', action: 'random', layer: dialog.element, run: () => {
      type(' ');
      return true;
    } },
    { key: '', group: 'osk', label: 'osk.done', action: 'menu', layer: dialog.element, run: () => {
      dialog.close('done');
      return true;
    } },
  ], dialog.signal);
  dialog.form.append(hintLine(ctx, dialog.element, dialog.signal));
  draw();
  show();
  const first =
    /** @type {HTMLElement | null} */ (keys.querySelector('[data-focus="osk-a"]') ?? keys.querySelector('button'));
  if (first) takeFocus(first);
  await dialog.closed;
  if (field.value !== before) field.dispatchEvent(new Event('change', { bubbles: true }));
}
