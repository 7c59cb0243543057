/**
 * The headings of the groups of the library that stand around what is on screen. Keeps no groups.
 */

import { h } from '../../core/dom.js';

/** Headings by their group. */
export class Headings {
  #ctx;
  /** @type {Map<number, HTMLElement>} */
  #drawn = new Map();

  /** @param {App.Context} ctx */
  constructor(ctx) {
    this.#ctx = ctx;
  }

  /** Removes those of groups that `isGone` names. */
  clear(isGone = (/** @type {number} */ _section) => true) {
    for (const [section, heading] of this.#drawn) {
      if (isGone(section)) {
        this.#drawn.delete(section);
        heading.remove();
      }
    }
  }

  /**
   * Keeps the headings of the groups `first..last` and adds those that are not there yet.
   *
   * @param {DocumentFragment} added
   * @param {{first: number, last: number}} range
   * @param {readonly App.Group[]} groups
   * @param {ArrayLike<number>} tops in pixels
   * @param {(key: string) => string} label
   */
  draw(added, { first, last }, groups, tops, label) {
    this.clear((section) => section < first || section >= last);
    for (let section = first; section < last; section += 1) {
      const group = this.#drawn.has(section) ? null : groups[section];
      if (!group) continue;
      const heading = h('div', { class: 'group-head', role: 'presentation',
        style: { transform: `translateY(${tops[section] ?? 0}px)` } }, h('b', null, label(group.key)),
        h('span', null, this.#ctx.format.number(group.count)));
      this.#drawn.set(section, heading);
      added.append(heading);
    }
  }
}

/**
 * What a group of the library is called.
 *
 * @param {App.Context} ctx
 * @param {string} key
 * @returns {string}
 */
export function groupLabel({ t, preferences }, key) {
  switch (preferences.group) {
    case 'progress':
      return t(key ? `progress.${key}` : 'progress.none');
    case 'platform':
      return key || t('platform.none');
    case 'user_rating':
      return key ? '★'.repeat(Number(key)) : t('bulk.noStars');
    case 'installed':
      return t(key === 'yes' ? 'filter.installed.yes' : 'filter.installed.no');
    default:
      return key || t('filter.without');
  }
}
