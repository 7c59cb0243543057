import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { hands } from '../support/hands.js';
import { FOLDER_GAMES, gameFolder, scene } from '../support/scene.js';
import { Service } from '../support/service.js';

const parts = scene();
const { press, focus, tab, heard } = hands(parts);

const page = () => parts.browser.page;
const data = () => `${parts.scratch.root}/data`;

test('an unreadable library is restored without a mouse, after a question', async () => {
  await parts.service.ask('/api/import', { folder: gameFolder(parts.scratch) });
  await parts.service.ask('/api/settings', { screensaver_seconds: 60 });
  await parts.service.stop();
  parts.service = await Service.start(data());
  await parts.service.ask('/api/settings', { screensaver_seconds: 61 });
  await parts.service.stop();
  writeFileSync(join(data(), 'library.json'), '{"games": [');
  parts.service = await Service.start(data());
  parts.browser.hosts.clear();
  await page().goto(parts.service.address);
  await page().getByRole('heading', { name: 'The library needs recovery' }).waitFor();
  await tab(/^Check again$/);
  const looked = page().waitForResponse('**/api/state/recover');
  await press('Enter');
  await looked;
  await heard(/The library needs recovery/);
  await page().getByRole('heading', { name: 'The library needs recovery' }).waitFor();
  await page().waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
  await focus(/^Check again$/);
  await tab(/^Restore$/);
  await press('Enter');
  await page().getByRole('alertdialog', { name: 'Restore this state?' }).waitFor();
  await press('Escape');
  await focus(/^Restore$/);
  await press('Enter');
  await page().getByRole('alertdialog').waitFor();
  await focus(/^Restore$/);
  await press('Enter');
  await heard(/The library is back with \d+ games\./);
  await page().locator('.tile').first().waitFor();
  await page().waitForFunction((all) => document.querySelectorAll('.tile').length === all, FOLDER_GAMES);
});

test('a page without the right to ask says so, and tries again by Enter', async () => {
  await page().goto('about:blank');
  await page().evaluate(() => sessionStorage.clear()).catch(() => undefined);
  await page().goto(`${parts.service.url}/?token=${'0'.repeat(64)}`);
  await page().getByRole('heading', { name: 'This page is not connected' }).waitFor();
  await focus(/^Try again$|^Retry$/);
  const asked = page().waitForResponse((response) => response.status() === 403);
  await press('Enter');
  await asked;
  await page().waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
  await page().getByRole('heading', { name: 'This page is not connected' }).waitFor();
  await focus(/^Try again$|^Retry$/);
});

test('a server that went away is noticed, and its return by one press', async () => {
  await page().goto(parts.service.address);
  await page().locator('.tile').first().waitFor();
  await parts.service.stop();
  await heard(/^The connection to Service Launcher is lost\./);
  // A page that goes on asking would complain of either server.
  await page().goto('about:blank');
  parts.browser.errors = [];
  parts.service = await Service.start(data());
  parts.browser.hosts.clear();
  await page().goto(parts.service.address);
  await page().locator('.tile').first().waitFor();
});
