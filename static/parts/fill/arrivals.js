/** Games that got a cover since the screen was opened, the newest first. */

import { art } from '../art.js';
import { h, patch } from '../../core/dom.js';
import { FLAG } from '../../data/game.js';

/** Games that are shown. */
const SHOWN = 18;

/** How long arrivals are gathered before they are drawn, in milliseconds. */
const GATHER = 250;

/** The strip. */
export class Arrivals {
  #ctx;
  /** Games that have a cover. @type {Set<string> | null} */
  #known = null;
  /** @type {string[]} */
  #shown = [];
  #count = 0;
  /** @type {App.Timer} */
  #timer;

  /**
   * @param {App.Context} ctx
   * @param {AbortSignal} signal
   */
  constructor(ctx, signal) {
    this.#ctx = ctx;
    this.element = h('section', { class: 'arrivals', hidden: true });
    ctx.bus.on('catalog:rows', ({ ids }) => this.#follow(ids), signal);
    ctx.bus.on('catalog:ready', () => this.#begin(), signal);
    signal.addEventListener('abort', () => clearTimeout(this.#timer));
    if (ctx.catalog.isReady) this.#begin();
  }

  /** What is there once the whole library was read did not arrive. */
  #begin() {
    this.#known ??= this.#ctx.catalog.idsWith(FLAG.cover);
  }

  /** @param {readonly string[]} ids */
  #follow(ids) {
    const known = this.#known;
    if (!known) return;
    for (const id of ids) {
      if (known.has(id) || !((this.#ctx.catalog.find(id)?.flags ?? 0) & FLAG.cover)) continue;
      known.add(id);
      this.#count += 1;
      this.#shown.unshift(id);
    }
    if (this.#count === 0) return;
    this.#shown.length = Math.min(this.#shown.length, SHOWN);
    this.#timer ??= setTimeout(() => this.#draw(), GATHER);
  }

  #draw() {
    this.#timer = undefined;
    const { tn, catalog } = this.#ctx;
    this.element.hidden = false;
    patch(this.element, h('h2', { 'aria-live': 'polite' }, tn('fill.arrived', this.#count)),
      h('ul', null, this.#shown.flatMap((id) => {
        const row = catalog.find(id);
        return row
          ? h('li', { 'data-key': id },
            h('a', { href: `#/game/${encodeURIComponent(id)}`, 'data-focus': `new:${id}`, title: row.name,
              'aria-label': row.name }, art(this.#ctx, row, { width: 96 })))
          : [];
      })));
  }
}
