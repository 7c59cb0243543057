/**
 * A list that is an order: each entry is shown or not, and moved by its buttons, by Alt and an arrow key, or by dragging. It hands over the whole list after each change.
 */

import { fill, h, icon } from '../core/dom.js';

/**
 * @typedef {{key: string, label: string, isOn: boolean}} Entry
 */

/**
 * @param {App.Context} ctx
 * @param {string} id for the label
 * @param {readonly Entry[]} entries
 * @param {(entries: readonly Entry[]) => void} commit
 * @returns {HTMLElement}
 */
export function orderList(ctx, id, entries, commit) {
  const { t, announce } = ctx;
  let current = entries.map((entry) => ({ ...entry }));
  /** Place of the entry that is being dragged, or -1. */
  let dragged = -1;
  const list = h('ol', { class: 'order' });
  const root = h('div', { role: 'group', id, tabindex: -1 }, list);

  const move = (/** @type {number} */ from, /** @type {number} */ to) => {
    const entry = current[from];
    if (!entry || to < 0 || to >= current.length || to === from) return;
    const held = list.contains(document.activeElement) ? document.activeElement?.getAttribute('data-focus') : null;
    current = current.filter((item) => item !== entry);
    current.splice(to, 0, entry);
    draw();
    const controls = [held, `up:${entry.key}`, `down:${entry.key}`].map((name) => /** @type {HTMLButtonElement | null} */ (list.querySelector(`[data-focus="${CSS.escape(name ?? '')}"]`)));
    if (held) controls.find((control) => control && !control.disabled)?.focus();
    announce(t('queue.moved', { name: entry.label, place: to + 1 }));
    commit(current);
  };

  const row = (/** @type {Entry} */ entry, /** @type {number} */ index) => {
    const box = h('input', { type: 'checkbox', checked: entry.isOn, 'data-focus': `on:${entry.key}`, on: { change: () => { entry.isOn = box.checked; item.classList.toggle('off', !entry.isOn); commit(current); } } });
    const step = (/** @type {string} */ name, /** @type {number} */ to) => h('button', {
      class: 'icon-button', type: 'button', 'data-focus': `${name}:${entry.key}`, disabled: to < 0 || to >= current.length, 'aria-label': `${t(`queue.${name}`)}: ${entry.label}`, title: t(`queue.${name}`), on: { click: () => move(index, to) },
    }, icon(name));
    const item = h('li', {
      class: entry.isOn ? '' : 'off', draggable: 'true', on: {
        keydown: (event) => {
          const { key, altKey } = /** @type {KeyboardEvent} */ (event);
          if (!altKey || (key !== 'ArrowUp' && key !== 'ArrowDown')) return;
          event.preventDefault();
          event.stopPropagation();
          move(index, index + (key === 'ArrowUp' ? -1 : 1));
        },
        dragstart: (event) => {
          dragged = index;
          /** @type {DragEvent} */ (event).dataTransfer?.setData('text/plain', entry.label);
        },
        dragover: (event) => {
          if (dragged < 0) return;
          event.preventDefault();
          for (const other of list.children) other.classList.remove('over', 'after');
          if (index !== dragged) item.classList.add('over');
          item.classList.toggle('after', index > dragged);
        },
        dragend: () => { dragged = -1; for (const other of list.children) other.classList.remove('over', 'after'); },
        drop: (event) => {
          event.preventDefault();
          event.stopPropagation();
          if (dragged >= 0) move(dragged, index);
          dragged = -1;
        },
      },
    }, h('label', { class: 'check' }, box, entry.label), step('up', index - 1), step('down', index + 1));
    return item;
  };

  const draw = () => fill(list, current.map(row));
  draw();
  return root;
}
