/**
 * One game on the big screen, as its row and its grid show it: the card, its words and its cover. Where a card stands
 * is theirs to say.
 */

import { h } from '../../core/dom.js';
import { isMissing } from '../../data/game.js';
import { artKey, clearArt, showArt } from '../art.js';

/** How long a shelf must rest before covers are asked for. */
export const REST = 80;

/**
 * @param {'big-card' | 'big-tile'} kind its class
 * @returns {App.Card}
 */
export function makeCard(kind) {
  const art = h('div', { class: 'art', 'aria-hidden': 'true' });
  const words = h('span', { class: 'caption sr-only' });
  return { element: h('div', { class: kind, role: 'option' }, art, words), art, words, id: '', shown: '' };
}

/**
 * Says whether a card is the active one. Only that one is a place to go to; the others pass by.
 *
 * @param {App.Card} card
 * @param {boolean} isActive
 */
export function markCard({ element }, isActive) {
  element.setAttribute('aria-selected', String(isActive));
  if (isActive) element.tabIndex = 0;
  else element.removeAttribute('tabindex');
}

/**
 * Gives a card another game; its cover follows when the shelf rests.
 *
 * @param {App.Context} ctx
 * @param {App.Card} card
 * @param {App.Row} row
 * @param {number} width of the cover in pixels
 */
export function turnCard(ctx, card, row, width) {
  card.id = row.id;
  card.words.textContent = [row.name, row.platform].filter(Boolean).join(', ');
  card.element.classList.toggle('absent', isMissing(row));
  if (card.shown === artKey(ctx, row, { width })) return;
  card.shown = '';
  clearArt(card.art);
}

/**
 * The shelf rests: what stands in it gets its cover.
 *
 * @param {App.Context} ctx
 * @param {Iterable<App.Card>} cards
 * @param {number} width of the covers in pixels
 */
export function dressCards(ctx, cards, width) {
  for (const card of cards) {
    const row = ctx.catalog.find(card.id);
    if (!row || card.shown === artKey(ctx, row, { width })) continue;
    card.shown = artKey(ctx, row, { width });
    showArt(ctx, card.art, row, { width });
  }
}

/**
 * The games of a shelf in their order, and the active one among them.
 */
export class Lineup {
  #ctx;
  /** @type {Uint32Array} */
  #order = new Uint32Array(0);
  active = 0;

  /** @param {App.Context} ctx */
  constructor(ctx) {
    this.#ctx = ctx;
  }

  get count() {
    return this.#order.length;
  }

  get activeId() {
    return this.rowAt(this.active)?.id ?? '';
  }

  /**
   * @param {Uint32Array} order
   * @param {string} keep the game to stay at, where it is part of the order
   */
  take(order, keep) {
    this.#order = order;
    this.active = Math.max(0, keep ? this.#ctx.catalog.placeIn(order, keep) : 0);
  }

  /**
   * The place so many games away, or the end that is nearer.
   *
   * @param {number} step
   */
  away(step) {
    return Math.max(0, Math.min(this.count - 1, this.active + step));
  }

  /** @param {number} index */
  rowAt(index) {
    const slot = this.#order[index];
    return slot === undefined ? undefined : this.#ctx.catalog.row(slot);
  }
}
