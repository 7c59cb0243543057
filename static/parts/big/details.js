/**
 * Everything worth knowing about a game, for the big screen: picture, description, facts, pictures, and what can be
 * done with it.
 */

import { openBigAchievements } from './achievements.js';
import { runBusy } from '../act.js';
import { art } from '../art.js';
import { openBigDialog } from './dialog.js';
import { figures, isConfigured } from '../game/achievements.js';
import { resumeNotice } from '../game/resume.js';
import { gameFacts, missingNotice, playStats, progressPicker } from '../library/details.js';
import { openPictures } from '../picture.js';
import { starRating } from '../stars.js';
import { fill, h, icon, patch } from '../../core/dom.js';
import { takeFocus } from '../../core/focus.js';
import { FLAG, isMissing } from '../../data/game.js';

/** Widest the picture is drawn, in CSS pixels: on a television of 3,840 pixels. */
const BIG_ART = 560;

/** Pictures shown in the row. */
const PICTURES = 12;

/**
 * @param {App.Context} ctx
 * @param {string} id
 * @param {{onPlay: (id: string, isAnew?: boolean) => void, onSession: () => void}} events
 */
export function openBigDetails(ctx, id, events) {
  const { t, actions } = ctx;
  const row = ctx.catalog.find(id);
  if (!row) return;
  const acts = h('div', { class: 'big-acts' });
  const body = h('div', { class: 'big-about' });
  const more = h('div', { 'data-key': 'more' });
  const dialog = openBigDialog(ctx, { title: row.name, className: 'big-details', width: 1180,
    content: h('div', { class: 'big-sheet' }, art(ctx, row, { follows: true, width: BIG_ART }),
      h('div', { class: 'words' }, acts, body)) });
  /** @type {Api.Game | null} */
  let record = null;
  /** What the provider said of its achievements. @type {Reply.GameAchievements | null} */
  let found = null;
  /** Whether the game may have achievements. */
  let canAsk = false;
  const achievements = async () => {
    if (record)
      await openBigAchievements(ctx, { id, record, onFound: (now) => {
        found = now;
        draw();
      } });
  };
  const close = (/** @type {() => void} */ then) => () => {
    dialog.close('');
    then();
  };
  const draw = () => {
    const now = ctx.catalog.find(id) ?? row;
    const isFavorite = (now.flags & FLAG.favorite) !== 0;
    const canResume = !isMissing(now) && ctx.resumes.of(id).state === 'ready';
    patch(acts, ctx.sessions.of(id)
      ? h('button', { class: 'button large primary', type: 'button', 'data-focus': 'play',
        on: { click: close(events.onSession) } }, icon('playing', 'icon-s'), t('big.session.open'))
      : h('button', { class: 'button large primary', type: 'button', 'data-focus': 'play', disabled: isMissing(now),
        on: { click: close(() => events.onPlay(id)) } }, icon('play', 'icon-s'),
        t(canResume ? 'resume.continue' : 'action.play')), canResume && !ctx.sessions.of(id)
      ? h('button', { class: 'button large', type: 'button', 'data-focus': 'anew',
        on: { click: close(() => events.onPlay(id, true)) } }, icon('refresh', 'icon-s'), t('resume.anew'))
      : null,
      h('button', { class: 'button large owner-only', type: 'button', 'data-focus': 'favorite',
        'aria-pressed': String(isFavorite), on: { click: () => void actions.toggleFavorite(id) } },
        icon(isFavorite ? 'heart-full' : 'heart', 'icon-s'), t(isFavorite ? 'action.unfavorite' : 'action.favorite')),
      h('button', { class: 'button large owner-only', type: 'button', 'data-focus': 'queue',
        on: { click: () => void actions.enqueue(id) } }, icon('queue', 'icon-s'), t('action.enqueue')), canAsk
      ? h('button', { class: 'button large owner-only', type: 'button', 'data-focus': 'achievements',
        on: { click: ({ currentTarget }) => void runBusy(ctx, currentTarget, achievements) } }, icon('star', 'icon-s'),
        t('achievements.title'))
      : null);
    patch(body,
      h('p', { class: 'big-line' },
        [now.platform, now.year, now.genre].filter(Boolean).map((fact) => h('span', null, fact))),
      isMissing(now) ? missingNotice(ctx) : resumeNotice(ctx, now), playStats(ctx, now),
      record && canAsk ? h('div', { class: 'achievements' }, figures(ctx, record, found)) : null,
      progressPicker(ctx, now), record
      ? h('div', { class: 'field owner-only' }, h('span', { class: 'label', 'aria-hidden': 'true' }, t('stars.label')),
        starRating(ctx, actions.pending(id, 'user_rating', Number(record['user_rating']) || 0),
          (stars) => void actions.setStars(id, stars)))
      : null, record?.description ? h('p', { class: 'prose', tabindex: 0 }, record.description) : null, more);
  };
  const load = async () => {
    try {
      const [{ games }] = await Promise.all([ctx.client.get('/api/library/delta', { ids: id }), ctx.resumes.read(id)]);
      record = games[0] ?? null;
      if (!record || dialog.signal.aborted) return;
      fill(more, pictures(ctx, row, record), gameFacts(ctx, record));
      canAsk = String(record['ach_game_id'] ?? '') !== '';
      draw();
      if (canAsk || !await isConfigured(ctx) || dialog.signal.aborted) return;
      canAsk = true;
      draw();
    } catch (error) {
      ctx.fail(error);
    }
  };
  ctx.bus.on('game', ({ ids }) => {
    if (ids.includes(id)) draw();
  }, dialog.signal);
  ctx.bus.on('catalog:gone', ({ ids }) => {
    if (!ids.includes(id)) return;
    dialog.close('');
    ctx.toasts.show({ text: t('big.gone', { name: row.name }) });
  }, dialog.signal);
  for (const name of /** @type {const} */ (['sessions', 'resume', 'catalog:expected']))
    ctx.bus.on(name, draw, dialog.signal);
  ctx.keys.add([
    { key: 'F', group: 'big', label: 'keys.favorite', action: 'favorite', layer: dialog.element, run: () => {
      void actions.toggleFavorite(id);
      return true;
    } },
  ], dialog.signal);
  draw();
  const first = /** @type {HTMLElement | null} */ (acts.querySelector('button:not([disabled])'));
  if (first) takeFocus(first);
  void load();
}

/**
 * @param {App.Context} ctx
 * @param {App.Row} row
 * @param {Api.Game} record
 */
function pictures(ctx, row, record) {
  const { t, client, catalog } = ctx;
  const shots = (record.available_screenshots ?? []).slice(0, PICTURES).map((index) => ({
    source: client.media(row.id, 'screenshot', catalog.epoch, { index }),
    label: t('game.picture', { number: index + 1 }),
  }));
  return shots.length === 0
    ? null
    : h('div', { class: 'big-shots' },
      shots.map((shot, index) =>
        h('button', { type: 'button', 'aria-label': shot.label, on: { click: () => openPictures(ctx, shots, index) } },
          h('img', { alt: '', decoding: 'async', loading: 'lazy', src: shot.source }))
      ));
}
