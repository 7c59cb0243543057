import assert from 'node:assert/strict';
import { test } from 'node:test';

import { scene } from '../support/scene.js';
import { writeLibrary } from '../support/library.js';

const parts = scene({ prepare: (scratch) => writeLibrary(scratch, 40) });

/** Places on the live stream. */
const PLACES = 16;

/**
 * Takes a place on the live stream.
 *
 * @param {AbortSignal} signal gives it back
 */
async function takePlace(signal) {
  const response = await fetch(`${parts.service.url}/api/events`, { headers: { 'X-Service-Token': parts.service.token },
    signal });
  if (!response.ok) await response.body?.cancel();
  return response.ok;
}

/** @param {AbortSignal} signal */
async function takeAll(signal) {
  let taken = 0;
  while (await takePlace(signal)) taken += 1;
  return taken;
}

/**
 * @param {import('playwright-core').Page} page
 * @param {string} name of the first game
 */
function showsFirst(page, name) {
  return page.waitForFunction((wanted) => document.querySelector('.tile[data-index="0"] .name')?.textContent === wanted,
    name);
}

/** @param {string} name */
async function rename(name) {
  /** @type {Api.LibraryPage} */
  const { games } = await parts.service.ask('/api/library?offset=0&limit=1');
  const [game] = games;
  await parts.service.ask('/api/game', { game_id: game?.game_id, game: { name, path: game?.path } });
}

test('all tabs share one stream, and both hear of a change made elsewhere', async () => {
  const { page } = parts.browser;
  const stream = page.waitForResponse((response) => response.url().endsWith('/api/events') && response.ok());
  await page.goto(parts.service.address);
  await page.locator('.tile').first().waitFor();
  await stream;
  const second = await parts.browser.newTab();
  await second.goto(parts.service.address);
  await second.locator('.tile').first().waitFor();
  const stop = new AbortController();
  assert.equal(await takeAll(stop.signal), PLACES - 1, 'the two tabs have one place');
  await rename('000 A new name');
  await Promise.all([showsFirst(page, '000 A new name'), showsFirst(second, '000 A new name')]);
  stop.abort();

  await page.goto('about:blank');
  await rename('00 After the first tab went');
  await showsFirst(second, '00 After the first tab went');
  await second.close();
});

test('a game that is removed elsewhere goes, a new one comes', async () => {
  const { page } = parts.browser;
  await page.goto(parts.service.address);
  await showsFirst(page, '00 After the first tab went');
  /** @type {Api.LibraryPage} */
  const { games } = await parts.service.ask('/api/library?offset=0&limit=1');
  await parts.service.ask('/api/game/delete', { game_id: games[0]?.game_id, delete_media: false });
  await page.waitForFunction(() =>
    document.querySelector('.tile[data-index="0"] .name')?.textContent !== '00 After the first tab went'
  );
  parts.scratch.file('more/nes/000 Brand New.nes', 'NES');
  await parts.service.ask('/api/import', { folder: `${parts.scratch.root}/more` });
  await showsFirst(page, '000 Brand New');
});

test('without a place on the stream the page asks instead, and follows the stream once there is one', async () => {
  const { page } = parts.browser;
  await page.goto('about:blank');
  const stop = new AbortController();
  await takeAll(stop.signal);
  parts.browser.errors = [];
  await page.goto(parts.service.address);
  await page.locator('.tile').first().waitFor();
  assert.equal(await page.getByText('The connection to Service Launcher is lost.').count(), 0);
  await parts.service.ask('/api/queue', { action: 'enqueue', game_ids: [await firstId()] });
  await page.locator('[data-place="play"] .count').getByText('1').waitFor();
  const stream = page.waitForResponse((response) => response.url().endsWith('/api/events') && response.ok(), {
    timeout: 60_000,
  });
  stop.abort();
  await stream;
  await rename('000 AAA Told by the stream');
  await showsFirst(page, '000 AAA Told by the stream');
});

async function firstId() {
  /** @type {Api.LibraryPage} */
  const { games } = await parts.service.ask('/api/library?offset=0&limit=1');
  return games[0]?.game_id;
}

test('what is set in another window shows in the open ones', async () => {
  const { page } = parts.browser;
  await page.goto(`${parts.service.address}#/settings/appearance`);
  await page.getByLabel('Colours', { exact: true }).waitFor();
  const second = await parts.browser.newTab();
  await second.goto(parts.service.address);
  await second.locator('.tile').first().waitFor();
  const looks = () =>
    second.evaluate(() => ({ scheme: document.documentElement.dataset['scheme'], lang: document.documentElement.lang,
      tile: document.querySelector('.tile')?.clientWidth ?? 0 })
    );
  const before = await looks();
  await page.getByLabel('Colours', { exact: true }).selectOption('light');
  await second.waitForFunction(() => document.documentElement.dataset['scheme'] === 'light');

  // A program beside the browser is another window too.
  await parts.service.ask('/api/settings', { ui_scheme: 'contrast', ui_tile_width: 300 });
  await second.waitForFunction(
    (narrow) =>
      document.documentElement.dataset['scheme'] === 'contrast' &&
      (document.querySelector('.tile')?.clientWidth ?? 0) > narrow,
    before.tile,
  );
  await page.waitForFunction(() => document.documentElement.dataset['scheme'] === 'contrast');
  await page.waitForFunction(() =>
    /** @type {HTMLSelectElement | null} */ (document.querySelector('#setting-ui_scheme'))?.value === 'contrast'
  );

  await page.goto(`${parts.service.url}/#/settings/general`);
  await page.getByLabel('Language', { exact: true }).selectOption('de');
  await second.waitForFunction(() =>
    document.documentElement.lang === 'de' && document.querySelector('.library-head h1')?.textContent === 'Alle Spiele'
  );
  await second.close();
});
