/**
 * The tray: what the program is working on, in the corner of every screen for as long as there is something. A press
 * shows the whole list.
 */

import { h, icon, patch, setAttribute } from '../../core/dom.js';
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
  const draw = () => {
    const { t, tn, format, jobs } = ctx;
    const { active } = jobs;
    const job = active.find((each) => each.state !== 'queued') ?? active[0];
    const hadFocus = root.contains(document.activeElement);
    root.hidden = !job;
    setAttribute(root, 'aria-label', job ? t('tray.label') : null);
    frame.classList.toggle('has-tray', Boolean(job));
    const count = active.length;
    patch(root, job
      ? [
        h('button', { type: 'button', class: 'tray-button', 'aria-haspopup': 'dialog',
          on: { click: () => openJobs(ctx) } }, icon('work'),
          h('span', { class: 'what' }, h('b', null, jobTitle(ctx, job)), h('small', null, jobProgress(ctx, job))),
          count > 1 ? h('span', { class: 'count', title: tn('job.active', count) }, format.number(count)) : null,
          h('span', { class: 'sr-only', 'data-key': 'all' }, tn('job.active', count))),
        jobBar(ctx, job),
      ]
      : null);
    if (hadFocus && !job) ctx.bus.emit('focus-library', {});
  };
  ctx.bus.on('jobs', draw);
  ctx.bus.on('locale', draw);
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
