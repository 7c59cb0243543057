/**
 * Modal dialogs on the browser's own `<dialog>`: the rest of the page is inert, Escape and "back" close, the focus
 * returns. A dialog with unsaved input can refuse to close.
 */

import { ApiError } from '../core/client.js';
import { append, h, icon } from '../core/dom.js';
import { activeTile, focusables, rememberFocus, trapFocus } from '../core/focus.js';

/**
 * The dialog that is wanted and waits for answers; `null` when none does.
 *
 * @type {{name: string, place: string} | null}
 */
let wanted = null;

/** How long an answer may take before it is shown that it is waited for, in milliseconds. */
const SOON = 300;

/**
 * The dialogs that are open, the topmost last.
 *
 * @type {{element: HTMLDialogElement, close: (value: string) => void}[]}
 */
let opened = [];

/**
 * Reads what a dialog needs before it opens. Every dialog that opens after an answer goes through here: a second press
 * of its button or key while the answer is on its way means the same dialog, and whoever went on meanwhile, to another
 * dialog or another screen, gets none. An answer that takes a while is shown to be on its way.
 *
 * @template T
 * @param {App.Context} ctx
 * @param {string} name what is opened, with the thing it is about
 * @param {() => Promise<T>} read
 * @returns {Promise<T | null>} `null` when there is nothing to open
 */
export async function prepareDialog(ctx, name, read) {
  const place = () => `${ctx.router.current.name} ${ctx.router.current.arg}`;
  const isWanted = () => wanted === own && place() === own.place;
  if (wanted?.name === name && wanted.place === place()) return null;
  const own = { name, place: place() };
  wanted = own;
  /** @type {HTMLElement[]} */
  const marks = [];
  const timer = setTimeout(() => {
    if (!isWanted()) return;
    const mark = h('div', { class: 'wait preparing', 'aria-hidden': 'true' });
    marks.push(mark);
    ([...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body).append(mark);
    ctx.announce(ctx.t('state.loading'));
  }, SOON);
  try {
    const answer = await read();
    return isWanted() ? answer : null;
  } catch (error) {
    if (isWanted()) throw error;
    return null;
  } finally {
    clearTimeout(timer);
    for (const mark of marks) mark.remove();
    if (wanted === own) wanted = null;
  }
}

/**
 * Opens a dialog. `guard` is asked before Escape, "back", the cross or a click beside the dialog closes it.
 *
 * @param {App.Context} ctx
 * @param {{title: string, content: App.Child, footer?: App.Child, width?: number, className?: string, onSubmit?: () =>
 *   void, guard?: () => boolean | Promise<boolean>, role?: 'dialog' | 'alertdialog', standIn?: () => HTMLElement |
 *   null}} options
 * @returns {App.DialogHandle}
 */
export function openDialog(ctx,
  { title, content, footer, width = 520, className = '', onSubmit, guard, role = 'dialog', standIn }) {
  wanted = null;
  const stop = new AbortController();
  const restore = rememberFocus(standIn ?? activeTile);
  const heading = h('h2', { id: `dialog-${Math.random().toString(36).slice(2)}` }, title);
  const closeButton = h('button', { class: 'icon-button', type: 'button', 'aria-label': ctx.t('action.close') },
    icon('close'));
  const body = h('div', { class: 'content scroll', tabindex: -1 }, content);
  const form = h('form', { method: 'dialog', novalidate: true }, h('header', null, heading, closeButton), body);
  if (footer) form.append(footerOf(footer));
  const element = h('dialog', { class: `dialog ${className}`, role, 'aria-labelledby': heading.id,
    style: { '--dialog-width': `${width / 16}rem` } }, form);

  /** @type {(value: string) => void} */
  let settle = () => {};
  /** @type {Promise<string>} */
  const closed = new Promise((resolve) => {
    settle = resolve;
  });
  const close = (/** @type {string} */ value) => {
    if (!element.isConnected) return;
    stop.abort();
    // A question about this dialog is over with it.
    for (const above of opened.slice(opened.findIndex((one) => one.element === element) + 1).reverse())
      if (above.element.getAttribute('role') === 'alertdialog') above.close('');
    opened = opened.filter((one) => one.element !== element);
    release();
    element.close();
    element.remove();
    ctx.bus.emit('dialog', { open: document.querySelector('dialog[open]') !== null });
    restore();
    settle(value);
  };
  /** @returns {boolean} whether it is closed at once */
  const cancel = () => {
    const answer = guard?.() ?? true;
    if (answer === true) close('');
    else if (answer) void answer.then((isSure) => isSure && close(''));
    return answer === true;
  };

  element.addEventListener('cancel', (event) => {
    event.preventDefault();
    cancel();
  });
  // Left to itself a browser closes a dialog, and the one below it, without a word when Escape is pressed again with
  // nothing else in between: what was written there would be lost.
  addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing ||
      [...document.querySelectorAll('dialog[open]')].at(-1) !== element) return;
    event.preventDefault();
    cancel();
  }, { signal: stop.signal });
  // Closed by something else after all, it is over for whoever waits for it too.
  element.addEventListener('close', () => close(''));
  closeButton.addEventListener('click', cancel);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!form.querySelector('[type="submit"][aria-busy="true"]')) onSubmit?.();
  });
  forgetOpeningPress(element);
  closeOnBackdrop(element, cancel);
  trapFocus(element, stop.signal);
  document.body.append(element);
  element.showModal();
  opened.push({ element, close });
  const release = ctx.router.hold(cancel);
  // Words that need scrolling and have no control among them take the focus, so that keys scroll them.
  if (body.scrollHeight > body.clientHeight && focusables(body).length === 0) body.tabIndex = 0;
  ctx.bus.emit('dialog', { open: true });
  return { element, form, close, closed, signal: stop.signal };
}

/**
 * @param {App.Child} children
 */
function footerOf(children) {
  const footer = h('footer', null);
  append(footer, [children]);
  return footer;
}

/**
 * What is left of the press that opened the dialog does nothing in it: the second half of a double click, and a key
 * that is still held.
 *
 * @param {HTMLDialogElement} element
 */
function forgetOpeningPress(element) {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  element.addEventListener('keydown', (event) => {
    if (!event.repeat) over();
    else if (!isOver && (event.key === 'Enter' || event.key === ' ')) event.preventDefault();
  }, true);
  element.addEventListener('click', (event) => {
    if (event.detail <= 1) over();
    if (isOver) return;
    event.preventDefault();
    event.stopPropagation();
  }, true);
}

/**
 * A press and release on the backdrop; a selection of text that ends outside does not count.
 *
 * @param {HTMLDialogElement} element
 * @param {() => void} cancel
 */
function closeOnBackdrop(element, cancel) {
  let pressed = false;
  const isOutside = (/** @type {MouseEvent} */ event) => {
    const box = element.getBoundingClientRect();
    return event.target === element &&
      (event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom);
  };
  element.addEventListener('pointerdown', (event) => {
    pressed = isOutside(event);
  });
  element.addEventListener('click', (event) => {
    if (pressed && isOutside(event)) cancel();
    pressed = false;
  });
}

/**
 * Asks before something that cannot be taken back. The harmless answer has the focus.
 *
 * @param {App.Context} ctx
 * @param {{title: string, text: string, action: string, danger?: boolean, extra?: HTMLElement,
 *   width?: number}} question
 * @returns {Promise<boolean>}
 */
export async function confirm(ctx, { title, text, action, danger = false, extra, width = 440 }) {
  const no = h('button', { class: 'button', type: 'button' }, ctx.t('action.cancel'));
  const yes = h('button', { class: `button ${danger ? 'danger' : 'primary'}`, type: 'submit' }, action);
  const dialog = openDialog(ctx, {
    title,
    width,
    role: 'alertdialog',
    content: [h('p', null, text), extra ?? null],
    footer: [no, yes],
    onSubmit: () => dialog.close('yes'),
  });
  no.addEventListener('click', () => dialog.close(''));
  (danger ? no : yes).focus();
  return (await dialog.closed) === 'yes';
}

/**
 * Shows why a form was refused, above its buttons, with what a report needs.
 *
 * @param {App.Context} ctx
 * @param {HTMLFormElement} form
 * @param {unknown} failure what was caught; `null` takes the notice away
 */
export function showFormFailure(ctx, form, failure) {
  form.querySelector('.failure')?.remove();
  if (!failure) return;
  const error = ApiError.from(failure);
  const copy = h('button', { class: 'icon-button', type: 'button', 'aria-label': ctx.t('error.copy') },
    icon('copy', 'icon-s'));
  copy.addEventListener('click', () => void ctx.toasts.copy(error));
  const notice = h('div', { class: 'failure', role: 'alert' },
    h('p', null, error.message, h('small', null, [error.code, error.requestId].filter(Boolean).join(' · '))), copy);
  const footer = form.querySelector('footer');
  if (footer) footer.before(notice);
  else form.append(notice);
}

/**
 * Shows why a form with one field that can be wrong was refused: at the field when the server did not take its value,
 * else above the buttons. The field gets the focus when it is at fault.
 *
 * @param {App.Context} ctx
 * @param {HTMLFormElement} form
 * @param {App.Field} field
 * @param {unknown} failure what was caught
 */
export function showFieldFailure(ctx, form, field, failure) {
  const error = ApiError.from(failure);
  if (error.status !== 400) {
    showFormFailure(ctx, form, error);
    return;
  }
  field.fail(error.message);
  field.control.focus();
}
