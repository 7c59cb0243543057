/**
 * Where the focus is, where it returns to, how it stays inside a list of controls, and how it moves by direction over a
 * whole screen. The directions are the same for the desktop and the big screen, for a controller and for keys;
 * `spatial.js` does the geometry.
 */

import { nextBox } from './spatial.js';

const FOCUSABLE = 'a[href], button:not([disabled]), input:not([disabled]), select:not([disabled]), ' +
  'textarea:not([disabled]), summary, [tabindex="0"]';

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
    const redrawn = /** @type {HTMLElement | null} */ (name
      ? document.querySelector(`[data-focus="${CSS.escape(name)}"]`)
      : null);
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
  const items = () =>
    [.../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(selector))].filter((item) =>
      item.getClientRects().length > 0
    );
  const [back, forward] = axis === 'vertical' ? ['ArrowUp', 'ArrowDown'] : ['ArrowLeft', 'ArrowRight'];
  root.addEventListener('keydown', (event) => {
    const all = items();
    const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    if (at < 0) return;
    const to = event.key === forward
      ? at + 1
      : event.key === back
      ? at - 1
      : event.key === 'Home'
      ? 0
      : event.key === 'End'
      ? all.length - 1
      : -1;
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
 * Whether what comes of an answer may have the focus: nobody uses it, or it still stands in the part of the page that
 * asked. Whoever went on meanwhile is left alone.
 *
 * @param {Element} root
 * @returns {boolean}
 */
export function mayTakeFocus(root) {
  return isFocusFree() || root.contains(document.activeElement);
}

/**
 * Remembers the focus in a part of the page before its elements change. The result gives it back to its control, or to
 * the one with the same `data-focus`; when there is none, to what is left of its row or group, else to the same control
 * of the row that is in its place, else to what stood after it, else before it, else to the first control of the part,
 * else to what stands around the part.
 *
 * @param {Element} root
 * @returns {() => void}
 */
export function holdFocus(root) {
  const old = /** @type {HTMLElement | null} */ (document.activeElement);
  if (!old || !root.contains(old)) return () => {};
  const page = root.closest('.page, dialog > form') ?? root;
  const controlsOf = (
    /** @type {Element | null | undefined} */ part,
  ) => /** @type {HTMLElement[]} */ ([...part?.querySelectorAll(FOCUSABLE) ?? []]);
  const rows = () => [...root.querySelectorAll('li')].filter((row) => row.querySelector(FOCUSABLE));
  const row = old.closest('li');
  const [rowAt, at] = [row ? rows().indexOf(row) : -1, controlsOf(row).indexOf(old)];
  const left = controlsOf(row ?? (old.parentElement === root ? null : old.parentElement));
  const others = controlsOf(page).filter((control) => !control.contains(old));
  const isAfter = (/** @type {Element} */ control) =>
    (old.compareDocumentPosition(control) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  const near = [...others.filter(isAfter), ...others.filter((control) => !isAfter(control)).reverse()];
  const inside = near.filter((control) => root.contains(control));
  return () => {
    if (document.activeElement === old && !old.matches(':disabled')) return;
    old.blur();
    const next = rowAt < 0 ? [] : controlsOf(rows().slice(0, rowAt + 1).at(-1));
    for (const control of [old, ...left, ...next.slice(at), ...next, ...inside, ...focusables(root), ...near]) {
      const name = control.getAttribute('data-focus');
      const namesakes = name ? page.querySelectorAll(`[data-focus="${CSS.escape(name)}"]`) : [];
      for (const target of /** @type {HTMLElement[]} */ ([control, ...namesakes])) {
        target.focus({ preventScroll: control === old });
        if (document.activeElement === target) return;
      }
    }
  };
}

/** What a direction may lead to, also controls that Tab reaches only through their group. */
const STEERABLE = 'a[href], button:not([disabled]), input:not([disabled], [type="hidden"]), select:not([disabled]), ' +
  'textarea:not([disabled]), summary, [role="option"][tabindex], ' +
  '[role="tab"], [role="menuitem"], [role="radio"][tabindex], [role="img"][tabindex], [tabindex="0"]';

/** Parts of the page that stand side by side: up and down never lead from one into another. */
const PANES = '#sidebar, #main';

/** Rows of games: up and down lead from row to row. */
const ROWS = '[aria-orientation="horizontal"]';

/** How much of a control must be on screen to be gone to across the edge of a list. */
const VISIBLE = 6;

/** How far a direction scrolls where nothing lies ahead, as a part of what is seen. */
const SCROLL = 0.6;

/**
 * What has the page now: the newest open dialog, menu or panel, else the page itself. Notices belong to the page.
 *
 * @returns {HTMLElement}
 */
export function frontLayer() {
  const layers = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(
    'dialog[open], [popover]:popover-open:not(#toasts)',
  ));
  return layers[layers.length - 1] ?? document.body;
}

/**
 * The control that lies next to another one in a direction, or `null`. What only holds controls, as a screen that has
 * just come, is no place to start from: the first of its controls is next in every direction. Where it has none yet,
 * down leads nowhere.
 *
 * @param {App.Direction} direction
 * @param {Element | null} [from]
 * @param {HTMLElement} [layer]
 * @returns {HTMLElement | null}
 */
export function neighbour(direction, from = document.activeElement, layer = frontLayer()) {
  const start = from && layer.contains(from) && from !== layer && from !== document.body && isPlace(from) ? from : null;
  const controls = steerables(layer).filter((control) => control !== start && !(start && control.contains(start)));
  /** @type {Map<Element, HTMLElement | null>} */
  const lists = new Map();
  const shown = controls.map((control) => ({ control, box: boxOf(control, start, lists) })).filter(({ box }) =>
    box !== null
  );
  if (!start) {
    const inside = from && from !== document.body ? shown.find(({ control }) => from.contains(control)) : undefined;
    // A screen whose controls are still to come keeps the focus: from the sidebar no way down leads to them.
    if (!inside && direction === 'down' && from?.closest('#main')) return null;
    return (inside ?? shown.find(({ control }) => control.closest('#main') ?? layer !== document.body) ?? shown[0])
      ?.control ?? null;
  }
  const place = frameOf(start).getBoundingClientRect();
  const nearest = (/** @type {typeof shown} */ among) =>
    among[nextBox(place, among.map(({ box }) => /** @type {App.Box} */ (box)), direction)]?.control ?? null;
  // From row to row, what stands aside is passed over, so that the size of a heading and its link changes nothing.
  const isBetweenRows = (direction === 'up' || direction === 'down') && start.closest(ROWS) !== null;
  const choose = (/** @type {typeof shown} */ among) =>
    (isBetweenRows ? nearest(among.filter(({ control, box }) => isRowOrStraight(control, place, box))) : null) ??
      nearest(among);
  // A list is walked to its end before what stands beside it.
  const list = listAround(frameOf(start), lists);
  const inList = list && scrollsAlong(list, direction)
    ? choose(shown.filter(({ control }) => list.contains(control)))
    : null;
  if (inList) return inList;
  const pane = start.closest(PANES);
  if (!pane || direction === 'left' || direction === 'right') return choose(shown);
  return choose(shown.filter(({ control }) => pane.contains(control))) ??
    choose(shown.filter(({ control }) => !control.closest(PANES)));
}

/**
 * Whether a control is in a row of games, or straight above or below a place.
 *
 * @param {Element} control
 * @param {App.Box} place
 * @param {App.Box | null} box of the control
 */
function isRowOrStraight(control, place, box) {
  return control.closest(ROWS) !== null ||
    (box !== null && box.left < place.right - 1 && box.right > place.left + 1);
}

/**
 * @param {HTMLElement} list
 * @param {App.Direction} direction
 */
function scrollsAlong(list, direction) {
  return direction === 'up' || direction === 'down'
    ? list.scrollHeight > list.clientHeight + 1
    : list.scrollWidth > list.clientWidth + 1;
}

/**
 * Moves the focus to the neighbour in a direction; where there is none, scrolls what the focus is in.
 *
 * @param {App.Direction} direction
 * @returns {boolean} whether anything moved
 */
export function moveFocus(direction) {
  const target = neighbour(direction);
  if (target) {
    takeFocus(target);
    return true;
  }
  return scrollOn(direction);
}

/**
 * Focuses a control so that it is seen to have the focus, and brings it into view.
 *
 * @param {HTMLElement} target
 */
export function takeFocus(target) {
  target.focus(/** @type {FocusOptions} */ ({ preventScroll: true, focusVisible: true }));
  frameOf(target).scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

/**
 * @param {HTMLElement} layer
 * @returns {HTMLElement[]} what directions may lead to, in document order
 */
export function steerables(layer) {
  const found = /** @type {NodeListOf<HTMLElement>} */ (layer.querySelectorAll(STEERABLE));
  return [...found].filter((control) =>
    !control.closest('[inert], [aria-hidden="true"]') && control.checkVisibility({ visibilityProperty: true }) &&
    isPlace(control)
  );
}

/**
 * Whether the focus may stop there; what only holds controls is no such place.
 *
 * @param {Element} control
 */
function isPlace(control) {
  return /^(?:A|BUTTON|INPUT|SELECT|TEXTAREA|SUMMARY)$/.test(control.tagName) || !control.querySelector(STEERABLE);
}

/**
 * The box of a control as far as it is seen; `null` when it is not. What lies beyond the edge of a list that the focus
 * is in too counts as seen, because the list scrolls there.
 *
 * @param {HTMLElement} control
 * @param {Element | null} start what has the focus
 * @param {Map<Element, HTMLElement | null>} lists lists around elements as far as they are known
 * @returns {App.Box | null}
 */
function boxOf(control, start, lists) {
  const frame = frameOf(control);
  const box = frame.getBoundingClientRect();
  if (box.width === 0 || box.height === 0) return null;
  let { left, top, right, bottom } = box;
  let list = listAround(frame, lists);
  for (; list && !(start && list.contains(start)); list = listAround(list, lists)) {
    const clip = list.getBoundingClientRect();
    [left, top, right, bottom] = [Math.max(left, clip.left), Math.max(top, clip.top), Math.min(right, clip.right),
      Math.min(bottom, clip.bottom)];
  }
  if (!list)
    [left, top, right, bottom] = [Math.max(0, left), Math.max(0, top), Math.min(innerWidth, right),
      Math.min(innerHeight, bottom)];
  const least = Math.min(VISIBLE, box.width, box.height);
  return right - left >= least && bottom - top >= least ? { left, top, right, bottom } : null;
}

/**
 * What people see of a control: a switch is drawn by its label.
 *
 * @param {Element} control
 * @returns {Element}
 */
function frameOf(control) {
  return control instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(control.type)
    ? (control.closest('label') ?? control)
    : control;
}

/**
 * @param {Element} element
 * @param {Map<Element, HTMLElement | null>} lists
 * @returns {HTMLElement | null}
 */
function listAround(element, lists) {
  const parent = element.parentElement;
  if (!parent) return null;
  const known = lists.get(parent);
  if (known !== undefined) return known;
  const found = scrollerOf(parent);
  lists.set(parent, found);
  return found;
}

/**
 * The nearest list that scrolls and has something to scroll: an element itself or around it.
 *
 * @param {Element | null} element
 * @returns {HTMLElement | null}
 */
function scrollerOf(element) {
  for (let list = element; list; list = list.parentElement) {
    if (list.scrollHeight <= list.clientHeight + 1 && list.scrollWidth <= list.clientWidth + 1) continue;
    const { overflowX, overflowY } = getComputedStyle(list);
    if (/auto|scroll/.test(`${overflowX} ${overflowY}`)) return /** @type {HTMLElement} */ (list);
  }
  return null;
}

/** @param {App.Direction} direction */
function scrollOn(direction) {
  const list = scrollerOf(document.activeElement);
  if (!list) return false;
  const [left, top] = [list.scrollLeft, list.scrollTop];
  if (direction === 'up' || direction === 'down')
    list.scrollTop += list.clientHeight * SCROLL * (direction === 'up' ? -1 : 1);
  else list.scrollLeft += list.clientWidth * SCROLL * (direction === 'left' ? -1 : 1);
  return list.scrollLeft !== left || list.scrollTop !== top;
}
