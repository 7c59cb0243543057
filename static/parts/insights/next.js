/**
 * What to play next, each game with the reasons why: five games of the week, games that were begun and are worth
 * finishing, and games to put aside.
 */

import { art } from '../art.js';
import { busyButton } from '../act.js';
import { showFailure, smallEmptyBox, waitBox } from '../state-box.js';
import { coalesce } from '../../core/coalesce.js';
import { h, patch } from '../../core/dom.js';
import { NO_ROW } from '../../data/game.js';

/**
 * @param {App.Context} ctx
 * @param {AbortSignal} signal
 * @returns {App.HistoryPanel}
 */
export function nextPanel(ctx, signal) {
  const root = h('div', { class: 'insights' }, waitBox(ctx));
  const load = coalesce(async () => {
    const { client } = ctx;
    try {
      const [{ playlist }, { radar }] = await Promise.all([client.get('/api/v2/insights/radio'),
        client.get('/api/v2/insights/radar')]);
      if (!signal.aborted) show(ctx, root, playlist, radar, load);
    } catch (error) {
      if (!signal.aborted) showFailure(ctx, root, error, () => void load(), root.querySelector('section') !== null);
    }
  });
  ctx.bus.on('catalog:ready', () => void load(), signal);
  return { element: root, show: () => void load() };
}

/**
 * @param {App.Context} ctx
 * @param {HTMLElement} root
 * @param {Reply.Radio} radio
 * @param {Reply.Radar} radar
 * @param {() => Promise<void>} load
 */
function show(ctx, root, radio, radar, load) {
  const { t, client, toasts } = ctx;
  const refresh = busyButton(ctx, { label: t('radio.refresh'), symbol: 'refresh', focus: 'radio', run: async () => {
    await client.post('/api/v2/insights/radio/refresh');
    await load();
  } });
  const park = (/** @type {Reply.RadarEntry} */ entry) =>
    busyButton(ctx, { label: t('radar.park.action'), symbol: 'pause', focus: `park-${entry.game_id}`, about: entry.name,
      run: async () => {
        const { parked } = await client.post('/api/v2/insights/radar/park', { game_id: entry.game_id });
        toasts.show({ kind: 'good', text: t(parked ? 'radar.parked' : 'radar.done', { name: entry.name }) });
        await load();
      } });
  patch(root, section(ctx, 'radio', t(radio.fallback ? 'radio.thin' : 'radio.about'), radio.picks, refresh),
    section(ctx, 'radar.winnable', t('radar.winnable.about'), radar.winnable, null, park),
    section(ctx, 'radar.park', t('radar.park.about'), radar.park, null, park),
    !radar.enough_history ? smallEmptyBox(ctx, 'clock', 'radar.none') : null);
}

/**
 * @param {App.Context} ctx
 * @param {string} key
 * @param {string} about
 * @param {readonly (Reply.RadioPick | Reply.RadarEntry)[]} games
 * @param {App.Child} act
 * @param {(entry: Reply.RadarEntry) => App.Child} [park]
 */
function section(ctx, key, about, games, act, park) {
  if (games.length === 0) return null;
  const { t, catalog } = ctx;
  return h('section', { 'data-key': key }, h('div', { class: 'section-head' }, h('h2', null, t(`${key}.title`)), act),
    h('p', { class: 'about' }, about),
    h('ul', { class: 'cards', 'aria-label': t(`${key}.title`) }, games.map((game) => {
      const row = catalog.find(game.game_id) ??
        { ...NO_ROW, id: game.game_id, name: game.name, platform: game.platform };
      return h('li', { 'data-key': game.game_id },
        h('a', { class: 'card', 'data-focus': `${key}-${game.game_id}`,
          href: `#/game/${encodeURIComponent(game.game_id)}` }, art(ctx, row, { width: 160 }), h('b', null, game.name),
          h('small', null, [game.platform, game.estimated_minutes > 0
            ? t('radio.left', { time: ctx.format.span(game.estimated_minutes * 60) })
            : ''].filter(Boolean).join(' · ')),
          h('span', { class: 'reasons' },
            game.reasons.map((reason) =>
              h('span', null, reasonText(ctx, /** @type {Reply.InsightReason} */ (reason)))
            ))), park ? park(/** @type {Reply.RadarEntry} */ (game)) : null);
    })));
}

/**
 * @param {App.Context} ctx
 * @param {Reply.InsightReason} reason
 * @returns {string}
 */
function reasonText({ t, tn, format }, { key, params }) {
  const { days, minutes, rating, ...words } = /** @type {Record<string, unknown>} */ (params);
  if (key === 'radio.reason.fresh' && Number(days) === 0) return t('radio.reason.fallback_fresh');
  if (typeof days === 'number') return tn(key, days);
  if (typeof minutes === 'number') return t(key, { time: format.span(minutes * 60) });
  if (typeof rating === 'number') return t(key, { rating: format.decimal(rating, 1) });
  return t(key, /** @type {Record<string, string>} */ (words));
}
