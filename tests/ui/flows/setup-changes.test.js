import assert from 'node:assert/strict';
import { renameSync, rmSync } from 'node:fs';
import { test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { addNewcomerHome, machineEnv, program } from '../support/machine.js';
import { scene } from '../support/scene.js';

const parts = scene({
  prepare: (scratch) => {
    addNewcomerHome(scratch);
    renameSync(`${scratch.root}/bin/lutris`, `${scratch.root}/bin/lutris-itself`);
    program(scratch, 'lutris',
      '#!/bin/bash\nwhile [ -e "$PACKAGES/hold" ]; do /usr/bin/sleep 0.05; done\nexec "${0%/*}/lutris-itself" "$@"\n');
  },
  env: machineEnv,
});
const { press, until, focus, counted, tabTo, pick } = keysOf(parts);

const page = () => parts.browser.page;
const row = (/** @type {string} */ name) => page().locator(`[data-candidate="${name}"]`);
const group = (/** @type {RegExp} */ name) =>
  page().getByRole('group', { name: 'Kinds of finds' }).getByRole('button', { name });
const jobs = () => page().locator('.setup .job');

/** @returns {Promise<string[]>} names of the library */
async function names() {
  /** @type {Api.LibraryPage} */
  const library = await parts.service.ask('/api/library?offset=0&limit=100');
  return library.games.map((game) => game.name).sort();
}

/** Decides what is open and asks for everything to be added. */
async function addAll() {
  await row('Twin Suns').getByRole('combobox').selectOption('PlayStation 2');
  await page().getByText('Nothing is written until you add them.').waitFor();
  await page().getByRole('button', { name: /^Add \d+ games$/ }).click();
}

test('a search that takes too long is cancelled, and says so; the next one finds everything', async () => {
  await page().goto(`${parts.service.address}#/setup`);
  await page().locator('[data-type="store_c"]').waitFor();
  const hold = parts.scratch.file('packages/hold', '');
  await page().getByRole('button', { name: 'Look for games' }).click();
  await jobs().getByRole('progressbar').waitFor();
  await parts.browser.shoot('setup-looking');
  await jobs().getByRole('button', { name: /^Cancel: / }).click();
  await page().getByRole('heading', { name: 'The search was cancelled' }).waitFor();
  await counted(jobs(), 0);
  await parts.browser.shoot('setup-cancelled');
  assert.deepEqual(await parts.browser.findings(), []);
  rmSync(hold);
  await page().getByRole('button', { name: 'Look again' }).click();
  await row('Twin Suns').waitFor();
});

test('files that came meanwhile are not brought in unseen: nothing is added, and looking again shows them', async () => {
  parts.scratch.file('home/ROMs/wii/Late Lantern.wbfs', 'a Wii disc');
  await addAll();
  const told = page().getByRole('alert').filter({
    hasText: 'Files or stores changed since the search, so nothing was added.',
  });
  await told.getByRole('heading', { name: 'Something changed meanwhile' }).waitFor();
  await parts.browser.shoot('setup-stale');
  assert.deepEqual(await parts.browser.findings(), []);
  assert.deepEqual(await names(), []);
  await told.getByRole('button', { name: 'Look again' }).click();
  await group(/^New/).click();
  await row('Late Lantern').waitFor();
});

test('a library that changed meanwhile is told by keys, and nothing is added twice', async () => {
  await parts.service.ask('/api/game', {
    game: { name: 'Moon Tide', platform: 'Nintendo DS', path: `${parts.scratch.root}/home/ROMs/nds/Moon Tide.nds` },
  });
  await group(/^To decide/).click();
  await row('Twin Suns').waitFor();
  await tabTo(/^Platform: Twin Suns$/);
  await pick('PlayStation 2');
  await page().getByText('Nothing is written until you add them.').waitFor();
  await tabTo(/^Add \d+ games$/);
  await press('Enter');
  await page().getByRole('alert').filter({
    hasText: 'Your library changed since the search, so nothing was added.',
  }).waitFor();
  assert.deepEqual(await names(), ['Moon Tide']);
  await tabTo(/^Look again$/);
  await press('Enter');
  await group(/^Known files/).waitFor();
  await group(/^To decide/).click();
  await row('Twin Suns').waitFor();
  await addAll();
  await page().getByText('7 games added').first().waitFor();
  await until(names,
    (now) =>
      now.join() === 'Fern Rally,Fox Orchard,Harbour Lights,Late Lantern,Moon Tide,Paper Kingdom,Star Pilot,Twin Suns');
});

test('a decision that the server did not get is shown as it was, and told', async () => {
  parts.scratch.file('home/ROMs/wii/Second Rally.wbfs', 'a Wii disc');
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/setup`);
  await page().getByRole('button', { name: 'Look for games' }).click();
  await row('Second Rally').waitFor();
  await page().route('**/preview/decisions',
    (route) =>
      route.fulfill({ status: 503, contentType: 'application/json',
        body: '{"error": "Busy.", "code": "BUSY", "request_id": "r1"}' }));
  const box = row('Second Rally').getByRole('checkbox');
  await box.focus();
  await press('Space');
  await page().locator('.toast.error', { hasText: 'Busy.' }).waitFor();
  await until(() => box.isChecked(), Boolean);
  await focus(/Second Rally/);
  await page().unroute('**/preview/decisions');
  await press('Space');
  await page().locator('[data-candidate="Second Rally"].left-out').waitFor();
});
