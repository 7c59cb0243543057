/**
 * Filling a library: the database when it is not there yet, then matches, then pictures with facts. Each step is a job
 * of the server that goes on without the page; whoever presses again goes on with what is left.
 */

/** Pictures that are loaded. */
const MEDIA = Object.freeze(['cover', 'background', 'screenshots']);

/** Jobs of the steps, in their order, and of a review. */
export const JOBS = Object.freeze(
  /** @type {const} */ ({ sync: 'metadata.db_sync', match: 'metadata.apply', media: 'media.bulk_download',
    review: 'metadata.match_preview', fill: 'metadata.fill', opendb: 'opendb.sync', local: 'media.local',
    look: 'media.local_preview' }),
);

/** Sources beside the games database that a pass over all games asks. */
const OTHERS = Object.freeze(['opendb', 'scraper', 'gamedb', 'artgrid']);

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
 * Gives the games of a platform what the sources know of them and they do not have. Where no database is
 * there, one is loaded first.
 *
 * @param {App.Context} ctx
 * @param {string} [platform] every one when it is missing
 * @returns {Promise<boolean>} whether every step did what it was for
 */
export async function fillLibrary(ctx, platform = 'all') {
  const { client } = ctx;
  const sync = (/** @type {'metadb' | 'opendb'} */ id) =>
    id === 'metadb'
      ? runJob(ctx, JOBS.sync, () => client.post('/api/metadata/sync'))
      : runJob(ctx, JOBS.opendb, () => client.post('/api/v2/opendb/sync'));
  const { sources } = await client.get('/api/v2/sources');
  const usable = new Set(sources.filter((source) => source.ready && source.enabled).map((source) => source.id));
  if (!usable.has('metadb') && !usable.has('opendb')) {
    // Where the games database cannot be loaded, the other one, which needs no account either, stands in.
    if (await sync('metadb')) usable.add('metadb');
    else if (await sync('opendb')) usable.add('opendb');
    else return false;
  }
  const hasOthers = OTHERS.some((id) => usable.has(id));
  if (usable.has('metadb')) {
    if (!await runJob(ctx, JOBS.match, () => client.post('/api/metadata/match', { platform }))) return false;
    if (!hasOthers)
      return runJob(ctx, JOBS.media, () =>
        client.post('/api/media/bulk', { media: MEDIA, overwrite: false, platform }));
  }
  // With other sources one pass asks all of them, each where the settings want it.
  return runJob(ctx, JOBS.fill, () => client.post('/api/v2/metadata/fill', { platform, media_types: MEDIA }));
}

/**
 * Gives one game what any source knows of it and it does not have, and brings up to date what sources wrote.
 *
 * @param {App.Context} ctx
 * @param {string} id
 */
export async function fillGame({ client, jobs }, id) {
  await client.post('/api/v2/metadata/fill', { game_id: id, renew: true });
  await jobs.refresh();
}
