/**
 * The corner of the big screen: the running game, search, the battery, the time, the menu.
 */

import { fill, h, icon, patch } from '../../core/dom.js';

/**
 * What browsers say of a battery.
 *
 * @typedef {EventTarget & {level: number, charging: boolean}} Battery
 */

/**
 * @param {App.Context} ctx
 * @param {{onSession: (launchId: string) => void, onSearch: () => void, onMenu: () => void}} events
 * @param {AbortSignal} signal
 * @returns {HTMLElement}
 */
export function bigStatus(ctx, { onSession, onSearch, onMenu }, signal) {
  const { t } = ctx;
  const running = h('div', { class: 'big-running' });
  const battery = h('span', { class: 'big-battery', role: 'img', hidden: true });
  const time = h('time', { class: 'tabular' });
  const drawRunning = () =>
    patch(running, ctx.sessions.list.map((session) =>
      h('button', {
        class: 'big-pill',
        type: 'button',
        'data-focus': `run-${session.launchId}`,
        on: { click: () => onSession(session.launchId) },
      }, icon(session.paused ? 'pause' : 'playing', 'icon-s'), h('span', null, session.name),
        h('span', { class: 'sr-only' }, t(session.paused ? 'running.paused' : 'running.playing')))
    ));
  ctx.bus.on('sessions', drawRunning, signal);
  drawRunning();
  followTime(ctx, time, signal);
  void followBattery(ctx, battery, signal);
  const button = (/** @type {string} */ symbol, /** @type {string} */ label, /** @type {() => void} */ run,
    /** @type {string} */ name) =>
    h('button', { class: 'icon-button filled', type: 'button', 'data-focus': name, 'aria-label': label, title: label,
      on: { click: run } }, icon(symbol));
  return h('div', { class: 'big-status' }, running, button('search', t('big.search'), onSearch, 'big-search'),
    button('menu', t('big.menu'), onMenu, 'big-menu'), battery, time);
}

/**
 * The time of day, written anew when the minute is over and the page is seen.
 *
 * @param {App.Context} ctx
 * @param {HTMLTimeElement} place
 * @param {AbortSignal} signal
 */
function followTime(ctx, place, signal) {
  /** @type {App.Timer} */
  let timer;
  const draw = () => {
    clearTimeout(timer);
    if (document.hidden || signal.aborted) return;
    place.textContent = new Intl.DateTimeFormat(ctx.i18n.locale, { hour: 'numeric', minute: '2-digit' }).format(
      new Date(),
    );
    timer = setTimeout(draw, 60_000 - (Date.now() % 60_000));
  };
  document.addEventListener('visibilitychange', draw, { signal });
  signal.addEventListener('abort', () => clearTimeout(timer));
  draw();
}

/**
 * The charge, where the machine has a battery and the browser tells. A full battery on a cable says nothing worth
 * reading.
 *
 * @param {App.Context} ctx
 * @param {HTMLElement} place
 * @param {AbortSignal} signal
 */
async function followBattery(ctx, place, signal) {
  const source = /** @type {{getBattery?: () => Promise<Battery>}} */ (/** @type {unknown} */ (navigator));
  const battery = await source.getBattery?.().catch(() => undefined);
  if (!battery || signal.aborted) return;
  const draw = () => {
    const percent = Math.round(battery.level * 100);
    place.hidden = battery.charging && percent === 100;
    place.classList.toggle('low', percent <= 15 && !battery.charging);
    place.setAttribute('aria-label', ctx.t('big.battery', { percent }));
    place.title = ctx.t('big.battery', { percent });
    place.style.setProperty('--part', String(percent / 100));
    fill(place, h('i', null), h('span', { 'aria-hidden': 'true' }, `${percent} %`));
  };
  for (const name of ['levelchange', 'chargingchange']) battery.addEventListener(name, draw, { signal });
  draw();
}
