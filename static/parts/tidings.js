/**
 * Tells by toasts what happened on the server: jobs that ended, notices.
 */

import { h } from '../core/dom.js';
import { exportAddress, exportedFile, jobTitle } from './job-card.js';
import { openNotices, placeOf } from './notice-list.js';

/**
 * Listens for the life of the page.
 *
 * @param {App.Context} ctx
 */
export function mountTidings(ctx) {
  ctx.bus.on('job:ended', (job) => tellJob(ctx, job));
  ctx.bus.on('notice:new', (notice) => tellNotice(ctx, notice));
}

/**
 * Whether the screen that is open says itself how a job ended.
 *
 * @param {App.Context} ctx
 * @param {Api.Job} job
 */
function isToldThere({ router }, job) {
  const { name } = router.current;
  return (name === 'setup' && job.type.startsWith('setup.')) || (name === 'health' && job.type === 'launch.audit' && job.state === 'done');
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
  if (file) actions.push({ label: t('action.download'), run: () => h('a', { href: exportAddress(ctx, file), download: file }).click() });
  if (router.current.name !== 'jobs') actions.push({ label: t('action.show'), run: () => router.go('/jobs') });
  const fault = job.error_detail;
  switch (job.state) {
    case 'done': toasts.show({ kind: 'good', text: t('job.told.done', { title }), actions }); break;
    case 'partial': toasts.show({ text: t('job.told.partial', { title }), actions }); break;
    case 'error': toasts.show({
      kind: 'error', text: t('job.told.error', { title, reason: fault?.message ?? '' }), facts: [fault?.code, fault?.request_id].filter(Boolean).join(' · '), actions,
    }); break;
    case 'cancelled': toasts.show({ text: t('job.told.cancelled', { title }) }); break;
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
    kind: notice.level === 'error' ? 'error' : notice.level === 'success' ? 'good' : 'plain', text: [notice.title, notice.body].filter(Boolean).join('\n'),
    actions: isHere ? [] : [{ label: ctx.t('action.show'), run: () => (place ? ctx.router.go(place) : openNotices(ctx)) }],
  });
}
