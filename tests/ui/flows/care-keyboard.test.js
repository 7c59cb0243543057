import assert from 'node:assert/strict';
import { test } from 'node:test';

import { writeCare } from '../support/care.js';
import { hands } from '../support/hands.js';
import { scene } from '../support/scene.js';

const parts = scene({ prepare: writeCare });
const { press, write, focus, tab, enter, back, heard, until, open } = hands(parts);

const page = () => parts.browser.page;

/** @returns {Promise<Record<string, unknown>[]>} */
const games = async () => (await parts.service.ask('/api/library?offset=0&limit=10')).games;

test('a group is left apart, then merged by keys', async () => {
  await open('#/health/duplicates');
  await heard(/^1 group of games that look alike$/);
  await tab(/^Merge: Amber Tide \(Europe\)$/);
  await press('Space');
  await page().getByRole('checkbox', { name: 'Merge: Amber Tide (Europe)', checked: false }).waitFor();
  await tab(/^Open page: Amber Tide \(Europe\)$/);
  await back(/^Merge …/);
  await press('Enter');
  await heard(/^Tick at least two games to merge\.$/);
  await tab(/^Merge: Amber Tide \(Europe\)$/);
  await press('Space');
  await back(/^Merge …/);
  await press('Enter');
  await focus(/^Merge$/);
  await press('Enter');
  await heard(/^Merged into Amber Tide \(USA\)\./);
  await until(async () => (await games()).length, (now) => now === 3);
  await focus(/^Remove the copies$/);
});

test('moved files are found by keys, and a folder that is not there is told', async () => {
  await open('#/health');
  await heard(/findings?$/);
  await enter(/^Find moved files$/);
  await focus(/^Folder to look in/);
  await write('/nowhere/at/all');
  await press('Enter');
  await heard(/Folder does not exist\./);
  await focus(/^Folder to look in/);
  await write(`${parts.scratch.root}/moved`);
  await press('Enter');
  await heard(/1 missing file is there:/);
  await tab(/^Fix 1 file$/);
  await press('Enter');
  await heard(/^1 file was found again\.$/);
  await until(games, (now) => now.some((game) => game['path'] === `${parts.scratch.root}/moved/Lost Key.nes`));
  assert.equal(await page().locator('dialog[open]').count(), 0);
});
