/**
 * The recap of a session: what it brought, told in the message at its end, on the page and on the big screen.
 */

import { art } from '../art.js';
import { editMoment } from './moment-card.js';
import { h, icon } from '../../core/dom.js';

/**
 * The recap of the session that ended; `null` when it is that of another one, or recaps are off.
 *
 * @param {App.Context} ctx
 * @param {string} launchId
 * @returns {Promise<Reply.SessionRecap | null>}
 */
export async function recapOf({ client }, launchId) {
  try {
    const recap = await client.get('/api/v2/sessions/recap');
    return recap.launch_id === launchId && !recap.game_missing ? recap : null;
  } catch {
    // The message tells the end of the session without it.
    return null;
  }
}

/**
 * The picture of the game and what came during the session.
 *
 * @param {App.Context} ctx
 * @param {Reply.SessionRecap} recap
 * @returns {HTMLElement}
 */
export function recapCard(ctx, recap) {
  const { t, tn } = ctx;
  const row = ctx.catalog.find(recap.game_id);
  const { ach } = recap;
  const facts = /** @type {[string, string][]} */ ([
    ach.earned_delta > 0 ? ['star', tn('recap.achievements', ach.earned_delta)] : null,
    ach.available && ach.total > 0
      ? ['chart', t('recap.earned', { earned: ach.earned, total: ach.total })]
      : null,
    ach.mastered && ach.earned_delta > 0 ? ['spark', t('progress.Mastered')] : null,
    recap.screenshots_taken > 0 ? ['picture', tn('recap.pictures', recap.screenshots_taken)] : null,
    recap.capture.moment ? ['camera', t('recap.moment')] : null,
    recap.capture.clip ? ['film', t('recap.clip')] : null,
    recap.resume_state_available ? ['save', t('recap.state')] : null,
  ].filter(Boolean));
  return h('div', { class: 'recap' }, row ? art(ctx, row, { width: 96 }) : null,
    h('ul', null,
      [recap.platform, recap.progress ? t(`progress.${recap.progress}`) : ''].filter(Boolean).map((fact) =>
        h('li', null, fact)
      ), facts.map(([symbol, words]) => h('li', null, icon(symbol, 'icon-s'), words))));
}

/**
 * Keeps the end of the session as a moment with what the user writes about it.
 *
 * @param {App.Context} ctx
 * @param {Reply.SessionRecap} recap
 */
export async function writeRecap(ctx, { game_id: gameId, launch_id: launchId }) {
  try {
    const { item } = await ctx.client.post('/api/v2/moments', { game_id: gameId, launch_id: launchId, trigger: 'recap',
      capture: false });
    await editMoment(ctx, item);
    ctx.bus.emit('moment', { gameId });
  } catch (error) {
    ctx.fail(error);
  }
}
