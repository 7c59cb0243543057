import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';

import { hands } from '../support/hands.js';
import { keysOf } from '../support/keys.js';
import { scene } from '../support/scene.js';

const parts = scene();
const { focus, tab, write, heard, press, open } = hands(parts);
const { until } = keysOf(parts);

const page = () => parts.browser.page;
const names = async () =>
  (await parts.service.ask('/api/library?offset=0&limit=10')).games.map((/** @type {Api.Game} */ game) => game.name)
    .sort();

test('the list of an older launcher comes over by keys, with the folder its games are in now', async () => {
  const game = parts.scratch.file('roms/Red.nes', 'NES');
  const list = parts.scratch.file('NES.xml',
    '<?xml version="1.0"?><LaunchBox><Game><ID>a-1</ID><Title>Red Wind</Title><ApplicationPath>C:\\Games\\Red.nes</ApplicationPath><Platform>NES</Platform></Game></LaunchBox>');
  await open('#/setup');
  await tab(/^Bring over from another launcher$/);
  await press('Enter');
  await focus(/^List/);
  await write('/nowhere/at/all.xml');
  await press('Enter');
  await heard(/The list does not exist\./);
  await focus(/^List/);
  await write(list);
  await tab(/^Folder that the list names$/);
  await write('C:\\Games');
  await tab(/^Folder they are in here$/);
  await write(`${parts.scratch.root}/roms`);
  await press('Enter');
  await heard(/1 game is new\./);
  await press('Enter');
  await heard(/^1 game was imported\.$/);
  await until(names, (now) => now.join() === 'Red Wind');
  const { games } = await parts.service.ask('/api/library?offset=0&limit=1');
  assert.equal(games[0].path, game);
});

test('the list of a front end is looked at anew when it changed meanwhile', async () => {
  const list = parts.scratch.file('es/gamelist.xml',
    '<?xml version="1.0"?><gameList><game><path>./Blue.nes</path><name>Blue Wind</name></game></gameList>');
  parts.scratch.file('es/Blue.nes', 'NES');
  await open('#/');
  await page().locator('.tile').first().waitFor();
  await press('Control+k');
  await focus(/^Go to$/);
  await page().keyboard.type('>bring');
  await page().locator('.palette-list [role="option"]', { hasText: 'Bring over from another launcher' }).waitFor();
  await press('Enter');
  await focus(/^List/);
  await write(list);
  await press('Enter');
  await heard(/1 game is new\./);
  writeFileSync(list,
    '<?xml version="1.0"?><gameList><game><path>./Blue.nes</path><name>Blue Wind</name></game><game><path>./Green.nes</path><name>Green Wind</name></game></gameList>');
  await press('Enter');
  await heard(/^The list or the library changed since the preview\./);
  await page().getByText('2 games are new.').waitFor();
  assert.deepEqual(await names(), ['Red Wind']);
  await focus(/^List/);
  await press('Enter');
  await heard(/^2 games were imported\.$/);
  await until(names, (now) => now.join() === 'Blue Wind,Green Wind,Red Wind');
});
