/** What changed in a game, field by field: before and after. */

import { h } from '../core/dom.js';

/** Longest value that is shown whole. */
const LONGEST = 400;

/**
 * @param {App.Context} ctx
 * @param {readonly {field: string, from: unknown, to: unknown}[]} changes
 * @returns {HTMLElement}
 */
export function changeTable(ctx, changes) {
  const { t, i18n } = ctx;
  const name = (
    /** @type {string} */ field,
  ) => (i18n.has(`field.${field}`) ? t(`field.${field}`) : field.replaceAll('_', ' '));
  return h('div', { class: 'change-table scroll', tabindex: 0, role: 'group', 'aria-label': t('journal.table') },
    h('table', null,
      h('thead', null,
        h('tr', null, h('th', { scope: 'col' }, t('journal.field')), h('th', { scope: 'col' }, t('journal.before')),
          h('th', { scope: 'col' }, t('journal.after')))),
      h('tbody', null,
        changes.map(({ field, from, to }) =>
          h('tr', null, h('th', { scope: 'row' }, name(field)), h('td', { class: 'was' }, shownText(ctx, from)),
            h('td', null, shownText(ctx, to)))
        ))));
}

/**
 * A stored value as the user reads it.
 *
 * @param {App.Context} ctx
 * @param {unknown} value
 * @returns {string}
 */
export function shownText(ctx, value) {
  if (value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return '–';
  if (typeof value === 'boolean') return ctx.t(value ? 'option.on' : 'option.off');
  const part = (
    /** @type {unknown} */ item,
  ) => (item && typeof item === 'object'
    ? String(/** @type {{text?: unknown}} */ (item).text ?? JSON.stringify(item))
    : String(item));
  const text = Array.isArray(value) ? value.map(part).join(', ') : part(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
