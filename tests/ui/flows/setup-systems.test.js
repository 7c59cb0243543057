import assert from 'node:assert/strict';
import { test } from 'node:test';

import { addCollection, GAMES, SYSTEMS } from '../support/collection.js';
import { keysOf } from '../support/keys.js';
import { machineEnv } from '../support/machine.js';
import { scene } from '../support/scene.js';
import { SIZES } from '../support/sizes.js';
import { lookInThemes } from '../support/themes.js';

const parts = scene({ prepare: addCollection, env: machineEnv });

const { until } = keysOf(parts);

const page = () => parts.browser.page;
const tab = (/** @type {RegExp} */ name) => page().getByRole('tab', { name });
const folder = (/** @type {string} */ name) => page().locator(`[data-folder$="${name}"]`);

/** @returns {Promise<Api.Game[]>} */
async function games() {
  /** @type {Api.LibraryPage} */
  const library = await parts.service.ask('/api/library?offset=0&limit=200');
  return library.games;
}

test('systems, folders and what stays out have no serious finding in any theme', async () => {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/setup`);
  await page().getByRole('button', { name: 'Look for games' }).click();
  for (const [name, ready]
    of /** @type {const} */ ([['Systems', '[data-system="NES"]'], ['Folders', '[data-folder$="Flash cart"]'], [
      'Left out',
      '.left li',
    ]])) {
    await tab(new RegExp(`^${name}`)).click();
    await page().locator(ready).first().waitFor();
    for (const [width, height] of SIZES) {
      await page().setViewportSize({ width, height });
      await parts.browser.settle();
      assert.deepEqual(await parts.browser.findings(), [], `${name} ${width}`);
      assert.equal(await page().evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    }
    await lookInThemes(parts, `setup-${name.toLowerCase().replace(' ', '-')}`);
  }
});

test('every system of the tree is told with what it brings', async () => {
  await tab(/^Systems/).click();
  for (const name of SYSTEMS) await page().locator(`[data-system="${name}"]`).waitFor();
  const nes = page().locator('[data-system="NES"]');
  await nes.getByText('4 new · 2 further versions').waitFor();
  await nes.getByRole('button').click();
  const row = page().locator('[data-candidate="Super Mario Bros. 3"]');
  await row.waitFor();
  await until(() => page().locator('[data-candidate]').count(), (now) => now === 4);
  await row.getByText('3 versions, one game').click();
  await row.getByText('played first').waitFor();
  assert.match(await row.locator('.versions li').first().innerText(), /^Super Mario Bros\. 3 \(USA\)\.nes/);
  await page().getByRole('button', { name: /NES/ }).and(page().locator('.chip')).click();
  await page().locator('[data-candidate="Chrono Trigger"]').waitFor();
});

test('what stays out is told with its reason', async () => {
  await tab(/^Left out/).click();
  await page().getByText('6 files of another kind').waitFor();
  await page().getByText('.md (3), .png (2), .txt (1)').waitFor();
  await page().getByText('2 files belong to a game').waitFor();
  await page().getByText('3 further versions of games').waitFor();
});

test('the system of a folder is chosen before anything is written', async () => {
  await tab(/^Folders/).click();
  const odd = folder('Flash cart');
  await odd.getByText('3 files left out: .md (3)').waitFor();
  assert.equal(await page().locator('[data-folder]').first().getAttribute('data-folder'), 'ROMs/Flash cart');
  // The text stands in the middle of the button, to half a pixel of rounding on each side.
  const aside = await odd.getByRole('button').evaluate((button) => {
    const [around, text] = [button.getBoundingClientRect(), button.querySelector('span')?.getBoundingClientRect()];
    return text ? Math.abs(around.top + around.bottom - text.top - text.bottom) / 2 : Infinity;
  });
  assert.ok(aside <= 1, `the text is ${aside} pixels off the middle`);
  await odd.getByRole('button').click();
  const dialog = page().getByRole('dialog', { name: 'Which system is this folder for?' });
  await dialog.getByLabel('Search platforms').fill('no such machine');
  await dialog.getByText('0 platforms').waitFor();
  await dialog.getByLabel('Search platforms').fill('mega drive');
  await dialog.getByRole('button', { name: /^Sega Genesis/ }).waitFor();
  await parts.browser.settle();
  assert.deepEqual(await parts.browser.findings(), []);
  await dialog.getByRole('button', { name: /^Sega Genesis/ }).click();
  await dialog.waitFor({ state: 'hidden' });
  await odd.getByText('Chosen now; takes effect when you look again').waitFor();
  await page().getByRole('button', { name: 'Look again with these' }).click();
  await odd.getByText('Chosen by you').waitFor();
  await odd.getByText('3 games').waitFor();
  assert.deepEqual(await games(), []);
});

test('the games come in, and a later import of the folder brings none back', async () => {
  const add = page().getByRole('button', { name: /^Add \d+ games$/ });
  await add.click();
  await page().getByText(/games added/).first().waitFor();
  await until(games, (now) => now.length >= GAMES);
  const all = await games();
  assert.deepEqual(
    all.filter((game) => game.path?.includes('/Flash cart/')).map((game) => `${game.platform}: ${game.name}`).sort(),
    ['Sega Genesis: Phantasy Star IV', 'Sega Genesis: Ristar', 'Sega Genesis: Shining Force II'],
  );
  assert.ok(all.some((game) => game.name === 'Harbour Lights'), 'the game of the store');
  assert.equal(all.filter((game) => game.path?.includes('/ROMs/')).length, GAMES);
  const again = await parts.service.ask('/api/import', { folder: `${parts.scratch.root}/home/ROMs` });
  assert.equal(again.added, 0);
});

test('the lists of the front end complete them', async () => {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/setup`);
  await page().getByRole('button', { name: 'Bring over from another launcher' }).click();
  const dialog = page().getByRole('dialog', { name: 'Bring over from another launcher' });
  await dialog.getByRole('textbox', { name: /^List/ }).fill(`${parts.scratch.root}/home/ES-DE`);
  await dialog.getByRole('button', { name: 'Look' }).click();
  await dialog.getByRole('button', { name: 'Bring over' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await until(games, (now) => now.some((game) => game.name === 'Chrono Trigger' && game.favorite === true));
  assert.equal((await games()).filter((game) => game.name === 'Chrono Trigger').length, 1);
});

test('a game of the tree runs', async () => {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/?q=galaxy`);
  await page().locator('.tile').first().dblclick();
  const bar = page().getByRole('complementary', { name: 'Running games' });
  await bar.getByText('Super Mario Galaxy').waitFor();
  await bar.getByRole('button', { name: 'Stop' }).press('Enter');
  await bar.waitFor({ state: 'hidden' });
});
