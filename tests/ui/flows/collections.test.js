import assert from 'node:assert/strict';
import { test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { writeLibrary } from '../support/library.js';
import { scene } from '../support/scene.js';
import { lookInThemes } from '../support/themes.js';

const parts = scene({ prepare: (scratch) => writeLibrary(scratch, 300) });

const { until } = keysOf(parts);

const page = () => parts.browser.page;
const link = (/** @type {string} */ name) => page().getByRole('link', { name: new RegExp(`^${name}`) });

/** @param {string} [hash] */
async function open(hash = '') {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}${hash}`);
  await page().locator('.loading-line.done').waitFor({ state: 'attached' });
}

/** @returns {Promise<{name: string, query: string, count: number}[]>} */
const stored = async () =>
  /** @type {{items: {name: string, query: string, count: number}[]}} */ (await parts.service.ask(
    '/api/v2/collections',
  )).items;

/** What the server finds. @param {string} query */
const found = async (query) =>
  /** @type {Api.Phrase} */ (await parts.service.ask('/api/v2/library/query/parse', { query })).match_count;

/** @param {number} count */
const waitCount = (count) =>
  page().waitForFunction(
    (number) =>
      document.querySelector('.library-head .count')?.textContent === `${number} ${number === 1 ? 'game' : 'games'}`,
    count,
  );

test('a search becomes a collection, which shows what its phrase finds', async () => {
  const wanted = await found('platform:snes');
  await open();
  await page().getByLabel('Search the library').fill('platform:snes');
  await page().getByRole('button', { name: 'Save as collection' }).click();
  const dialog = page().getByRole('dialog', { name: 'New collection' });
  await dialog.getByText(`Finds ${wanted} games`).waitFor();
  await dialog.getByText('Platform: SNES').waitFor();
  assert.equal(await dialog.getByLabel('Name *').inputValue(), 'Platform:snes');
  await dialog.getByLabel('Name *').fill('Sixteen bits');
  await parts.browser.shoot('collection-new');
  assert.deepEqual(await parts.browser.findings(), []);
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page().locator('.toast', { hasText: 'Sixteen bits is in the sidebar now.' }).getByRole('button', {
    name: 'Open',
  }).press('Enter');
  await page().getByRole('heading', { level: 1, name: 'Sixteen bits' }).waitFor();
  await waitCount(wanted);
  await link('Sixteen bits').and(page().locator('[aria-current="page"]')).getByText(String(wanted), { exact: true })
    .waitFor();
  await page().locator('.chips').getByText('Platform: SNES').waitFor();
  await parts.browser.settle();
  await parts.browser.shoot('collection');
  assert.deepEqual(await stored(), [{ name: 'Sixteen bits', query: 'platform:snes', count: wanted }]);
});

test('an address leads to a collection, and its games follow the library', async () => {
  await parts.service.ask('/api/v2/collections', { name: 'Mastered ones', query: 'mastered' });
  await open('#/?collection=Mastered+ones');
  const before = await found('mastered');
  await waitCount(before);
  const { games } = /** @type {Api.LibraryPage} */ (await parts.service.ask('/api/library'));
  const other = games.find((game) => game.progress !== 'Mastered' && !game.hidden);
  await parts.service.ask('/api/v2/library/progress/set', { game_id: other?.game_id, progress: 'Mastered' });
  await waitCount(before + 1);
  await page().waitForFunction(
    (count) =>
      [...document.querySelectorAll('.place[aria-current] .count')].some((place) =>
        place.textContent === String(count)
      ),
    before + 1,
  );
  await page().getByLabel('Search the library').fill(String(other?.name));
  await page().waitForFunction((all) => document.querySelectorAll('.tile').length < all, before);
  await page().getByRole('button', { name: 'Remove filter Mastered ones' }).click();
  await page().getByRole('heading', { level: 1, name: 'All games' }).waitFor();
});

test('a phrase that finds nothing says so and offers to change it', async () => {
  await parts.service.ask('/api/v2/collections', { name: 'Nothing', query: 'platform:zx81 zzzz' });
  await open('#/?collection=Nothing');
  await page().getByRole('heading', { name: 'This collection is empty' }).waitFor();
  await parts.browser.shoot('collection-empty');
  await page().getByRole('button', { name: 'Edit collection' }).click();
  const dialog = page().getByRole('dialog', { name: 'Edit collection' });
  await dialog.getByLabel('Phrase *').fill('favorite games');
  await dialog.getByText('Favourite', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await waitCount(await found('favorite games'));
});

test('a taken name and a missing phrase are refused in their place', async () => {
  await open();
  await page().getByRole('button', { name: 'New collection' }).click();
  const dialog = page().getByRole('dialog', { name: 'New collection' });
  await dialog.getByLabel('Name *').fill('Nothing');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText('A collection with this name exists already.').waitFor();
  await dialog.getByLabel('Name *').fill('Something');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText('A phrase is needed.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal((await stored()).some(({ name }) => name === 'Something'), false);
});

test('a collection is renamed and deleted from its menu, and an undo brings it back', async () => {
  await open('#/?collection=Sixteen+bits');
  await link('Sixteen bits').click({ button: 'right' });
  await page().getByRole('menuitem', { name: 'Edit collection' }).click();
  await page().getByRole('dialog').getByLabel('Name *').fill('Super games');
  await page().getByRole('button', { name: 'Save', exact: true }).click();
  await page().getByRole('heading', { level: 1, name: 'Super games' }).waitFor();
  assert.equal((await stored())[0]?.name, 'Super games');
  await link('Super games').hover();
  await page().getByRole('button', { name: 'More about Super games' }).click();
  await page().getByRole('menuitem', { name: 'Delete collection' }).click();
  // A notice that has the focus stays.
  const undo = page().locator('.toast').getByRole('button', { name: 'Undo' });
  await undo.focus();
  await link('Super games').waitFor({ state: 'detached' });
  await page().getByRole('heading', { level: 1, name: 'All games' }).waitFor();
  await undo.press('Enter');
  await link('Super games').waitFor();
  await until(stored, (now) => now.some(({ name, query }) => name === 'Super games' && query === 'platform:snes'));
});

test('collections have no serious finding in any theme', async () => {
  await open('#/?collection=Mastered+ones');
  await page().locator('.tile').first().waitFor();
  await parts.browser.settle();
  await parts.browser.assertSteady();
  await lookInThemes(parts, 'collection');
});
