/**
 * The windowed grid: keeps only the tiles around what is on screen, reuses them while scrolling, and moves the focus by keys. Knows
 * slots and rows of the catalog, not what a view shows.
 */

import { showArt } from './art.js';
import { FLAG, isMissing } from '../core/game.js';
import { h, icon, setAttribute } from '../core/dom.js';
import { fold } from '../core/search.js';
import { contentHeight, gridShape, moveIndex, scrollToShow, visibleRange } from '../core/viewport.js';

const GAP = 18;
const CAPTION = 48;
const RATIO = 4 / 3;
const SHOW_MARGIN = 10;

/** A row of the list: its height, and the space to the next one. */
const ROW = Object.freeze({ caption: 52, gap: 4 });

/** What a row shows beside the name. */
const CELLS = Object.freeze(['platform', 'year', 'progress', 'time', 'last']);

/** How long the scroll must rest before artwork of new tiles is asked for, so that a drag over thousands of games asks for none of them. */
const REST = 70;

/** A grid of games. */
export class GameGrid {
  #ctx;
  #events;
  #root;
  #sizer;
  /** @type {Uint32Array} */
  #order = new Uint32Array(0);
  /** @type {Map<number, App.Tile>} */
  #tiles = new Map();
  /** @type {App.Tile[]} */
  #spare = [];
  #shape = gridShape({ width: 800, tile: 168, gap: GAP, ratio: RATIO, caption: CAPTION });
  #tileWidth = 168;
  #isList = false;
  #active = 0;
  #selected = '';
  #frame = 0;
  /** @type {App.Timer} */
  #rest;
  #top = 0;
  #height = 0;
  /** 1, or -1 where text runs from right to left. */
  #side = 1;
  /** @type {Set<string>} */
  #running = new Set();

  /**
   * @param {App.Context} ctx
   * @param {{onOpen: (id: string) => void, onSelect: (id: string) => void, onLaunch: (id: string) => void, onMenu: (id: string, at: {x: number, y: number}) => void}} events
   * @param {AbortSignal} signal
   */
  constructor(ctx, events, signal) {
    this.#ctx = ctx;
    this.#events = events;
    this.#sizer = h('div', { class: 'sizer', role: 'presentation', 'data-recycled': true });
    this.#root = h('div', {
      class: 'grid scroll', role: 'listbox', 'aria-label': ctx.t('library.grid'), signal,
      on: {
        scroll: () => this.#schedule(),
        keydown: (event) => this.#onKey(/** @type {KeyboardEvent} */ (event)),
        focusin: (event) => this.#onFocus(event),
        click: (event) => this.#onClick(/** @type {MouseEvent} */ (event)),
        dblclick: (event) => this.#launch(event),
        contextmenu: (event) => this.#onMenu(/** @type {MouseEvent} */ (event)),
      },
    }, this.#sizer);
    const observer = new ResizeObserver(() => this.#measure());
    observer.observe(this.#root);
    signal.addEventListener('abort', () => {
      observer.disconnect();
      cancelAnimationFrame(this.#frame);
      clearTimeout(this.#rest);
    });
  }

  get element() {
    return this.#root;
  }

  /** The id of the game that has the focus, or had it last. */
  get activeId() {
    return this.#idAt(this.#active);
  }

  get scrollTop() {
    return this.#root.scrollTop;
  }

  /** @param {number} width wished width of a tile in pixels */
  set tileWidth(width) {
    if (width === this.#tileWidth) return;
    this.#tileWidth = width;
    this.#measure();
  }

  /** @param {boolean} on rows instead of tiles */
  set isList(on) {
    if (on === this.#isList) return;
    this.#isList = on;
    this.#root.classList.toggle('list', on);
    this.#measure();
    this.refresh();
  }

  /** @param {string} id the game whose details are shown */
  set selected(id) {
    this.#selected = id;
    for (const tile of this.#tiles.values()) setAttribute(tile.element, 'aria-selected', String(tile.id === id));
  }

  /** @param {Set<string>} ids of running games, which are marked */
  set running(ids) {
    this.#running = ids;
    this.refresh();
  }

  /**
   * Shows another list. The focused game keeps the focus where it is part of the new list too.
   *
   * @param {Uint32Array} order slots
   * @param {{top?: number, focus?: string}} [start] where to scroll to and which game to make active
   */
  show(order, start = {}) {
    if (this.#height === 0) this.#measure();
    this.#root.removeAttribute('aria-busy');
    const hadFocus = this.#root.contains(document.activeElement) && document.activeElement !== this.#root;
    const keep = start.focus ?? this.activeId;
    this.#order = order;
    const at = keep ? this.#indexOf(keep) : -1;
    this.#active = Math.max(0, at);
    this.#resize();
    if (start.top !== undefined) this.#root.scrollTop = start.top;
    // Tiles whose place holds the same game stay as they are.
    for (const [index, tile] of this.#tiles) {
      if (this.#idAt(index) === tile.id) this.#bind(tile, index, true);
      else this.#recycle(index, tile);
    }
    this.#render();
    if (hadFocus && order.length > 0) this.#focusActive(false);
  }

  /** Says that another list is on its way. */
  expect() {
    this.#root.setAttribute('aria-busy', 'true');
  }

  /** Draws the tiles again whose rows may have changed. */
  refresh() {
    for (const [index, tile] of this.#tiles) this.#bind(tile, index, true);
  }

  /** Gives the keyboard to the active tile. */
  focus() {
    this.#focusActive(true);
  }

  /**
   * Moves to the next game whose name begins with a prefix; the search starts behind the active one only for a single letter.
   *
   * @param {string} prefix
   * @returns {boolean}
   */
  jumpTo(prefix) {
    const wanted = fold(prefix);
    const count = this.#order.length;
    const from = this.#active + (prefix.length === 1 ? 1 : 0);
    for (let step = 0; step < count; step += 1) {
      const index = (from + step) % count;
      const row = this.#rowAt(index);
      if (row && (fold(row.name).startsWith(wanted) || fold(row.sort).startsWith(wanted))) {
        this.#moveTo(index);
        return true;
      }
    }
    return false;
  }

  #measure() {
    const style = getComputedStyle(this.#root);
    const width = this.#root.clientWidth - parseFloat(style.paddingInlineStart) - parseFloat(style.paddingInlineEnd);
    this.#height = this.#root.clientHeight;
    this.#side = style.direction === 'rtl' ? -1 : 1;
    if (width <= 0 || this.#height <= 0) return;
    const before = this.#shape;
    const wasShown = this.#isOnScreen(this.#active);
    this.#shape = this.#isList
      ? gridShape({ width, tile: width, gap: ROW.gap, ratio: 0, caption: ROW.caption })
      : gridShape({ width, tile: this.#tileWidth, gap: GAP, ratio: RATIO, caption: CAPTION });
    this.#resize();
    if (before.columns !== this.#shape.columns || before.tileWidth !== this.#shape.tileWidth || before.rowHeight !== this.#shape.rowHeight) {
      for (const [index, tile] of this.#tiles) this.#bind(tile, index, true);
      if (wasShown) this.#root.scrollTop = scrollToShow(this.#shape, this.#active, this.#root.scrollTop, this.#height, SHOW_MARGIN);
    }
    this.#render();
  }

  /** @param {number} index */
  #isOnScreen(index) {
    const start = Math.floor(index / this.#shape.columns) * this.#shape.rowHeight;
    return start + this.#shape.rowHeight > this.#top && start < this.#top + this.#height;
  }

  #resize() {
    this.#sizer.style.blockSize = `${contentHeight(this.#shape, this.#order.length)}px`;
    this.#sizer.style.setProperty('--art', `${this.#shape.artHeight}px`);
  }

  #schedule() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#render());
  }

  /**
   * @param {number} index
   * @param {App.Tile} tile
   */
  #recycle(index, tile) {
    this.#tiles.delete(index);
    tile.element.remove();
    if (this.#spare.length < 64) this.#spare.push(tile);
  }

  #render() {
    if (this.#height === 0) return;
    const before = this.#top;
    this.#top = this.#root.scrollTop;
    const isFlying = Math.abs(this.#top - before) > this.#height / 2;
    const { first, last } = visibleRange(this.#shape, this.#order.length, this.#top, this.#height, isFlying);
    const focused = this.#focusedIndex();
    for (const [index, tile] of this.#tiles) {
      // The focused tile stays, so that the keyboard is never lost by scrolling with the wheel.
      if ((index < first || index >= last) && index !== focused) this.#recycle(index, tile);
    }
    const added = document.createDocumentFragment();
    for (let index = first; index < last; index += 1) {
      if (this.#tiles.has(index)) continue;
      const tile = this.#spare.pop() ?? makeTile();
      this.#tiles.set(index, tile);
      this.#bind(tile, index, false);
      added.append(tile.element);
    }
    this.#sizer.append(added);
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#settle(isFlying), REST);
  }

  /**
   * The scroll rests: artwork is asked for, and the tiles around the screen that were left out are made.
   *
   * @param {boolean} wasFlying
   */
  #settle(wasFlying) {
    if (wasFlying) this.#render();
    for (const tile of this.#tiles.values()) {
      const row = tile.id ? this.#ctx.catalog.find(tile.id) : undefined;
      if (!row || tile.shown === artKey(this.#ctx, row)) continue;
      tile.shown = artKey(this.#ctx, row);
      showArt(this.#ctx, tile.art, row);
    }
  }

  /**
   * @param {App.Tile} tile
   * @param {number} index
   * @param {boolean} inPlace the tile shows this game already
   */
  #bind(tile, index, inPlace) {
    const row = this.#rowAt(index);
    if (!row) return;
    const { element } = tile;
    const column = index % this.#shape.columns;
    const line = Math.floor(index / this.#shape.columns);
    element.style.transform = `translate(${this.#side * column * this.#shape.columnStep}px, ${line * this.#shape.rowHeight}px)`;
    element.style.inlineSize = `${this.#shape.tileWidth}px`;
    tile.art.style.blockSize = this.#isList ? '' : `${this.#shape.artHeight}px`;
    element.dataset['index'] = String(index);
    element.tabIndex = index === this.#active ? 0 : -1;
    setAttribute(element, 'aria-posinset', index + 1);
    setAttribute(element, 'aria-setsize', this.#order.length);
    setAttribute(element, 'aria-selected', String(row.id === this.#selected));
    const key = artKey(this.#ctx, row);
    if (!inPlace && tile.shown !== key) {
      tile.shown = '';
      // A title tile needs no request, so it stands at once; a cover waits until the scroll rests.
      if ((row.flags & FLAG.cover) === 0) {
        tile.shown = key;
        showArt(this.#ctx, tile.art, row);
      } else {
        tile.art.replaceChildren();
      }
    } else if (inPlace && tile.shown !== key) {
      tile.shown = key;
      showArt(this.#ctx, tile.art, row);
    }
    tile.id = row.id;
    this.#label(tile, row);
  }

  /**
   * @param {App.Tile} tile
   * @param {App.Row} row
   */
  #label(tile, row) {
    const { t } = this.#ctx;
    const isAbsent = isMissing(row);
    tile.name.textContent = row.name;
    tile.sub.textContent = [row.platform, row.year].filter(Boolean).join(' · ');
    tile.element.classList.toggle('absent', isAbsent);
    if (this.#isList) this.#fillCells(tile, row);
    const isFavorite = (row.flags & FLAG.favorite) !== 0;
    const isRunning = this.#running.has(row.id);
    /** @type {[string, string][]} */
    const marks = [];
    if (isRunning) marks.push(['plays', 'playing']);
    if (isAbsent) marks.push(['warning', 'missing']);
    if (/^(?:Beaten|Completed|Mastered)$/.test(row.progress)) marks.push(['done', 'check']);
    if (isFavorite) marks.push(['favorite', 'heart-full']);
    const shown = marks.slice(0, 3).join();
    if (tile.marks.dataset['shown'] !== shown) {
      tile.marks.dataset['shown'] = shown;
      tile.marks.replaceChildren(...marks.slice(0, 3).map(([kind, symbol]) => mark(kind, symbol)));
    }
    const words = [row.progress ? t(`progress.${row.progress}`) : '', isFavorite ? t('mark.favorite') : '', isAbsent ? t('mark.missing') : '', isRunning ? t('mark.running') : ''];
    tile.spoken.textContent = words.filter(Boolean).map((word) => `, ${word}`).join('');
  }

  /**
   * @param {App.Tile} tile
   * @param {App.Row} row
   */
  #fillCells(tile, row) {
    const { t, format } = this.#ctx;
    const texts = [row.platform, row.year, row.progress ? t(`progress.${row.progress}`) : '', row.seconds > 0 ? format.span(row.seconds) : '', row.last ? format.ago(row.last, new Date()) : ''];
    texts.forEach((text, index) => {
      const cell = tile.cells[index];
      if (cell && cell.textContent !== text) cell.textContent = text;
    });
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || this.#order.length === 0) return;
    const pageRows = Math.max(1, Math.floor(this.#height / this.#shape.rowHeight));
    const to = moveIndex(event.key, this.#active, { columns: this.#shape.columns, count: this.#order.length, pageRows, rtl: this.#side < 0 });
    if (to < 0) return;
    event.preventDefault();
    this.#moveTo(to);
  }

  /** @param {number} index */
  #moveTo(index) {
    this.#active = index;
    this.#focusActive(true);
  }

  /** @param {boolean} scroll */
  #focusActive(scroll) {
    if (this.#order.length === 0) return;
    if (scroll) this.#root.scrollTop = scrollToShow(this.#shape, this.#active, this.#root.scrollTop, this.#height, SHOW_MARGIN);
    this.#render();
    const tile = this.#tiles.get(this.#active);
    if (!tile) return;
    for (const other of this.#tiles.values()) other.element.tabIndex = -1;
    tile.element.tabIndex = 0;
    tile.element.focus({ preventScroll: true });
  }

  /** @param {Event} event */
  #onFocus(event) {
    const index = indexOf(event.target);
    if (index < 0) return;
    this.#active = index;
    for (const [at, tile] of this.#tiles) tile.element.tabIndex = at === index ? 0 : -1;
    this.#events.onSelect(this.#idAt(index));
  }

  /** @param {MouseEvent} event */
  #onClick(event) {
    const index = indexOf(event.target);
    if (index < 0) return;
    const id = this.#idAt(index);
    if (event.target instanceof Element && event.target.closest('.go')) this.#events.onLaunch(id);
    else this.#events.onOpen(id);
  }

  /** @param {Event} event */
  #launch(event) {
    const index = indexOf(event.target);
    if (index >= 0 && !(event.target instanceof Element && event.target.closest('.go'))) this.#events.onLaunch(this.#idAt(index));
  }

  /** @param {MouseEvent} event */
  #onMenu(event) {
    const index = indexOf(event.target);
    if (index < 0) return;
    event.preventDefault();
    const box = event.target instanceof Element ? event.target.getBoundingClientRect() : null;
    // The menu key has no pointer position.
    const at = event.clientX || event.clientY || !box ? { x: event.clientX, y: event.clientY } : { x: box.left + 24, y: box.top + 24 };
    this.#events.onMenu(this.#idAt(index), at);
  }

  #focusedIndex() {
    return this.#root.contains(document.activeElement) ? indexOf(document.activeElement) : -1;
  }

  /**
   * @param {number} index
   * @returns {App.Row | undefined}
   */
  #rowAt(index) {
    const slot = this.#order[index];
    return slot === undefined ? undefined : this.#ctx.catalog.row(slot);
  }

  /** @param {number} index */
  #idAt(index) {
    return this.#rowAt(index)?.id ?? '';
  }

  /** @param {string} id */
  #indexOf(id) {
    for (let index = 0; index < this.#order.length; index += 1) if (this.#idAt(index) === id) return index;
    return -1;
  }
}

/**
 * @param {App.Context} ctx
 * @param {App.Row} row
 */
function artKey(ctx, row) {
  return `${row.id}|${row.flags & FLAG.cover ? ctx.catalog.epoch : row.name + row.platform}`;
}

/**
 * @param {string} kind
 * @param {string} symbol
 */
function mark(kind, symbol) {
  return h('span', { class: `mark ${kind}` }, icon(symbol));
}

/** @returns {App.Tile} */
function makeTile() {
  // Pictures and marks are for the eye; the caption and the hidden words after it say the same.
  const art = h('div', { class: 'art', 'aria-hidden': 'true' });
  const marks = h('div', { class: 'marks', 'aria-hidden': 'true' });
  const name = h('div', { class: 'name' });
  const sub = h('div', { class: 'sub' });
  const spoken = h('span', { class: 'sr-only' });
  const cells = CELLS.map((cell) => h('span', { class: `cell ${cell}` }));
  const go = h('span', { class: 'go', 'aria-hidden': 'true' }, icon('play'));
  const element = h('div', { class: 'tile', role: 'option', tabindex: -1 },
    art, marks, h('div', { class: 'caption' }, name, sub, spoken), cells);
  art.after(go);
  return { element, art, marks, name, sub, spoken, cells, id: '', shown: '' };
}

/**
 * @param {EventTarget | null} target
 * @returns {number}
 */
function indexOf(target) {
  const tile = target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest('.tile')) : null;
  return tile ? Number(tile.dataset['index']) : -1;
}
