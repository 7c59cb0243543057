/**
 * The bar of running games: who runs, for how long, pause, resume, stop. Also rows of games that were left running by
 * an earlier start of the server.
 */

import { keepMoment } from '../keepsakes/capture.js';
import { art } from '../art.js';
import { h, icon, patch } from '../../core/dom.js';
import { clock } from '../../core/format.js';
import { elapsed } from '../../data/sessions.js';

/**
 * Keeps the bar up to date for as long as the page lives.
 *
 * @param {App.Context} ctx
 * @param {HTMLElement} root
 */
export function mountRunning(ctx, root) {
  const draw = () => {
    const { abandoned, list } = ctx.sessions;
    root.hidden = list.length + abandoned.length === 0;
    root.setAttribute('aria-label', ctx.t('running.label'));
    patch(root, list.map((session) => sessionRow(ctx, session)), abandoned.map((row) => abandonedRow(ctx, row)));
  };
  ctx.bus.on('sessions', draw);
  ctx.bus.on('locale', draw);
  // Messages stand above the bar, so that none of them lies over its buttons.
  new ResizeObserver(() => document.documentElement.style.setProperty('--running', `${root.offsetHeight}px`)).observe(
    root,
  );
  setInterval(() => {
    if (document.hidden || root.hidden) return;
    for (const session of ctx.sessions.list) {
      const time = root.querySelector(`[data-clock="${CSS.escape(session.launchId)}"]`);
      if (time) time.textContent = clock(elapsed(session));
    }
  }, 500);
}

/**
 * @param {App.Context} ctx
 * @param {App.Session} session
 */
function sessionRow(ctx, session) {
  const { t } = ctx;
  const row = ctx.catalog.find(session.gameId);
  const { launchId, paused } = session;
  const act = (/** @type {string} */ action, /** @type {string} */ symbol, /** @type {string} */ label,
    /** @type {string} */ style) =>
    h('button', {
      class: `button ${style}`,
      type: 'button',
      'data-focus': `${launchId}:${action === 'resume' ? 'pause' : action}`,
      on: { click: () => void ctx.actions.control(launchId, action) },
    }, icon(symbol, 'icon-s'), label);
  return h('div', { class: paused ? 'session paused' : 'session', 'data-key': launchId }, row ? art(ctx, row) : null,
    h('div', { class: 'who' },
      row ? h('a', { href: `#/game/${encodeURIComponent(row.id)}` }, session.name) : h('b', null, session.name),
      h('span', { class: 'state' }, t(paused ? 'running.paused' : 'running.playing'))),
    h('time', { 'data-clock': launchId, 'aria-label': t('stat.playtime') }, clock(elapsed(session))),
    h('div', { class: 'acts' },
      act(paused ? 'resume' : 'pause', paused ? 'play' : 'pause', t(paused ? 'action.resume' : 'action.pause'),
        paused ? 'primary' : ''), act('stop', 'stop', t('action.stop'), ''), row
      ? h('button', { class: 'icon-button', type: 'button', 'data-focus': `${launchId}:moment`,
        'aria-label': t('moment.keep'), title: t('moment.keep'),
        on: { click: () => void keepMoment(ctx, session, 'hotkey') } }, icon('camera'))
      : null, h('button', {
        class: 'icon-button',
        type: 'button',
        'data-focus': `${launchId}:more`,
        'aria-haspopup': 'menu',
        'aria-label': t('action.more'),
        title: t('action.more'),
        on: { click: (event) => ctx.actions.sessionMenu(session, /** @type {HTMLElement} */ (event.currentTarget)) },
      }, icon('more'))));
}

/**
 * @param {App.Context} ctx
 * @param {Api.Abandoned} row
 */
function abandonedRow(ctx, row) {
  const name = row.name || row.game || ctx.catalog.find(row.game_id ?? '')?.name || ctx.t('running.unknown');
  return h('div', { class: 'session left', 'data-key': row.launch_id },
    h('div', { class: 'who' }, h('b', null, name), h('span', { class: 'state' }, ctx.t('running.abandoned'))),
    h('div', { class: 'acts' },
      h('button', { class: 'button', type: 'button', 'data-focus': `${row.launch_id}:forget`,
        on: { click: () => void ctx.actions.forget(row.launch_id) } }, ctx.t('action.dismiss'))));
}
