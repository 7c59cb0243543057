import assert from 'node:assert/strict';
import { test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { scene } from '../support/scene.js';

const parts = scene();
const { press, type, until } = keysOf(parts);

const page = () => parts.browser.page;
const toast = (/** @type {string} */ text) => page().locator('.toast', { hasText: text }).waitFor();

test('without a watched folder the way to one is told', async () => {
  await page().goto(parts.service.address);
  await page().getByRole('link', { name: 'Find my games' }).waitFor();
  await press('F5');
  await toast('No folder is watched yet.');
  await page().getByRole('button', { name: 'Choose folders' }).click();
  await page().locator('#setting-watch_folders').waitFor();
});

test('new games of watched folders are added when asked for', async () => {
  const folder = parts.scratch.folder('watched');
  parts.scratch.file('watched/nes/Amber Tide.nes', 'NES');
  await parts.service.ask('/api/settings', { watch_folders: [folder] });
  await page().goto('about:blank');
  await page().goto(parts.service.address);
  await page().locator('#main h1').waitFor();
  // The watcher may have been quicker; either way the game is there, and what came of looking is told.
  await press('F5');
  await page().locator('.toast', { hasText: /^(?:1 new game was added|The watched folders hold nothing new)\./ })
    .waitFor();
  await page().locator('.tile', { hasText: 'Amber Tide' }).waitFor();
  await until(() => parts.service.ask('/api/library?offset=0&limit=5'), (now) => now.total_count === 1);
});

test('the palette shows commands alone after a sign', async () => {
  await press('Control+k');
  await page().locator('dialog.palette [role="combobox"]:focus').waitFor();
  await type('>');
  await page().getByRole('option', { name: 'Look for new games' }).waitFor();
  assert.deepEqual(await page().locator('.palette-list h3').allTextContents(), ['Actions']);
  await type('look');
  await until(() => page().locator('.palette-list [role="option"]').count(), (now) => now === 1);
  await press('Enter');
  await toast('The watched folders hold nothing new.');
});

test('the sheet names the keys of the whole program', async () => {
  await press('?');
  const sheet = page().getByRole('dialog', { name: 'Keyboard' });
  for (const words of ['Look for new games', 'Full screen', 'Random game'])
    await sheet.getByText(words).first().waitFor();
  await press('Escape');
  await sheet.waitFor({ state: 'detached' });
});

test('a list of another launcher is brought over with the pointer', async () => {
  parts.scratch.file('es/Blue.nes', 'NES');
  const list = parts.scratch.file('es/gamelist.xml',
    '<?xml version="1.0"?><gameList><game><path>./Blue.nes</path><name>Blue Wind</name></game></gameList>');
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/setup`);
  await page().getByRole('button', { name: 'Bring over from another launcher' }).click();
  const dialog = page().getByRole('dialog', { name: 'Bring over from another launcher' });
  await dialog.getByRole('textbox', { name: /^List/ }).fill(list);
  await dialog.getByRole('button', { name: 'Look' }).click();
  await dialog.getByText('1 game is new.').waitFor();
  await parts.browser.shoot('migrate-dark');
  assert.deepEqual(await parts.browser.findings(), []);
  await dialog.getByRole('button', { name: 'Bring over', exact: true }).click();
  await toast('1 game was imported.');
  await until(() => parts.service.ask('/api/library?offset=0&limit=5'), (now) => now.total_count === 2);
});
