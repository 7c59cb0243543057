/**
 * The playtime dialog: the time the program measured, and entries written by hand.
 */

import { byId, h, icon, patch } from '../../core/dom.js';
import { openDialog, showFormFailure } from '../dialog.js';

const HOUR = 3600;
const MINUTE = 60;

/**
 * @param {App.Context} ctx
 * @param {string} id
 */
export async function openPlaytime(ctx, id) {
  const { t } = ctx;
  const body = h('div', { class: 'playtime' });
  const dialog = openDialog(ctx, { title: t('playtime.title'), width: 560, content: body });
  const life = { form: dialog.form, redraw: async () => {} };
  /** @type {number | null} */
  let edited = null;
  const draw = (/** @type {Api.Game} */ record) => {
    const entries =
      /** @type {Api.ManualSession[]} */ (Array.isArray(record['manual_sessions']) ? record['manual_sessions'] : []);
    const choose = (/** @type {number | null} */ index) => {
      edited = index;
      draw(record);
      /** @type {HTMLElement | null} */ (body.querySelector('.by-hand input'))?.focus();
    };
    patch(body, measured(ctx, life, record), entryForm(ctx, life, id, entries, edited, choose),
      entryList(ctx, life, id, entries, choose));
  };
  life.redraw = async () => {
    edited = null;
    const [fresh] = await ctx.catalog.refresh([id]);
    if (fresh) draw(fresh);
    ctx.bus.emit('game', { ids: [id] });
  };
  try {
    const [record] = await ctx.catalog.refresh([id]);
    if (record) draw(record);
    /** @type {HTMLElement | null} */ (body.querySelector('.by-hand input'))?.focus();
  } catch (failure) {
    dialog.close('');
    ctx.fail(failure);
  }
  await dialog.closed;
}

/**
 * Sends a change and shows what the server says about it.
 *
 * @param {App.Context} ctx
 * @param {{form: HTMLFormElement, redraw: () => Promise<void>}} life
 * @param {string} path
 * @param {object} body
 */
async function send(ctx, life, path, body) {
  showFormFailure(ctx, life.form, null);
  try {
    await ctx.client.post(path, body);
    ctx.announce(ctx.t('playtime.saved'));
    await life.redraw();
  } catch (failure) {
    showFormFailure(ctx, life.form, failure);
  }
}

/** What a field on the page holds. */
const written = (/** @type {string} */ id) => /** @type {HTMLInputElement} */ (byId(id)).value;

/** Seconds in the two fields of a name. */
const secondsOf = (/** @type {string} */ name) =>
  Number(written(`${name}-hours`)) * HOUR + Number(written(`${name}-minutes`)) * MINUTE;

/**
 * Two number fields for hours and minutes.
 *
 * @param {App.Context} ctx
 * @param {string} name
 * @param {number} seconds
 */
function spanFields(ctx, name, seconds) {
  const field = (/** @type {string} */ unit, /** @type {string} */ label, /** @type {number} */ value,
    /** @type {number | null} */ max) => {
    const id = `${name}-${unit}`;
    return h('div', { class: 'field' }, h('label', { class: 'label', for: id }, label),
      h('input', { class: 'input', type: 'number', id, 'data-focus': id, min: 0, max, step: 1, value: String(value),
        inputmode: 'numeric' }));
  };
  return [field('hours', ctx.t('playtime.hours'), Math.floor(seconds / HOUR), null),
    field('minutes', ctx.t('playtime.minutes'), Math.floor((seconds % HOUR) / MINUTE), 59)];
}

/**
 * @param {App.Context} ctx
 * @param {{form: HTMLFormElement, redraw: () => Promise<void>}} life
 * @param {Api.Game} record
 */
function measured(ctx, life, record) {
  const { t } = ctx;
  const seconds = record.playtime_seconds ?? 0;
  const fields = spanFields(ctx, 'measured', seconds);
  const save = () => {
    const wanted = secondsOf('measured');
    // Seconds below the minute that is shown are not lost by saving what is shown.
    if (wanted === seconds - (seconds % MINUTE)) return;
    void send(ctx, life, '/api/games/bulk', { ids: [record.game_id], changes: { playtime_seconds: wanted } });
  };
  return h('section', null, h('h3', null, t('playtime.measured')),
    h('p', { class: 'hint' }, t('playtime.measured.hint')),
    h('div', { class: 'span-row' }, fields,
      h('button', { class: 'button', type: 'button', 'data-focus': 'measured-save', on: { click: save } },
        t('playtime.set'))));
}

/**
 * @param {App.Context} ctx
 * @param {{form: HTMLFormElement, redraw: () => Promise<void>}} life
 * @param {string} id
 * @param {readonly Api.ManualSession[]} entries
 * @param {number | null} edited
 * @param {(index: number | null) => void} choose
 */
function entryForm(ctx, life, id, entries, edited, choose) {
  const { t } = ctx;
  const entry = edited === null ? undefined : entries[edited];
  const fields = spanFields(ctx, 'entry', entry?.seconds ?? 0);
  const today = new Date();
  const local = `${today.getFullYear()}-${String(today.getMonth() + 1).padStart(2, '0')}-${
    String(today.getDate()).padStart(2, '0')
  }`;
  const date = h('input', { class: 'input', type: 'date', id: 'entry-date', 'data-focus': 'entry-date',
    value: entry?.date || local });
  const note = h('input', { class: 'input', type: 'text', id: 'entry-note', 'data-focus': 'entry-note', maxlength: 200,
    value: entry?.note ?? '', autocomplete: 'off' });
  const save = () => {
    const body = { game_id: id, seconds: secondsOf('entry'), date: written('entry-date'), note: written('entry-note') };
    if (edited === null) void send(ctx, life, '/api/v2/library/playtime/log', body);
    else void send(ctx, life, '/api/v2/library/playtime/update', { ...body, index: edited });
  };
  return h('section', { class: 'by-hand' }, h('h3', null, t(entry ? 'playtime.editEntry' : 'playtime.byHand')),
    h('div', { class: 'span-row' }, fields,
      h('div', { class: 'field' }, h('label', { class: 'label', for: date.id }, t('playtime.date')), date)),
    h('div', { class: 'span-row' },
      h('div', { class: 'field wide' }, h('label', { class: 'label', for: note.id }, t('playtime.note')), note), entry
      ? h('button', { class: 'button', type: 'button', on: { click: () => choose(null) } }, t('action.cancel'))
      : null,
      h('button', { class: 'button primary', type: 'button', 'data-focus': 'entry-save', on: { click: save } },
        t(entry ? 'action.save' : 'playtime.add'))));
}

/**
 * @param {App.Context} ctx
 * @param {{form: HTMLFormElement, redraw: () => Promise<void>}} life
 * @param {string} id
 * @param {readonly Api.ManualSession[]} entries
 * @param {(index: number | null) => void} choose
 */
function entryList(ctx, life, id, entries, choose) {
  const { t, format } = ctx;
  if (entries.length === 0) return null;
  const button = (/** @type {string} */ symbol, /** @type {string} */ label, /** @type {number} */ index,
    /** @type {() => void} */ run) =>
    h('button', {
      class: 'icon-button',
      type: 'button',
      'data-focus': `entry-${symbol}-${index}`,
      'aria-label': label,
      title: label,
      on: { click: run },
    }, icon(symbol, 'icon-s'));
  const rows = entries.map((entry, index) => ({ entry, index })).reverse();
  return h('ul', { class: 'rows', 'aria-label': t('playtime.entries') },
    rows.map(({ entry, index }) =>
      h('li', null, h('span', { class: 'grow' }, [format.date(entry.date), entry.note].filter(Boolean).join(' · ')),
        h('span', { class: 'end' }, format.span(entry.seconds)), button('edit', t('playtime.editEntry'), index, () =>
          choose(index)), button('trash', t('playtime.delete'), index, () =>
          void send(ctx, life, '/api/v2/library/playtime/delete', { game_id: id, index })))
    ));
}
