/**
 * The filters panel: every filter with its values and how many games each would show. Changes nothing itself; it tells
 * which value was chosen.
 */

import { h, icon, patch, valueOf } from '../../core/dom.js';
import { isFocusFree } from '../../core/focus.js';
import { FILTERS, MINIMA, QUESTIONS } from '../../data/filters.js';
import { fold } from '../../data/search.js';

/** Values shown before "more" is asked for. */
const FEW = 8;

/** From this many values on a filter has a search box. */
const MANY = 14;

/** Filters that stand open at first. */
const OPEN = Object.freeze(['platform', 'genre', 'progress', 'tags']);

/**
 * What a value of a filter is called.
 *
 * @param {App.Context} ctx
 * @param {string} key
 * @param {string} value
 * @returns {string}
 */
export function filterLabel({ t }, key, value) {
  if (MINIMA.includes(key)) return value === '5' ? '★★★★★' : t('filter.atLeast', { stars: '★'.repeat(Number(value)) });
  if (QUESTIONS.includes(key)) return t(value === 'yes' ? `filter.${key}.yes` : `filter.${key}.no`);
  if (key === 'progress') return t(value ? `progress.${value}` : 'progress.none');
  if (key === 'platform' && value === '') return t('platform.none');
  if (key === 'decade' && value) return t('filter.decade.value', { year: value });
  return value || t('filter.without');
}

/** The panel. */
export class FiltersPanel {
  #ctx;
  #onToggle;
  #body = h('div', { class: 'scroll' });
  #clear;
  #save;
  #total = h('span', { class: 'total' });
  /** @type {App.Filters} */
  #filters = {};
  /** @type {Record<string, [string, number][]>} */
  #counts = {};
  #isCounted = false;
  /** @type {Set<string>} */
  #open = new Set(OPEN);
  /** @type {Set<string>} */
  #whole = new Set();
  /** @type {Map<string, string>} */
  #wanted = new Map();
  /** What had the focus when the panel was to have it, before there was anything in it. */
  /** @type {Element | null} */
  #waiting = null;
  element;

  /**
   * @param {App.Context} ctx
   * @param {{onToggle: (key: string, value: string) => void, onClear: () => void, onSave: () => void, onClose: () =>
   *   void}} events
   */
  constructor(ctx, { onToggle, onClear, onSave, onClose }) {
    this.#ctx = ctx;
    this.#onToggle = onToggle;
    const { t } = ctx;
    this.#clear = h('button', { class: 'button quiet', type: 'button', on: { click: onClear } },
      t('action.clearFilters'));
    this.#save = h('button', { class: 'button', type: 'button', on: { click: onSave } }, t('filter.save'));
    this.element = h('aside', { class: 'filters', 'aria-label': t('filter.title') },
      h('div', { class: 'filters-head' }, h('h2', null, t('filter.title'), this.#total),
        h('button', { class: 'icon-button', type: 'button', 'aria-label': t('filter.close'), on: { click: onClose } },
          icon('close'))), this.#body, h('div', { class: 'filters-foot' }, this.#clear, this.#save));
  }

  /** Gives the keyboard to the first filter. */
  focus() {
    const first = this.#body.querySelector('summary');
    // The filters come with their counts, a moment after the panel.
    this.#waiting = first === null ? document.activeElement : null;
    first?.focus();
  }

  /**
   * @param {App.Filters} filters
   * @param {boolean} isAny whether anything narrows the library, so that it can be cleared and saved
   */
  show(filters, isAny) {
    this.#clear.disabled = !isAny;
    this.#save.disabled = !isAny;
    // A search changes the counts alone, and they follow.
    if (JSON.stringify(filters) === JSON.stringify(this.#filters)) return;
    this.#filters = filters;
    this.#draw();
  }

  /** @param {string} text how many games are shown, which the sheet of a phone covers */
  set total(text) {
    this.#total.textContent = ` · ${text}`;
  }

  /** @param {Record<string, [string, number][]>} counts */
  count(counts) {
    this.#counts = counts;
    this.#isCounted = true;
    this.#draw();
    // Whoever went on meanwhile is left alone.
    if (this.#waiting && (isFocusFree() || document.activeElement === this.#waiting)) this.focus();
    this.#waiting = null;
  }

  #draw() {
    // They come together: what came later would move what is there. What is chosen can be removed above the games.
    patch(this.#body,
      this.#isCounted ? FILTERS.map((key) => this.#section(key)) : h('div', { class: 'wait', 'data-key': 'wait' }));
  }

  /** @param {string} key */
  #section(key) {
    const chosen = this.#filters[key] ?? [];
    const values = this.#counts[key] ?? [];
    // One value that every game shares narrows nothing.
    const isIdle = chosen.length === 0 &&
      values.filter(([, count]) => count > 0).length < (MINIMA.includes(key) ? 1 : 2);
    if (isIdle) return null;
    const { t } = this.#ctx;
    const isOpen = this.#open.has(key) || chosen.length > 0;
    return h('details', { 'data-key': key, open: isOpen, on: { toggle: ({ currentTarget }) => {
      if (/** @type {HTMLDetailsElement} */ (currentTarget).open) this.#open.add(key);
      else this.#open.delete(key);
    } } },
      h('summary', { 'data-focus': `${key}|head` }, h('span', null, t(`filter.${key}`)),
        chosen.length > 0 ? h('span', { class: 'chosen-count' }, chosen.length) : null, icon('chevron', 'icon-s')),
      this.#values(key, values, chosen));
  }

  /**
   * @param {string} key
   * @param {readonly [string, number][]} values
   * @param {readonly string[]} chosen
   */
  #values(key, values, chosen) {
    const { t, format } = this.#ctx;
    const wanted = fold(this.#wanted.get(key) ?? '');
    const sorted = MINIMA.includes(key) || key === 'decade' ? [...values].sort(([a], [b]) => (a < b ? 1 : -1)) : values;
    const found = wanted
      ? sorted.filter(([value]) => fold(filterLabel(this.#ctx, key, value)).includes(wanted))
      : sorted;
    const isWhole = this.#whole.has(key) || wanted !== '' || found.length <= FEW + 4;
    const shown = isWhole ? found : found.filter(([value], index) => index < FEW || chosen.includes(value));
    return h('div', { class: 'values' }, values.length >= MANY
      ? h('input', {
        class: 'input',
        type: 'search',
        value: this.#wanted.get(key) ?? '',
        placeholder: t('filter.find'),
        'aria-label': t('filter.findIn', { filter: t(`filter.${key}`) }),
        'data-focus': `${key}|find`,
        autocomplete: 'off',
        on: { input: (event) => {
          this.#wanted.set(key, valueOf(event));
          this.#draw();
        } },
      })
      : null,
      h('ul', null,
        shown.map(([value, count]) =>
          h('li', null,
            h('label', { class: 'check' },
              h('input', { type: 'checkbox', checked: chosen.includes(value), 'data-focus': `${key}|${value}`,
                on: { change: () => this.#onToggle(key, value) } }),
              h('span', { class: 'name' }, filterLabel(this.#ctx, key, value)),
              h('span', { class: 'count' }, format.number(count))))
        )),
      isWhole ? null : h('button', { class: 'more', type: 'button', 'data-focus': `${key}|more`, on: { click: () => {
        this.#whole.add(key);
        this.#draw();
      } } }, this.#ctx.tn('filter.more', found.length - shown.length)));
  }
}
