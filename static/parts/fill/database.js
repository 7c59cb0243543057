/**
 * The card of the games database: not there yet, being loaded or read, failed, or ready; with sizes, and the credit
 * that its publisher is due.
 */

import { busyButton } from '../act.js';
import { jobBar } from '../job-card.js';
import { h, icon } from '../../core/dom.js';
import { creditText } from '../../data/credits.js';

/**
 * @param {App.Context} ctx
 * @param {Reply.MetadataStatus} status
 * @param {Api.Job | null} active the job that loads it
 * @param {() => Promise<unknown>} load begins to load it, or goes on
 * @returns {HTMLElement}
 */
export function databaseCard(ctx, status, active, load) {
  const { t, tn } = ctx;
  const { ready, job, source } = status;
  const isFailed = !active && job.state === 'error';
  const title = active
    ? t(active.phase === 'importing' ? 'fill.db.reading' : 'fill.db.loading')
    : isFailed
    ? t('fill.db.failed')
    : t(ready ? 'fill.db.ready' : 'fill.db.none');
  const line = active
    ? sizeLine(ctx, active)
    : isFailed
    ? [job.error, ready ? t('fill.db.oldStays') : ''].filter(Boolean).join(' ')
    : !ready
    ? t('fill.db.size')
    : job.games
    ? tn('fill.db.games', job.games)
    : '';
  const button = active
    ? busyButton(ctx, { label: t('action.cancel'), symbol: 'close', focus: 'db', about: title,
      run: () => ctx.jobs.act(active.job_id, 'cancel') })
    : busyButton(ctx, { label: t(isFailed ? 'action.retry' : ready ? 'fill.db.renew' : 'fill.db.load'),
      symbol: isFailed || ready ? 'refresh' : 'download', focus: 'db', style: ready && !isFailed ? '' : 'primary',
      run: load });
  return h('div', { class: `database ${isFailed ? 'bad' : ''}` },
    h('div', { class: 'symbol' }, icon(isFailed ? 'missing' : ready && !active ? 'tick' : 'download')),
    h('div', { class: 'what' }, h('h2', null, title), h('p', { class: 'line', role: 'status' }, line)),
    h('div', { class: 'acts' }, button), active ? jobBar(ctx, active) : null,
    h('p', { class: 'credit' },
      h('a', { href: source.page, target: '_blank', rel: 'noopener noreferrer' }, creditText(ctx, source.credit))));
}

/**
 * How much of it is here: `12 MB of 100 MB · about 40 s left`.
 *
 * @param {App.Context} ctx
 * @param {Api.Job} job
 */
function sizeLine({ t, format, jobs }, job) {
  if (job.state === 'queued') return t('job.waiting');
  const left = jobs.left(job);
  const size = job.total
    ? t('job.count', { done: format.bytes(job.current), total: format.bytes(job.total) })
    : job.current
    ? format.bytes(job.current)
    : '';
  return [size, left === null ? '' : t('job.left', { time: format.span(Math.max(1, left)) })].filter(Boolean).join(
    ' · ',
  );
}
