/**
 * Personal stars, 0 to 5: a slider for the keyboard, five stars for the pointer. A second press on the same star clears
 * them.
 */

import { h, icon, patchNode } from '../core/dom.js';

const MOST = 5;

/**
 * @param {App.Context} ctx
 * @param {number} value
 * @param {(stars: number) => void} onChange
 * @returns {HTMLElement}
 */
export function starRating(ctx, value, onChange) {
  const { t, tn } = ctx;
  const show = (/** @type {Event} */ { currentTarget }, /** @type {number} */ shown) => {
    const stars = /** @type {Element} */ (currentTarget).querySelectorAll('.star');
    stars.forEach((star, index) => star.classList.toggle('full', index < shown));
  };
  const change = (/** @type {Event} */ event, /** @type {number} */ next) => {
    const stars = Math.max(0, Math.min(MOST, next));
    if (stars === value) return;
    patchNode(/** @type {Element} */ (event.currentTarget), starRating(ctx, stars, onChange));
    show(event, stars);
    onChange(stars);
  };
  const valueAt = (/** @type {Event} */ event) =>
    Number(/** @type {Element | null} */ (event.target)?.closest('.star')?.getAttribute('data-value') ?? 0);
  const press = (/** @type {Event} */ event) => {
    const { key, ctrlKey, altKey, metaKey } = /** @type {KeyboardEvent} */ (event);
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[key];
    const next = step !== undefined
      ? value + step
      : key === 'Home'
      ? 0
      : key === 'End'
      ? MOST
      : /^[0-5]$/.test(key)
      ? Number(key)
      : null;
    if (next === null || ctrlKey || altKey || metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    change(event, next);
  };
  return h('div', {
    class: 'stars',
    role: 'slider',
    tabindex: 0,
    'data-focus': 'stars',
    'aria-label': t('stars.label'),
    'aria-valuemin': 0,
    'aria-valuemax': MOST,
    'aria-valuenow': value,
    'aria-valuetext': value > 0 ? tn('stars.count', value) : t('stars.none'),
    on: {
      click: (event) => {
        const pressed = valueAt(event);
        if (pressed > 0) change(event, pressed === value ? 0 : pressed);
      },
      pointermove: (event) => show(event, valueAt(event) || value),
      pointerleave: (event) => show(event, value),
      keydown: press,
    },
  },
    Array.from({ length: MOST },
      (_, index) => h('span', { class: index < value ? 'star full' : 'star', 'data-value': index + 1 }, icon('star'))));
}
