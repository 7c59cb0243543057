/**
 * Personal stars, 0 to 5: a slider for the keyboard, five stars for the pointer. A second press on the same star clears
 * them.
 */

import { h, icon } from '../core/dom.js';

const MOST = 5;

/**
 * @param {App.Context} ctx
 * @param {number} value
 * @param {(stars: number) => void} onChange
 * @returns {HTMLElement}
 */
export function starRating(ctx, value, onChange) {
  const { t, tn } = ctx;
  const stars = Array.from({ length: MOST },
    (_, index) => h('span', { class: 'star', 'data-value': index + 1 }, icon('star')));
  const root = h('div', { class: 'stars', role: 'slider', tabindex: 0, 'data-focus': 'stars',
    'aria-label': t('stars.label'), 'aria-valuemin': 0, 'aria-valuemax': MOST }, stars);
  let current = value;
  const show = (/** @type {number} */ shown) =>
    stars.forEach((star, index) => star.classList.toggle('full', index < shown));
  const set = (/** @type {number} */ next) => {
    const bounded = Math.max(0, Math.min(MOST, next));
    const isNew = bounded !== current;
    current = bounded;
    root.setAttribute('aria-valuenow', String(current));
    root.setAttribute('aria-valuetext', current > 0 ? tn('stars.count', current) : t('stars.none'));
    show(current);
    return isNew;
  };
  const change = (/** @type {number} */ next) => {
    if (set(next)) onChange(current);
  };
  const valueAt = (/** @type {Event} */ event) =>
    Number(/** @type {Element | null} */ (event.target)?.closest('.star')?.getAttribute('data-value') ?? 0);
  root.addEventListener('click', (event) => {
    const pressed = valueAt(event);
    if (pressed > 0) change(pressed === current ? 0 : pressed);
  });
  root.addEventListener('pointermove', (event) => show(valueAt(event) || current));
  root.addEventListener('pointerleave', () => show(current));
  root.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    const next = step !== undefined
      ? current + step
      : event.key === 'Home'
      ? 0
      : event.key === 'End'
      ? MOST
      : /^[0-5]$/.test(event.key)
      ? Number(event.key)
      : null;
    if (next === null || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    change(next);
  });
  set(value);
  return root;
}
