import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Pad } from '../support/gamepad.js';
import { keysOf } from '../support/keys.js';
import { scene } from '../support/scene.js';

const NAMES = ['Chrono Trigger (USA).sfc', 'EarthBound (USA).sfc', 'Super Metroid (Japan, USA).sfc'];

const parts = scene({
  prepare: (scratch) => {
    for (const name of NAMES) scratch.file(`games/snes/${name}`, `SFC ${name}`);
  },
  furnish: async (service) => {
    await service.ask('/api/import', { folder: `${parts.scratch.root}/games` });
    await mistake();
  },
});

const { press, type, tabTo, focus, until } = keysOf(parts);

const page = () => parts.browser.page;
const bar = () => page().getByRole('toolbar', { name: 'Actions for the selected games' });

/** @returns {Promise<Api.Game[]>} */
const games = async () => (await parts.service.ask('/api/library?offset=0&limit=9')).games;

/** Platforms of the games in the order of the library. */
const platforms = async () => (await games()).map((game) => game.platform).join();

/** Gives all games a platform they are not of. */
async function mistake() {
  const ids = (await games()).map((game) => game.game_id);
  await parts.service.ask('/api/games/bulk', { ids, changes: { platform: 'NES' } });
}

/** Opens the library and chooses all games. */
async function chooseAll() {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/`);
  await page().locator('.tile').first().click({ modifiers: ['Control'] });
  await bar().getByRole('button', { name: 'Select all', exact: true }).click();
  await bar().getByText('3 selected', { exact: true }).waitFor();
}

/**
 * Opens the library, and chooses an action in the menu of its first game by keys.
 *
 * @param {RegExp} name
 */
async function chooseInMenu(name) {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/`);
  await page().locator('.tile').first().waitFor();
  await press('Control+f', 'Enter');
  await page().locator('.tile:focus').waitFor();
  await press('ContextMenu');
  await tabTo(name, 'ArrowDown');
  await press('Enter');
}

test('the platform of many games is set with the pointer and taken back', async () => {
  await chooseAll();
  await bar().getByRole('button', { name: 'Set platform' }).click();
  const dialog = page().getByRole('dialog', { name: 'Platform of 3 games' });
  await dialog.getByLabel('Search platforms').fill('megadrive');
  await parts.browser.settle();
  await parts.browser.shoot('bulk-platform');
  assert.deepEqual(await parts.browser.findings(), []);
  await dialog.getByRole('button', { name: /^Sega Genesis/ }).click();
  await until(platforms, (now) => now === 'Sega Genesis,Sega Genesis,Sega Genesis');
  await page().locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await until(platforms, (now) => now === 'NES,NES,NES');
});

test('games are read again with the pointer: shown first, changed, taken back', async () => {
  await chooseAll();
  await bar().getByRole('button', { name: 'Rescan files' }).click();
  const dialog = page().getByRole('alertdialog', { name: '3 games would change' });
  await dialog.getByText('Platform: NES → SNES').first().waitFor();
  assert.equal(await platforms(), 'NES,NES,NES', 'only shown');
  await parts.browser.settle();
  await parts.browser.shoot('read-again');
  assert.deepEqual(await parts.browser.findings(), []);
  await dialog.getByRole('checkbox', { name: /^EarthBound/ }).uncheck();
  await dialog.getByRole('button', { name: 'Apply changes' }).click();
  await page().getByText('2 games were read again.').first().waitFor();
  await until(platforms, (now) => now.split(',').filter((name) => name === 'SNES').length === 2);
  assert.equal((await games()).find((game) => game.name === 'EarthBound')?.platform, 'NES');
  await page().locator('.toast').getByRole('button', { name: 'Undo' }).first().click();
  await until(platforms, (now) => now === 'NES,NES,NES');
});

test('the platform of one game is set by keys, from its menu', async () => {
  await chooseInMenu(/^Set platform$/);
  await focus(/^Search platforms/);
  await type('super nintendo');
  await press('Enter');
  await until(platforms, (now) => now.split(',').filter((name) => name === 'SNES').length === 1);
  await page().locator('.tile:focus').waitFor();
  // The service has the change before the page knows what takes it back.
  await page().locator('.toast').getByRole('button', { name: 'Undo' }).first().waitFor();
  await press('Control+z');
  await until(platforms, (now) => now === 'NES,NES,NES');
});

test('a game is read again by keys, from its menu', async () => {
  await chooseInMenu(/^Rescan files$/);
  await page().getByRole('alertdialog', { name: '1 game would change' }).waitFor();
  await tabTo(/^Apply changes$/);
  await press('Enter');
  await until(platforms, (now) => now.split(',').filter((name) => name === 'SNES').length === 1);
  await page().locator('.tile:focus').waitFor();
  await page().locator('.toast').getByRole('button', { name: 'Undo' }).first().click();
  await until(platforms, (now) => now === 'NES,NES,NES');
});

test('a game is read again by controller', async () => {
  const pad = await Pad.install(page());
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/`);
  await page().locator('.tile').first().waitFor();
  await pad.connect();
  await page().locator('.tile').first().focus();
  await pad.press('menu');
  const menu = page().getByRole('menu');
  await menu.waitFor();
  await until(async () => {
    const here = await parts.browser.focused();
    if (!/^Rescan files$/.test(here)) await pad.press('down');
    return here;
  }, (here) => /^Rescan files$/.test(here));
  await pad.press('play');
  const dialog = page().getByRole('alertdialog', { name: '1 game would change' });
  await dialog.getByRole('button', { name: 'Apply changes' }).and(page().locator(':focus')).waitFor();
  await pad.press('play');
  await until(platforms, (now) => now.split(',').filter((name) => name === 'SNES').length === 1);
});
