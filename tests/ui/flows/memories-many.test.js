/**
 * Pictures that RetroArch took, two thousand with `UI_FULL=1`, are imported from its folder while somebody looks at the
 * page, and are worked with afterwards.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { gameRecord } from '../support/names.js';
import { plain, poster } from '../support/picture.js';
import { scene } from '../support/scene.js';
import { amount } from '../support/sizes.js';

/** Games with pictures of their own, and how many each has. */
const OWN_GAMES = 10;
const OF_EACH = amount(150, 30);

/** Pictures that fit two games. */
const OPEN = amount(500, 100);
const ALL = OWN_GAMES * OF_EACH + OPEN;

/** A task may take so long on a quiet machine, in milliseconds. */
const LONGEST = 200;

/** An import may stand still so long on a busy machine, in milliseconds. */
const PATIENCE = 60_000;

/** @param {number} index */
const idOf = (index) => `game-${index.toString(16).padStart(24, '0')}`;

/** @param {import('../support/service.js').Scratch} scratch */
function prepare(scratch) {
  const games = Array.from({ length: 300 }, (_, index) => {
    const isTwin = index === OWN_GAMES || index === OWN_GAMES + 1;
    const name = isTwin ? 'Twin Suns' : `Voyage ${String.fromCharCode(65 + Math.floor(index / 26), 65 + index % 26)}`;
    return { ...gameRecord(index, scratch.file(`roms/${index}/${name}.rom`, `game ${index}`)), name, hidden: false,
      alternate_names: [], cover: scratch.file(`data/media/covers/${index % 12}.png`, poster(index % 12, 60, 80)) };
  });
  for (let index = 0; index < ALL; index += 1) {
    const at = Math.floor(index / OF_EACH);
    const name = at < OWN_GAMES ? games[at]?.name : 'Twin Suns';
    const time = new Date(Date.UTC(2024, 0, 1) + index * 61_000).toISOString();
    const stamp = `${time.slice(2, 10).replaceAll('-', '')}-${time.slice(11, 19).replaceAll(':', '')}`;
    scratch.file(`home/.config/retroarch/screenshots/${name}-${stamp}.png`,
      plain([index >> 8, index & 255, 128], 40 + index % 100, 36));
  }
  scratch.file('data/library.json',
    JSON.stringify({ schema_version: 6, games, profiles: {}, history: [], settings: { memories_import_enabled: true },
      playlists: [], queue: [], notifications: [], ui_state: {}, active_sessions: [], trash: [] }), 0o600);
}

const parts = scene({ prepare });
const { until, press } = keysOf(parts);
const page = () => parts.browser.page;

/** The finished imports, the newest first. */
async function imports() {
  const { jobs } = /** @type {Api.JobPage} */ (await parts.service.ask('/api/v2/jobs'));
  return jobs.filter(({ type, state }) => type === 'media.memories_import' && state === 'done');
}

/**
 * Waits until so many imports are finished, as long as the one that runs gets on: a slow disk takes its time for two
 * thousand files.
 *
 * @param {number} count
 */
async function finished(count) {
  let seen = '';
  for (let end = Date.now() + PATIENCE; (await imports()).length < count;) {
    const { jobs } = /** @type {Api.JobPage} */ (await parts.service.ask('/api/v2/jobs'));
    const now = JSON.stringify(jobs.find(({ type }) => type === 'media.memories_import')?.progress);
    if (now !== seen) [seen, end] = [now, Date.now() + PATIENCE];
    assert.ok(Date.now() < end, `the import stands still at ${now}`);
    await page().evaluate(() =>
      new Promise((resolve) => {
        requestAnimationFrame(resolve);
      })
    );
  }
}

/** The pictures that fit several games. */
const open = async () =>
  /** @type {Reply.MemoryList} */ (await parts.service.ask('/api/v2/memories?unassigned=1')).memories;

/** Notes every long task of the page from now on. */
const watch = () =>
  page().addInitScript(() => {
    /** @type {number[]} */
    const tasks = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) tasks.push(entry.duration);
    }).observe({ type: 'longtask' });
    Object.assign(window, { tasks });
  });

/**
 * The long tasks so far, and makes sure that none was too long.
 *
 * @param {import('node:test').TestContext} context
 * @param {string} what
 */
async function isSmooth(context, what) {
  const tasks = await page().evaluate(
    () => /** @type {{tasks: number[]}} */ (/** @type {unknown} */ (window)).tasks.splice(0),
  );
  const longest = Math.max(0, ...tasks);
  context.diagnostic(`${what}: ${tasks.length} long tasks, the longest ${Math.round(longest)} ms`);
  // A busy machine explains longer ones; what is seen on a quiet one is printed.
  const limit = 5 * LONGEST * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());
  assert.ok(longest < limit, `${what}: ${longest} ms`);
}

/**
 * Waits until the large picture of the inbox is this one: every picture is as wide as its neighbors are not.
 *
 * @param {Reply.Memory | undefined} memory
 */
const large = (memory) =>
  page().waitForFunction((width) => {
    const image = /** @type {HTMLImageElement | null} */ (document.querySelector('.inbox-picture'));
    return image?.complete && image.naturalWidth === width;
  }, memory && readFileSync(memory.path).readUInt32BE(16));

test('many pictures are imported without a stutter, and a second import adds none', async (context) => {
  await watch();
  await page().goto(`${parts.service.address}#/moments/inbox`);
  const start = page().getByRole('button', { name: 'Look for pictures' });
  await start.waitFor();
  await isSmooth(context, 'the empty inbox');
  await start.click();
  await finished(1);
  await page().getByText(`${OPEN} pictures fit several games.`).waitFor();
  assert.equal(await page().locator('.inbox-strip li').count(), OPEN);
  await large((await open())[0]);
  await isSmooth(context, 'the import');
  const [first] = await imports();
  assert.deepEqual([first?.result?.['added'], first?.result?.['unassigned'], first?.result?.['failed']], [
    OWN_GAMES * OF_EACH,
    OPEN,
    0,
  ]);
  for (let index = 0; index < OWN_GAMES; index += 1) {
    const { memories } = /** @type {Reply.MemoryList} */ (await parts.service.ask(
      `/api/v2/memories?game_id=${idOf(index)}`,
    ));
    assert.equal(memories.length, OF_EACH);
    assert.equal(new Set(memories.map(({ sha256 }) => sha256)).size, OF_EACH);
  }
  await start.click();
  await finished(2);
  const [second] = await imports();
  assert.deepEqual([second?.result?.['added'], second?.result?.['unassigned'], second?.result?.['skipped']], [0, 0,
    ALL]);
  const status = /** @type {Reply.MemoriesStatus} */ (await parts.service.ask('/api/v2/memories/status'));
  assert.deepEqual([status.memories, status.unassigned], [OWN_GAMES * OF_EACH, OPEN]);
  await isSmooth(context, 'the second import');
});

test('an inbox of five hundred is leafed through and emptied smoothly, and shows the picture it means', async (context) => {
  await page().locator('.inbox input').focus();
  const before = await open();
  for (let at = 1; at <= 5; at += 1) {
    await press('PageDown');
    await large(before[at]);
  }
  const strip = page().locator('.inbox-strip');
  await strip.evaluate(async (list) => {
    while (list.scrollLeft + list.scrollTop + 1 <
      list.scrollWidth - list.clientWidth + list.scrollHeight - list.clientHeight) {
      const seen = list.scrollLeft + list.scrollTop;
      list.scrollBy(600, 600);
      await new Promise(requestAnimationFrame);
      if (list.scrollLeft + list.scrollTop === seen) break;
    }
  });
  await strip.locator('button').first().click();
  await large(before[0]);
  for (let given = 1; given <= 3; given += 1) {
    await page().locator('.inbox-games [role="option"]', { hasText: 'Twin Suns' }).first().waitFor();
    await press('Enter');
    await page().getByText(`${OPEN - given} pictures fit several games.`).waitFor();
    // The next one stands in the place of the one that was given away.
    await large(before[given]);
  }
  assert.deepEqual((await open()).map(({ sha256 }) => sha256), before.slice(3).map(({ sha256 }) => sha256));
  await isSmooth(context, 'the inbox');
});

test('a game with many pictures shows all of them smoothly', async (context) => {
  await page().goto(`${parts.service.address}#/game/${idOf(0)}?tab=moments`);
  const pictures = page().locator('.memories .shots li');
  await until(() => pictures.count(), (count) => count === OF_EACH);
  await pictures.last().scrollIntoViewIfNeeded();
  await pictures.last().locator('img').evaluate((image) =>
    /** @type {HTMLImageElement} */ (image).complete || new Promise((resolve) => {
      image.addEventListener('load', resolve, { once: true });
    })
  );
  await isSmooth(context, 'the page of the game');
});
