import assert from 'node:assert/strict';
import { test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { poster } from '../support/picture.js';
import { scene } from '../support/scene.js';
import { lookInThemes } from '../support/themes.js';

const NAMES = ['Comet Rangers', 'Paper Train', 'Slow Boat'];

const parts = scene({
  prepare: (scratch) => {
    for (const name of NAMES) scratch.file(`games/snes/${name}.sfc`, `SFC ${name}`);
    for (const name of NAMES.slice(0, 2)) {
      scratch.file(`home/ES-DE/downloaded_media/snes/covers/${name}.png`, poster(name.length, 90, 120));
      scratch.file(`home/ES-DE/downloaded_media/snes/fanart/${name}.png`, poster(name.length + 9, 160, 90));
    }
  },
  furnish: (service) => service.ask('/api/import', { folder: `${parts.scratch.root}/games` }),
});

const { until } = keysOf(parts);

const page = () => parts.browser.page;
const covered = async () =>
  (await parts.service.ask('/api/library?offset=0&limit=9')).games.filter((/** @type {Api.Game} */ game) =>
    game.has_cover
  ).map((/** @type {Api.Game} */ game) => game.name).sort();

test('pictures of the usual folders are looked at and added with the pointer', async () => {
  await page().goto(`${parts.service.address}#/fill`);
  await page().getByRole('button', { name: 'Look: Pictures on this computer' }).click();
  const dialog = page().getByRole('dialog', { name: 'Pictures on this computer' });
  await dialog.getByRole('button', { name: 'Look' }).click();
  await dialog.getByText('2 games get something they lack:').waitFor();
  assert.deepEqual(await dialog.locator('.reasons span').allTextContents(), ['Cover 2', 'Fan art 2']);
  assert.equal(await dialog.locator('.rows li').count(), 4);
  await lookInThemes(parts, 'local-pictures');
  await dialog.getByRole('button', { name: 'Add 4 files' }).click();
  await page().locator('.toast', { hasText: 'The pictures are being added.' }).waitFor();
  await until(covered, (now) => now.join() === 'Comet Rangers,Paper Train');
});

test('what was added once is not offered again', async () => {
  await page().getByRole('button', { name: 'Look: Pictures on this computer' }).click();
  const dialog = page().getByRole('dialog', { name: 'Pictures on this computer' });
  await dialog.getByRole('button', { name: 'Look' }).click();
  await dialog.getByText('Nothing was found that a game lacks.').waitFor();
});
