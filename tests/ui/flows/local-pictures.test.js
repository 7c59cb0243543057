import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { addEmulators, holdWorkers, machineEnv } from '../support/machine.js';
import { poster } from '../support/picture.js';
import { scene } from '../support/scene.js';
import { lookInThemes } from '../support/themes.js';

const NAMES = ['Comet Rangers', 'Paper Train', 'Slow Boat'];

const parts = scene({
  prepare: (scratch) => {
    addEmulators(scratch);
    for (const name of NAMES) scratch.file(`games/snes/${name}.sfc`, `SFC ${name}`);
    for (const name of NAMES.slice(0, 2)) {
      scratch.file(`home/ES-DE/downloaded_media/snes/covers/${name}.png`, poster(name.length, 90, 120));
      scratch.file(`home/ES-DE/downloaded_media/snes/fanart/${name}.png`, poster(name.length + 9, 160, 90));
    }
  },
  env: machineEnv,
  furnish: (service) => service.ask('/api/import', { folder: `${parts.scratch.root}/games` }),
});

const { press, until } = keysOf(parts);

const page = () => parts.browser.page;
const dialog = () => page().getByRole('dialog', { name: 'Pictures on this computer' });
/** How the searches stand, the newest first. */
const searches = async () =>
  (await parts.service.ask('/api/v2/jobs')).jobs.filter((/** @type {Api.Job} */ job) =>
    job.type === 'media.local_preview'
  ).map((/** @type {Api.Job} */ job) => job.state).join();
const covered = async () =>
  (await parts.service.ask('/api/library?offset=0&limit=9')).games.filter((/** @type {Api.Game} */ game) =>
    game.has_cover
  ).map((/** @type {Api.Game} */ game) => game.name).sort();

test('pictures of the usual folders are looked at and added with the pointer', async () => {
  await page().goto(`${parts.service.address}#/fill`);
  await page().getByRole('button', { name: 'Look: Pictures on this computer' }).click();
  await dialog().getByRole('button', { name: 'Look' }).click();
  await dialog().getByText('2 games get something they lack:').waitFor();
  assert.deepEqual(await dialog().locator('.reasons span').allTextContents(), ['Cover 2', 'Fan art 2']);
  assert.equal(await dialog().locator('.rows li').count(), 4);
  await lookInThemes(parts, 'local-pictures');
  await dialog().getByRole('button', { name: 'Add 4 files' }).click();
  await page().locator('.toast', { hasText: 'The pictures are being added.' }).waitFor();
  await until(covered, (now) => now.join() === 'Comet Rangers,Paper Train');
});

test('what was added once is not offered again', async () => {
  await page().getByRole('button', { name: 'Look: Pictures on this computer' }).click();
  await dialog().getByRole('button', { name: 'Look' }).click();
  await dialog().getByText('Nothing was found that a game lacks.').waitFor();
});

test('a search is followed and ended where it was begun, and nobody else tells of it', async () => {
  await page().reload();
  await page().evaluate(() => {
    const told = Object.assign(window, { told: /** @type {string[]} */ ([]) }).told;
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) for (const node of addedNodes) told.push(node.textContent ?? '');
    }).observe(/** @type {Element} */ (document.querySelector('#toasts')), { childList: true });
  });
  const before = await searches();
  const letGo = await holdWorkers(parts.scratch, parts.service);
  const folder = parts.scratch.folder('away');
  await page().getByRole('button', { name: 'Look: Pictures on this computer' }).click();
  await dialog().getByRole('button', { name: 'Look' }).click();
  await dialog().getByText('Waits for its turn').waitFor();
  await dialog().getByRole('progressbar').waitFor();
  await parts.browser.shoot('local-pictures-looking');
  assert.deepEqual(await parts.browser.findings(), []);
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await dialog().getByRole('progressbar').waitFor({ state: 'detached' });
  await until(searches, (now) => now === `cancelled,${before}`);
  // Another folder takes the place of the first one.
  await dialog().getByRole('button', { name: 'Look' }).click();
  await dialog().getByText('Waits for its turn').waitFor();
  await dialog().getByLabel(/^Folder to look in/).fill(folder);
  await until(searches, (now) => now === `cancelled,cancelled,${before}`);
  await dialog().getByRole('button', { name: 'Look' }).click();
  await dialog().getByText('Waits for its turn').waitFor();
  await press('Escape');
  await dialog().waitFor({ state: 'detached' });
  await until(searches, (now) => now === `cancelled,cancelled,cancelled,${before}`);
  // What fails after it was begun is told in the dialog too.
  await page().getByRole('button', { name: 'Look: Pictures on this computer' }).click();
  await dialog().getByLabel(/^Folder to look in/).fill(folder);
  await dialog().getByRole('button', { name: 'Look' }).click();
  await dialog().getByText('Waits for its turn').waitFor();
  rmSync(folder, { recursive: true });
  letGo();
  await dialog().getByText('Folder does not exist.').waitFor();
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await dialog().waitFor({ state: 'detached' });
  const told = await page().evaluate(() => /** @type {{told: string[]}} */ (/** @type {unknown} */ (window)).told);
  assert.deepEqual(told.filter((words) => words.includes('Looking for pictures')), []);
});
