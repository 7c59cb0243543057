/**
 * The tray: what the program is working on, in the corner of every screen for as long as there is something. A press
 * shows the whole list.
 */

import { fill, h, icon } from '../../core/dom.js';
import { openDialog } from '../dialog.js';
import { jobBar, jobProgress, jobTitle } from '../job-card.js';
import { JobLists } from '../job-list.js';

/**
 * Keeps the tray up to date for as long as the page lives.
 *
 * @param {App.Context} ctx
 * @param {HTMLElement} root
 * @param {HTMLElement} frame told by a class whether there is a tray
 */
export function mountTray(ctx, root, frame) {
  let drawn = '';
  /** @type {((job: Api.Job) => void) | null} */
  let update = null;
  const draw = () => {
    const active = ctx.jobs.active;
    const first = active.find((job) => job.state !== 'queued') ?? active[0];
    const hadFocus = root.contains(document.activeElement);
    root.hidden = !first;
    frame.classList.toggle('has-tray', Boolean(first));
    if (!first) {
      drawn = '';
      fill(root);
      if (hadFocus) ctx.bus.emit('focus-library', {});
      return;
    }
    const shape = [ctx.i18n.locale, first.job_id, first.state, active.length].join();
    if (shape !== drawn) {
      drawn = shape;
      update = build(ctx, root, first, active.length);
      if (hadFocus) root.querySelector('button')?.focus();
    }
    update?.(first);
  };
  ctx.bus.on('jobs', draw);
  ctx.bus.on('locale', draw);
}

/**
 * @param {App.Context} ctx
 * @param {HTMLElement} root
 * @param {Api.Job} job the one that is shown
 * @param {number} count of all that are not finished
 * @returns {(job: Api.Job) => void} brings what is shown up to date
 */
function build(ctx, root, job, count) {
  const { t, tn } = ctx;
  const bar = jobBar(jobTitle(ctx, job));
  const line = h('small', null);
  const others = count > 1
    ? h('span', { class: 'count', title: tn('job.active', count) }, ctx.format.number(count))
    : null;
  root.setAttribute('aria-label', t('tray.label'));
  fill(root,
    h('button', { type: 'button', class: 'tray-button', 'aria-haspopup': 'dialog', on: { click: () => openJobs(ctx) } },
      icon('work'), h('span', { class: 'what' }, h('b', null, jobTitle(ctx, job)), line), others,
      h('span', { class: 'sr-only' }, tn('job.active', count))), bar.element);
  return (now) => {
    line.textContent = jobProgress(ctx, now);
    bar.update(now);
  };
}

/**
 * The list of what is being worked on and of what ended last.
 *
 * @param {App.Context} ctx
 */
export function openJobs(ctx) {
  const { t, bus, jobs } = ctx;
  const lists = new JobLists(ctx, ['jobs.active', 'jobs.recent']);
  const none = h('p', { class: 'none' }, t('jobs.none.title'));
  const all = h('a', { class: 'button wide', href: '#/jobs' }, t('jobs.all'));
  const dialog = openDialog(ctx, { title: t('place.jobs'), className: 'drawer', content: [none, lists.element],
    footer: all });
  const draw = () => {
    const { active } = jobs;
    const ended = jobs.list.filter((job) => !active.includes(job)).slice(0, 5);
    none.hidden = active.length + ended.length > 0;
    lists.show([...active, ...ended], (job) => (active.includes(job) ? 'jobs.active' : 'jobs.recent'));
  };
  bus.on('jobs', draw, dialog.signal);
  all.addEventListener('click', () => dialog.close(''));
  draw();
}
