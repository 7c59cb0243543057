/**
 * Controllers on every screen: what a button does when no screen says otherwise. Directions move the focus, the first
 * button presses what has it, the second closes one level, and so on: the same for the desktop and the big screen.
 */

import { frontLayer, isFocusFree, moveFocus, takeFocus } from '../../core/focus.js';
import { Gamepads } from '../../core/gamepad.js';
import { isTextField } from '../../core/keys.js';
import { DIRECTIONS } from '../../core/spatial.js';
import { chooseOption } from './choose.js';
import { openKeyboard } from './osk.js';

/** Keys with the meaning of a button, for drivers that send both at once. */
const TWINS = Object.freeze(/** @type {Record<string, string>} */ ({
  Enter: 'play',
  Escape: 'back',
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  PageUp: 'page_left',
  PageDown: 'page_right',
}));

/** Keys that do on a list what a button asks for. */
const KEYS = Object.freeze(/** @type {Record<string, string>} */ ({
  up: 'ArrowUp',
  down: 'ArrowDown',
  left: 'ArrowLeft',
  right: 'ArrowRight',
  back: 'Escape',
  page_left: 'PageUp',
  page_right: 'PageDown',
  first: 'Home',
  last: 'End',
}));

/**
 * Starts to follow controllers.
 *
 * @param {App.Context} ctx without `pads`, which this makes
 * @param {() => void} openPlaces shows everywhere one can go
 * @returns {Gamepads}
 */
export function mountSteering(ctx, openPlaces) {
  const pads = new Gamepads((action) => steer(ctx, action, openPlaces), () => ctx.bus.emit('pad', { kind: pads.kind }));
  ctx.bus.on('settings', () => {
    pads.map = ctx.preferences.controllerMap;
  });
  addEventListener('keydown', (event) => {
    const twin = TWINS[event.key];
    if (twin && event.isTrusted && pads.noteKey(twin, event.timeStamp)) {
      event.preventDefault();
      event.stopImmediatePropagation();
    } else if (event.isTrusted) {
      showInput('keys');
    }
  }, { capture: true });
  addEventListener('pointerdown', () => showInput('pointer'), { capture: true });
  followGames(ctx, pads);
  return pads;
}

/**
 * While a game runs it has the controller, until the user comes back to this page: by its window, a key or a pointer.
 *
 * @param {App.Context} ctx
 * @param {Gamepads} pads
 */
function followGames(ctx, pads) {
  /** @type {Set<string> | null} */
  let known = null;
  const giveBack = () => pads.hold('game', false);
  ctx.bus.on('sessions', (sessions) => {
    const running = sessions.map((session) => session.launchId);
    if (sessions.every((session) => session.paused)) giveBack();
    // Games that ran before the page was opened are behind it, and so is one that goes on while the user is here.
    else if (known && running.some((id) => !known?.has(id))) pads.hold('game', true);
    known = new Set(running);
  });
  // The page is told of its own window only when something else had the focus.
  addEventListener('focus', giveBack);
  addEventListener('keydown', (event) => {
    if (event.isTrusted) giveBack();
  }, { capture: true });
  addEventListener('pointerdown', giveBack, { capture: true });
  addEventListener('blur', () => {
    if (known && known.size > 0) pads.hold('game', true);
  });
}

/** @param {string} input what is used: `pad`, `keys` or `pointer` */
function showInput(input) {
  const { dataset } = document.documentElement;
  if (dataset['input'] !== input) dataset['input'] = input;
}

/**
 * @param {App.Context} ctx
 * @param {string} action
 * @param {() => void} openPlaces
 */
function steer(ctx, action, openPlaces) {
  showInput('pad');
  ctx.bus.emit('steer', { action });
  const layer = frontLayer();
  if (ctx.keys.act(action, layer === document.body ? null : layer)) return;
  const direction = DIRECTIONS.find((name) => name === action);
  if (direction) {
    if (!takesKey(KEYS[direction] ?? '')) moveFocus(direction);
    return;
  }
  switch (action) {
    case 'play':
      activate(ctx, document.activeElement);
      break;
    case 'back':
      goBack(layer);
      break;
    case 'page_left':
    case 'page_right':
      turnPage(layer, action);
      break;
    case 'first':
    case 'last':
      sendKey(KEYS[action] ?? '');
      break;
    case 'menu':
      openMenuHere(openPlaces);
      break;
  }
}

/**
 * Whether the focused control itself has a use for an arrow: a list that is moved in while its field keeps the focus,
 * or a slider.
 *
 * @param {string} key
 */
function takesKey(key) {
  const { activeElement } = document;
  if (activeElement instanceof HTMLInputElement && activeElement.type === 'range') {
    if (key !== 'ArrowLeft' && key !== 'ArrowRight') return false;
    const before = activeElement.value;
    if (key === 'ArrowLeft') activeElement.stepDown();
    else activeElement.stepUp();
    if (activeElement.value === before) return false;
    for (const name of ['input', 'change']) activeElement.dispatchEvent(new Event(name, { bubbles: true }));
    return true;
  }
  if (activeElement?.getAttribute('role') === 'slider')
    return (key === 'ArrowLeft' || key === 'ArrowRight') && turnSlider(activeElement, key);
  return activeElement?.getAttribute('role') === 'combobox' && sendKey(key);
}

/**
 * Moves a slider that is no field of the browser, such as the stars of a game.
 *
 * @param {Element} slider
 * @param {string} key
 * @returns {boolean} whether it moved; at its end the key is free to leave it
 */
function turnSlider(slider, key) {
  const before = slider.getAttribute('aria-valuenow');
  sendKey(key);
  return slider.getAttribute('aria-valuenow') !== before;
}

/**
 * @param {string} key
 * @returns {boolean} whether somebody used it
 */
function sendKey(key) {
  const target = document.activeElement ?? document.body;
  return !target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
}

/**
 * Presses what has the focus. A field opens the keyboard on the screen, a list of choices its choices.
 *
 * @param {App.Context} ctx
 * @param {Element | null} target
 */
function activate(ctx, target) {
  if (!(target instanceof HTMLElement) || isFocusFree()) {
    moveFocus('down');
  } else if (target instanceof HTMLSelectElement) {
    void chooseOption(ctx, target);
  } else if (target.getAttribute('role') === 'combobox' &&
    target.getAttribute('aria-activedescendant') && /** @type {HTMLInputElement} */ (target).value !== '') {
    sendKey('Enter');
  } else if ((target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) && isTextField(target)) {
    void openKeyboard(ctx, target, { title: nameOf(target) });
  } else if (target.getAttribute('role') === 'slider') {
    // One more; after the last it begins anew.
    if (!turnSlider(target, 'ArrowRight')) sendKey('Home');
  } else if (!sendKey('Enter')) {
    target.click();
  }
}

/** @param {HTMLInputElement | HTMLTextAreaElement} field */
function nameOf(field) {
  return field.getAttribute('aria-label') ?? field.labels?.[0]?.textContent ?? field.placeholder;
}

/** @param {HTMLElement} layer */
function goBack(layer) {
  if (layer instanceof HTMLDialogElement) {
    if (!sendKey('Escape')) layer.dispatchEvent(new Event('cancel', { cancelable: true }));
  } else {
    sendKey('Escape');
  }
}

/**
 * The next page of a list, or the next tab of the screen.
 *
 * @param {HTMLElement} layer
 * @param {'page_left' | 'page_right'} action
 */
function turnPage(layer, action) {
  const { activeElement } = document;
  if (!activeElement?.closest('[role="tablist"]') && sendKey(KEYS[action] ?? '')) return;
  const tabs = [.../** @type {NodeListOf<HTMLElement>} */ (layer.querySelectorAll('[role="tab"]'))].filter((tab) =>
    tab.checkVisibility()
  );
  const at = tabs.findIndex((tab) => tab.getAttribute('aria-selected') === 'true');
  const next = tabs[at + (action === 'page_left' ? -1 : 1)];
  if (at < 0) {
    const direction = action === 'page_left' ? 'up' : 'down';
    for (let step = 0; step < 6; step += 1) moveFocus(direction);
  } else if (next) {
    next.click();
    takeFocus(next);
  }
}

/** @param {() => void} openPlaces */
function openMenuHere(openPlaces) {
  const { activeElement } = document;
  const box = activeElement?.getBoundingClientRect();
  const wasUsed = activeElement?.matches('.tile, .place') && box &&
    !activeElement.dispatchEvent(
      new MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX: box.left + box.width / 2,
        clientY: box.top + box.height / 3 }),
    );
  if (!wasUsed && frontLayer() === document.body) openPlaces();
}
