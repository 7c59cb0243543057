/**
 * The headings of the list: they sort, their edges are dragged to make a column wider, and a menu chooses which columns
 * there are.
 */

import { clampWidth, COLUMN_LIMIT, NUMERIC, trackColumns, WIDTH, widthOf, writeWidths } from '../../data/columns.js';
import { h, icon, patch, textScale } from '../../core/dom.js';
import { COLUMNS } from '../../data/ordering.js';

/** The row of headings. */
export class ColumnHeads {
  #ctx;
  #events;
  #row = h('div', { class: 'columns-row' });
  /** What the headings show. */
  #drawn = '';
  /** The row in a box that hides what the list has scrolled aside. */
  element = h('div', { class: 'columns-head', hidden: true }, this.#row);

  /**
   * @param {App.Context} ctx
   * @param {{onSort: (column: string, reversed: boolean) => void, onTracks: (columns: readonly string[], tracks:
   *   {template: string, least: number, name: number}) => void, onReveal: (pixels: number) => void}} events `onReveal`
   *   is asked to move the list sideways
   */
  constructor(ctx, events) {
    this.#ctx = ctx;
    this.#events = events;
    this.#row.addEventListener('focusin', (event) => this.#reveal(/** @type {HTMLElement} */ (event.target)));
  }

  /**
   * Stands as the rows of the list stand.
   *
   * @param {App.SideFrame} frame
   */
  follow({ width, left }) {
    const { style } = this.#row;
    style.inlineSize = width > 0 ? `${width}px` : '';
    style.translate = left ? `${-left}px 0` : '';
    style.setProperty('--aside', `${left}px`);
  }

  /**
   * Has the list moved until the column of a heading that has the keyboard is seen whole beside the name.
   *
   * @param {HTMLElement} heading
   */
  #reveal(heading) {
    const [first] = this.#row.children;
    const cell = heading.closest('.cell');
    if (!first || !cell || cell === first) return;
    const [box, frame, name] = [cell, this.element, first].map((element) => element.getBoundingClientRect());
    if (!box || !frame || !name) return;
    const [low, high] = getComputedStyle(this.#row).direction === 'rtl'
      ? [frame.left, name.left]
      : [name.right, frame.right];
    if (box.left < low) this.#events.onReveal(box.left - low);
    else if (box.right > high) this.#events.onReveal(box.right - high);
  }

  /**
   * @param {{sort: string, reversed: boolean}} order
   */
  draw({ sort, reversed }) {
    const { t, preferences } = this.#ctx;
    const columns = preferences.columns;
    // A heading that is pressed and an edge that is dragged stay the same elements while the list is only drawn again.
    const state = JSON.stringify([sort, reversed, columns, preferences.columnWidths, textScale()]);
    if (state === this.#drawn) return;
    this.#drawn = state;
    this.#apply(preferences.columnWidths);
    patch(this.#row, ['name', ...columns].map((column, index) => {
      const isSorted = sort === column;
      const label = t(`column.${column}`);
      return h('div', { 'data-key': column, class: `cell ${NUMERIC.includes(column) ? 'number' : ''}`,
        style: { 'grid-column': index === 0 ? '1 / 4' : index + 3 } }, h('button', {
          type: 'button',
          'data-focus': column,
          'aria-pressed': String(isSorted),
          title: isSorted ? `${label}: ${t(reversed ? 'library.reversed' : 'library.forward')}` : label,
          on: { click: () => this.#events.onSort(column, isSorted && !reversed) },
        }, h('span', null, label), isSorted ? icon(reversed ? 'up' : 'down') : null), this.#edge(column, label));
    }));
  }

  /** @param {Record<string, number>} widths */
  #apply(widths) {
    const { columns } = this.#ctx.preferences;
    const tracks = trackColumns(columns, widths, textScale());
    this.#row.style.setProperty('--columns', tracks.template);
    this.#events.onTracks(columns, tracks);
  }

  /**
   * The edge of a column: drag it, or move it with the arrow keys; Enter and a double click give the first width back.
   *
   * @param {string} column
   * @param {string} label
   */
  #edge(column, label) {
    const { t, preferences } = this.#ctx;
    const now = () =>
      preferences.columnWidths[column] ??
        (this.#row.querySelector(`[data-edge="${column}"]`)?.parentElement?.clientWidth || widthOf(column, {}));
    const save = (/** @type {number} */ width) =>
      preferences.set({ ui_column_widths: writeWidths({ ...preferences.columnWidths, [column]: width }) });
    const reset = () => {
      const { [column]: _, ...others } = preferences.columnWidths;
      preferences.set({ ui_column_widths: writeWidths(others) });
    };
    return h('div', {
      class: 'edge',
      role: 'separator',
      tabindex: 0,
      'aria-orientation': 'vertical',
      'aria-label': t('columns.width', { column: label }),
      'data-edge': column,
      'data-focus': `${column}|edge`,
      'aria-valuemin': WIDTH.min,
      'aria-valuemax': WIDTH.max,
      'aria-valuenow': widthOf(column, preferences.columnWidths),
      on: {
        pointerdown: (event) => this.#drag(/** @type {PointerEvent} */ (event), column, now(), save),
        dblclick: reset,
        keydown: (event) => {
          const { key } = /** @type {KeyboardEvent} */ (event);
          if (key === 'Enter') reset();
          else if (key === 'ArrowLeft' || key === 'ArrowRight')
            save(now() + (key === 'ArrowRight' ? WIDTH.step : -WIDTH.step));
          else return;
          event.preventDefault();
          event.stopPropagation();
        },
      },
    });
  }

  /**
   * @param {PointerEvent} event
   * @param {string} column
   * @param {number} before
   * @param {(width: number) => void} save
   */
  #drag(event, column, before, save) {
    const edge = /** @type {HTMLElement} */ (event.target);
    const stop = new AbortController();
    const side = getComputedStyle(this.#row).direction === 'rtl' ? -1 : 1;
    const widthAt = (/** @type {PointerEvent} */ at) => clampWidth(before + side * (at.clientX - event.clientX));
    edge.setPointerCapture(event.pointerId);
    edge.addEventListener('pointermove',
      (at) => this.#apply({ ...this.#ctx.preferences.columnWidths, [column]: widthAt(at) }), { signal: stop.signal });
    edge.addEventListener('pointerup', (at) => {
      stop.abort();
      if (at.clientX !== event.clientX) save(widthAt(at));
    }, { signal: stop.signal });
    edge.addEventListener('pointercancel', () => {
      stop.abort();
      this.#apply(this.#ctx.preferences.columnWidths);
    }, { signal: stop.signal });
    event.preventDefault();
    edge.focus();
  }
}

/**
 * The choice of columns, in the order of the list: chosen ones first, each with a button that moves it towards the
 * front.
 *
 * @param {App.Context} ctx
 * @returns {HTMLElement}
 */
export function columnChoice(ctx) {
  const { t, preferences } = ctx;
  const list = h('ul', { class: 'column-choice', 'aria-label': t('columns.title') });
  const save = (/** @type {string[]} */ columns) => {
    preferences.set({ list_columns: ['name', ...columns] });
    draw();
  };
  const draw = () => {
    const chosen = preferences.columns;
    const others = COLUMNS.filter((column) => column !== 'name' && !chosen.includes(column));
    patch(list, [...chosen, ...others].map((column, index) => {
      const isChosen = index < chosen.length;
      const box = h('input', {
        type: 'checkbox',
        checked: isChosen,
        disabled: !isChosen && chosen.length >= COLUMN_LIMIT,
        'data-focus': column,
        on: { change: () => save(isChosen ? chosen.filter((other) => other !== column) : [...chosen, column]) },
      });
      const moved = [...chosen];
      if (index > 0) moved.splice(index - 1, 2, column, chosen[index - 1] ?? '');
      return h('li', null, h('label', { class: 'check' }, box, t(`column.${column}`)), isChosen && index > 0
        ? h('button', { class: 'icon-button', type: 'button', 'data-focus': `${column}|up`,
          'aria-label': t('columns.forward', { column: t(`column.${column}`) }), on: { click: () => save(moved) } },
          icon('up', 'icon-s'))
        : null);
    }));
  };
  draw();
  return list;
}
