import { test } from 'node:test';

import { hands } from '../support/hands.js';
import { addEmulators, holdWorkers, machineEnv } from '../support/machine.js';
import { poster } from '../support/picture.js';
import { scene } from '../support/scene.js';

const NAMES = ['Comet Rangers', 'Slow Boat'];

const parts = scene({
  prepare: (scratch) => {
    addEmulators(scratch);
    for (const name of NAMES) scratch.file(`games/snes/${name}.sfc`, `SFC ${name}`);
    const folder = 'thumbnails/Nintendo - Super Nintendo Entertainment System/Named_Boxarts';
    scratch.file(`${folder}/Slow Boat.png`, poster(40, 90, 120));
  },
  env: machineEnv,
  furnish: (service) => service.ask('/api/import', { folder: `${parts.scratch.root}/games` }),
});

const { press, focus, enter, tab, write, heard, until, open } = hands(parts);

const page = () => parts.browser.page;
const covered = async () =>
  (await parts.service.ask('/api/library?offset=0&limit=9')).games.filter((/** @type {Api.Game} */ game) =>
    game.has_cover
  ).map((/** @type {Api.Game} */ game) => game.name).sort();

test('a folder is named, looked through and added from by keys', async () => {
  await open('#/fill');
  await page().locator('.gaps-list li').first().waitFor();
  await enter(/^Look: Pictures on this computer$/);
  await focus(/^Folder to look in/);
  await write('/nowhere/at/all');
  await press('Enter');
  await page().locator('dialog .error:not(:empty)').waitFor();
  await focus(/^Folder to look in/);
  await write(`${parts.scratch.root}/thumbnails`);
  await press('Enter');
  await heard(/1 game gets something it lacks:/);
  await tab(/^Add 1 file$/);
  await press('Enter');
  await heard(/^The pictures are being added\.$/);
  await until(covered, (now) => now.join() === 'Slow Boat');
});

test('a search is ended by keys, and another one is begun', async () => {
  const letGo = await holdWorkers(parts.scratch, parts.service);
  await enter(/^Look: Pictures on this computer$/);
  await focus(/^Folder to look in/);
  await write(`${parts.scratch.root}/thumbnails`);
  await press('Enter');
  await page().locator('dialog').getByRole('progressbar').waitFor();
  await tab(/^Cancel$/);
  await press('Enter');
  await heard(/^Looking for pictures on this computer was cancelled\.$/);
  await tab(/^Look$/);
  await press('Enter');
  await page().locator('dialog').getByText('Waits for its turn').waitFor();
  letGo();
  await heard(/Nothing was found that a game lacks\./);
  // The button was pressed, so it has the keyboard still.
  await focus(/^Look$/);
});
