/**
 * The row of games of the big screen, for its stage and its cover flow: only the cards around the active one exist, and
 * style sheets put each by its distance from it, so that a row of fifty thousand games is as light as one of twenty.
 * Wraps around at the ends.
 */

import { h, textSize } from '../../core/dom.js';
import { dressCards, Lineup, makeCard, markCard, REST, turnCard } from './card.js';

/** Cards before and behind the active one, and how wide the active one is, in parts of the text size of the page. */
const SPANS = Object.freeze({ stage: { before: 3, after: 13, width: 13.5 },
  coverflow: { before: 5, after: 5, width: 22 } });

/** How far a finger or a wheel goes for one card, in pixels. */
const SWIPE = 70;

/** @implements {App.Shelf} */
export class BigFlow {
  #ctx;
  #events;
  #span;
  #life = new AbortController();
  #lineup;
  /** @type {Map<number, App.Card>} */
  #cards = new Map();
  /** Width of the active card in pixels. */
  #width = 200;
  /** @type {App.Timer} */
  #rest;
  #travel = 0;
  /** @type {number | null} */
  #grip = null;
  #hasMoved = false;
  element;

  /**
   * @param {App.Context} ctx
   * @param {'stage' | 'coverflow'} form
   * @param {App.ShelfEvents} events
   */
  constructor(ctx, form, events) {
    this.#ctx = ctx;
    this.#events = events;
    this.#lineup = new Lineup(ctx);
    this.#span = SPANS[form];
    this.element = h('div', {
      class: `big-flow ${form === 'stage' ? 'on-stage' : form}`,
      role: 'listbox',
      'aria-label': ctx.t('library.grid'),
      'aria-orientation': 'horizontal',
      signal: this.#life.signal,
      on: {
        click: (event) => this.#onClick(event),
        contextmenu: (event) => {
          event.preventDefault();
          this.#events.onMenu(this.activeId);
        },
        wheel: (event) =>
          this.#drag(/** @type {WheelEvent} */ (event).deltaX || /** @type {WheelEvent} */ (event).deltaY),
        pointerdown: (event) => {
          this.#grip = /** @type {PointerEvent} */ (event).clientX;
          this.#travel = 0;
          this.#hasMoved = false;
        },
        pointermove: (event) => this.#onPointer(/** @type {PointerEvent} */ (event)),
        pointerup: () => {
          this.#grip = null;
        },
        pointercancel: () => {
          this.#grip = null;
        },
        pointerleave: () => {
          this.#grip = null;
        },
      },
    });
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
   * @param {string} keep the game to stay at, where it is part of the order
   */
  show(order, keep) {
    this.#lineup.take(order, keep);
    for (const card of this.#cards.values()) card.id = '';
    this.#render();
    this.#tell();
  }

  /** @param {App.Direction} direction */
  move(direction) {
    if (direction === 'up' || direction === 'down' || this.count === 0) return false;
    const isForward = (direction === 'right') !== (getComputedStyle(this.element).direction === 'rtl');
    this.goTo((this.#lineup.active + (isForward ? 1 : -1) + this.count) % this.count);
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
    this.#render();
    if (hadFocus) this.focus();
    this.#tell();
  }

  focus() {
    this.#cards.get(this.#lineup.active)?.element.focus(
      /** @type {FocusOptions} */ ({ preventScroll: true, focusVisible: true }),
    );
  }

  /** Draws the cards again whose games may have changed. */
  refresh() {
    for (const card of this.#cards.values()) card.id = '';
    this.#render();
  }

  close() {
    clearTimeout(this.#rest);
    this.#life.abort();
    this.element.remove();
  }

  #tell() {
    if (this.activeId) this.#events.onActive(this.activeId);
  }

  #render() {
    const { before, after, width } = this.#span;
    this.#width = Math.round(width * textSize());
    const { count } = this;
    const isRing = count > before + after + 1;
    /** @type {Map<number, number>} */
    const places = new Map();
    for (let offset = -before; offset <= after; offset += 1) {
      const index = this.#lineup.active + offset;
      if (isRing) places.set((index + count) % count, offset);
      else if (index >= 0 && index < count) places.set(index, offset);
    }
    const spare = [...this.#cards].filter(([index]) => !places.has(index));
    for (const [index] of spare) this.#cards.delete(index);
    for (const [index, offset] of places) {
      const card = this.#cards.get(index) ?? spare.pop()?.[1] ?? makeCard('big-card');
      this.#cards.set(index, card);
      this.#place(card, index, offset);
      if (!card.element.isConnected) this.element.append(card.element);
    }
    for (const [, card] of spare) card.element.remove();
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => dressCards(this.#ctx, this.#cards.values(), this.#width), REST);
  }

  /**
   * @param {App.Card} card
   * @param {number} index
   * @param {number} offset
   */
  #place(card, index, offset) {
    const { element } = card;
    // A card that comes from the other end does not fly across the screen.
    const jumps = Math.abs(offset - Number(element.dataset['at'] ?? 99)) > 4;
    element.classList.toggle('jumps', jumps);
    element.dataset['at'] = String(offset);
    element.dataset['index'] = String(index);
    element.style.setProperty('--at', String(offset));
    element.style.zIndex = String(50 - Math.abs(offset));
    markCard(card, offset === 0);
    element.setAttribute('aria-posinset', String(index + 1));
    element.setAttribute('aria-setsize', String(this.count));
    const row = this.#lineup.rowAt(index);
    if (row && card.id !== row.id) turnCard(this.#ctx, card, row, this.#width);
  }

  /** @param {Event} event */
  #onClick(event) {
    const card = event.target instanceof Element
      ? /** @type {HTMLElement | null} */ (event.target.closest('.big-card'))
      : null;
    if (!card || this.#hasMoved) return;
    const index = Number(card.dataset['index']);
    if (index === this.#lineup.active) {
      this.#events.onPlay(this.activeId);
      return;
    }
    this.goTo(index);
    this.focus();
  }

  /** @param {PointerEvent} event */
  #onPointer(event) {
    if (this.#grip === null) return;
    const moved = this.#grip - event.clientX;
    this.#grip = event.clientX;
    this.#drag(moved);
  }

  /** @param {number} distance */
  #drag(distance) {
    this.#travel += distance;
    const steps = Math.trunc(this.#travel / SWIPE);
    if (steps === 0) return;
    this.#travel -= steps * SWIPE;
    this.#hasMoved = true;
    this.jump(steps);
  }
}
