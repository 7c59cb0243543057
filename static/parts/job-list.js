/**
 * Lists of jobs that keep their cards while the jobs move from one list to the next.
 */

import { h } from '../core/dom.js';
import { holdFocus } from '../core/focus.js';
import { JobCard } from './job-card.js';

/** Cards by job, in as many lists as there are groups. */
export class JobLists {
  #ctx;
  /** @type {Map<string, JobCard>} */
  #cards = new Map();
  /** @type {Map<string, {section: HTMLElement, list: HTMLElement}>} */
  #groups = new Map();
  #root = h('div', { class: 'job-lists', 'data-key': 'job-lists' });

  /**
   * @param {App.Context} ctx
   * @param {readonly string[]} groups keys of the headings, first to last
   */
  constructor(ctx, groups) {
    this.#ctx = ctx;
    for (const key of groups) {
      const list = h('ul', { class: 'jobs' });
      const heading = h('h2', { id: `jobs-${key.replaceAll('.', '-')}` }, ctx.t(key));
      const section = h('section', { 'aria-labelledby': heading.id, hidden: true }, heading, list);
      this.#groups.set(key, { section, list });
      this.#root.append(section);
    }
  }

  get element() {
    return this.#root;
  }

  /**
   * Shows jobs by group.
   *
   * @param {readonly Api.Job[]} jobs in the order they are shown
   * @param {(job: Api.Job) => string} groupOf
   */
  show(jobs, groupOf) {
    const giveBack = holdFocus(this.#root);
    const seen = new Set(jobs.map((job) => job.job_id));
    for (const [id, card] of this.#cards) {
      if (seen.has(id)) continue;
      card.element.remove();
      this.#cards.delete(id);
    }
    for (const [key, { section, list }] of this.#groups) {
      const own = jobs.filter((job) => groupOf(job) === key);
      section.hidden = own.length === 0;
      own.forEach((job, index) => {
        const element = this.#card(job).element;
        if (list.children[index] !== element) list.insertBefore(element, list.children[index] ?? null);
      });
    }
    giveBack();
  }

  /** @param {Api.Job} job */
  #card(job) {
    const known = this.#cards.get(job.job_id);
    known?.update(job);
    const card = known ?? new JobCard(this.#ctx, job);
    this.#cards.set(job.job_id, card);
    return card;
  }
}
