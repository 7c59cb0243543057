/**
 * The statistics of a library: how much was played in the last year and when, on what and of which kind, the games
 * played most, and how far games were brought.
 */

import { emptyLibrary } from '../first-steps.js';
import { art } from '../art.js';
import { barChart, calendarChart, lineChart } from '../chart.js';
import { showFailure, waitBox } from '../state-box.js';
import { byHour, byMonth, byWeekday, overTime, timeScale, weeks } from '../../data/statistics.js';
import { coalesce } from '../../core/coalesce.js';
import { h, patch } from '../../core/dom.js';
import { NO_ROW } from '../../data/game.js';

/** Days that are shown. */
const DAYS = 366;

/** Months of charts over time. */
const MONTHS = 12;

/** Platforms whose mastery is shown: those with most games. */
const PLATFORMS = 10;

/** How far a game was brought, the farthest first. */
const STAGES = Object.freeze(/** @type {const} */ (['mastered', 'completed', 'beaten', 'played']));

/** The words of the stages. */
const STAGE_WORDS = Object.freeze({ mastered: 'progress.Mastered', completed: 'progress.Completed',
  beaten: 'progress.Beaten', played: 'insights.played' });

/**
 * @param {App.Context} ctx
 * @param {AbortSignal} signal
 * @returns {App.HistoryPanel}
 */
export function overviewPanel(ctx, signal) {
  const root = h('div', { class: 'insights' }, waitBox(ctx));
  const load = coalesce(async () => {
    const { client, catalog } = ctx;
    // Platforms and genres come from the rows of the library; the catalog tells when it has all of them.
    if (!catalog.complete) return;
    try {
      const [summary, mastery, timeline] = await Promise.all([
        client.get('/api/v2/insights/summary', { days: DAYS }),
        client.get('/api/v2/insights/mastery'),
        client.get('/api/v2/history/timeline', { days: DAYS }),
      ]);
      if (!signal.aborted) show(ctx, root, summary, mastery, timeline);
    } catch (error) {
      if (!signal.aborted)
        showFailure(ctx, root, error, () => void load(), root.querySelector('.figures, .empty:not(.failure)') !== null);
    }
  });
  ctx.bus.on('session:event', ({ kind }) => {
    if (kind === 'stopped') void load();
  }, signal);
  ctx.bus.on('catalog:ready', () => void load(), signal);
  void load();
  return { element: root, show: () => undefined };
}

/**
 * @param {App.Context} ctx
 * @param {HTMLElement} root
 * @param {Reply.InsightSummary} summary
 * @param {Reply.Mastery} mastery
 * @param {Reply.Timeline} timeline
 */
function show(ctx, root, summary, mastery, timeline) {
  if (summary.totals.games === 0) {
    patch(root, emptyLibrary(ctx));
    return;
  }
  const charts = charted(ctx, summary, timeline);
  patch(root, figures(ctx, summary), charts.year,
    h('div', { class: 'chart-pair', 'data-key': 'pair' }, charts.months, charts.weekdays), charts.hours,
    charts.platforms, charts.genres, topGames(ctx, summary),
    h('div', { class: 'chart-pair', 'data-key': 'mastery' },
      stages(ctx, 'insights.byPlatform', platformsOf(ctx, mastery)),
      stages(ctx, 'insights.byDecade', decadesOf(ctx, mastery))));
}

/**
 * @param {App.Context} ctx
 * @param {Reply.InsightSummary} summary
 */
function figures({ t, tn, format }, { totals, streak, momentum }) {
  const { last_30_days_seconds: recent, delta_seconds: delta } = momentum;
  const figure = (/** @type {string} */ key, /** @type {string} */ value, /** @type {string} */ note = '') =>
    h('div', null, h('dt', null, t(key)), h('dd', null, value, note ? h('small', null, note) : null));
  return h('dl', { class: 'figures' }, figure('history.total', format.span(totals.total_playtime_seconds)),
    figure('history.sessions', format.number(totals.total_sessions)),
    figure('history.games', format.number(totals.played),
      t('insights.ofGames', { count: format.number(totals.games) })),
    figure('insights.streak', tn('history.days', streak.current),
      t('insights.longest', { days: tn('history.days', streak.longest) })),
    figure('insights.recent', format.span(recent), delta === 0
      ? ''
      : t(delta > 0 ? 'insights.more' : 'insights.less', { time: format.span(Math.abs(delta)) })));
}

/**
 * @param {App.Context} ctx
 * @param {Reply.InsightSummary} summary
 * @param {Reply.Timeline} timeline
 */
function charted(ctx, { heatmap }, { groups }) {
  const { t, tn, format, catalog } = ctx;
  const text = (/** @type {number} */ seconds) => (seconds > 0 ? format.span(seconds) : t('chart.nothing'));
  const scaled = (/** @type {readonly number[]} */ sums) =>
    timeScale(Math.max(0, ...sums)).map((value) => ({ value, text: format.span(value) }));
  const one = (/** @type {readonly number[]} */ sums, /** @type {(at: number) => string} */ label,
    /** @type {(at: number) => string} */ short) => ({ scale: scaled(sums), marks: sums.map((seconds, at) => ({
      label: label(at),
      short: short(at),
      text: text(seconds),
      values: [seconds],
    })) });
  const entries = groups.flatMap(({ date, entries }) => entries.map((entry) => ({ date, entry })));
  const months = byMonth(heatmap).slice(-MONTHS);
  const monthName = (/** @type {number} */ at) => format.month(months[at]?.month ?? '', 'long');
  const monthLetter = (/** @type {number} */ at) => format.month(months[at]?.month ?? '', 'narrow');
  const series = (/** @type {(row: App.Row) => string[]} */ kindsOf, /** @type {boolean} */ isStacked) => {
    const found = overTime(
      entries.map(({ date, entry }) => ({ date, seconds: entry.seconds,
        kinds: kindsOf(catalog.find(entry.game_id) ?? NO_ROW) })
      ),
      months.map(({ month }) => month),
    );
    const values = months.map((_, at) => found.map(({ seconds }) => seconds[at] ?? 0));
    const names = found.map(({ name }) => name || t('insights.others'));
    const sum = (/** @type {readonly number[]} */ each) => each.reduce((all, value) => all + value, 0);
    return { series: names, scale: scaled(isStacked ? values.map(sum) : values.flat()),
      marks: values.map((each, at) => ({ label: monthName(at), short: monthLetter(at), values: each,
        cells: each.map((seconds) => (seconds > 0 ? format.span(seconds) : '')),
        text: names.map((name, of) => (each[of] ? `${name} ${format.span(each[of] ?? 0)}` : '')).filter(Boolean)
          .join(' · ') || t('chart.nothing') })
      ) };
  };
  return {
    year: calendarChart(ctx, { key: 'year', title: t('insights.year'), scale: [], jump: 7, start: heatmap.length - 1,
      marks: heatmap.map(({ date, seconds, count, level }) => ({ label: format.date(date), short: '', values: [level],
        text: count > 0 ? `${format.span(seconds)}, ${tn('insights.sessions', count)}` : t('chart.nothing') })
      ) },
      weeks(heatmap).map(({ week, weekday, isFirst }, at) => ({ week, weekday,
        month: isFirst ? format.month(heatmap[at]?.date.slice(0, 7) ?? '', 'short') : '' })
      ), weekdays(format)),
    months: barChart(ctx, { key: 'months', title: t('insights.months'),
      ...one(months.map(({ seconds }) => seconds), monthName, monthLetter) }),
    weekdays: barChart(ctx, { key: 'weekdays', title: t('insights.weekdays'),
      ...one(byWeekday(heatmap), (at) => format.weekday(at, 'long'), (at) => format.weekday(at, 'short')) }),
    hours: barChart(ctx, { key: 'hours', title: t('insights.hours'), every: 3,
      ...one(byHour(entries.map(({ entry }) => entry)), (at) => format.hour(at), (at) => format.hour(at)) }),
    platforms: barChart(ctx, { key: 'platforms', title: t('insights.platforms'),
      ...series((row) => [row.platform], true) }),
    genres: lineChart(ctx, { key: 'genres', title: t('insights.genres'),
      ...series((row) => row.genre.split(',').map((genre) => genre.trim()), false) }),
  };
}

/** @param {App.Context['format']} format */
function weekdays(format) {
  return Array.from({ length: 7 }, (_, at) => format.weekday(at, 'short'));
}

/**
 * @param {App.Context} ctx
 * @param {Reply.InsightSummary} summary
 */
function topGames(ctx, { top_games: games }) {
  const { t, tn, format, catalog } = ctx;
  if (games.length === 0) return null;
  return h('section', { 'data-key': 'top' }, h('h2', null, t('insights.top')),
    h('ol', { class: 'cards' }, games.map((game) => {
      const row = catalog.find(game.game_id) ??
        { ...NO_ROW, id: game.game_id, name: game.name, platform: game.platform };
      return h('li', null,
        h('a', { class: 'card', 'data-focus': `top-${game.game_id}`,
          href: `#/game/${encodeURIComponent(game.game_id)}` }, art(ctx, row, { width: 160 }), h('b', null, game.name),
          h('small', null, [format.span(game.playtime_seconds), game.play_count > 0
            ? tn('insights.sessions', game.play_count)
            : ''].filter(Boolean).join(' · '))));
    })));
}

/**
 * @param {App.Context} ctx
 * @param {Reply.Mastery} mastery
 */
function platformsOf({ t }, { platforms }) {
  return Object.entries(platforms).sort(([a, left], [b, right]) => right.total - left.total || (a < b ? -1 : 1))
    .slice(0, PLATFORMS).map(([name, bucket]) => ({ name: name === 'Unspecified' ? t('platform.none') : name,
      bucket })
    );
}

/**
 * @param {App.Context} ctx
 * @param {Reply.Mastery} mastery
 */
function decadesOf({ t }, { decades }) {
  const early = (/** @type {string} */ name) => name.startsWith('pre');
  return Object.entries(decades).sort(([a], [b]) => Number(early(b)) - Number(early(a)) || (a < b ? -1 : 1))
    .map(([name, bucket]) => ({
      name: early(name) ? t('insights.early') : t('insights.decade', { year: name.slice(0, 4) }),
      bucket,
    }));
}

/**
 * How far games were brought, a bar for each group.
 *
 * @param {App.Context} ctx
 * @param {string} title
 * @param {readonly {name: string, bucket: Reply.MasteryBucket}[]} rows
 */
function stages({ t, tn, format }, title, rows) {
  const part = (/** @type {number} */ count, /** @type {number} */ total) => `${(100 * count) / Math.max(1, total)}%`;
  return h('section', { class: 'stages', 'data-key': title }, h('h2', null, t(title)),
    h('ul', { class: 'legend', 'aria-hidden': 'true' },
      STAGES.map((stage, at) => h('li', null, h('i', { class: `series-${at}` }), t(STAGE_WORDS[stage])))),
    h('ul', { class: 'stage-rows' },
      rows.map(({ name, bucket }) =>
        h('li', null, h('span', { class: 'name' }, name),
          h('span', { class: 'stage-bar', 'aria-hidden': 'true' }, STAGES.map((stage, at) =>
            h('i', { class: `series-${at}`, style: { 'inline-size': part(bucket[stage], bucket.total) } })
          )), h('small', null, [...STAGES.filter((stage) =>
            bucket[stage] > 0
          ).map((stage) =>
            `${t(STAGE_WORDS[stage])} ${format.number(bucket[stage])}`
          ), tn('library.count', bucket.total)].join(' · ')))
      )));
}
