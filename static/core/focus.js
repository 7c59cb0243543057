/**
 * Where the focus is, where it returns to and how it stays inside a list of controls.
 */

const FOCUSABLE = 'a[href], button:not([disabled]), input:not([disabled]), select:not([disabled]), textarea:not([disabled]), [tabindex]';

/**
 * The controls inside an element that the Tab key reaches, in document order.
 *
 * @param {Element} root
 * @returns {HTMLElement[]}
 */
export function focusables(root) {
  const found = /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(FOCUSABLE));
  return [...found].filter((element) => element.tabIndex >= 0 && element.getClientRects().length > 0);
}

/**
 * Keeps Tab inside an element until the signal aborts.
 *
 * @param {HTMLElement} root
 * @param {AbortSignal} signal
 */
export function trapFocus(root, signal) {
  root.addEventListener('keydown', (event) => {
    if (event.key !== 'Tab') return;
    const all = focusables(root);
    const [first, last] = [all[0], all.at(-1)];
    if (!first || !last) return;
    const active = document.activeElement;
    if (event.shiftKey ? active === first : active === last) {
      event.preventDefault();
      (event.shiftKey ? last : first).focus();
    }
  }, { signal });
}

/**
 * Remembers the focused element and gives the focus back to it, or to the stand-in when the element is gone by then.
 *
 * @param {() => HTMLElement | null} standIn
 * @param {EventTarget | null} [from] what had the focus, when it has moved on already
 * @returns {() => void}
 */
export function rememberFocus(standIn, from = document.activeElement) {
  const before = from instanceof HTMLElement ? from : null;
  return () => {
    // A tile of a windowed list may show something else by now; the list knows its own place.
    const isSteady = before && !before.closest('[data-recycled]');
    const isThere = isSteady && before.isConnected && before !== document.body && before.getClientRects().length > 0;
    // The control may have been drawn anew meanwhile; its name finds the one that stands in its place.
    const name = before?.getAttribute('data-focus');
    const redrawn = name ? /** @type {HTMLElement | null} */ (document.querySelector(`[data-focus="${CSS.escape(name)}"]`)) : null;
    const target = isThere ? before : (redrawn ?? standIn());
    target?.focus({ preventScroll: true });
  };
}

/**
 * One Tab stop for a group of controls; the arrow keys move inside it.
 *
 * @param {HTMLElement} root
 * @param {string} selector the controls
 * @param {AbortSignal} signal
 * @param {'vertical' | 'horizontal'} [axis]
 */
export function roveFocus(root, selector, signal, axis = 'vertical') {
  const items = () => [.../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(selector))].filter((item) => item.getClientRects().length > 0);
  const [back, forward] = axis === 'vertical' ? ['ArrowUp', 'ArrowDown'] : ['ArrowLeft', 'ArrowRight'];
  root.addEventListener('keydown', (event) => {
    const all = items();
    const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    if (at < 0) return;
    const to = event.key === forward ? at + 1 : event.key === back ? at - 1 : event.key === 'Home' ? 0 : event.key === 'End' ? all.length - 1 : -1;
    const target = to >= 0 ? all[Math.min(to, all.length - 1)] : undefined;
    if (!target) return;
    event.preventDefault();
    event.stopPropagation();
    target.focus();
  }, { signal });
  root.addEventListener('focusin', (event) => {
    for (const item of items()) item.tabIndex = item === event.target ? 0 : -1;
  }, { signal });
}

/**
 * Where the focus goes when the control it came from is gone: the active tile of a list, else the main area.
 *
 * @returns {HTMLElement | null}
 */
export function activeTile() {
  return document.querySelector('.grid [tabindex="0"]') ?? document.querySelector('#main');
}

/**
 * Whether nobody uses the focus now, so that a screen may take it when it comes.
 *
 * @returns {boolean}
 */
export function isFocusFree() {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body || activeElement.id === 'main';
}

/**
 * Draws a part of the page anew and gives the focus back to the control with the same `data-focus`.
 *
 * @param {HTMLElement} root
 * @param {() => void} draw
 */
export function keepFocus(root, draw) {
  const name = root.contains(document.activeElement) ? document.activeElement?.getAttribute('data-focus') : null;
  draw();
  if (name) /** @type {HTMLElement | null} */ (root.querySelector(`[data-focus="${CSS.escape(name)}"]`))?.focus({ preventScroll: true });
}
