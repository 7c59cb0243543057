/**
 * Tells by toasts what happened on the server: jobs that ended, notices, games that ended.
 */

import { openFile } from '../file-link.js';
import { exportAddress, exportedFile, jobTitle } from '../job-card.js';
import { watchReel } from '../keepsakes/reel.js';
import { recapCard, recapOf, writeRecap } from '../keepsakes/recap.js';
import { openNotices, placeOf } from './notices.js';

/** A game that ends within this many seconds with an exit code has failed. */
const SOON = 5;

/** What is offered for a game that was played for the first time and has no progress yet. */
const OFFERED = Object.freeze(['Playing', 'Completed']);

/**
 * Listens for the life of the page.
 *
 * @param {App.Context} ctx
 */
export function mountTidings(ctx) {
  ctx.bus.on('job:ended', (job) => tellJob(ctx, job));
  ctx.bus.on('notice:new', (notice) => tellNotice(ctx, notice));
  ctx.bus.on('session:event', (event) => {
    if (event.kind === 'stopped') void tellSession(ctx, event);
  });
}

/**
 * Whether the screen that is open, or whoever began a job, says how it ended.
 *
 * @param {App.Context} ctx
 * @param {Api.Job} job
 */
function isToldThere({ router, jobs }, job) {
  const { name } = router.current;
  return jobs.isFollowed(job) || (name === 'setup' && job.type.startsWith('setup.')) ||
    (name === 'health' && ['launch.audit', 'library.health_scan'].includes(job.type) && job.state === 'done') ||
    (name === 'moments' && job.type === 'media.memories_import' && job.state === 'done');
}

/**
 * @param {App.Context} ctx
 * @param {Api.Job} job
 */
function tellJob(ctx, job) {
  if (isToldThere(ctx, job)) return;
  const { t, router, toasts } = ctx;
  const title = jobTitle(ctx, job);
  const file = exportedFile(job);
  /** @type {App.NoticeAction[]} */
  const actions = [];
  if (file)
    actions.push({ label: t('action.download'), run: () => void openFile(ctx, exportAddress(file), file) });
  const reel = job.type === 'clips.reel' && job.state === 'done' ? String(job.result?.['path'] ?? '') : '';
  if (reel) actions.push({ label: t('reel.watch'), run: () => void watchReel(ctx, reel) });
  if (router.current.name !== 'jobs') actions.push({ label: t('action.show'), run: () => router.go('/jobs') });
  const fault = job.error_detail;
  switch (job.state) {
    case 'done':
      toasts.show({ kind: 'good', text: t('job.told.done', { title }), actions });
      break;
    case 'partial':
      toasts.show({ text: t('job.told.partial', { title }), actions });
      break;
    case 'error':
      toasts.show({
        kind: 'error',
        text: t('job.told.error', { title, reason: fault?.message ?? '' }),
        facts: [fault?.code, fault?.request_id].filter(Boolean).join(' · '),
        actions,
      });
      break;
    case 'cancelled':
      toasts.show({ text: t('job.told.cancelled', { title }) });
      break;
  }
}

/**
 * @param {App.Context} ctx
 * @param {Api.Notice} notice
 */
function tellNotice(ctx, notice) {
  const place = placeOf(notice);
  const isHere = place !== '' && ctx.router.current.name === place.slice(1);
  ctx.toasts.show({
    kind: notice.level === 'error' ? 'error' : notice.level === 'success' ? 'good' : 'plain',
    text: [notice.title, notice.body].filter(Boolean).join('\n'),
    actions: isHere
      ? []
      : [{ label: ctx.t('action.show'), run: () => (place ? ctx.router.go(place) : openNotices(ctx)) }],
  });
}

/**
 * What a session was, with an offer to set the progress after the first one. The record is read before: it knows the
 * new playtime.
 *
 * @param {App.Context} ctx
 * @param {Api.SessionEvent} event
 */
async function tellSession(ctx, event) {
  const { t, actions, catalog, format, preferences, toasts } = ctx;
  const id = event.stable_game_id;
  const [[record], recap] = await Promise.all([
    id
      ? catalog.refresh([id]).catch((error) => {
        ctx.fail(error);
        return [];
      })
      : [],
    preferences.tellsSessions ? recapOf(ctx, event.launch_id) : null,
  ]);
  const name = event.game;
  if (event.exit_code && (event.seconds ?? 0) < SOON && !ctx.sessions.wasEnded(event.launch_id)) {
    toasts.show({ kind: 'error', text: t('launch.failed', { name, code: event.exit_code }),
      ...(id ? { actions: [{ label: t('action.edit'), run: () => void actions.edit(id) }] } : {}) });
  } else if (preferences.tellsSessions) {
    const time = format.span(event.seconds ?? 0);
    const total = record?.total_playtime_seconds ?? 0;
    const isOffered = record && preferences.suggestsProgress && !record.progress && record.play_count === 1;
    toasts.show({
      text: [t('session.ended', { name, time }),
        total > (event.seconds ?? 0) ? t('session.total', { total: format.span(total) }) : ''].filter(Boolean).join(
          ' ',
        ),
      ...(recap && record ? { card: recapCard(ctx, recap) } : {}),
      actions: [
        ...(isOffered
          ? OFFERED.map((progress) => ({ label: t(`progress.${progress}`), run: () =>
            void actions.setProgress(id, progress) })
          )
          : []),
        ...(recap && record ? [{ label: t('moment.write'), run: () => void writeRecap(ctx, recap) }] : []),
      ],
    });
  }
  if (record) ctx.bus.emit('game', { ids: [id] });
}
