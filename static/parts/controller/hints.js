/**
 * The line of hints at the foot of the big screen: what the buttons do now, made from the live map of actions, with
 * symbols of the controller in use or the keys of the keyboard.
 */

import { fill, h } from '../../core/dom.js';
import { buttonFor } from '../../core/pad-map.js';
import { glyph, glyphKind } from './glyph.js';
import { keyName } from '../shell/sheet.js';

/**
 * Actions that are told, those that are missed most first: where the line is too short for all, the last ones are left
 * out.
 */
const TOLD = Object.freeze(['play', 'back', 'details', 'favorite', 'pause', 'menu', 'random', 'first', 'page_left']);

/** What the first two buttons do where nobody says otherwise, and their keys. */
const USUAL = Object.freeze(
  /** @type {Record<string, {key: string, label: string}>} */ ({ play: { key: 'Enter', label: 'keys.select' },
    back: { key: 'Escape', label: 'keys.back' } }),
);

/** Actions on the game in focus, and between games. */
const ON_GAMES = Object.freeze(['play', 'details', 'favorite', 'random', 'first', 'page_left']);

/** Actions told together with their opposite. */
const PAIRS = Object.freeze(/** @type {Record<string, string>} */ ({ page_left: 'page_right', first: 'last' }));

/**
 * @param {App.Context} ctx
 * @param {Element | null} layer the dialog it stands in, or `null` for the page
 * @param {AbortSignal} signal
 * @param {() => boolean} [isBare] whether there is no game to do anything with
 * @returns {HTMLElement}
 */
export function hintLine(ctx, layer, signal, isBare = () => false) {
  const { t } = ctx;
  const line = h('ul', { class: 'hint-line', 'aria-label': t('big.hints') });
  const draw = () => {
    const known = ctx.keys.actions(layer);
    if (isBare()) { for (const action of ON_GAMES) known.delete(action); }
    const kind = glyphKind(ctx);
    const { isConnected, buttons } = ctx.pads;
    const symbol = (/** @type {string} */ action) => {
      const button = isConnected ? buttonFor(action, buttons) : -1;
      const key = known.get(action)?.key ?? USUAL[action]?.key ?? '';
      return isConnected
        ? (button < 0 ? null : glyph(kind, button))
        : key
        ? h('kbd', { class: 'kbd' }, keyName(ctx, key))
        : null;
    };
    const own = ctx.preferences.big.hint;
    // Two buttons that do the same are told once, and so is a key that is called as what it does.
    const told = new Set();
    fill(line, TOLD.map((action) => {
      if (action === 'pause' && ctx.sessions.list.length === 0) return null;
      const label = known.get(action)?.label ?? USUAL[action]?.label;
      const words = label ? t(label) : '';
      if (told.has(words) || (!isConnected && words === keyName(ctx, known.get(action)?.key ?? ''))) return null;
      told.add(words);
      const [one, other] = label ? [symbol(action), PAIRS[action] ? symbol(PAIRS[action] ?? '') : null] : [null, null];
      return one ? h('li', null, one, other, h('span', null, words)) : null;
    }), own ? h('li', { class: 'own' }, own) : null);
    if (!layer) fitLine(line);
  };
  if (!layer) {
    const observer = new ResizeObserver(() => fitLine(line));
    observer.observe(line);
    signal.addEventListener('abort', () => observer.disconnect());
  }
  for (const name of /** @type {const} */ (['pad', 'settings', 'dialog', 'sessions', 'locale']))
    ctx.bus.on(name, draw, signal);
  if (!layer) ctx.bus.on('catalog:order', () => queueMicrotask(draw), signal);
  // What is registered after this line belongs to it too.
  queueMicrotask(draw);
  return line;
}

/**
 * The foot of the page is one line high: hints that would begin another one are left out.
 *
 * @param {HTMLElement} line
 */
function fitLine(line) {
  const hints = /** @type {HTMLElement[]} */ ([...line.children]);
  for (const hint of hints) hint.hidden = false;
  const tops = hints.map((hint) => hint.offsetTop);
  const first = Math.min(...tops);
  hints.forEach((hint, index) => {
    hint.hidden = Number(tops[index]) > first;
  });
}
