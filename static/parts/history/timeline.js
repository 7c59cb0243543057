/**
 * The timeline: sessions of all games grouped by day, with totals of the chosen time.
 */

import { art } from '../art.js';
import { emptyBox, showFailure } from '../state-box.js';
import { coalesce } from '../../core/coalesce.js';
import { h, patch } from '../../core/dom.js';
import { NO_ROW } from '../../data/game.js';

/** Days to choose from. */
const RANGES = Object.freeze([30, 90, 365]);

const FIRST_RANGE = 90;

/**
 * @param {App.Context} ctx
 * @param {AbortSignal} signal
 * @returns {App.HistoryPanel}
 */
export function timelinePanel(ctx, signal) {
  const timeline = new Timeline(ctx, signal);
  return { element: timeline.element, show: (route) => timeline.show(route) };
}

class Timeline {
  #ctx;
  #signal;
  #head = h('div', { class: 'panel-head' });
  #body = h('div', null, h('div', { class: 'wait' }));
  #days = 0;
  #hasContent = false;
  element = h('div', null, this.#head, this.#body);

  #load = coalesce(() => this.#read());

  /**
   * @param {App.Context} ctx
   * @param {AbortSignal} signal
   */
  constructor(ctx, signal) {
    this.#ctx = ctx;
    this.#signal = signal;
    ctx.bus.on('session:event', ({ kind }) => {
      if (kind === 'stopped') void this.#load();
    }, signal);
    ctx.bus.on('catalog:ready', () => void this.#load(), signal);
  }

  /** @param {App.Route} route */
  show(route) {
    const days = RANGES.find((range) => String(range) === route.query['days']) ?? FIRST_RANGE;
    if (days === this.#days) return;
    this.#days = days;
    patch(this.#head, this.#ranges());
    void this.#load();
  }

  #ranges() {
    const { tn, router } = this.#ctx;
    return h('div', { class: 'segment', role: 'group', 'aria-label': this.#ctx.t('history.range') },
      RANGES.map((days) =>
        h('button', {
          type: 'button',
          'data-focus': `days-${days}`,
          'aria-pressed': String(days === this.#days),
          on: { click: () => router.replace('/history', { days: days === FIRST_RANGE ? '' : String(days) }) },
        }, tn('history.days', days))
      ));
  }

  async #read() {
    const { client } = this.#ctx;
    try {
      const timeline = await client.get('/api/v2/history/timeline', { days: this.#days });
      if (!this.#signal.aborted) this.#draw(timeline);
    } catch (error) {
      if (!this.#signal.aborted) showFailure(this.#ctx, this.#body, error, () => void this.#load(), this.#hasContent);
    }
  }

  /**
   * @param {Api.Timeline} timeline
   */
  #draw(timeline) {
    const { t } = this.#ctx;
    this.#hasContent = true;
    if (!timeline.enabled) {
      patch(this.#body,
        emptyBox(this.#ctx, 'hidden', 'history.off',
          h('a', { class: 'button primary', href: '#/settings/sessions' }, t('history.off.action'))));
      return;
    }
    if (timeline.groups.length === 0) {
      patch(this.#body,
        emptyBox(this.#ctx, 'history', 'history.none',
          h('a', { class: 'button primary', href: '#/' }, t('history.none.action'))));
      return;
    }
    const entries = timeline.groups.flatMap((group) => group.entries);
    const longest = Math.max(...entries.map((entry) => entry.seconds), 1);
    patch(this.#body, this.#figures(entries), timeline.groups.map((group) => this.#day(group, longest)));
  }

  /** @param {readonly Api.TimelineEntry[]} entries */
  #figures(entries) {
    const { t, format } = this.#ctx;
    /** @type {Map<string, {name: string, seconds: number}>} */
    const games = new Map();
    let total = 0;
    for (const entry of entries) {
      total += entry.seconds;
      const game = games.get(entry.game_id || entry.name) ?? { name: entry.name, seconds: 0 };
      game.seconds += entry.seconds;
      games.set(entry.game_id || entry.name, game);
    }
    const most = [...games.values()].sort((a, b) => b.seconds - a.seconds)[0];
    const figure = (/** @type {string} */ key, /** @type {string} */ value, kind = '') =>
      h('div', null, h('dt', null, t(key)), h('dd', { title: value, class: kind || null }, value));
    return h('dl', { class: 'figures' }, figure('history.total', format.span(total)),
      figure('history.sessions', format.number(entries.length)), figure('history.games', format.number(games.size)),
      figure('history.most', most?.name ?? '', 'words'));
  }

  /**
   * @param {Api.TimelineGroup} group
   * @param {number} longest seconds of the longest session on the page
   */
  #day(group, longest) {
    const { format } = this.#ctx;
    const total = group.entries.reduce((sum, entry) => sum + entry.seconds, 0);
    return h('section', { class: 'day', 'data-key': group.date },
      h('h2', null, format.day(group.date, new Date()), h('small', null, format.span(total))),
      h('ul', { class: 'entries' }, group.entries.map((entry) => h('li', null, this.#entry(entry, longest)))));
  }

  /**
   * @param {Api.TimelineEntry} entry
   * @param {number} longest
   */
  #entry(entry, longest) {
    const { t, format, catalog } = this.#ctx;
    const row = catalog.find(entry.game_id) ?? { ...NO_ROW, id: entry.game_id, name: entry.name };
    const code = entry.exit_code;
    const content = [art(this.#ctx, row),
      h('div', { class: 'who' }, h('b', null, entry.name),
        h('small', null, [format.time(entry.started), row.platform].filter(Boolean).join(' · '))),
      h('div', { class: 'length' }, code > 0 ? h('span', { class: 'code' }, t('history.exit', { code })) : null,
        h('i', { 'aria-hidden': 'true', style: { '--part': `${Math.max(3, (100 * entry.seconds) / longest)}%` } }),
        h('span', null, format.span(entry.seconds)))];
    return catalog.find(entry.game_id)
      ? h('a', { class: 'entry', 'data-focus': `session-${entry.game_id}-${entry.started}`,
        href: `#/game/${encodeURIComponent(entry.game_id)}` }, content)
      : h('div', { class: 'entry' }, content);
  }
}
