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
  return { server, jobs, told, say, bus };
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

test('a job that is followed is told to be, however soon it ends', async () => {
  const { server, jobs, told, say, bus } = scene();
  /** @type {string[]} */
  const others = [];
  bus.on('job:ended', (job) => others.push(`${job.job_id} ${jobs.isFollowed(job)}`));
  await jobs.refresh();
  // Heard of by the stream before the answer gives its id.
  const ended = await jobs.follow('media.local_preview', async () => {
    server.jobs = [made({ job_id: 'a', type: 'media.local_preview', state: 'done' })];
    say('job.finished', 'a');
    await jobs.refresh();
    return { job_id: 'a' };
  }, () => assert.fail('it had ended'));
  assert.equal(ended.state, 'done');
  // Heard of by the list alone, and by the stream afterwards.
  await jobs.follow('media.local_preview', async () => {
    server.jobs = [made({ job_id: 'b', type: 'media.local_preview', state: 'cancelled' }), ...server.jobs];
    return { job_id: 'b' };
  }, () => assert.fail('it had ended'));
  say('job.finished', 'b');
  await jobs.refresh();
  assert.deepEqual(told, ['a done', 'b cancelled']);
  assert.deepEqual(others, ['a true', 'b true']);
});

test('of a job that is followed everything is told until it ends, and others stay untouched', async () => {
  const { server, jobs, bus } = scene();
  /** @type {string[]} */
  const seen = [];
  const type = 'media.local_preview';
  server.jobs = [made({ job_id: 'a', type })];
  const ended = jobs.follow(type, async () => ({ job_id: 'a' }), (job) => seen.push(`${job.job_id} ${job.current}`));
  assert.ok(jobs.isFollowed(made({ job_id: 'x', type })), 'its id is not known yet');
  await jobs.refresh();
  assert.ok(!jobs.isFollowed(made({ job_id: 'x', type })));
  bus.emit('live:event', { name: 'job.progress', data: { job_id: 'a', current: 7 } });
  server.jobs = [made({ job_id: 'b', type }), made({ job_id: 'a', type, state: 'error' })];
  await jobs.refresh();
  assert.equal((await ended).state, 'error');
  assert.deepEqual([seen.at(0), seen.at(-1)], ['a 0', 'a 7']);
  assert.ok(!jobs.isFollowed(made({ job_id: 'a', type })));
});

test('a job that could not be begun is followed by nobody', async () => {
  const { jobs } = scene();
  const type = 'media.local_preview';
  await assert.rejects(jobs.follow(type, () => Promise.reject(new Error('no')), () => undefined), /no/);
  assert.ok(!jobs.isFollowed(made({ job_id: 'a', type })));
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
