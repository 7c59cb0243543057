/**
 * The windowed grid and list: keeps only the tiles around what is on screen, reuses them while scrolling, moves the
 * focus by keys and chooses games for actions on many. Knows slots and rows of the catalog, not what a view shows.
 */

import { startDrag } from '../drag.js';
import { menuPoint } from '../menu.js';
import { receivePictures } from '../picture-drop.js';
import { receiveGames } from './reorder.js';
import { dressTile, labelTile, makeTile, setCells } from '../tile.js';
import { h, setAttribute, atTextSize } from '../../core/dom.js';
import { pictureKind } from '../../data/pictures.js';
import { fold } from '../../data/search.js';
import { Headings } from './headings.js';
import { Selection } from '../../core/selection.js';
import { gridShape, makeLayout, moveIndex, placeOf, roomyTile, scrollToShow, sectionOf, visibleRange,
  visibleSections } from '../../core/viewport.js';

const GAP = 18;
/** Two lines of the name and one of the platform, whether a game needs them or not, so that all rows are as high. */
const CAPTION = 64;
const SHOW_MARGIN = 10;
/** Height of the heading of a group. */
const HEADING = 48;

/** A row of the list, and of the narrow list beside the details: its height, and the space to the next one. */
const ROW = Object.freeze({ caption: 52, gap: 4 });
const COMPACT = Object.freeze({ caption: 60, gap: 2 });

/**
 * How long the scroll must rest before artwork of new tiles is asked for, so that a drag over thousands of games asks
 * for none of them.
 */
const REST = 70;

/** How long a finger must rest on a tile to choose it. */
const LONG_PRESS = 450;

/** A grid of games. */
export class GameGrid {
  #ctx;
  #events;
  #root;
  #sizer;
  /** Chosen games. */
  selection = new Selection(() => !this.#ctx.kiosk.isLocked);
  /** @type {Uint32Array} */
  #order = new Uint32Array(0);
  /** @type {readonly App.Group[]} */
  #groups = [];
  /** @type {(key: string) => string} */
  #groupLabel = (key) => key;
  /** @type {Map<number, App.Tile>} */
  #tiles = new Map();
  /** @type {App.Tile[]} */
  #spare = [];
  /** @type {Headings} */
  #headings;
  #layout = makeLayout(gridShape({ width: 800, tile: 168, gap: GAP, ratio: 1, caption: CAPTION }), 0);
  #look = { width: 168, hasTitles: true };
  /** @type {'grid' | 'list' | 'details'} */
  #form = 'grid';
  /** @type {readonly string[]} */
  #columns = [];
  #leastWidth = 0;
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
  /** @type {App.Timer} */
  #press;
  #isTouch = false;
  /** @type {App.Pictures} */
  #pictures = { key: '', ratio: 4 / 3, of: (row) => pictureKind(row) };
  #swallowClick = false;

  /**
   * @param {App.Context} ctx
   * @param {App.GridEvents} events
   * @param {AbortSignal} signal
   */
  constructor(ctx, events, signal) {
    this.#ctx = ctx;
    this.#events = events;
    this.#headings = new Headings(ctx);
    this.#sizer = h('div', { class: 'sizer', role: 'presentation', 'data-recycled': true });
    this.#root = h('div', {
      class: 'grid scroll',
      role: 'listbox',
      'aria-label': ctx.t('library.grid'),
      'aria-multiselectable': 'true',
      signal,
      on: {
        scroll: () => this.#schedule(),
        keydown: (event) => this.#onKey(/** @type {KeyboardEvent} */ (event)),
        focusin: (event) => this.#onFocus(event),
        pointerdown: (event) => this.#onPress(/** @type {PointerEvent} */ (event)),
        pointermove: (event) => {
          if (Math.abs(/** @type {PointerEvent} */ (event).movementY) > 3) clearTimeout(this.#press);
        },
        pointerup: () => clearTimeout(this.#press),
        pointercancel: () => clearTimeout(this.#press),
        click: (event) => this.#onClick(/** @type {MouseEvent} */ (event)),
        dblclick: (event) => this.#launch(/** @type {MouseEvent} */ (event)),
        contextmenu: (event) => this.#onMenu(/** @type {MouseEvent} */ (event)),
        dragstart: (event) => this.#onDrag(/** @type {DragEvent} */ (event)),
        dragend: () => ctx.bus.emit('drag', { ids: [] }),
      },
    }, this.#sizer);
    receivePictures(this.#root, '.tile', (files, tile) => events.onPictures(this.#idAt(indexOf(tile)), files), signal);
    receiveGames(ctx, this.#root, (tile) => this.#idAt(indexOf(tile)), signal);
    const observer = new ResizeObserver(() => this.#measure());
    observer.observe(this.#root);
    signal.addEventListener('abort', () => {
      observer.disconnect();
      cancelAnimationFrame(this.#frame);
      clearTimeout(this.#rest);
      clearTimeout(this.#press);
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

  /** @param {{width: number, hasTitles: boolean}} tiles wished width in pixels; whether titles stand below covers */
  set tiles(tiles) {
    if (tiles.width === this.#look.width && tiles.hasTitles === this.#look.hasTitles) return;
    this.#look = tiles;
    this.#root.classList.toggle('untitled', !tiles.hasTitles);
    this.#measure();
  }

  /** @param {App.Pictures} pictures which pictures stand for the games */
  set pictures(pictures) {
    if (pictures.key === this.#pictures.key) return;
    this.#pictures = pictures;
    this.#measure();
    this.refresh();
  }

  /** @param {'grid' | 'list' | 'details'} form tiles, rows with columns, or narrow rows beside the details */
  set form(form) {
    if (form === this.#form) return;
    this.#form = form;
    this.#root.classList.toggle('list', form !== 'grid');
    this.#root.classList.toggle('compact', form === 'details');
    this.#root.scrollLeft = 0;
    this.#measure();
    this.refresh();
  }

  /**
   * Chooses the columns of the list.
   *
   * @param {readonly string[]} columns beside the name
   * @param {{template: string, least: number, name: number}} tracks
   */
  setColumns(columns, { template, least, name }) {
    this.#root.style.setProperty('--columns', template);
    this.#root.style.setProperty('--name', `${name}px`);
    if (columns.join() !== this.#columns.join()) {
      this.#columns = [...columns];
      this.#spare = [];
      for (const tile of this.#tiles.values()) setCells(tile, columns);
      this.refresh();
    }
    if (least === this.#leastWidth) return;
    this.#leastWidth = least;
    this.#measure();
  }

  /** @param {string} id the game whose details are shown */
  set selected(id) {
    this.#selected = id;
    for (const tile of this.#tiles.values()) this.#mark(tile);
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
   * @param {{top?: number, focus?: string, groups?: readonly App.Group[], groupLabel?: (key: string) => string}}
   *   [start] where to scroll to, which game to make active, and the groups the order falls into
   */
  show(order, start = {}) {
    if (this.#height === 0) this.#measure();
    this.#root.removeAttribute('aria-busy');
    const hadFocus = this.#root.contains(document.activeElement) && document.activeElement !== this.#root;
    const keep = start.focus ?? this.activeId;
    this.#order = order;
    this.#groups = start.groups ?? [];
    this.#groupLabel = start.groupLabel ?? this.#groupLabel;
    const at = keep ? this.#indexOf(keep) : -1;
    // Where the game is gone from the list that is shown, the one that took its place has the keyboard.
    this.#active = at >= 0 || start.top !== undefined
      ? Math.max(0, at)
      : Math.max(0, Math.min(this.#active, order.length - 1));
    this.#arrange(this.#layout.shape);
    this.#headings.clear();
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
   * Scrolls a game to the top and makes it the active one.
   *
   * @param {number} index
   */
  goTo(index) {
    this.#active = index;
    const { top } = placeOf(this.#layout, index);
    this.#root.scrollTop = Math.max(0, top - this.#layout.heading - SHOW_MARGIN);
    this.#focusActive(true);
  }

  /**
   * Moves to the next game whose name begins with a prefix; the search starts behind the active one only for a single
   * letter.
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
      const slot = this.#order[index] ?? -1;
      const names = [this.#ctx.catalog.nameAt(slot), this.#ctx.catalog.sortAt(slot)];
      if (names.some((name) => fold(name).startsWith(wanted))) {
        this.#moveTo(index);
        return true;
      }
    }
    return false;
  }

  /** Chooses every game of the list. */
  chooseAll() {
    this.selection.replace(Array.from(this.#order, (_, index) => this.#idAt(index)));
    this.showChosen();
  }

  /** Chooses nothing any more. */
  chooseNone() {
    if (this.selection.size === 0) return;
    this.selection.clear();
    this.showChosen();
  }

  /** Chooses the focused game, or takes it out again. */
  toggleActive() {
    this.selection.toggle(this.activeId);
    this.showChosen();
  }

  /** Shows which games are chosen and tells the view. */
  showChosen() {
    this.#root.classList.toggle('choosing', this.selection.size > 0);
    for (const tile of this.#tiles.values()) this.#mark(tile);
    this.#events.onChosen();
  }

  /** @param {App.Tile} tile */
  #mark(tile) {
    const isChosen = this.selection.has(tile.id);
    tile.element.classList.toggle('chosen', isChosen);
    setAttribute(tile.element, 'aria-selected',
      String(this.selection.size > 0 ? isChosen : tile.id === this.#selected));
  }

  #measure() {
    const style = getComputedStyle(this.#root);
    const width = this.#root.clientWidth - parseFloat(style.paddingInlineStart) - parseFloat(style.paddingInlineEnd);
    this.#height = this.#root.clientHeight;
    this.#side = style.direction === 'rtl' ? -1 : 1;
    if (width <= 0 || this.#height <= 0) return;
    const before = this.#layout.shape;
    const wasShown = this.#isOnScreen(this.#active);
    const shape = this.#shapeFor(width);
    this.#arrange(shape);
    if (before.columns !== shape.columns || before.tileWidth !== shape.tileWidth ||
      before.rowHeight !== shape.rowHeight) {
      for (const [index, tile] of this.#tiles) this.#bind(tile, index, true);
      this.#headings.clear();
      if (wasShown)
        this.#root.scrollTop = scrollToShow(this.#layout, this.#active, this.#root.scrollTop, this.#height,
          SHOW_MARGIN);
    }
    this.#render();
  }

  /** @param {number} width */
  #shapeFor(width) {
    if (this.#form === 'grid')
      return gridShape({ width, tile: roomyTile(this.#look.width, atTextSize(this.#look.width), width), gap: GAP,
        ratio: this.#pictures.ratio, caption: this.#look.hasTitles ? atTextSize(CAPTION) : 0 });
    const row = this.#form === 'details' ? COMPACT : ROW;
    const whole = this.#form === 'list' ? Math.max(width, this.#leastWidth) : width;
    return gridShape({ width: whole, tile: whole, gap: row.gap, ratio: 0, caption: atTextSize(row.caption) });
  }

  /** @param {number} index */
  #isOnScreen(index) {
    if (index >= this.#layout.count) return false;
    const { top } = placeOf(this.#layout, index);
    return top + this.#layout.shape.rowHeight > this.#top && top < this.#top + this.#height;
  }

  /** @param {App.GridShape} shape */
  #arrange(shape) {
    this.#layout = makeLayout(shape, this.#order.length, this.#groups, atTextSize(HEADING));
    this.#sizer.style.blockSize = `${this.#layout.height}px`;
    this.#sizer.style.inlineSize = this.#form === 'list' ? `${shape.tileWidth}px` : '';
    this.#sizer.style.setProperty('--art', `${shape.artHeight}px`);
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
    const { first, last } = visibleRange(this.#layout, this.#top, this.#height, isFlying);
    const focused = this.#focusedIndex();
    for (const [index, tile] of this.#tiles) {
      // The focused tile stays, so that the keyboard is never lost by scrolling with the wheel.
      if ((index < first || index >= last) && index !== focused) this.#recycle(index, tile);
    }
    const added = document.createDocumentFragment();
    const near = visibleSections(this.#layout, this.#top - this.#height, 3 * this.#height);
    this.#headings.draw(added, near, this.#groups, this.#layout.tops, this.#groupLabel);
    for (let index = first; index < last; index += 1) {
      if (this.#tiles.has(index)) continue;
      const tile = this.#spare.pop() ?? makeTile(this.#columns);
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
      if (row) dressTile(this.#ctx, tile, row, this.#artOf(row), true);
    }
  }

  /**
   * Which picture a tile shows, and how wide.
   *
   * @param {App.Row} row
   * @returns {App.ArtOptions}
   */
  #artOf(row) {
    return { width: this.#form === 'grid' ? this.#layout.shape.tileWidth : undefined, kind: this.#pictures.of(row) };
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
    const { shape } = this.#layout;
    const { column, top } = placeOf(this.#layout, index);
    element.style.transform = `translate(${this.#side * column * shape.columnStep}px, ${top}px)`;
    element.style.inlineSize = `${shape.tileWidth}px`;
    tile.art.style.blockSize = this.#form === 'grid' ? `${shape.artHeight}px` : '';
    element.dataset['index'] = String(index);
    element.tabIndex = index === this.#active ? 0 : -1;
    setAttribute(element, 'aria-posinset', index + 1);
    setAttribute(element, 'aria-setsize', this.#order.length);
    dressTile(this.#ctx, tile, row, this.#artOf(row), inPlace);
    tile.id = row.id;
    this.#mark(tile);
    labelTile(this.#ctx, tile, row, this.#running.has(row.id));
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.#order.length === 0) return;
    const pageRows = Math.max(1, Math.floor(this.#height / this.#layout.shape.rowHeight));
    const to = moveIndex(event.key, this.#active, this.#layout, { pageRows, rtl: this.#side < 0 });
    if (to < 0) return;
    event.preventDefault();
    if (event.shiftKey) this.#chooseRange(to);
    this.#moveTo(to);
  }

  /** @param {number} to */
  #chooseRange(to) {
    this.selection.range(this.#active, to, (index) => this.#idAt(index), (id) => this.#indexOf(id));
    this.showChosen();
  }

  /** @param {number} index */
  #moveTo(index) {
    const before = sectionOf(this.#layout, this.#active);
    this.#active = index;
    this.#focusActive(true);
    const section = sectionOf(this.#layout, index);
    const group = this.#groups[section];
    if (group && section !== before) this.#ctx.announce(this.#groupLabel(group.key));
  }

  /** @param {boolean} scroll */
  #focusActive(scroll) {
    if (this.#order.length === 0) return;
    if (scroll)
      this.#root.scrollTop = scrollToShow(this.#layout, this.#active, this.#root.scrollTop, this.#height, SHOW_MARGIN);
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

  /** @param {PointerEvent} event */
  #onPress(event) {
    this.#isTouch = event.pointerType === 'touch';
    this.#swallowClick = false;
    clearTimeout(this.#press);
    const index = indexOf(event.target);
    // Before the focus follows the pointer: a range starts where the focus is.
    if (event.button === 0 && event.shiftKey && index >= 0) {
      event.preventDefault();
      this.#chooseRange(index);
      this.#swallowClick = true;
      this.#moveTo(index);
    }
    if (!this.#isTouch || index < 0) return;
    const id = this.#idAt(index);
    this.#press = setTimeout(() => {
      this.#swallowClick = true;
      this.selection.toggle(id);
      this.showChosen();
    }, LONG_PRESS);
  }

  /** @param {MouseEvent} event */
  #onClick(event) {
    const index = indexOf(event.target);
    if (index < 0 || this.#swallowClick) {
      this.#swallowClick = false;
      return;
    }
    const id = this.#idAt(index);
    const isOnCheck = event.target instanceof Element && event.target.closest('.choose') !== null;
    if (event.ctrlKey || event.metaKey || isOnCheck || (this.#isTouch && this.selection.size > 0)) {
      this.selection.toggle(id);
      this.showChosen();
    } else if (event.target instanceof Element && event.target.closest('.go')) {
      this.#events.onLaunch(id);
    } else {
      this.chooseNone();
      this.#events.onOpen(id);
    }
  }

  /** @param {MouseEvent} event */
  #launch(event) {
    const index = indexOf(event.target);
    const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey &&
      !(event.target instanceof Element && event.target.closest('.go, .choose'));
    if (index >= 0 && isPlain) this.#events.onLaunch(this.#idAt(index));
  }

  /** @param {MouseEvent} event */
  #onMenu(event) {
    const index = indexOf(event.target);
    if (index < 0) return;
    event.preventDefault();
    // A finger that rests chooses the game; it has no right button.
    if (this.#isTouch && event.button === 0) return;
    this.#events.onMenu(this.#idAt(index), menuPoint(event));
  }

  /** @param {DragEvent} event */
  #onDrag(event) {
    const index = indexOf(event.target);
    if (index < 0) return;
    const id = this.#idAt(index);
    startDrag(this.#ctx, event, this.selection.has(id) ? this.selection.ids : [id], this.#rowAt(index)?.name ?? '');
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
    return this.#ctx.catalog.idAt(this.#order[index] ?? -1);
  }

  /** @param {string} id */
  #indexOf(id) {
    return this.#ctx.catalog.placeIn(this.#order, id);
  }
}

/**
 * @param {EventTarget | null} target
 * @returns {number}
 */
function indexOf(target) {
  const tile = target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest('.tile')) : null;
  return tile ? Number(tile.dataset['index']) : -1;
}
