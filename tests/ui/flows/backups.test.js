import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { scene } from '../support/scene.js';
import { SIZES } from '../support/sizes.js';
import { writeLibrary } from '../support/library.js';
import { lookInThemes } from '../support/themes.js';

const GAMES = 30;

const parts = scene({ prepare: (scratch) => writeLibrary(scratch, GAMES) });

const { press, until, focus, tabTo } = keysOf(parts);

/** @returns {Promise<Api.Game[]>} */
async function games() {
  /** @type {Api.LibraryPage} */
  const page = await parts.service.ask(`/api/library?offset=0&limit=${GAMES}`);
  return page.games;
}

test('a double press opens one dialog, and nobody who went on meanwhile gets it', async () => {
  const { page } = parts.browser;
  await page.goto(`${parts.service.address}#/backups`);
  await page.getByRole('heading', { name: 'No backups yet' }).waitFor();
  const dialogs = page.getByRole('dialog', { name: 'Create backup' });
  const create = page.getByRole('button', { name: 'Create backup' });
  // The second half of a double click comes when the dialog is there already.
  await create.dblclick();
  await dialogs.waitFor();
  await parts.browser.settle();
  assert.equal(await dialogs.count(), 1);
  await press('Escape');
  await dialogs.waitFor({ state: 'detached' });

  /** @type {(() => void)[]} */
  const held = [];
  await page.route('**/api/backup/manifest', async (route) => {
    await new Promise((resolve) => {
      held.push(() => resolve(undefined));
    });
    await route.continue();
  });
  await create.focus();
  await press('Enter', 'Enter');
  await until(async () => held.length, (count) => count > 0);
  held.forEach((release) => release());
  await dialogs.first().waitFor();
  await parts.browser.settle();
  assert.deepEqual([held.length, await dialogs.count()], [1, 1]);
  await press('Escape');
  await dialogs.waitFor({ state: 'detached' });

  await create.click();
  await until(async () => held.length, (count) => count === 2);
  await page.evaluate(() => {
    location.hash = '#/jobs';
  });
  await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
  const answered = page.waitForResponse('**/api/backup/manifest');
  held.at(-1)?.();
  await answered;
  await parts.browser.settle();
  assert.equal(await page.locator('dialog').count(), 0);
  await page.unrouteAll({ behavior: 'wait' });
});

test('a backup is made by mouse and shows up', async () => {
  const { page } = parts.browser;
  await page.goto(`${parts.service.address}#/backups`);
  await page.getByRole('heading', { name: 'No backups yet' }).waitFor();
  await parts.browser.shoot('backups-none');
  await page.getByRole('button', { name: 'Create backup' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create backup' });
  assert.equal(await dialog.getByLabel('Library').isChecked(), true);
  await dialog.getByLabel('Settings').uncheck();
  await dialog.getByLabel('Library').uncheck();
  await dialog.getByRole('button', { name: 'Create backup' }).click();
  await dialog.getByText('Select at least one backup item.').waitFor();
  await dialog.getByLabel('Settings').check();
  await dialog.getByLabel('Library').check();
  await dialog.getByLabel('Media').check();
  await parts.browser.shoot('backup-create');
  assert.deepEqual(await parts.browser.findings(), []);
  await dialog.getByRole('button', { name: 'Create backup' }).click();
  await page.locator('.toast.good').getByText('Library backup is done.').waitFor();
  await page.locator('[data-archive]').getByText(/Settings, Library, Media/).waitFor();
});

test('a restore shows what it does first, refuses an older archive, and brings the games back', async () => {
  const { page } = parts.browser;
  const [first, second] = await games();
  await parts.service.ask('/api/game/delete', { game_id: first?.game_id, delete_media: false });
  await parts.service.ask('/api/game', { game_id: second?.game_id,
    game: { name: 'Changed since', path: second?.path } });
  await page.getByRole('button', { name: /^Compare and restore/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Restore this backup?' });
  await dialog.getByText('1 game comes back').click();
  await dialog.getByText(first?.name ?? '', { exact: true }).waitFor();
  await dialog.getByText('1 game changes').click();
  await dialog.getByText(`Name: Changed since → ${second?.name}`).waitFor();
  await parts.browser.shoot('restore');
  assert.deepEqual(await parts.browser.findings(), []);
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
  await dialog.getByLabel(/^The library is newer than this backup/).check();
  await parts.browser.shoot('restore-older');
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
  await page.locator('.toast.good').getByText('Library restore is done.').waitFor();
  await until(async () => (await games()).map((game) => game.name), (now) => now.includes(second?.name ?? ''));
  await page.goto(`${parts.service.address}#/?q=${encodeURIComponent(first?.name ?? '')}`);
  await page.waitForFunction((name) => document.querySelector('.tile .name')?.textContent === name, first?.name);
});

test('a backup is made, compared and left alone by keyboard only', async () => {
  const { page } = parts.browser;
  await page.goto('about:blank');
  await page.goto(`${parts.service.address}#/backups`);
  await page.locator('[data-archive]').waitFor();
  await tabTo(/^Create backup$/);
  await press('Enter');
  const making = page.getByRole('dialog', { name: 'Create backup' });
  await making.waitFor();
  for (const box of await making.getByRole('checkbox').all()) if (await box.isChecked()) await box.press('Space');
  await tabTo(/^Create backup$/);
  await press('Enter');
  await making.getByText('Select at least one backup item.').waitFor();
  // A refused form leaves the keyboard where it was.
  await focus(/^Create backup$/);
  await making.getByLabel('Library').press('Space');
  await tabTo(/^Create backup$/);
  await press('Enter');
  await page.locator('[data-archive]').nth(1).waitFor();
  await tabTo(/^Compare and restore/);
  await press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Restore this backup?' });
  await dialog.getByText('The backup has the same games as your library.').waitFor();
  // The harmless answer has the focus.
  await focus(/^Cancel$/);
  await press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await focus(/^Compare and restore/);
});

test('the portable export is saved', async () => {
  const { page } = parts.browser;
  const saved = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Portable export' }).click();
  const file = await saved;
  assert.equal(file.suggestedFilename(), 'portable-redacted-export.json');
  assert.equal(JSON.parse(readFileSync(await file.path(), 'utf8')).games.length, GAMES);
});

test('backups have no serious finding in any theme', async () => {
  const { page } = parts.browser;
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    await page.goto('about:blank');
    await page.goto(`${parts.service.address}#/backups`);
    await page.locator('[data-archive]').first().waitFor();
    await parts.browser.settle();
    await parts.browser.assertSteady(`${width}`);
    assert.deepEqual(await parts.browser.findings(), [], `${width}`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  }
  await lookInThemes(parts, 'backups');
});
