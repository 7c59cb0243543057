/**
 * The durable jobs of the server: all it keeps, brought up to date by the live stream, with an estimate of when each
 * will end.
 */

import { ApiError } from '../core/client.js';
import { coalesce } from '../core/coalesce.js';

/** States in which a job still does something. */
const ACTIVE = Object.freeze(['queued', 'running', 'cancelling']);

/** Jobs of one page of the list; the server keeps little more than this. */
const PAGE = 100;

/** A speed measured over less than this says nothing, in milliseconds. */
const MEASURE = 900;

/**
 * @param {Api.Job} job
 * @returns {boolean}
 */
export function isActive(job) {
  return ACTIVE.includes(job.state);
}

/** Follows `GET /api/v2/jobs`. */
export class Jobs {
  #client;
  #bus;
  /** @type {Api.Job[]} */
  #list = [];
  /** Jobs whose end has not been told yet. */
  /** @type {Set<string>} */
  #awaited = new Set();
  /** Jobs whose end has been told. News of it may come by the list, by the stream and as an answer, in any order. */
  /** @type {Set<string>} */
  #told = new Set();
  /** Where the work of each running job stood when it was first seen. */
  /** @type {Map<string, {time: number, current: number}>} */
  #begun = new Map();
  /** Jobs whose end is told by whoever began them: by their type until the server has given them an id. */
  /** @type {Set<{type: string, id: string}>} */
  #followed = new Set();
  #isLoaded = false;
  /** Why the list could not be read, if so. */
  /** @type {ApiError | null} */
  error = null;

  /** Reads the list anew. */
  refresh = coalesce(() => this.#load());

  /**
   * @param {import('../core/client.js').Client} client
   * @param {import('../core/bus.js').Bus} bus
   */
  constructor(client, bus) {
    this.#client = client;
    this.#bus = bus;
    bus.on('live:event', (event) => this.#follow(event));
    bus.on('live:behind', () => {
      if (this.#isLoaded || this.error) void this.refresh();
    });
  }

  /** Everything the server keeps, the newest first. */
  get list() {
    return this.#list;
  }

  get active() {
    return this.#list.filter(isActive);
  }

  get isLoaded() {
    return this.#isLoaded;
  }

  /**
   * Seconds until a job will have ended, or `null` when nothing is known about it.
   *
   * @param {Api.Job} job
   * @returns {number | null}
   */
  left(job) {
    const begun = this.#begun.get(job.job_id);
    if (job.state !== 'running' || !job.total || !begun) return null;
    const [done, time] = [job.current - begun.current, Date.now() - begun.time];
    if (done <= 0 || time < MEASURE) return null;
    return (Math.max(0, job.total - job.current) * time) / done / 1000;
  }

  /**
   * @param {string} id
   * @param {'cancel' | 'retry' | 'resume'} action
   */
  async act(id, action) {
    try {
      /** @type {{job_id: string}} */
      const answer = await this.#client.post(`/api/v2/jobs/${action}`, { job_id: id });
      this.#awaited.add(answer.job_id);
    } finally {
      // A refusal means that the job is in another state than was shown.
      await this.refresh();
    }
  }

  /**
   * Begins a job and waits for its end, which whoever began it tells: others leave that to them.
   *
   * @param {string} type
   * @param {() => Promise<{job_id: string}>} begin
   * @param {(job: Api.Job) => void} seen is called whenever something was heard of the job
   * @returns {Promise<Api.Job>} as it ended
   */
  async follow(type, begin, seen) {
    const [own, life] = [{ type, id: '' }, new AbortController()];
    this.#followed.add(own);
    try {
      own.id = (await begin()).job_id;
      this.#awaited.add(own.id);
      return await new Promise((resolve) => {
        const look = () => {
          const job = this.#list.find(({ job_id: id }) => id === own.id);
          if (job && isActive(job)) seen(job);
          else if (job) resolve(job);
        };
        this.#bus.on('jobs', look, life.signal);
        void this.refresh();
      });
    } finally {
      life.abort();
      this.#followed.delete(own);
    }
  }

  /**
   * @param {Api.Job} job
   * @returns {boolean} whether somebody follows it and tells its end
   */
  isFollowed({ type, job_id: id }) {
    return [...this.#followed].some((one) => (one.id ? one.id === id : one.type === type));
  }

  /**
   * A page of what a job could not do or left out.
   *
   * @param {string} id
   * @param {string | null} cursor
   * @returns {Promise<Api.JobItems>}
   */
  items(id, cursor) {
    return this.#client.get('/api/v2/jobs/items', { job_id: id, limit: 50, cursor: cursor ?? undefined });
  }

  async #load() {
    try {
      /** @type {Api.Job[]} */
      const list = [];
      let cursor = '';
      do {
        const page = await this.#client.get('/api/v2/jobs', { limit: PAGE, cursor: cursor || undefined });
        list.push(...page.jobs);
        cursor = page.next_cursor ?? '';
      } while (cursor);
      this.error = null;
      this.#take(list);
    } catch (error) {
      this.error = ApiError.from(error);
      this.#bus.emit('jobs', this.#list);
    }
  }

  /** @param {Api.Job[]} list */
  #take(list) {
    for (const job of this.#list) if (isActive(job)) this.#awaited.add(job.job_id);
    this.#list = list;
    this.#isLoaded = true;
    for (const job of list) this.#measure(job);
    this.#bus.emit('jobs', list);
    const ended = list.filter((job) =>
      !isActive(job) && this.#awaited.delete(job.job_id) && !this.#told.has(job.job_id)
    );
    const kept = new Set(list.map((job) => job.job_id));
    this.#told = new Set([...this.#told, ...ended.map((job) => job.job_id)].filter((id) => kept.has(id)));
    for (const job of ended) this.#bus.emit('job:ended', job);
  }

  /** @param {App.StreamEvent} event */
  #follow({ name, data }) {
    if (!name.startsWith('job.') || typeof data['job_id'] !== 'string') return;
    this.#awaited.add(data['job_id']);
    const job = this.#list.find(({ job_id: id }) => id === data['job_id']);
    if (name !== 'job.progress' || !job) {
      void this.refresh();
      return;
    }
    Object.assign(job, data);
    this.#measure(job);
    this.#bus.emit('jobs', this.#list);
  }

  /** @param {Api.Job} job */
  #measure(job) {
    if (job.state !== 'running') this.#begun.delete(job.job_id);
    else if (!this.#begun.has(job.job_id)) {
      const started = Date.parse(job.started_at ?? '');
      const isWhole = !job.resume_of && started <= Date.now();
      this.#begun.set(job.job_id, isWhole ? { time: started, current: 0 } : { time: Date.now(), current: job.current });
    }
  }
}
