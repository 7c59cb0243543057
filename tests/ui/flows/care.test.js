import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';

import { careId, writeCare } from '../support/care.js';
import { keysOf } from '../support/keys.js';
import { scene } from '../support/scene.js';
import { lookInThemes } from '../support/themes.js';

const parts = scene({ prepare: writeCare });
const { until } = keysOf(parts);

const page = () => parts.browser.page;

/** @param {string} hash */
async function open(hash) {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}${hash}`);
}

/** @returns {Promise<Record<string, unknown>[]>} */
const games = async () => (await parts.service.ask('/api/library?offset=0&limit=10')).games;

test('what looks alike has no serious finding in any theme', async () => {
  await open('#/health/duplicates');
  await page().getByRole('button', { name: 'Merge …: Amber Tide' }).waitFor();
  await page().getByRole('heading', { name: 'Pictures kept more than once' }).waitFor();
  await parts.browser.settle();
  await lookInThemes(parts, 'duplicates');
});

test('games that look alike are merged by a plan that still holds', async () => {
  await open('#/health');
  await page().getByRole('tab', { name: 'Duplicates' }).click();
  await page().waitForURL(/#\/health\/duplicates$/);
  await page().getByRole('button', { name: 'Merge …: Amber Tide' }).click();
  const dialog = page().getByRole('dialog', { name: 'Merge games' });
  await dialog.getByText('Amber Tide (USA) stays.').waitFor();
  await dialog.getByRole('row', { name: 'Genre' }).getByText('Puzzle').waitFor();
  await parts.browser.shoot('duplicates-merge-dark');
  await parts.service.ask('/api/favorite', { game_id: careId(4) });
  await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
  await dialog.getByText('The library changed since the preview.').waitFor();
  assert.equal((await games()).length, 4);
  await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
  await page().locator('.toast', { hasText: 'Merged into Amber Tide (USA).' }).waitFor();
  await page().getByRole('button', { name: /^Merge …/ }).waitFor({ state: 'detached' });
  await until(games, (now) => now.length === 3 && now[0]?.['genre'] === 'Puzzle');
  await page().getByRole('button', { name: 'Show the trash' }).click();
  await page().getByText('Amber Tide (Europe)').first().waitFor();
});

test('of pictures that are there twice one stays, and every game names it', async () => {
  await open('#/health/duplicates');
  await page().getByRole('button', { name: 'Remove the copies' }).click();
  const question = page().getByRole('alertdialog', { name: 'Remove 1 copy?' });
  await question.getByRole('button', { name: 'Remove the copies' }).click();
  await page().locator('.toast', { hasText: '1 copy was removed.' }).waitFor();
  await page().getByRole('heading', { name: 'Nothing is there twice' }).waitFor();
  const covers = (await games()).map((game) => String(game['cover'] ?? '')).filter(Boolean);
  assert.equal(covers.length, 2);
  assert.equal(new Set(covers).size, 1);
  assert.ok(existsSync(covers[0] ?? ''));
});

test('moved files are found in their new folder', async () => {
  await open('#/health');
  await page().getByRole('button', { name: 'Find moved files' }).click();
  const dialog = page().getByRole('dialog', { name: 'Find moved files' });
  await dialog.getByLabel('Folder to look in').fill(`${parts.scratch.root}/moved`);
  await dialog.getByRole('button', { name: 'Look' }).click();
  await dialog.getByText('1 missing file is there:').waitFor();
  await dialog.getByText('1 file is there several times.').waitFor();
  await parts.browser.shoot('moved-files-dark');
  // Nothing is left to do without a tick.
  const box = dialog.getByRole('checkbox', { name: 'Use what was found: Lost Key' });
  await box.uncheck();
  await dialog.getByRole('button', { name: 'Fix 0 files', disabled: true }).waitFor();
  await box.check();
  await dialog.getByRole('button', { name: 'Fix 1 file' }).click();
  await page().locator('.toast', { hasText: '1 file was found again.' }).waitFor();
  await until(games, (now) => now.some((game) => game['path'] === `${parts.scratch.root}/moved/Lost Key.nes`));
  await until(
    () =>
      page().locator('.found', { has: page().getByRole('heading', { name: /^File missing/ }) }).locator('li').count(),
    (now) => now === 1,
  );
});
