/**
 * The library on a day of the past, and what two days have different. Only reads.
 */

import { changeTable } from '../changes.js';
import { fill, h, icon } from '../../core/dom.js';
import { fold } from '../../data/search.js';

/** Games drawn of a long list. */
const SHOWN = 300;

/** Most differences of each sort that are asked for. */
const LIMIT = 500;

/**
 * A day in the form a date field wants, `back` days ago.
 *
 * @param {number} back
 * @returns {string}
 */
function dayBack(back) {
  const day = new Date();
  day.setDate(day.getDate() - back);
  return `${day.getFullYear()}-${String(day.getMonth() + 1).padStart(2, '0')}-${
    String(day.getDate()).padStart(2, '0')
  }`;
}

/**
 * @param {string} id
 * @param {string} label
 * @param {string} value
 */
function dateField(id, label, value) {
  const input = h('input', { class: 'input', type: 'date', id, value, max: dayBack(0), required: true });
  return { input, element: h('div', { class: 'field' }, h('label', { class: 'label', for: id }, label), input) };
}

/**
 * @param {App.Context} ctx
 * @returns {HTMLElement}
 */
export function pastLibrary(ctx) {
  const { t, tn, format, client } = ctx;
  const date = dateField('past-date', t('journal.day'), dayBack(7));
  const result = h('div', null);
  const ask = newestOnly();
  const load = async () => {
    const isNewest = ask();
    fill(result, h('div', { class: 'wait' }));
    try {
      const state = /** @type {Api.JournalState} */ (/** @type {unknown} */ (await client.get(
        '/api/v2/library/journal/as-of',
        { date: date.input.value },
      )));
      if (!isNewest()) return;
      const title = tn('journal.games', state.count, { day: format.date(date.input.value) });
      const filter = h('input', { class: 'input', type: 'search', id: 'past-filter', placeholder: t('journal.filter'),
        'aria-label': t('journal.filter'), autocomplete: 'off', on: { input: () => list() } });
      const place = h('div', null);
      const list = () => {
        const wanted = fold(filter.value.trim());
        const found = state.games.filter((game) => fold(`${game.name} ${game.platform ?? ''}`).includes(wanted));
        fill(place, games(ctx, found.slice(0, SHOWN)),
          found.length > SHOWN ? h('p', { class: 'about' }, tn('journal.rest', found.length - SHOWN)) : null);
      };
      fill(result, state.before_first_event
        ? notice(t('journal.beforeFirst', { day: state.earliest_at ? format.date(state.earliest_at) : '–' }))
        : null, h('h2', { class: 'result' }, title),
        state.truncated ? h('p', { class: 'about' }, t('journal.truncated')) : null,
        state.games.length > 0 ? [filter, place] : null);
      list();
      ctx.announce(title);
    } catch (failure) {
      if (isNewest()) refuse(ctx, result, failure);
    }
  };
  void load();
  return h('div', null, form(ctx, [date.element], () => void load()), result);
}

/**
 * @param {App.Context} ctx
 * @returns {HTMLElement}
 */
export function comparison(ctx) {
  const { t, format, client } = ctx;
  const from = dateField('compare-from', t('journal.from'), dayBack(30));
  const to = dateField('compare-to', t('journal.to'), dayBack(0));
  const result = h('div', null);
  const ask = newestOnly();
  const load = async () => {
    const isNewest = ask();
    fill(result, h('div', { class: 'wait' }));
    try {
      // The route calls the later day `after` and the earlier one `before`.
      const difference = /** @type {Api.JournalDifference} */ (await client.get(
        '/api/v2/library/journal/compare',
        { before: from.input.value, after: to.input.value, limit: LIMIT },
      ));
      if (!isNewest()) return;
      const { added, removed, changed } = difference.summary;
      ctx.announce(
        [['journal.added', added], ['journal.removed', removed], ['journal.changed', changed]].map(([key, value]) =>
          `${t(String(key))}: ${format.number(Number(value))}`
        ).join(', '),
      );
      const figure = (/** @type {string} */ key, /** @type {number} */ value) =>
        h('div', null, h('dt', null, t(key)), h('dd', null, format.number(value)));
      fill(result, difference.before_horizon && difference.horizon
        ? notice(t('journal.horizon', { day: format.date(difference.horizon) }))
        : null,
        h('dl', { class: 'figures' }, figure('journal.added', added), figure('journal.removed', removed),
          figure('journal.changed', changed)),
        added + removed + changed === 0 ? h('p', { class: 'none', role: 'status' }, t('journal.same')) : null,
        part(ctx, 'journal.added', difference.added, added), part(ctx, 'journal.removed', difference.removed, removed),
        difference.changed.length === 0
          ? null
          : h('section', { class: 'day' },
            h('h2', null, t('journal.changed'), rest(ctx, difference.changed.length, changed)),
            h('ul', { class: 'changes' }, difference.changed.map((game) =>
              h('li', null,
                h('details', null,
                  h('summary', null, h('span', { class: 'glyph' }, icon('edit', 'icon-s')),
                    h('span', { class: 'who' }, h('b', null, game.name),
                      h('small', null, ctx.tn('journal.fields', Object.keys(game.changes).length)))),
                  h('div', { class: 'more' },
                    changeTable(ctx, Object.entries(game.changes).map(([field, change]) => ({ field, ...change }))))))
            ))));
    } catch (failure) {
      if (isNewest()) refuse(ctx, result, failure);
    }
  };
  void load();
  return h('div', null, form(ctx, [from.element, to.element], () => void load()), result);
}

/**
 * @param {App.Context} ctx
 * @param {HTMLElement[]} fields
 * @param {() => void} run
 */
function form(ctx, fields, run) {
  return h('form', { class: 'panel-head asks', on: { submit: (event) => {
    event.preventDefault();
    run();
  } } }, fields, h('button', { class: 'button', type: 'submit' }, ctx.t('journal.look')));
}

/**
 * A refused day is no failure of the program: its sentence stands where the answer would.
 *
 * @param {App.Context} ctx
 * @param {HTMLElement} result
 * @param {unknown} failure
 */
function refuse(ctx, result, failure) {
  const { status, message } = /** @type {{status?: number, message?: string}} */ (failure);
  if (status === 400) {
    fill(result, h('p', { class: 'form-error', role: 'alert' }, message ?? ''));
    return;
  }
  fill(result, h('p', { class: 'none' }, ctx.t('journal.failed')));
  ctx.fail(failure);
}

/**
 * Lets only the newest of several questions be answered, however long the older ones take.
 *
 * @returns {() => () => boolean} call it for a question; what it returns tells whether that question is still the
 *   newest
 */
function newestOnly() {
  let count = 0;
  return () => {
    count += 1;
    const own = count;
    return () => own === count;
  };
}

/** @param {string} text */
function notice(text) {
  return h('div', { class: 'callout' }, icon('missing'), h('span', null, text));
}

/**
 * @param {App.Context} ctx
 * @param {string} title
 * @param {readonly Api.JournalGame[]} list
 * @param {number} total
 */
function part(ctx, title, list, total) {
  return list.length === 0
    ? null
    : h('section', { class: 'day' }, h('h2', null, ctx.t(title), rest(ctx, list.length, total)), games(ctx, list));
}

/**
 * @param {App.Context} ctx
 * @param {number} shown
 * @param {number} total
 */
function rest(ctx, shown, total) {
  return h('small', null, shown < total
    ? ctx.t('journal.some', { shown: ctx.format.number(shown), total: ctx.format.number(total) })
    : ctx.format.number(total));
}

/**
 * @param {App.Context} ctx
 * @param {readonly Api.JournalGame[]} list
 */
function games(ctx, list) {
  return h('ul', { class: 'rows' }, list.map((game) => {
    const row = ctx.catalog.find(game.game_id);
    return h('li', null, row
      ? h('a', { class: 'grow', href: `#/game/${encodeURIComponent(row.id)}` }, game.name)
      : h('span', { class: 'grow' }, game.name), h('span', { class: 'end' }, game.platform ?? ''));
  }));
}
