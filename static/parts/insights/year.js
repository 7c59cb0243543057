/**
 * The recap of a year: full-screen cards that are leafed through with keys, a controller or a finger, and one picture
 * of all of them to keep.
 */

import { saveYear } from './year-picture.js';
import { art } from '../art.js';
import { runBusy } from '../act.js';
import { showFailure, smallEmptyBox, waitBox } from '../state-box.js';
import { activeTile, rememberFocus } from '../../core/focus.js';
import { coalesce } from '../../core/coalesce.js';
import { h, icon, patch, setAttribute, valueOf } from '../../core/dom.js';
import { NO_ROW } from '../../data/game.js';

/** Years offered, the running one included. */
const YEARS = 12;

/** How far a finger goes to turn a card, in pixels. */
const SWIPE = 60;

/**
 * @param {App.Context} ctx
 * @param {AbortSignal} signal
 * @returns {App.HistoryPanel}
 */
export function yearPanel(ctx, signal) {
  const { t, client } = ctx;
  const root = h('div', { class: 'insights' }, waitBox(ctx));
  const now = new Date().getFullYear();
  let year = now;
  const load = coalesce(async () => {
    const wanted = year;
    try {
      const wrapped = await client.get('/api/v2/insights/wrapped', { year: wanted });
      if (!signal.aborted) draw(wrapped);
    } catch (error) {
      if (!signal.aborted) showFailure(ctx, root, error, () => void load(), root.querySelector('.year-head') !== null);
    }
  });
  const draw = (/** @type {Reply.Wrapped} */ wrapped) => {
    const cards = cardsOf(ctx, wrapped);
    patch(root,
      h('div', { class: 'year-head', 'data-key': 'head' }, h('label', { class: 'label', for: 'year' }, t('year.which')),
        h('select', { class: 'input', id: 'year', 'data-focus': 'year', on: { change: (event) => {
          year = Number(valueOf(event));
          void load();
        } } },
          Array.from({ length: YEARS },
            (_, at) => h('option', { value: now - at, selected: now - at === year }, String(now - at)))),
        cards.length > 1
          ? [
            h('button', { class: 'button primary', type: 'button', 'data-focus': 'year-show',
              on: { click: () => openYear(ctx, wrapped) } }, icon('play', 'icon-s'), t('year.show')),
            saveButton(ctx, wrapped),
          ]
          : null), cards.length > 1
      ? h('ul', { class: 'year-cards' },
        cards.map((card, at) => h('li', { class: `year-card tone-${at % 5}`, 'data-key': card.key }, card.make())))
      : smallEmptyBox(ctx, 'clock', 'year.none'));
  };
  return { element: root, show: () => void load() };
}

/**
 * @param {App.Context} ctx
 * @param {Reply.Wrapped} wrapped
 */
function saveButton(ctx, wrapped) {
  return h('button', { class: 'button', type: 'button', 'data-focus': 'year-save',
    on: { click: ({ currentTarget }) => void runBusy(ctx, currentTarget, () => saveYear(ctx, wrapped)) } },
    icon('download', 'icon-s'), ctx.t('year.save'));
}

/**
 * Shows the cards over everything, one at a time.
 *
 * @param {App.Context} ctx
 * @param {Reply.Wrapped} wrapped
 */
export function openYear(ctx, wrapped) {
  const { t } = ctx;
  const cards = cardsOf(ctx, wrapped);
  const restore = rememberFocus(activeTile);
  const stage = h('div', { class: 'year-stage', 'aria-live': 'polite' });
  const dots = h('ol', { class: 'year-dots', 'aria-hidden': 'true' });
  let at = 0;
  const show = (/** @type {number} */ to) => {
    at = Math.max(0, Math.min(cards.length - 1, to));
    const card = cards[at];
    if (!card) return;
    patch(stage, h('section', { class: `year-card whole tone-${at % 5}`, 'data-key': card.key }, card.make(true)));
    patch(dots, cards.map((_, index) => h('li', { class: index <= at ? 'seen' : '' })));
    setAttribute(before, 'aria-disabled', at === 0 ? 'true' : null);
    setAttribute(after, 'aria-disabled', at === cards.length - 1 ? 'true' : null);
  };
  const step = (/** @type {string} */ symbol, /** @type {string} */ label, /** @type {number} */ by) =>
    h('button', { class: `icon-button ${symbol}`, type: 'button', 'aria-label': label, on: { click: () =>
      show(at + by) } }, icon(symbol));
  const [before, after] = [step('before', t('picture.before'), -1), step('after', t('picture.after'), 1)];
  const close = h('button', { class: 'icon-button cross', type: 'button', 'aria-label': t('action.close') },
    icon('close'));
  const element = h('dialog', { class: 'year-dialog', 'aria-label': t('year.title', { year: wrapped.year }) }, dots,
    stage, h('div', { class: 'year-acts' }, before, saveButton(ctx, wrapped), after), close);
  const end = () => {
    element.close();
    element.remove();
    life.abort();
    ctx.bus.emit('dialog', { open: document.querySelector('dialog[open]') !== null });
    restore();
  };
  const life = new AbortController();
  const turn = (/** @type {number} */ by) => () => {
    show(at + by);
    return true;
  };
  close.addEventListener('click', end);
  element.addEventListener('cancel', (event) => {
    event.preventDefault();
    end();
  });
  ctx.keys.add([
    { key: 'ArrowLeft', group: 'view', label: 'picture.before', action: 'left', layer: element, run: turn(-1) },
    { key: 'ArrowRight', group: 'view', label: 'picture.after', action: 'right', layer: element, run: turn(1) },
    { key: 'Home', group: 'view', label: 'keys.home', layer: element, run: () => turn(-cards.length)() },
    { key: 'End', group: 'view', label: 'keys.end', layer: element, run: () => turn(cards.length)() },
  ], life.signal);
  let from = 0;
  stage.addEventListener('pointerdown', (event) => {
    from = event.clientX;
  });
  stage.addEventListener('pointerup', (event) => {
    const way = event.clientX - from;
    if (Math.abs(way) > SWIPE) show(at + (way < 0 ? 1 : -1));
  });
  document.body.append(element);
  show(0);
  element.showModal();
  ctx.bus.emit('dialog', { open: true });
  after.focus();
}

/**
 * What a year has to tell, as cards; one card alone means that there is nothing. A figure that is zero has no card.
 *
 * @param {App.Context} ctx
 * @param {Reply.Wrapped} wrapped
 * @returns {{key: string, make: (isWhole?: boolean) => App.Child}[]}
 */
export function cardsOf(ctx, wrapped) {
  const { t, tn, format } = ctx;
  const { totals, top, streak, progress, per_month: months } = wrapped;
  const big = (/** @type {App.Child} */ over, /** @type {App.Child} */ value, /** @type {App.Child} */ text) => [
    h('p', { class: 'over' }, over),
    h('p', { class: 'value' }, value),
    h('p', { class: 'text' }, text),
  ];
  const game = (/** @type {string} */ id, /** @type {string} */ name) =>
    art(ctx, ctx.catalog.find(id) ?? { ...NO_ROW, id, name }, { width: 320, follows: true });
  const most = Math.max(1, ...months);
  /** @type {{key: string, make: (isWhole?: boolean) => App.Child}[]} */
  const cards = [{ key: 'totals',
    make: () =>
      big(t('year.title', { year: wrapped.year }), format.span(totals.playtime_seconds),
        t('year.totals', { sessions: tn('year.sessions', totals.sessions),
          games: tn('year.games', totals.games_played) })) }];
  if (totals.sessions === 0) return cards;
  const { game: best, platform, genre } = top;
  if (best)
    cards.push({ key: 'game',
      make:
        () => [game(best.game_id, best.name),
          ...big(t('year.topGame'), best.name, format.span(best.playtime_seconds))] });
  if (platform || genre)
    cards.push({ key: 'taste',
      make: () =>
        big(t('year.taste'), [platform?.platform, genre?.genre].filter(Boolean).join(' · '), platform
          ? t('year.onPlatform', { time: format.span(platform.playtime_seconds), platform: platform.platform })
          : '') });
  cards.push({ key: 'months', make: (isWhole) => [
    h('p', { class: 'over' }, t('year.months')),
    h('ol', { class: 'year-months' }, months.map((seconds, at) => {
      const month = format.month(`${wrapped.year}-${String(at + 1).padStart(2, '0')}`, isWhole ? 'short' : 'narrow');
      return h('li', null, h('i', { style: { '--share': (seconds / most).toFixed(3) } }),
        h('span', { 'aria-hidden': 'true' }, month),
        h('span', { class: 'sr-only' }, `${month}: ${format.span(seconds)}`));
    })),
    h('p', { class: 'text' }, wrapped.busiest_month
      ? t('year.busiest', {
        month: format.month(`${wrapped.year}-${String(wrapped.busiest_month.month).padStart(2, '0')}`, 'long'),
        time: format.span(wrapped.busiest_month.seconds),
      })
      : ''),
  ] });
  if (streak.longest > 1)
    cards.push({ key: 'streak',
      make: () => big(t('year.streak'), tn('year.days', streak.longest), t('year.streakText')) });
  const first = wrapped.first_play;
  if (first)
    cards.push({ key: 'first',
      make: () => [game(first.game_id, first.name), ...big(t('year.first'), first.name, format.date(first.date))] });
  const oldest = wrapped.oldest_played;
  if (oldest)
    cards.push({ key: 'oldest',
      make:
        () => [game(oldest.game_id, oldest.name),
          ...big(t('year.oldest'), oldest.name, t('year.from', { year: String(oldest.year) }))] });
  const isNew = tn('year.games', totals.new_games);
  const finished = progress.beaten + progress.completed + progress.mastered;
  if (finished > 0)
    cards.push({ key: 'end',
      make: () =>
        big(t('year.done'), format.number(finished),
          totals.new_games > 0 ? t('year.newGames', { games: isNew }) : '') });
  else if (totals.new_games > 0)
    cards.push({ key: 'new', make: () => big(t('year.new'), isNew, '') });
  return cards;
}
