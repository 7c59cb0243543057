import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { scene } from '../support/scene.js';
import { writeLibrary } from '../support/library.js';

/** @type {string} */
let save;
const parts = scene({
  prepare: (scratch) => {
    writeLibrary(scratch, 12);
    save = scratch.file('saves/slot.sav', 'the good save');
  },
});

const { press, until, focus, tabTo } = keysOf(parts);

const GAME = '#/game/game-000000000000000000000000?tab=saves';

test('a save path is added, versions are kept, checked and brought back', async () => {
  const { page } = parts.browser;
  await page.goto(`${parts.service.address}${GAME}`);
  await page.getByText('No path is known yet.').waitFor();
  await page.getByRole('button', { name: 'Add path' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add path' });
  await dialog.getByLabel(/^Path of the saves/).fill(`${parts.scratch.root}/nowhere`);
  await dialog.getByRole('button', { name: 'Add path' }).click();
  await dialog.getByText('Save path does not exist.').waitFor();
  await dialog.getByLabel(/^Path of the saves/).fill(`${parts.scratch.root}/saves`);
  await dialog.getByRole('button', { name: 'Add path' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Back up now' }).click();
  await page.getByText('By hand').waitFor();
  await page.getByRole('button', { name: /^Check: / }).click();
  await page.locator('.rows').getByText(/Whole, 1 file/).waitFor();
  await parts.browser.settle();
  await parts.browser.shoot('saves-tab');
  assert.deepEqual(await parts.browser.findings(), []);
  writeFileSync(save, 'a spoilt save');
  await page.getByRole('button', { name: /^Restore: / }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Restore' }).click();
  await page.locator('.toast.good').getByText('Save restore is done.').waitFor();
  await page.getByText('Before a restore').waitFor();
  await until(async () => readFileSync(save, 'utf8'), (now) => now === 'the good save');
});

test('saves are looked for by keyboard alone', async () => {
  const { page } = parts.browser;
  await page.goto('about:blank');
  await page.goto(`${parts.service.address}#/saves`);
  await page.getByRole('heading', { name: 'Find the saves of your games' }).waitFor();
  await parts.browser.shoot('saves');
  assert.deepEqual(await parts.browser.findings(), []);
  await tabTo(/^Look for saves of all games$/);
  await press('Enter');
  await page.getByRole('heading', { name: 'Nothing new was found' }).waitFor();
  await focus(/^Check again$/);
});

test('statistics are shared once a folder is set', async () => {
  const { page } = parts.browser;
  await until(() => page.getByRole('link', { name: 'Choose the folder' }).getAttribute('href'),
    (now) => now === '#/settings/sharing');
  assert.equal(await page.getByRole('button', { name: 'Sync now' }).count(), 0, 'nothing can be shared yet');
  await parts.service.ask('/api/settings', { cloud_folder: parts.scratch.folder('shared') });
  await page.getByRole('button', { name: 'Sync now' }).click();
  await page.locator('.toast.good').getByText('Statistics are shared').waitFor();
  assert.equal(JSON.parse(readFileSync(`${parts.scratch.root}/shared/service-statistics.json`, 'utf8')).format, 1);
});
