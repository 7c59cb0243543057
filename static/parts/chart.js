/**
 * Charts as drawings of our own: bars, lines and a calendar. A chart is one stop for Tab; the arrow keys and a
 * controller go from mark to mark, and each mark says what it stands for. The same figures stand in a table below.
 *
 * Places across are in percent, so that a chart follows its width without being drawn anew. The labels of the scale
 * stand before that, in room that follows the longest of them.
 */

import { draw, h, setAttribute } from '../core/dom.js';

/** Height of bars and lines above their labels, and of all, in pixels. */
const PLOT = Object.freeze({ height: 150, whole: 176 });

/** Pixels between a label of the scale and its line. */
const APART = 8;

/** A square of the calendar with its gap, and the room above for the months and before for the weekdays. */
const SQUARE = Object.freeze({ step: 16, size: 13, above: 20, before: 34 });

/**
 * Bars beside each other; each is made of one part or more, on top of each other.
 *
 * @param {App.Context} ctx
 * @param {App.ChartFigures} figures
 * @returns {HTMLElement}
 */
export function barChart(ctx, figures) {
  const { marks, scale } = figures;
  const top = scale.at(-1)?.value ?? 1;
  const step = 100 / Math.max(1, marks.length);
  const parts = marks.flatMap((mark, at) => {
    let sum = 0;
    return mark.values.map((value, series) => {
      sum += value;
      const height = (PLOT.height * value) / top;
      return draw('rect', { class: `series-${series}`, x: percent((at + 0.14) * step), width: percent(step * 0.72),
        y: (PLOT.height * (1 - sum / top)).toFixed(2), height: height.toFixed(2) });
    });
  });
  return chart(ctx, figures, across(figures, parts, step, 0.5), 'bars');
}

/**
 * A line for each series.
 *
 * @param {App.Context} ctx
 * @param {App.ChartFigures} figures
 * @returns {HTMLElement}
 */
export function lineChart(ctx, figures) {
  const { marks, scale, series = [''] } = figures;
  const top = scale.at(-1)?.value ?? 1;
  const step = 100 / Math.max(1, marks.length);
  const x = (/** @type {number} */ at) => percent((at + 0.5) * step);
  const y = (/** @type {number} */ at, /** @type {number} */ of) =>
    (PLOT.height * (1 - (marks[at]?.values[of] ?? 0) / top)).toFixed(2);
  const parts = series.flatMap((_, of) => [
    ...marks.slice(1).map((_, at) =>
      draw('line', { class: `series-${of}`, x1: x(at), y1: y(at, of), x2: x(at + 1), y2: y(at + 1, of) })
    ),
    ...marks.map((_, at) => draw('circle', { class: `series-${of}`, cx: x(at), cy: y(at, of), r: 3 })),
  ]);
  return chart(ctx, figures, across(figures, parts, step, 0.5), 'lines');
}

/**
 * A square for each day, weeks beside each other; `values[0]` of a mark is its level from 0 to 4.
 *
 * @param {App.Context} ctx
 * @param {App.ChartFigures} figures
 * @param {readonly {week: number, weekday: number, month: string}[]} places of the marks; `month` names a first day
 * @param {readonly string[]} weekdays Monday first
 * @returns {HTMLElement}
 */
export function calendarChart(ctx, figures, places, weekdays) {
  const { step, size, above, before } = SQUARE;
  const width = before + step * ((places.at(-1)?.week ?? 0) + 1);
  const squares = places.map(({ week, weekday }, at) =>
    draw('rect', { class: `level-${figures.marks[at]?.values[0] ?? 0}`, 'data-at': at, x: before + week * step,
      y: above + weekday * step, width: size, height: size, rx: 3 })
  );
  const months = places.filter(({ month }) => month !== '').map(({ week, month }) =>
    draw('text', { x: before + week * step, y: 12 }, month)
  );
  const days = [0, 2, 4].map((at) => draw('text', { x: 0, y: above + at * step + size - 2 }, weekdays[at] ?? ''));
  const drawing = draw('svg', { class: 'calendar', viewBox: `0 0 ${width} ${above + 7 * step}`, 'aria-hidden': 'true' },
    ...months, ...days, ...squares);
  return chart(ctx, figures, drawing, 'calendar');
}

/** @param {number} value */
function percent(value) {
  return `${value.toFixed(3)}%`;
}

/**
 * The drawing of bars or lines: the scale behind, the parts, labels below, and over all of it what the pointer meets.
 *
 * @param {App.ChartFigures} figures
 * @param {readonly SVGElement[]} parts
 * @param {number} step percent for each mark
 * @param {number} middle of a mark, as a part of its step
 */
function across({ marks, scale, every = 1 }, parts, step, middle) {
  const top = scale.at(-1)?.value ?? 1;
  const lines = scale.flatMap(({ value, text }) => {
    const y = (PLOT.height * (1 - value / top)).toFixed(2);
    return [draw('line', { class: 'grid-line', x1: -APART / 2, x2: '100%', y1: y, y2: y }),
      draw('text', { class: 'tick', x: -APART, y: Number(y) + 4 }, text)];
  });
  const labels = marks.map(({ short }, at) =>
    at % every === 0
      ? [draw('text', { class: 'label', x: percent((at + middle) * step), y: PLOT.whole - 8 }, short)]
      : []
  ).flat();
  const hits = marks.map((_, at) =>
    draw('rect', { class: 'hit', 'data-at': at, x: percent(at * step), width: percent(step), y: 0,
      height: PLOT.height })
  );
  const drawing = draw('svg', { class: 'across', height: PLOT.whole + 8, 'aria-hidden': 'true' },
    draw('g', { transform: 'translate(0 8)' }, ...lines, ...parts, ...labels, ...hits));
  drawing.style.setProperty('--gutter', `${Math.max(0, ...scale.map(({ text }) => text.length))}ch`);
  return drawing;
}

/**
 * What all charts have: the title, the stop for keys, the words of the chosen mark, the legend and the table.
 *
 * @param {App.Context} ctx
 * @param {App.ChartFigures} figures
 * @param {SVGElement} drawing
 * @param {string} form
 */
function chart({ t }, figures, drawing, form) {
  const { key, title, marks, series = [], jump = 1, start = 0 } = figures;
  const words = (/** @type {number} */ at) => `${marks[at]?.label ?? ''}: ${marks[at]?.text ?? ''}`;
  const first = Math.max(0, Math.min(start, marks.length - 1));
  const turn = (/** @type {Event} */ event) => {
    const { key: pressed } = /** @type {KeyboardEvent} */ (event);
    const plot = /** @type {HTMLElement} */ (event.currentTarget);
    const at = Number(plot.getAttribute('aria-valuenow'));
    const steps = { ArrowRight: at + jump, ArrowLeft: at - jump, ArrowDown: at + 1, ArrowUp: at - 1, Home: 0,
      End: marks.length - 1 };
    const to = steps[/** @type {keyof typeof steps} */ (pressed)];
    if (to === undefined || (jump === 1 && /Up|Down/.test(pressed))) return;
    event.preventDefault();
    event.stopPropagation();
    point(plot, Math.max(0, Math.min(marks.length - 1, to)), words);
  };
  const aim = (/** @type {Event} */ event) => {
    const hit = event.target instanceof Element ? event.target.closest('[data-at]') : null;
    if (hit) point(/** @type {HTMLElement} */ (event.currentTarget), Number(hit.getAttribute('data-at')), words);
  };
  const plot = h('div', {
    class: `chart-plot ${form}`,
    role: 'slider',
    tabindex: 0,
    'data-focus': `chart-${key}`,
    'aria-label': title,
    'aria-valuemin': 0,
    'aria-valuemax': Math.max(0, marks.length - 1),
    'aria-valuenow': first,
    'aria-valuetext': words(first),
    on: { keydown: turn, pointermove: aim, pointerdown: aim, focus: ({ currentTarget }) => {
      const own = /** @type {HTMLElement} */ (currentTarget);
      point(own, Number(own.getAttribute('aria-valuenow')), words);
    } },
  }, drawing);
  const columns = series.length > 1 ? series : [];
  return h('figure', { class: 'chart', 'data-key': `chart-${key}` },
    h('div', { class: 'chart-head' }, h('h2', null, title), h('p', { class: 'chart-tip', 'aria-hidden': 'true' })),
    plot, columns.length > 0
    ? h('ul', { class: 'legend', 'aria-hidden': 'true' },
      columns.map((name, at) => h('li', null, h('i', { class: `series-${at}` }), name)))
    : null,
    h('details', { class: 'chart-table' },
      h('summary', { 'data-focus': `table-${key}`, 'aria-label': `${t('chart.table')}: ${title}` }, t('chart.table')),
      h('div', { class: 'change-table' }, table(t, figures))));
}

/**
 * The figures in rows; days of a calendar without any are left out.
 *
 * @param {App.Context['t']} t
 * @param {App.ChartFigures} figures
 */
function table(t, { title, marks, series = [], jump = 1 }) {
  const columns = series.length > 1 ? series : [t('chart.value')];
  return h('table', { 'aria-label': title },
    h('thead', null,
      h('tr', null, h('th', { scope: 'col' }, t('chart.when')),
        columns.map((name) => h('th', { scope: 'col' }, name)))),
    h('tbody', null,
      marks.filter(({ values }) => jump === 1 || (values[0] ?? 0) > 0).map((mark) =>
        h('tr', null, h('th', { scope: 'row' }, mark.label), (mark.cells ?? [mark.text]).map((cell) =>
          h('td', null, cell)
        ))
      )));
}

/**
 * Chooses a mark: it stands out, and its words stand beside the title.
 *
 * @param {HTMLElement} plot
 * @param {number} at
 * @param {(at: number) => string} words
 */
function point(plot, at, words) {
  setAttribute(plot, 'aria-valuenow', at);
  setAttribute(plot, 'aria-valuetext', words(at));
  for (const old of plot.querySelectorAll('.pointed')) old.classList.remove('pointed');
  const mark = plot.querySelector(`[data-at="${at}"]`);
  mark?.classList.add('pointed');
  mark?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  const tip = plot.parentElement?.querySelector('.chart-tip');
  if (tip) setAttribute(tip, 'data-words', words(at));
}
