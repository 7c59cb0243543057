/**
 * The overlay of a running game on the big screen: back to the game, pause, stop, restart, force to end, and what can
 * be read meanwhile. It closes with the game.
 */

import { keepMoment } from '../keepsakes/capture.js';
import { art } from '../art.js';
import { openBigDialog } from './dialog.js';
import { confirm } from '../dialog.js';
import { readExtras } from '../game/extras.js';
import { canRead, openReader } from '../reader.js';
import { fill, h, icon, patch } from '../../core/dom.js';
import { takeFocus } from '../../core/focus.js';
import { clock } from '../../core/format.js';
import { elapsed } from '../../data/sessions.js';

/** Documents offered beside the game. */
const DOCUMENTS = 6;

/**
 * @param {App.Context} ctx
 * @param {string} launchId
 * @returns {App.DialogHandle | null}
 */
export function openSession(ctx, launchId) {
  const { t, actions, sessions, pads } = ctx;
  const session = sessions.list.find((each) => each.launchId === launchId);
  if (!session) return null;
  const row = ctx.catalog.find(session.gameId);
  const state = h('p', { class: 'big-line', 'aria-live': 'polite' });
  const time = h('time', { class: 'big-clock tabular', 'aria-label': t('stat.playtime') });
  const acts = h('div', { class: 'big-list' });
  const extras = h('div', { class: 'big-list' });
  const dialog = openBigDialog(ctx, {
    title: session.name,
    className: 'big-session',
    width: 820,
    content: h('div', { class: 'big-sheet' }, row ? art(ctx, row, { follows: true, width: 560 }) : null,
      h('div', { class: 'words' }, state, time, acts, extras)),
  });
  const act = (/** @type {string} */ name, /** @type {string} */ symbol, /** @type {string} */ label,
    /** @type {() => void} */ run) =>
    h('button', { class: 'big-act', type: 'button', 'data-focus': name, on: { click: run } }, icon(symbol), label);
  const force = async () => {
    const isSure = await confirm(ctx, { title: t('kill.title', { name: session.name }), text: t('kill.text'),
      action: t('action.kill'), danger: true });
    if (isSure) await actions.control(launchId, 'kill');
  };
  const back = async (/** @type {boolean} */ isPaused) => {
    if (isPaused) await actions.control(launchId, 'resume');
    dialog.close('game');
    pads.hold('game', true);
  };
  const draw = () => {
    const now = sessions.list.find((each) => each.launchId === launchId);
    if (!now) {
      dialog.close('ended');
      return;
    }
    state.textContent = t(now.paused ? 'running.paused' : 'running.playing');
    time.textContent = clock(elapsed(now));
    patch(acts, act('back', 'play', t('big.session.back'), () => void back(now.paused)),
      act('pause', now.paused ? 'play' : 'pause', t(now.paused ? 'action.resume' : 'action.pause'),
        () => void actions.control(launchId, now.paused ? 'resume' : 'pause')),
      act('stop', 'stop', t('action.stop'), () => void actions.control(launchId, 'stop')),
      row ? act('moment', 'camera', t('moment.keep'), () => void keepMoment(ctx, now, 'pause')) : null,
      act('restart', 'refresh', t('action.restart'), () => void actions.control(launchId, 'restart')),
      act('kill', 'close', t('action.kill'), () => void force()));
  };
  const timer = setInterval(() => {
    const now = document.hidden ? undefined : sessions.list.find((each) => each.launchId === launchId);
    if (now && !now.paused) time.textContent = clock(elapsed(now));
  }, 1000);
  dialog.signal.addEventListener('abort', () => clearInterval(timer));
  ctx.bus.on('sessions', draw, dialog.signal);
  ctx.keys.add([{ key: 'F9', group: 'big', label: 'moment.keep', action: 'favorite', layer: dialog.element, run: () => {
    const now = sessions.list.find((each) => each.launchId === launchId);
    if (now && row) void keepMoment(ctx, now, 'pause');
    return true;
  } }, { key: 'P', group: 'big', label: 'big.session.back', action: 'pause', layer: dialog.element, run: () => {
    void back(false);
    return true;
  } }], dialog.signal);
  draw();
  const first = /** @type {HTMLElement | null} */ (acts.querySelector('button'));
  if (first) takeFocus(first);
  if (row) void readDocuments(ctx, row, extras, dialog.signal);
  return dialog;
}

/**
 * @param {App.Context} ctx
 * @param {App.Row} row
 * @param {HTMLElement} place
 * @param {AbortSignal} signal
 */
async function readDocuments(ctx, row, place, signal) {
  const { t, client } = ctx;
  try {
    const { games } = await client.get('/api/library/delta', { ids: row.id });
    if (signal.aborted || !games[0]) return;
    const readable = readExtras(games[0], 'documents').map((extra, index) => ({ extra, index })).filter(({ extra }) =>
      canRead(extra.path)
    ).slice(0, DOCUMENTS);
    fill(place, readable.map(({ extra, index }) =>
      h('button', { class: 'big-act', type: 'button', on: { click: () => {
        void openReader(ctx, extra, `/api/document?${new URLSearchParams({ game_id: row.id, index: String(index) })}`);
      } } }, icon('file'), extra.name || t('extras.documents'))
    ));
  } catch (error) {
    ctx.fail(error);
  }
}
