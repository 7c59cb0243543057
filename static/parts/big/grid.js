/**
 * The grid of games of the big screen, for its hybrid layout: windowed like the one of the library, with larger tiles
 * and one active game.
 */

import { h, textSize } from '../../core/dom.js';
import { gridShape, makeLayout, moveIndex, placeOf, scrollToShow, visibleRange } from '../../core/viewport.js';
import { dressCards, Lineup, makeCard, markCard, REST, turnCard } from './card.js';

/** Sizes in parts of the text size of the page, which follows the size of the screen. */
const SIZE = Object.freeze({ tile: 11, least: 4, gap: 1.5, margin: 1.2 });
const RATIO = 4 / 3;

/** @implements {App.Shelf} */
export class BigGrid {
  #ctx;
  #events;
  #life = new AbortController();
  #lineup;
  #sizer = h('div', { class: 'sizer', role: 'presentation' });
  /** @type {Map<number, App.Card>} */
  #tiles = new Map();
  /** @type {App.Card[]} */
  #spare = [];
  #layout = makeLayout(gridShape({ width: 800, tile: 176, gap: 24, ratio: RATIO, caption: 0 }), 0);
  #side = 1;
  #margin = 19;
  #frame = 0;
  /** @type {App.Timer} */
  #rest;
  element;

  /**
   * @param {App.Context} ctx
   * @param {App.ShelfEvents} events
   */
  constructor(ctx, events) {
    this.#ctx = ctx;
    this.#events = events;
    this.#lineup = new Lineup(ctx);
    this.element = h('div', {
      class: 'big-grid scroll',
      role: 'listbox',
      'aria-label': ctx.t('library.grid'),
      signal: this.#life.signal,
      on: {
        scroll: () => {
          cancelAnimationFrame(this.#frame);
          this.#frame = requestAnimationFrame(() => this.#render());
        },
        click: (event) => this.#onClick(event),
        contextmenu: (event) => this.#onMenu(event),
      },
    }, this.#sizer);
    const observer = new ResizeObserver(() => this.#measure());
    observer.observe(this.element);
    this.#life.signal.addEventListener('abort', () => observer.disconnect());
  }

  get activeId() {
    return this.#lineup.activeId;
  }

  get index() {
    return this.#lineup.active;
  }

  get count() {
    return this.#lineup.count;
  }

  /**
   * @param {Uint32Array} order
   * @param {string} keep
   */
  show(order, keep) {
    this.#lineup.take(order, keep);
    for (const tile of this.#tiles.values()) tile.id = '';
    this.#arrange();
    this.#reveal();
    this.#tell();
  }

  /** @param {App.Direction} direction */
  move(direction) {
    if (this.count === 0) return false;
    const key = { up: 'ArrowUp', down: 'ArrowDown', left: 'ArrowLeft', right: 'ArrowRight' }[direction];
    const { column } = placeOf(this.#layout, this.#lineup.active);
    // The first column leads to what stands before the grid, instead of to the row above.
    if (direction === (this.#side > 0 ? 'left' : 'right') && column === 0) return false;
    const to = moveIndex(key, this.#lineup.active, this.#layout, { pageRows: 1, rtl: this.#side < 0 });
    if (to === this.#lineup.active) return false;
    this.goTo(to);
    return true;
  }

  /** @param {number} step */
  jump(step) {
    this.goTo(this.#lineup.away(step));
  }

  /** @param {number} index */
  goTo(index) {
    if (this.count === 0) return;
    const hadFocus = this.element.contains(document.activeElement);
    this.#lineup.active = index;
    this.#reveal();
    if (hadFocus) this.focus();
    this.#tell();
  }

  focus() {
    this.#reveal();
    this.#tiles.get(this.#lineup.active)?.element.focus(
      /** @type {FocusOptions} */ ({ preventScroll: true, focusVisible: true }),
    );
  }

  refresh() {
    for (const tile of this.#tiles.values()) tile.id = '';
    this.#render();
  }

  close() {
    clearTimeout(this.#rest);
    cancelAnimationFrame(this.#frame);
    this.#life.abort();
    this.element.remove();
  }

  #tell() {
    if (this.activeId) this.#events.onActive(this.activeId);
  }

  #measure() {
    this.#arrange();
    for (const tile of this.#tiles.values()) tile.id = '';
    this.#reveal();
  }

  #arrange() {
    const style = getComputedStyle(this.element);
    const unit = textSize();
    const width = this.element.clientWidth - parseFloat(style.paddingInlineStart) - parseFloat(style.paddingInlineEnd);
    this.#side = style.direction === 'rtl' ? -1 : 1;
    this.#margin = SIZE.margin * unit;
    if (width <= 0) return;
    // A row is never taller than what is seen of the shelf.
    const seen = (this.element.clientHeight - 3 * this.#margin) / RATIO;
    this.#layout = makeLayout(
      gridShape({ width, tile: Math.min(SIZE.tile * unit, Math.max(SIZE.least * unit, seen)), gap: SIZE.gap * unit,
        ratio: RATIO, caption: 0 }),
      this.count,
    );
    this.#sizer.style.blockSize = `${this.#layout.height}px`;
  }

  /** Scrolls to the active game. */
  #reveal() {
    const { clientHeight } = this.element;
    if (clientHeight > 0 && this.count > 0)
      this.element.scrollTop = scrollToShow(this.#layout, this.#lineup.active, this.element.scrollTop,
        clientHeight - this.#margin, this.#margin);
    this.#render();
  }

  #render() {
    const { clientHeight, scrollTop } = this.element;
    if (clientHeight === 0) return;
    const { first, last } = visibleRange(this.#layout, scrollTop, clientHeight);
    for (const [index, tile] of this.#tiles) {
      if (index >= first && index < last) continue;
      this.#tiles.delete(index);
      tile.element.remove();
      if (this.#spare.length < 64) this.#spare.push(tile);
    }
    const added = document.createDocumentFragment();
    for (let index = first; index < last; index += 1) {
      let tile = this.#tiles.get(index);
      if (!tile) {
        tile = this.#spare.pop() ?? makeCard('big-tile');
        tile.id = '';
        this.#tiles.set(index, tile);
        added.append(tile.element);
      }
      this.#place(tile, index);
    }
    this.#sizer.append(added);
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => dressCards(this.#ctx, this.#tiles.values(), this.#layout.shape.tileWidth), REST);
  }

  /**
   * @param {App.Card} tile
   * @param {number} index
   */
  #place(tile, index) {
    const { element } = tile;
    const isActive = index === this.#lineup.active;
    element.classList.toggle('active', isActive);
    markCard(tile, isActive);
    const row = this.#lineup.rowAt(index);
    if (!row || tile.id === row.id) return;
    const { shape } = this.#layout;
    const { column, top } = placeOf(this.#layout, index);
    element.dataset['index'] = String(index);
    element.style.transform = `translate(${this.#side * column * shape.columnStep}px, ${top}px)`;
    element.style.inlineSize = `${shape.tileWidth}px`;
    tile.art.style.blockSize = `${shape.artHeight}px`;
    element.setAttribute('aria-posinset', String(index + 1));
    element.setAttribute('aria-setsize', String(this.count));
    turnCard(this.#ctx, tile, row, shape.tileWidth);
  }

  /** @param {Event} event */
  #onClick(event) {
    const index = indexOf(event);
    if (index < 0) return;
    if (index === this.#lineup.active && this.element.contains(document.activeElement)) {
      this.#events.onPlay(this.activeId);
      return;
    }
    this.goTo(index);
    this.focus();
  }

  /** @param {Event} event */
  #onMenu(event) {
    event.preventDefault();
    const index = indexOf(event);
    if (index >= 0) this.goTo(index);
    this.#events.onMenu(this.activeId);
  }
}

/** @param {Event} event */
function indexOf(event) {
  const tile = event.target instanceof Element
    ? /** @type {HTMLElement | null} */ (event.target.closest('.big-tile'))
    : null;
  return tile ? Number(tile.dataset['index']) : -1;
}
