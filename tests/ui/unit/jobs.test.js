import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Bus } from '../../../static/core/bus.js';
import { Jobs } from '../../../static/data/jobs.js';

/** @param {Partial<Api.Job>} job */
const made = (job) => /** @type {Api.Job} */ ({ type: 'library.export', state: 'running', current: 0, total: 0,
  ...job });

/** A list of jobs over a server of the test, and the ends that it told. */
function scene() {
  const server = { jobs: /** @type {Api.Job[]} */ ([]), answer: /** @type {() => void} */ (() => undefined) };
  const client = /** @type {import('../../../static/core/client.js').Client} */ (/** @type {unknown} */ ({
    get: async () => ({ jobs: structuredClone(server.jobs), next_cursor: null }),
    post: async (/** @type {string} */ _path, /** @type {{job_id: string}} */ body) => {
      server.answer();
      return body;
    },
  }));
  const bus = new Bus();
  const jobs = new Jobs(client, bus);
  /** @type {string[]} */
  const told = [];
  bus.on('job:ended', (job) => told.push(`${job.job_id} ${job.state}`));
  const say = (/** @type {string} */ name, /** @type {string} */ id) =>
    bus.emit('live:event', { name, data: { job_id: id } });
  return { server, jobs, told, say };
}

test('the end of a job is told once, however often and in whatever order it is heard of', async () => {
  const { server, jobs, told, say } = scene();
  server.jobs = [made({ job_id: 'a' })];
  await jobs.refresh();
  server.answer = () => {
    server.jobs = [made({ job_id: 'a', state: 'cancelled' })];
    say('job.finished', 'a');
  };
  await jobs.act('a', 'cancel');
  assert.deepEqual(told, ['a cancelled']);
  say('job.finished', 'a');
  await jobs.refresh();
  assert.deepEqual(told, ['a cancelled']);
});

test('a job that had ended before anybody saw it run is told when the stream speaks of it', async () => {
  const { server, jobs, told, say } = scene();
  server.jobs = [made({ job_id: 'old', state: 'done' })];
  await jobs.refresh();
  assert.deepEqual(told, []);
  server.jobs = [made({ job_id: 'new', state: 'done' }), ...server.jobs];
  await jobs.refresh();
  assert.deepEqual(told, []);
  say('job.finished', 'new');
  await jobs.refresh();
  assert.deepEqual(told, ['new done']);
});

test('a job that is tried again is told again, because it is another job', async () => {
  const { server, jobs, told } = scene();
  server.jobs = [made({ job_id: 'a' })];
  await jobs.refresh();
  server.jobs = [made({ job_id: 'a', state: 'error' })];
  await jobs.refresh();
  server.jobs = [made({ job_id: 'b' }), ...server.jobs];
  await jobs.refresh();
  server.jobs = [made({ job_id: 'b', state: 'done' }), made({ job_id: 'a', state: 'error' })];
  await jobs.refresh();
  assert.deepEqual(told, ['a error', 'b done']);
});
