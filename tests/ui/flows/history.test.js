import assert from 'node:assert/strict';
import { test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { answerFirstLast } from '../support/late.js';
import { scene } from '../support/scene.js';
import { writeLibrary } from '../support/library.js';
import { lookInThemes } from '../support/themes.js';

const parts = scene({ prepare: (scratch) => writeLibrary(scratch, 24, { history: 300 }) });

const { until, focus: waitFocus } = keysOf(parts);

const page = () => parts.browser.page;

/** @param {number} index */
const id = (index) => `game-${index.toString(16).padStart(24, '0')}`;

/** @param {string} hash */
async function open(hash) {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}${hash}`);
  await page().getByRole('tablist', { name: 'History' }).waitFor();
}

/** @param {number[]} games moved to the trash, the last one on top */
async function trash(games) {
  await parts.service.ask('/api/v2/library/trash/purge', {});
  /** @type {string[]} */
  const names = [];
  for (const index of games)
    names.push(
      /** @type {{name: string}} */ (await parts.service.ask('/api/v2/library/trash', { game_id: id(index) })).name,
    );
  return names;
}

test('the timeline changes its range and keeps it in the address', async () => {
  await open('#/history');
  await page().locator('.entry').first().waitFor();
  const short = await page().locator('.entry').count();
  await page().getByRole('button', { name: '365 days' }).click();
  await page().waitForFunction((count) => document.querySelectorAll('.entry').length > count, short);
  await waitFocus(/^365 days$/);
  await page().waitForURL(/#\/history\?days=365$/);
});

test('the sessions of a range that is shown no more are not shown, however late they come', async () => {
  await open('#/history?days=365');
  await page().locator('.entry').first().waitFor();
  const all = await page().locator('.entry').count();
  await page().goto('about:blank');
  const end = await answerFirstLast(page(), '/api/v2/history/timeline',
    (url) => url.searchParams.get('days') === '365');
  await open('#/history');
  await page().getByRole('button', { name: '365 days' }).click();
  await page().waitForFunction((count) => document.querySelectorAll('.entry').length === count, all);
  await end();
  await parts.browser.settle();
  assert.equal(await page().locator('.entry').count(), all);
});

test('a game that is gone for good stays gone, however late older answers come', async () => {
  const [first, second] = await trash([9, 10]);
  await open('#/history/trash');
  await page().getByRole('button', { name: `Restore ${first}` }).waitFor();
  const end = await answerFirstLast(page(), '/api/v2/library/trash');
  // Something else changes, and the trash is looked at again because of it.
  const asked = page().waitForRequest('**/api/v2/library/trash');
  await parts.service.ask('/api/game', { game_id: id(8), game: { name: 'Quiet Water' } });
  await asked;
  await page().getByRole('button', { name: `Delete ${second} permanently` }).press('Enter');
  await page().getByRole('alertdialog').getByRole('button', { name: 'Delete permanently' }).press('Enter');
  await page().getByRole('button', { name: `Restore ${second}` }).waitFor({ state: 'detached' });
  await end();
  await parts.browser.settle();
  assert.deepEqual(await page().locator('.who b').allTextContents(), [first]);
  await page().getByRole('button', { name: `Restore ${first}` }).click();
  await page().getByRole('heading', { name: 'The trash is empty' }).waitFor();
});

test('tabs lead to the trash by keys, and the address tells', async () => {
  await open('#/history');
  await page().getByRole('tab', { name: 'Sessions' }).focus();
  await page().keyboard.press('ArrowRight');
  await waitFocus(/^Trash$/);
  await page().getByRole('heading', { name: 'The trash is empty' }).waitFor();
  await page().waitForURL(/#\/history\/trash$/);
  await parts.browser.shoot('trash-empty-dark');
});

test('a game comes back from the trash', async () => {
  const [first, second] = await trash([3, 4]);
  await open('#/history/trash');
  await until(() => page().locator('.who b').allTextContents(), (now) => now.join() === [second, first].join());
  await page().getByRole('button', { name: `Restore ${first}` }).click();
  await page().locator('.toast').getByText(`${first} is back in the library.`).waitFor();
  await page().getByRole('button', { name: `Restore ${first}` }).waitFor({ state: 'detached' });
  await until(
    async () =>
      /** @type {{games: unknown[]}} */ (await parts.service.ask(`/api/library/delta?ids=${id(3)}`)).games.length,
    (now) => now === 1,
  );
});

test('the trash is worked through with the keyboard, and the focus is never lost', async () => {
  const [first, second] = await trash([5, 6]);
  await open('#/history/trash');
  await page().getByRole('button', { name: `Delete ${second} permanently` }).focus();
  await page().keyboard.press('Enter');
  await waitFocus(/^Cancel$/);
  await page().keyboard.press('Enter');
  await waitFocus(new RegExp(`^Delete ${second} permanently$`));
  await page().keyboard.press('Enter');
  await page().getByRole('alertdialog').getByRole('button', { name: 'Delete permanently' }).press('Enter');
  await page().getByRole('button', { name: `Restore ${second}` }).waitFor({ state: 'detached' });
  await waitFocus(new RegExp(`${first}`));
  await page().getByRole('button', { name: 'Empty the trash' }).press('Enter');
  await page().getByRole('alertdialog', { name: 'Delete 1 game permanently?' }).getByRole('button', {
    name: 'Delete permanently',
  }).press('Enter');
  await page().getByRole('heading', { name: 'The trash is empty' }).waitFor();
  await until(async () => /** @type {{count: number}} */ (await parts.service.ask('/api/v2/library/trash')).count,
    (now) => now === 0);
});

test('timeline and trash have no serious finding in any theme', async () => {
  await trash([7, 8, 9]);
  for (const [hash, name] of /** @type {const} */ ([['#/history', 'timeline'], ['#/history/trash', 'trash']])) {
    await open(hash);
    await page().locator('.entry').first().waitFor();
    await parts.browser.settle();
    await parts.browser.assertSteady(name);
    await lookInThemes(parts, name);
  }
  for (const { trash_id } of /** @type {{items: Api.TrashEntry[]}} */ (await parts.service.ask('/api/v2/library/trash'))
    .items)
    await parts.service.ask('/api/v2/library/trash/restore', { trash_id });
});
