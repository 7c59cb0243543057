/**
 * The sessions of one game: totals, the story they tell, and each session with its day, length and how it ended;
 * entries written by hand among them.
 */

import { storySection } from './story.js';
import { showFailure, smallEmptyBox } from '../state-box.js';
import { coalesce } from '../../core/coalesce.js';
import { h, icon, patch } from '../../core/dom.js';
import { parseTime } from '../../core/format.js';

/** Sessions shown before the button for all of them. */
const FIRST = 30;

/** Seconds of playtime without a session that are worth a line. */
const LEAST_REST = 60;

/**
 * @param {App.Context} ctx
 * @returns {App.GamePanel}
 */
export function sessionsPanel(ctx) {
  const root = h('div', null, h('div', { class: 'wait' }));
  let isWhole = false;
  /** @type {Api.Game} */
  let record;
  const load = coalesce(async () => {
    try {
      const { game_id: id } = record;
      const [history, story] = await Promise.all([ctx.client.get('/api/history', { limit: 500, game_id: id }),
        ctx.client.get('/api/v2/story', { game_id: id })]);
      draw(ctx, root, record, history, story, isWhole, () => {
        isWhole = true;
        void load();
      });
    } catch (failure) {
      showFailure(ctx, root, failure, () => void load(), root.querySelector('.figures, .empty:not(.failure)') !== null);
    }
  });
  return { element: root, update: (newest) => {
    record = newest;
    void load();
  } };
}

/**
 * @param {App.Context} ctx
 * @param {HTMLElement} root
 * @param {Api.Game} record
 * @param {Api.History} history
 * @param {Reply.GameStory} story
 * @param {boolean} isWhole
 * @param {() => void} showAll
 */
function draw(ctx, root, record, history, story, isWhole, showAll) {
  const { t, tn, format } = ctx;
  const manual =
    /** @type {Api.ManualSession[]} */ (Array.isArray(record['manual_sessions']) ? record['manual_sessions'] : []);
  const entries = [
    ...history.history.map((row) => ({ at: row.started, seconds: row.seconds, code: row.exit_code ?? 0, note: '',
      byHand: false })
    ),
    ...manual.map((entry) => ({ at: entry.date, seconds: entry.seconds, code: 0, note: entry.note ?? '',
      byHand: true })
    ),
  ].sort((a, b) => (parseTime(b.at)?.getTime() ?? 0) - (parseTime(a.at)?.getTime() ?? 0));
  const edit = h('button', { class: 'button owner-only', type: 'button', 'data-focus': 'sessions-edit',
    on: { click: () => void ctx.actions.playtime(record.game_id) } }, icon('clock', 'icon-s'), t('playtime.edit'));
  const manualSeconds = manual.reduce((sum, entry) => sum + entry.seconds, 0);
  const total = history.total_seconds + manualSeconds;
  // Time from before the history was kept, from a shop, or from sessions that were cleared away.
  const rest = (record.total_playtime_seconds ?? record.playtime_seconds ?? 0) - total;
  const restRow = rest >= LEAST_REST
    ? h('li', { class: 'rest' }, h('span', { class: 'grow' }, t('sessions.rest')),
      h('span', { class: 'end' }, format.span(rest)))
    : null;
  if (entries.length === 0 && restRow) {
    patch(root, h('div', { class: 'section-head' }, h('h2', null, t('game.sessions')), edit),
      h('ul', { class: 'rows sessions' }, restRow));
    return;
  }
  if (entries.length === 0) {
    const key = history.enabled ? 'sessions.none' : 'sessions.off';
    patch(root, smallEmptyBox(ctx, 'history', key, edit, history.enabled
      ? null
      : h('a', { class: 'button owner-only', 'data-focus': 'sessions-settings', href: '#/settings/sessions' },
        t('history.off.action'))));
    return;
  }
  // The list shows the newest sessions, the figures count all of them.
  const count = history.total + manual.length;
  const longest = Math.max(...entries.map((entry) => entry.seconds), 1);
  const now = new Date();
  const figure = (/** @type {string} */ label, /** @type {string} */ value) =>
    h('div', null, h('dt', null, label), h('dd', null, value));
  const secondsOf = (/** @type {string} */ at) => entries.find((entry) => entry.at === at)?.seconds;
  const shown = isWhole ? entries : entries.slice(0, FIRST);
  patch(root,
    h('dl', { class: 'figures' }, figure(t('history.sessions'), format.number(count)),
      figure(t('history.total'), format.span(total)), figure(t('sessions.longest'), format.span(longest)),
      figure(t('sessions.average'), format.span(total / count))), storySection(ctx, story, secondsOf),
    h('div', { class: 'section-head' }, h('h2', null, t('game.sessions')), edit),
    h('ul', { class: 'rows sessions' },
      shown.map((entry) =>
        h('li', null,
          h('span', { class: 'grow' },
            `${format.day(entry.at.slice(0, 10), now)}${entry.byHand ? '' : `, ${format.time(entry.at)}`}`,
            entry.byHand ? h('small', null, [t('sessions.byHand'), entry.note].filter(Boolean).join(' · ')) : null),
          entry.code > 0 ? h('span', { class: 'code' }, t('history.exit', { code: entry.code })) : null,
          h('i', { 'aria-hidden': 'true', style: { '--part': `${Math.max(3, (100 * entry.seconds) / longest)}%` } }),
          h('span', { class: 'end' }, format.span(entry.seconds)))
      ), shown.length === entries.length ? restRow : null), shown.length < entries.length
    ? h('button', { class: 'button', type: 'button', 'data-focus': 'sessions-all', on: { click: showAll } },
      tn('sessions.all', entries.length))
    : null);
}
