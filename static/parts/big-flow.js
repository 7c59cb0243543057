/**
 * The row of games of the big screen, for its stage and its cover flow: only the cards around the active one exist, and style sheets put each by its distance from it, so that a row of
 * fifty thousand games is as light as one of twenty. Wraps around at the ends.
 */

import { h } from '../core/dom.js';
import { isMissing } from '../core/game.js';
import { artKey, showArt } from './art.js';

/** Cards before and behind the active one, and how wide the active one is, in parts of the text size of the page. */
const SPANS = Object.freeze({ stage: { before: 3, after: 13, width: 13.5 }, coverflow: { before: 5, after: 5, width: 22 } });

/** How long the row must rest before covers are asked for. */
const REST = 80;

/** How far a finger or a wheel goes for one card, in pixels. */
const SWIPE = 70;

/** @implements {App.Shelf} */
export class BigFlow {
  #ctx;
  #events;
  #span;
  #life = new AbortController();
  /** @type {Uint32Array} */
  #order = new Uint32Array(0);
  /** @type {Map<number, App.Card>} */
  #cards = new Map();
  #active = 0;
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
    this.#span = SPANS[form];
    this.element = h('div', {
      class: `big-flow ${form === 'stage' ? 'on-stage' : form}`, role: 'listbox', 'aria-label': ctx.t('library.grid'), 'aria-orientation': 'horizontal', signal: this.#life.signal,
      on: {
        click: (event) => this.#onClick(event),
        contextmenu: (event) => { event.preventDefault(); this.#events.onMenu(this.activeId); },
        wheel: (event) => this.#drag(/** @type {WheelEvent} */ (event).deltaX || /** @type {WheelEvent} */ (event).deltaY),
        pointerdown: (event) => { this.#grip = /** @type {PointerEvent} */ (event).clientX; this.#travel = 0; this.#hasMoved = false; },
        pointermove: (event) => this.#onPointer(/** @type {PointerEvent} */ (event)),
        pointerup: () => { this.#grip = null; },
        pointercancel: () => { this.#grip = null; },
        pointerleave: () => { this.#grip = null; },
      },
    });
  }

  get activeId() {
    return this.#rowAt(this.#active)?.id ?? '';
  }

  get index() {
    return this.#active;
  }

  get count() {
    return this.#order.length;
  }

  /**
   * @param {Uint32Array} order
   * @param {string} keep the game to stay at, where it is part of the order
   */
  show(order, keep) {
    this.#order = order;
    this.#active = Math.max(0, keep ? order.findIndex((slot) => this.#ctx.catalog.row(slot)?.id === keep) : 0);
    for (const card of this.#cards.values()) card.id = '';
    this.#render();
    this.#tell();
  }

  /** @param {App.Direction} direction */
  move(direction) {
    if (direction === 'up' || direction === 'down' || this.count === 0) return false;
    const isForward = (direction === 'right') !== (getComputedStyle(this.element).direction === 'rtl');
    this.goTo((this.#active + (isForward ? 1 : -1) + this.count) % this.count);
    return true;
  }

  /** @param {number} step */
  jump(step) {
    this.goTo(Math.max(0, Math.min(this.count - 1, this.#active + step)));
  }

  /** @param {number} index */
  goTo(index) {
    if (this.count === 0) return;
    const hadFocus = this.element.contains(document.activeElement);
    this.#active = index;
    this.#render();
    if (hadFocus) this.focus();
    this.#tell();
  }

  focus() {
    this.#cards.get(this.#active)?.element.focus(/** @type {FocusOptions} */ ({ preventScroll: true, focusVisible: true }));
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
    this.#width = Math.round(width * parseFloat(getComputedStyle(document.documentElement).fontSize));
    const { count } = this;
    const isRing = count > before + after + 1;
    /** @type {Map<number, number>} */
    const places = new Map();
    for (let offset = -before; offset <= after; offset += 1) {
      const index = this.#active + offset;
      if (isRing) places.set((index + count) % count, offset);
      else if (index >= 0 && index < count) places.set(index, offset);
    }
    const spare = [...this.#cards].filter(([index]) => !places.has(index));
    for (const [index] of spare) this.#cards.delete(index);
    for (const [index, offset] of places) {
      const card = this.#cards.get(index) ?? spare.pop()?.[1] ?? makeCard();
      this.#cards.set(index, card);
      this.#place(card, index, offset);
      if (!card.element.isConnected) this.element.append(card.element);
    }
    for (const [, card] of spare) card.element.remove();
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#settle(), REST);
  }

  /**
   * @param {App.Card} card
   * @param {number} index
   * @param {number} offset
   */
  #place(card, index, offset) {
    const { element } = card;
    const isActive = offset === 0;
    // A card that comes from the other end does not fly across the screen.
    const jumps = Math.abs(offset - Number(element.dataset['at'] ?? 99)) > 4;
    element.classList.toggle('jumps', jumps);
    element.dataset['at'] = String(offset);
    element.dataset['index'] = String(index);
    element.style.setProperty('--at', String(offset));
    element.style.zIndex = String(50 - Math.abs(offset));
    element.setAttribute('aria-selected', String(isActive));
    element.setAttribute('aria-posinset', String(index + 1));
    element.setAttribute('aria-setsize', String(this.count));
    // Only the active card is a place to go to; the others pass by.
    if (isActive) element.tabIndex = 0;
    else element.removeAttribute('tabindex');
    const row = this.#rowAt(index);
    if (!row || card.id === row.id) return;
    card.id = row.id;
    card.words.textContent = [row.name, row.platform].filter(Boolean).join(', ');
    element.classList.toggle('absent', isMissing(row));
    if (card.shown !== artKey(this.#ctx, row, this.#width)) {
      card.shown = '';
      card.art.replaceChildren();
    }
  }

  /** The row rests: what stands in it gets its cover. */
  #settle() {
    for (const card of this.#cards.values()) {
      const row = this.#ctx.catalog.find(card.id);
      if (!row || card.shown === artKey(this.#ctx, row, this.#width)) continue;
      card.shown = artKey(this.#ctx, row, this.#width);
      showArt(this.#ctx, card.art, row, { width: this.#width });
    }
  }

  /** @param {Event} event */
  #onClick(event) {
    const card = event.target instanceof Element ? /** @type {HTMLElement | null} */ (event.target.closest('.big-card')) : null;
    if (!card || this.#hasMoved) return;
    const index = Number(card.dataset['index']);
    if (index === this.#active) {
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

  /** @param {number} index */
  #rowAt(index) {
    const slot = this.#order[index];
    return slot === undefined ? undefined : this.#ctx.catalog.row(slot);
  }
}

/** @returns {App.Card} */
function makeCard() {
  const art = h('div', { class: 'art', 'aria-hidden': 'true' });
  const words = h('span', { class: 'caption sr-only' });
  return { element: h('div', { class: 'big-card', role: 'option' }, art, words), art, words, id: '', shown: '' };
}
