/**
 * Tabs over one panel: one Tab stop, the arrow keys choose, Home and End go to the ends. Knows nothing of what the
 * panel holds.
 */

import { h } from '../core/dom.js';

/** How much of the next tab is seen beside the shown one, in pixels. */
const MARGIN = 40;

let count = 0;

/**
 * @param {{label: string, items: readonly App.TabItem[], shown: string, onChoose: (key: string) => void}} options
 *   `onChoose` hears every choice the user makes
 * @returns {App.Tabs}
 */
export function makeTabs({ label, items, shown, onChoose }) {
  count += 1;
  const id = `tabs${count}`;
  const panel = h('div', { class: 'tab-panel', role: 'tabpanel', id: `${id}-panel`, tabindex: 0 });
  const numbers = new Map(items.map((item) => [item.key, h('span', { class: 'number', hidden: true })]));
  const buttons = items.map((item) =>
    h('button', {
      type: 'button',
      role: 'tab',
      id: `${id}-${item.key}`,
      'data-key': item.key,
      'aria-controls': panel.id,
      on: { click: () => choose(item.key) },
    }, item.label, numbers.get(item.key))
  );
  const list = h('div', { class: 'tab-list', role: 'tablist', 'aria-label': label,
    on: { keydown: (event) => move(/** @type {KeyboardEvent} */ (event)) } }, buttons);

  // A tab that the address names is seen in a row that is wider than its place.
  const reveal = () => {
    const here = list.querySelector('[aria-selected="true"]')?.getBoundingClientRect();
    if (!here || list.scrollWidth <= list.clientWidth) return;
    const { left, right } = list.getBoundingClientRect();
    if (here.left < left + MARGIN) list.scrollLeft += here.left - left - MARGIN;
    else if (here.right > right - MARGIN) list.scrollLeft += here.right - right + MARGIN;
  };
  new ResizeObserver(reveal).observe(list);

  const show = (/** @type {string} */ key) => {
    for (const button of buttons) {
      const isShown = button.dataset['key'] === key;
      button.setAttribute('aria-selected', String(isShown));
      button.tabIndex = isShown ? 0 : -1;
      if (isShown) panel.setAttribute('aria-labelledby', button.id);
    }
    reveal();
  };
  const choose = (/** @type {string} */ key) => {
    show(key);
    onChoose(key);
  };
  const move = (/** @type {KeyboardEvent} */ event) => {
    const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    const forward = getComputedStyle(list).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
    const back = forward === 'ArrowRight' ? 'ArrowLeft' : 'ArrowRight';
    const to = event.key === forward
      ? at + 1
      : event.key === back
      ? at - 1
      : event.key === 'Home'
      ? 0
      : event.key === 'End'
      ? buttons.length - 1
      : null;
    if (at < 0 || to === null) return;
    const next = buttons[(to + buttons.length) % buttons.length];
    event.preventDefault();
    event.stopPropagation();
    next?.focus();
    next?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    choose(next?.dataset['key'] ?? '');
  };
  show(shown);
  return {
    list,
    panel,
    show,
    count: (key, number, text) => {
      const badge = numbers.get(key);
      if (!badge) return;
      badge.hidden = number === 0;
      badge.textContent = text;
    },
  };
}
