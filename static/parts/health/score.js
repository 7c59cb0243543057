/**
 * The score of the library: a ring of its five dimensions, what would raise it most, and the findings of a dimension
 * in pages with their repair.
 */

import { openFix } from './fix.js';
import { pagedIssues } from './issues.js';
import { showFailure } from '../state-box.js';
import { coalesce } from '../../core/coalesce.js';
import { draw, h, icon, patch } from '../../core/dom.js';

/** The dimensions in the order of the ring, with their symbols. */
export const DIMENSIONS = Object.freeze(/** @type {const} */ ([
  ['file_integrity', 'file'],
  ['duplicates', 'copy'],
  ['artwork', 'picture'],
  ['metadata', 'tag'],
  ['launch_readiness', 'play'],
]));

/** The ring, in units of its drawing. */
const RING = Object.freeze({ size: 220, radius: 92, width: 20, gap: 7 });

/** The score that leaves nothing to do, and the one below which a dimension has failed. */
const FULL = 100;
const HALF = 50;

/** Suggestions that are shown. */
const RAISES = 3;

/** The panel, for as long as its screen is there. */
export class ScorePanel {
  #ctx;
  #signal;
  #root = h('div', { class: 'score' }, h('div', { class: 'wait' }));
  #issues;
  #dimension = '';
  /** @type {Reply.HealthReport | null} */
  #report = null;
  #load = coalesce(() => this.#read());
  #isScanning = false;

  /**
   * @param {App.Context} ctx
   * @param {AbortSignal} signal
   */
  constructor(ctx, signal) {
    this.#ctx = ctx;
    this.#signal = signal;
    this.#issues = pagedIssues(ctx, signal, (dimension) => void this.#fix(dimension));
    ctx.bus.on('job:ended', ({ type }) => {
      if (type !== 'library.health_scan') return;
      this.#isScanning = false;
      void this.#load();
    }, signal);
  }

  get element() {
    return this.#root;
  }

  /** @param {App.Route} route */
  show(route) {
    const wanted = route.query['dimension'] ?? '';
    this.#dimension = DIMENSIONS.some(([name]) => name === wanted) ? wanted : '';
    if (this.#report) this.#draw();
    else void this.#load();
  }

  /** Has every game looked at again. */
  async refresh() {
    if (this.#isScanning) return;
    this.#isScanning = true;
    this.#draw();
    try {
      await this.#ctx.client.post('/api/v2/library/health/scan');
    } catch (error) {
      this.#isScanning = false;
      if (!this.#signal.aborted)
        showFailure(this.#ctx, this.#root, error, () => void this.refresh(), this.#report?.scanned === true);
    }
  }

  async #read() {
    try {
      const report = await this.#ctx.client.get('/api/v2/library/health');
      if (this.#signal.aborted) return;
      this.#report = report;
      if (!report.scanned) {
        await this.refresh();
        return;
      }
      this.#draw();
      this.#ctx.announce(this.#ctx.t('score.of', { score: report.score ?? 0 }));
    } catch (error) {
      if (!this.#signal.aborted)
        showFailure(this.#ctx, this.#root, error, () => void this.#load(), this.#report?.scanned === true);
    }
  }

  #draw() {
    const { t, tn, format } = this.#ctx;
    const report = this.#report;
    if (!report || report.score === null || this.#isScanning) {
      patch(this.#root,
        h('div', { class: 'busy', role: 'status', 'data-key': 'busy' }, h('p', null, t('score.busy')),
          h('div', { class: 'wait' })));
      return;
    }
    const parts = DIMENSIONS.map(([name, symbol]) => {
      const { score = 100, weight = 0, issues = 0 } = report.dimensions[name] ?? {};
      return { name, symbol, score, weight, issues, gain: (weight * (100 - score)) / 100 };
    });
    const shown = this.#dimension || [...parts].sort((a, b) => b.gain - a.gain)[0]?.name || 'file_integrity';
    const raises = parts.filter(({ gain }) => gain >= 0.5).sort((a, b) => b.gain - a.gain).slice(0, RAISES);
    this.#issues.show(shown);
    patch(this.#root,
      h('div', { class: 'score-head', 'data-key': 'head' },
        h('div', { class: 'ring', role: 'img',
          'aria-label': `${t('score.title')}: ${t('score.of', { score: report.score })}` }, ring(parts, shown),
          h('div', { class: 'ring-words', 'aria-hidden': 'true' }, h('b', null, format.number(report.score)),
            h('small', null, tn('score.games', report.game_count)))),
        h('ul', { class: 'dimensions', 'aria-label': t('score.title') },
          parts.map(({ name, symbol, score, weight, issues }) =>
            h('li', null,
              h('button', { type: 'button', class: `dimension ${toneOf(score)}`, 'data-focus': `dimension-${name}`,
                'aria-pressed': String(name === shown), on: { click: () =>
                  this.#ctx.router.replace('/health/score', { dimension: name }) } }, icon(symbol),
                h('b', null, t(`score.${name}`)), h('span', { class: 'end' }, tn('score.findings', issues)),
                h('span', { class: 'meter' }, h('i', { style: { 'inline-size': `${score}%` } })),
                h('small', null, `${t('score.of', { score })} · ${t('score.weight', { weight })}`)))
          )),
        h('section', { class: 'raises', 'aria-labelledby': 'raises' }, h('h2', { id: 'raises' }, t('score.raise')),
          raises.length === 0
            ? h('p', null, icon('check', 'icon-s'), t('score.perfect'))
            : h('ol', null,
              raises.map(({ name, gain }) =>
                h('li', null, h('b', null, t(`score.${name}`)),
                  h('small', null, t('score.gain', { points: format.number(Math.round(gain)) })),
                  h('button', { class: 'button', type: 'button', 'data-focus': `raise-${name}`,
                    'aria-label': `${t('score.fix')} ${t(`score.${name}`)}`, on: { click: () =>
                      void this.#fix(name) } }, t('score.fix')))
              )), h('p', { class: 'when' }, t('score.at', { time: format.ago(report.computed_at, new Date()) })))),
      this.#issues.element);
  }

  /** @param {string} dimension */
  async #fix(dimension) {
    if (await openFix(this.#ctx, dimension, () => this.#again())) await this.#again();
  }

  async #again() {
    this.#report = null;
    this.#issues.forget();
    await this.#load();
  }
}

/**
 * What a score says: done, look here, or failed.
 *
 * @param {number} score 0 to 100
 * @returns {'good' | 'fair' | 'bad'}
 */
export function toneOf(score) {
  return score >= FULL ? 'good' : score >= HALF ? 'fair' : 'bad';
}

/**
 * Five arcs, each as long as its dimension counts, filled as far as it scores.
 *
 * @param {readonly {name: string, score: number, weight: number}[]} parts
 * @param {string} shown
 * @returns {SVGElement}
 */
function ring(parts, shown) {
  const { size, radius, width, gap } = RING;
  const around = 2 * Math.PI * radius;
  let from = 0;
  const arc = (/** @type {string} */ style, /** @type {number} */ start, /** @type {number} */ length) =>
    draw('circle', { class: style, cx: size / 2, cy: size / 2, r: radius, fill: 'none', 'stroke-width': width,
      'stroke-dasharray': `${Math.max(0, length)} ${around}`, 'stroke-dashoffset': -start,
      transform: `rotate(-90 ${size / 2} ${size / 2})` });
  return draw('svg', { viewBox: `0 0 ${size} ${size}`, 'aria-hidden': 'true' },
    ...parts.flatMap(({ name, score, weight }) => {
      const whole = (around * weight) / 100;
      const start = from + gap / 2;
      from += whole;
      const length = whole - gap;
      return [arc(`track ${name === shown ? 'chosen' : ''}`, start, length),
        arc(`part ${toneOf(score)}`, start, (length * score) / 100)];
    }));
}
