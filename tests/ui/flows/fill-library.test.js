import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { Pad } from '../support/gamepad.js';
import { keysOf } from '../support/keys.js';
import { MetadataServer } from '../support/metadata-server.js';
import { scene } from '../support/scene.js';
import { lookInThemes } from '../support/themes.js';

const SNES = 'Super Nintendo Entertainment System';

/** Games whose files are called a little otherwise: without the last letter. */
const DOUBTFUL = ['Lantern Keepers Sail Over Seven Quiet Northern Seas',
  'Voyage With Nine Wooden Horses Towards Glass Moons', 'Song About Paper Kings Who Never Learned Letters',
  'Old Clock Makers Counting Every Second During Winters'];

const server = await MetadataServer.start([
  { id: 900_017, name: 'Comet Rangers II', platform: SNES,
    images: [['Box - Front', 'Europe', 'comet.png'], ['Fanart - Background', '', 'sky.png']] },
  { id: 900_018, name: 'Iron Garden', platform: SNES, images: [['Box - Front', '', 'garden.png']] },
  ...DOUBTFUL.map((name, index) => ({ id: 900_100 + index, name, platform: SNES,
    images: /** @type {[string, string, string][]} */ ([['Box - Front', '', `doubt-${index}.png`]]) })
  ),
]);
after(() => server.stop());

const parts = scene({
  prepare: (scratch) => {
    for (const name of ['Comet Rangers II (USA)', 'Iron Garden (Europe)',
      ...DOUBTFUL.map((title) => title.slice(0, -1))])
      scratch.file(`games/snes/${name}.sfc`, `SFC ${name}`);
  },
  env: server.env,
});

const { press, focus, until } = keysOf(parts);

const page = () => parts.browser.page;

/** @returns {Promise<Api.Game[]>} */
const games = async () => (await parts.service.ask('/api/library?offset=0&limit=9')).games;

/** @param {string} name */
const game = async (name) => (await games()).find((one) => one.name.startsWith(name));

/** Opens a review with the pages of its matches read. */
async function openReview() {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/fill`);
  await page().getByRole('button', { name: 'Review doubtful matches' }).click();
  await page().getByText(/\d match(?:es)? to decide/).waitFor();
}

test('imported games are filled with one press, and their covers come into the grid without a reload', async () => {
  await page().goto(`${parts.service.address}#/`);
  await page().getByText('Service Launcher').first().waitFor();
  await page().evaluate(() => Object.assign(window, { isSame: true }));
  await parts.service.ask('/api/import', { folder: `${parts.scratch.root}/games` });
  await page().locator('.tile').nth(5).waitFor();
  await page().getByRole('link', { name: 'Make it beautiful' }).click();
  await page().locator('.gaps-list [data-platform="SNES"]').waitFor();
  server.failPicture('garden.png', 'page');
  await page().getByRole('button', { name: 'Fill everything' }).click();
  await page().getByRole('heading', { name: '1 new cover' }).waitFor();
  await page().goBack();
  await page().locator('.tile img.shown').waitFor();
  assert.equal(await page().locator('.tile img').count(), 1,
    'a page that came for a picture fails for its own game only');
  const filled = await game('Comet');
  assert.deepEqual([filled?.year, filled?.developer], ['1994', 'Northlight']);
  server.failPicture('garden.png', null);
  await page().goForward();
  await page().getByRole('button', { name: 'Fill: SNES' }).click();
  await page().getByRole('meter', { name: 'SNES: Covers' }).and(page().locator('[aria-valuenow="2"]')).waitFor();
  await page().goBack();
  await page().locator('.tile img.shown').nth(1).waitFor();
  assert.equal(await page().evaluate(() => 'isSame' in window), true, 'the page was loaded again');
});

test('doubtful matches are looked through with the pointer and applied', async () => {
  await openReview();
  const review = page().locator('.review');
  const title = await review.locator('.sides h2').first().textContent();
  await review.getByRole('button', { name: 'Accept' }).click();
  await until(() => review.locator('.sides h2').first().textContent(), (now) => now !== title);
  for (const left of ['3 matches to decide', '2 matches to decide', '1 match to decide']) {
    await review.getByText(left).waitFor();
    await review.locator('button:not([aria-busy])').filter({ hasText: 'Next' }).click();
  }
  await review.getByRole('button', { name: 'Apply 1 match' }).click();
  await page().getByRole('meter', { name: 'SNES: Covers' }).and(page().locator('[aria-valuenow="3"]')).waitFor();
  assert.equal((await game(String(title)))?.year, '1994');
});

test('doubtful matches are decided by keys', async () => {
  await openReview();
  const title = page().locator('.sides h2').first();
  const first = await title.textContent();
  await press('x');
  await until(() => title.textContent(), (now) => now !== first);
  await focus(/^Accept$/);
  await page().locator('.review button[aria-busy]').waitFor({ state: 'detached' });
  await press('n');
  await page().getByText('1 match to decide').waitFor();
  await page().locator('.review button[aria-busy]').waitFor({ state: 'detached' });
  await press('a');
  await focus(/^Apply 1 match$/);
  await press('Enter');
  await page().getByRole('meter', { name: 'SNES: Covers' }).and(page().locator('[aria-valuenow="4"]')).waitFor();
  await openReview();
  await page().getByText('1 match to decide').waitFor();
});

test('a list that was read before a decision does not bring its match back', async () => {
  await openReview();
  let release = () => {};
  const held = new Promise((resolve) => {
    release = () => resolve(undefined);
  });
  const read = new Promise((resolve) => {
    void page().route('**/matches/items?*', async (route) => {
      const response = await route.fetch();
      resolve(undefined);
      await held;
      await route.fulfill({ response });
    }, { times: 1 });
  });
  // The end of any review has the list read again.
  await parts.service.ask('/api/v2/metadata/matches/preview', { game_ids: [(await game('Comet'))?.game_id] });
  await read;
  await press('n');
  await page().getByText('Nothing is left to decide.').waitFor();
  let answers = 0;
  page().on('response', (response) => {
    answers += Number(response.url().includes('/matches/items?'));
  });
  release();
  // The one that is out of date, and the one that is asked for because of it.
  await until(async () => answers, (now) => now === 2);
  await parts.browser.settle();
  assert.equal(await page().locator('.review .sides').count(), 0);
});

test('doubtful matches are decided by controller', async () => {
  const pad = await Pad.install(page());
  await openReview();
  await pad.connect();
  await page().getByRole('button', { name: 'Accept' }).focus();
  await pad.press('right');
  await focus(/^Next$/);
  await pad.press('play');
  await page().getByText('Nothing is left to decide.').waitFor();
  await focus(/^Back$/);
});

test('the review has no serious finding in any theme', async () => {
  await openReview();
  await parts.browser.settle();
  await lookInThemes(parts, 'review');
  await page().getByRole('link', { name: 'Back' }).click();
  await page().locator('.gaps-list').waitFor();
  await parts.browser.settle();
  await lookInThemes(parts, 'fill-all');
});
