/**
 * A list that is an order: each entry is shown or not, or taken away, and moved by its buttons, by Alt and an arrow
 * key, or by dragging. It hands over the whole list after each change.
 */

import { fill, h, icon } from '../../core/dom.js';

/**
 * @typedef {{key: string, label: string, isOn: boolean}} Entry
 */

/**
 * A list whose entries stay and are shown or not.
 *
 * @param {App.Context} ctx
 * @param {string} id for the label
 * @param {readonly Entry[]} entries
 * @param {(entries: readonly Entry[]) => void} commit
 * @returns {HTMLElement}
 */
export function orderList(ctx, id, entries, commit) {
  return h('div', { role: 'group', id, tabindex: -1 }, new OrderList(ctx, entries, commit).element);
}

/** The list itself, without what stands around it. */
export class OrderList {
  #ctx;
  #commit;
  #isDroppable;
  /** @type {Entry[]} */
  #entries;
  /** Place of the entry that is being dragged, or -1. */
  #dragged = -1;
  element = h('ol', { class: 'order' });

  /**
   * @param {App.Context} ctx
   * @param {readonly Entry[]} entries
   * @param {(entries: readonly Entry[]) => void} commit
   * @param {{isDroppable?: boolean}} [options] whether entries are taken away, all but the last one, instead of being
   *   switched off
   */
  constructor(ctx, entries, commit, { isDroppable = false } = {}) {
    this.#ctx = ctx;
    this.#commit = commit;
    this.#isDroppable = isDroppable;
    this.#entries = entries.map((entry) => ({ ...entry }));
    this.#draw();
  }

  /** @returns {readonly Entry[]} in their order */
  get entries() {
    return this.#entries;
  }

  /**
   * @param {Entry} entry
   * @param {number} at
   */
  insert(entry, at) {
    this.#entries.splice(at, 0, entry);
    this.#draw();
    this.#commit(this.#entries);
  }

  /**
   * @param {number} from
   * @param {number} to
   */
  #move(from, to) {
    const entry = this.#entries[from];
    if (!entry || to < 0 || to >= this.#entries.length || to === from) return;
    const held = this.element.contains(document.activeElement)
      ? document.activeElement?.getAttribute('data-focus')
      : null;
    this.#entries = this.#entries.filter((item) => item !== entry);
    this.#entries.splice(to, 0, entry);
    this.#draw();
    if (held) this.#focus([held, `up:${entry.key}`, `down:${entry.key}`]);
    this.#ctx.announce(this.#ctx.t('queue.moved', { name: entry.label, place: to + 1 }));
    this.#commit(this.#entries);
  }

  /** @param {number} at */
  #drop(at) {
    this.#entries.splice(at, 1);
    const next = this.#entries[Math.min(at, this.#entries.length - 1)];
    this.#draw();
    this.#focus([`drop:${next?.key}`, `up:${next?.key}`, `down:${next?.key}`, `row:${next?.key}`]);
    this.#commit(this.#entries);
  }

  /** @param {readonly string[]} names of controls, of which the first that can be used has the focus */
  #focus(names) {
    const controls = names.map((
      name,
    ) => /** @type {HTMLButtonElement | null} */ (this.element.querySelector(`[data-focus="${CSS.escape(name)}"]`)));
    controls.find((control) => control && !control.disabled)?.focus();
  }

  #draw() {
    fill(this.element, this.#entries.map((entry, index) => this.#row(entry, index)));
  }

  /**
   * @param {Entry} entry
   * @param {number} index
   */
  #row(entry, index) {
    const { t } = this.#ctx;
    const button = (/** @type {string} */ name, /** @type {string} */ symbol, /** @type {string} */ label,
      /** @type {boolean} */ isOff, /** @type {() => void} */ run) =>
      h('button', {
        class: 'icon-button',
        type: 'button',
        'data-focus': `${name}:${entry.key}`,
        disabled: isOff,
        'aria-label': `${label}: ${entry.label}`,
        title: label,
        on: { click: run },
      }, icon(symbol));
    const step = (/** @type {string} */ name, /** @type {number} */ to) =>
      button(name, name, t(`queue.${name}`), to < 0 || to >= this.#entries.length, () => this.#move(index, to));
    const box = h('input', { type: 'checkbox', checked: entry.isOn, 'data-focus': `on:${entry.key}`,
      on: { change: () => {
        entry.isOn = box.checked;
        item.classList.toggle('off', !entry.isOn);
        this.#commit(this.#entries);
      } } });
    const item = h('li', {
      class: entry.isOn ? '' : 'off',
      draggable: 'true',
      on: {
        keydown: (event) => {
          const { key, altKey } = /** @type {KeyboardEvent} */ (event);
          if (!altKey || (key !== 'ArrowUp' && key !== 'ArrowDown')) return;
          event.preventDefault();
          event.stopPropagation();
          this.#move(index, index + (key === 'ArrowUp' ? -1 : 1));
        },
        dragstart: (event) => {
          this.#dragged = index;
          /** @type {DragEvent} */ (event).dataTransfer?.setData('text/plain', entry.label);
        },
        dragover: (event) => {
          if (this.#dragged < 0) return;
          event.preventDefault();
          this.#unmark();
          if (index !== this.#dragged) item.classList.add('over');
          item.classList.toggle('after', index > this.#dragged);
        },
        dragend: () => {
          this.#dragged = -1;
          this.#unmark();
        },
        drop: (event) => {
          event.preventDefault();
          event.stopPropagation();
          if (this.#dragged >= 0) this.#move(this.#dragged, index);
          this.#dragged = -1;
        },
      },
    }, this.#isDroppable
      ? h('span', { class: 'check', 'data-focus': `row:${entry.key}`, tabindex: -1 }, entry.label)
      : h('label', { class: 'check' }, box, entry.label), step('up', index - 1), step('down', index + 1),
      this.#isDroppable
        ? button('drop', 'close', t('order.drop'), this.#entries.length === 1, () => this.#drop(index))
        : null);
    return item;
  }

  #unmark() {
    for (const row of this.element.children) row.classList.remove('over', 'after');
  }
}
