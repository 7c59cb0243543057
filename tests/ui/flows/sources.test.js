import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { OpenServer } from '../support/open-server.js';
import { scene } from '../support/scene.js';
import { lookInThemes } from '../support/themes.js';

/** Names with the content of their files; the files are called otherwise. */
const GAMES = new Map(
  Array.from({ length: 6 }, (_, index) => [`Comet & Co ${index} (USA)`, `content of game ${index} `.repeat(8)]),
);

const PLACES = /** @type {const} */ ([['#/sources', '[data-source="ach"]'], ['#/health/artwork', '.hygiene .hints']]);

const server = await OpenServer.start(GAMES);
after(() => server.stop());

const parts = scene({
  prepare: (scratch) => {
    [...GAMES.values()].forEach((content, index) => scratch.file(`games/snes/dump ${index}.sfc`, content));
  },
  env: server.env,
  furnish: (service) => service.ask('/api/import', { folder: `${parts.scratch.root}/games` }),
});

const { until } = keysOf(parts);

const page = () => parts.browser.page;
const card = (/** @type {string} */ id) => page().locator(`[data-source="${id}"]`);

/** @returns {Promise<Api.Game[]>} */
const games = async () => (await parts.service.ask('/api/library?offset=0&limit=20')).games;

/** @param {string} hash */
async function show(hash) {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}${hash}`);
}

test('without an account the open database is loaded, and one press fills the library', async () => {
  await show('#/sources');
  await card('opendb').getByText('Not downloaded yet. No account is needed.').waitFor();
  await card('artgrid').getByText('No account yet').waitFor();
  await card('store_a').getByText('Needs no account').waitFor();
  await card('opendb').getByRole('button', { name: /^Download/ }).click();
  await card('opendb').getByText('6 games').waitFor();
  await page().getByRole('link', { name: 'Pictures and facts' }).click();
  await page().getByRole('button', { name: 'Fill everything' }).click();
  await until(games, (rows) => rows.length === GAMES.size && rows.every((row) => row['has_cover'] === true));
  for (const row of await games())
    assert.deepEqual([row['developer'], row['genre'], row['year']], ['Northlight', 'Shooter', '1994']);
});

test('a screen that was read before a switch was turned does not turn it back', async () => {
  await show('#/sources');
  const asked = card('artgrid').getByRole('checkbox', { name: /^Ask after imports/ });
  await asked.waitFor({ state: 'attached' });
  const wasOn = await asked.isChecked();
  let release = () => {};
  const held = new Promise((resolve) => {
    release = () => resolve(undefined);
  });
  const read = new Promise((resolve) => {
    void page().route('**/api/v2/metadata/scrape-settings', async (route) => {
      const response = await route.fetch();
      resolve(undefined);
      await held;
      await route.fulfill({ response });
    }, { times: 1 });
  });
  // The end of any download has the screen read again.
  await parts.service.ask('/api/v2/opendb/sync', {});
  await read;
  let answers = 0;
  page().on('response', (response) => {
    answers += Number(response.url().includes('/scrape-settings') && response.request().method() === 'GET');
  });
  const saved = page().waitForResponse((response) =>
    response.url().includes('/scrape-settings') && response.request().method() === 'POST'
  );
  await asked.setChecked(!wasOn, { force: true });
  await saved;
  release();
  // The one that is out of date, and the one that is asked for because of it.
  await until(async () => answers, (now) => now === 2);
  await parts.browser.settle();
  assert.equal(await asked.isChecked(), !wasOn);
});

test('one game is refreshed from its page', async () => {
  const id = (await games())[0]?.game_id ?? '';
  const { name } = (await games()).find((row) => row.game_id === id) ?? { name: '' };
  await parts.service.ask('/api/game', { game_id: id, game: { name, developer: '' } });
  await parts.service.ask('/api/v2/game/locks', { game_id: id, unlock: ['developer'] });
  await show(`#/game/${id}?tab=media`);
  await page().getByRole('button', { name: 'Fetch pictures and facts' }).click();
  await page().getByRole('region', { name: 'Notices' }).getByText('Looking for facts and missing pictures').waitFor();
  await until(games, (rows) => rows.some((row) => row.game_id === id && row['developer'] === 'Northlight'));
});

test('the artwork tab shows what is wrong and leads to the accounts', async () => {
  await show('#/health');
  await page().getByRole('tab', { name: 'Artwork' }).click();
  await page().locator('.hygiene .hints').first().waitFor();
  await page().getByText(/Games examined: 6/).waitFor();
  await page().locator('.hygiene').getByRole('link', { name: 'Accounts and sources' }).click();
  await card('artgrid').waitFor();
});

test('accounts, sources and artwork have no serious finding in any theme', async () => {
  for (const [hash, ready] of PLACES) {
    await show(hash);
    await page().locator(ready).first().waitFor();
    await parts.browser.settle();
    await lookInThemes(parts, hash.includes('health') ? 'artwork' : 'sources');
  }
});
