import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { Service } from '../support/service.js';
import { FOLDER_GAMES, gameFolder, scene } from '../support/scene.js';

const parts = scene();
const { counted } = keysOf(parts);
const JUNK = '{"games": [';

test('an unreadable library leads to the recovery screen, and a restore brings the games back', async () => {
  const { page } = parts.browser;
  const data = `${parts.scratch.root}/data`;
  await parts.service.ask('/api/import', { folder: gameFolder(parts.scratch) });
  /** @type {Api.LibraryPage} */
  const before = await parts.service.ask('/api/library?offset=0&limit=1');
  assert.equal(before.total_count, FOLDER_GAMES);
  await parts.service.ask('/api/settings', { screensaver_seconds: 60 });
  await parts.service.stop();
  // One more start and stop, so that a whole older state stands beside the newest one.
  parts.service = await Service.start(data);
  await parts.service.ask('/api/settings', { screensaver_seconds: 61 });
  await parts.service.stop();
  writeFileSync(join(data, 'library.json'), JUNK);
  parts.service = await Service.start(data);

  parts.browser.hosts.clear();
  await page.goto(parts.service.address);
  await page.getByRole('heading', { name: 'The library needs recovery' }).waitFor();
  await page.getByRole('button', { name: 'Restore' }).first().waitFor();
  await parts.browser.shoot('recovery');
  assert.deepEqual(await parts.browser.findings(), []);
  assert.equal(readFileSync(join(data, 'library.json'), 'utf8'), JUNK, 'looking changed nothing');

  await page.getByRole('button', { name: 'Restore' }).first().click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Restore' }).click();
  await page.locator('.tile').first().waitFor();
  await counted(page.locator('.tile'), FOLDER_GAMES);
  assert.ok(readdirSync(data).some((name) => name.startsWith('library.json.corrupt-')), 'the damaged bytes are kept');
});

test('a server that went away is noticed, and its return too', async () => {
  const { page } = parts.browser;
  await parts.service.stop();
  await page.getByText('The connection to Service Launcher is lost.').waitFor({ timeout: 40_000 });
  await parts.browser.shoot('connection-lost');
  // A page that goes on asking would complain of either server.
  await page.goto('about:blank');
  parts.browser.errors = [];
  parts.service = await Service.start(`${parts.scratch.root}/data`);
  parts.browser.hosts.clear();
  await page.goto(parts.service.address);
  await page.locator('.tile').first().waitFor();
});
