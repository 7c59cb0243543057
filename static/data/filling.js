/**
 * Filling a library: the database when it is not there yet, then matches, then pictures with facts. Each step is a job
 * of the server that goes on without the page; whoever presses again goes on with what is left.
 */

/** Pictures that are loaded. */
const MEDIA = Object.freeze(['cover', 'background', 'screenshots']);

/** Jobs of the steps, in their order, and of a review. */
export const JOBS = Object.freeze(
  /** @type {const} */ ({ sync: 'metadata.db_sync', match: 'metadata.apply', media: 'media.bulk_download',
    review: 'metadata.match_preview' }),
);

/** How jobs end that did what they were for. */
const GOOD = Object.freeze(['done', 'partial']);

/**
 * Begins a job and waits for its end.
 *
 * @param {App.Context} ctx
 * @param {string} type
 * @param {() => Promise<unknown>} begin
 * @returns {Promise<boolean>} whether it did what it was for
 */
export async function runJob({ jobs, bus }, type, begin) {
  const life = new AbortController();
  /** @type {Promise<Api.Job>} */
  const ended = new Promise((resolve) => {
    bus.on('job:ended', (job) => {
      if (job.type === type) resolve(job);
    }, life.signal);
  });
  try {
    await begin();
    void jobs.refresh();
    return GOOD.includes((await ended).state);
  } finally {
    life.abort();
  }
}

/**
 * Gives the games of a platform what the database knows of them and they do not have.
 *
 * @param {App.Context} ctx
 * @param {string} [platform] every one when it is missing
 * @returns {Promise<boolean>} whether every step did what it was for
 */
export async function fillLibrary(ctx, platform = 'all') {
  const { client } = ctx;
  const { ready } = await client.get('/api/metadata/status');
  return (ready || await runJob(ctx, JOBS.sync, () => client.post('/api/metadata/sync'))) &&
    await runJob(ctx, JOBS.match, () => client.post('/api/metadata/match', { platform })) &&
    runJob(ctx, JOBS.media, () => client.post('/api/media/bulk', { media: MEDIA, overwrite: false, platform }));
}
