import assert from 'node:assert/strict';
import { test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { addNewcomerHome, machineEnv } from '../support/machine.js';
import { scene } from '../support/scene.js';
import { SIZES } from '../support/sizes.js';
import { lookInThemes } from '../support/themes.js';

const parts = scene({ prepare: addNewcomerHome, env: machineEnv });

const { until } = keysOf(parts);

const page = () => parts.browser.page;
const row = (/** @type {string} */ name) => page().locator(`[data-candidate="${name}"]`);

const group = (/** @type {RegExp} */ name) =>
  page().getByRole('group', { name: 'Kinds of finds' }).getByRole('button', { name });

/** @param {string} hash */
async function open(hash) {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}${hash}`);
}

/** @returns {Promise<string[]>} names of the library */
async function names() {
  /** @type {Api.LibraryPage} */
  const library = await parts.service.ask('/api/library?offset=0&limit=100');
  return library.games.map((game) => game.name).sort();
}

test('where to look has no serious finding in any theme', async () => {
  for (const [width, height] of SIZES) {
    await page().setViewportSize({ width, height });
    await open('#/setup');
    await page().locator('[data-type="store_c"]').waitFor();
    await parts.browser.settle();
    assert.deepEqual(await parts.browser.findings(), [], `${width}`);
    assert.equal(await page().evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  }
  await lookInThemes(parts, 'setup-sources');
});

test('an empty library leads to the setup, which knows stores, emulators and folders', async () => {
  await open('#/');
  await page().getByRole('link', { name: 'Find my games' }).click();
  await page().getByRole('heading', { level: 1, name: 'Set up your library' }).waitFor();
  await page().getByText('Emulators here: Dolphin, melonDS.').waitFor();
  for (const name of ['Steam', 'Heroic', 'Lutris'])
    assert.equal(await page().getByRole('checkbox', { name: new RegExp(`^${name}`) }).isChecked(), true, name);
  assert.equal(await page().getByRole('checkbox', { name: `${parts.scratch.root}/home/ROMs` }).isChecked(), true);
});

test('another folder is added by hand, and one that is not there is told', async () => {
  await page().getByRole('textbox', { name: 'Another folder' }).fill('/no/such/folder');
  await page().getByRole('button', { name: 'Add folder' }).click();
  await page().getByRole('button', { name: 'Look for games' }).click();
  await page().getByText(/^\/no\/such\/folder: /).waitFor();
});

test('what was found is shown with counts, and nothing is written', async () => {
  await group(/^To decide/).waitFor();
  await row('Twin Suns').waitFor();
  await group(/^New/).click();
  for (const name of ['Fern Rally', 'Moon Tide', 'Star Pilot', 'Harbour Lights', 'Fox Orchard', 'Paper Kingdom'])
    await row(name).waitFor();
  await page().getByText('1 game needs your decision first.').waitFor();
  assert.deepEqual(await names(), []);
});

test('decisions survive a reload, and the flow goes on from its first page', async () => {
  await row('Fox Orchard').getByRole('checkbox').uncheck();
  await page().locator('[data-candidate="Fox Orchard"].left-out').waitFor();
  await page().reload();
  await group(/^New/).click();
  await page().locator('[data-candidate="Fox Orchard"].left-out').waitFor();
  await open('#/setup');
  await page().getByRole('button', { name: 'Continue' }).click();
  await row('Twin Suns').waitFor();
  assert.deepEqual(await names(), []);
});

test('what was found has no serious finding in any theme', async () => {
  const hash = new URL(page().url()).hash;
  for (const [width, height] of SIZES) {
    await page().setViewportSize({ width, height });
    await open(hash);
    await group(/^New/).click();
    await row('Fern Rally').waitFor();
    await parts.browser.settle();
    assert.deepEqual(await parts.browser.findings(), [], `${width}`);
    assert.equal(await page().evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  }
  await lookInThemes(parts, 'setup-review');
});

test('adding asks for the open decision first, then brings everything in at once', async () => {
  await page().getByRole('button', { name: /^Add \d+ games$/ }).click();
  await row('Twin Suns').waitFor();
  await row('Twin Suns').getByRole('combobox').selectOption('PlayStation 2');
  await page().getByText('Nothing is written until you add them.').waitFor();
  await page().getByRole('button', { name: 'Add 6 games' }).click();
  await page().getByText('6 games added').first().waitFor();
  await until(names, (now) => now.join() === 'Fern Rally,Harbour Lights,Moon Tide,Paper Kingdom,Star Pilot,Twin Suns');
});

test('the first check says what would start and cures what would not', async () => {
  await page().getByRole('heading', { name: 'Would they start?' }).waitFor();
  await page().locator('.cause', { hasText: 'Vita3K is not installed' }).waitFor();
  await parts.browser.settle();
  for (const scheme of ['light', 'contrast', 'dark']) {
    await page().evaluate((name) => {
      document.documentElement.dataset['scheme'] = name;
    }, scheme);
    await parts.browser.shoot(`setup-done-${scheme}`);
    assert.deepEqual(await parts.browser.findings(), [], scheme);
  }
  await page().getByRole('button', { name: /^Install Vita3K/ }).click();
  await page().locator('.toast.good', { hasText: 'Emulator installation is done.' }).waitFor();
});

test('a game is launched from there', async () => {
  await page().getByRole('button', { name: 'Play: Fern Rally' }).click();
  const bar = page().getByRole('complementary', { name: 'Running games' });
  await bar.getByText('Fern Rally').waitFor();
  await bar.getByRole('button', { name: 'Stop' }).press('Enter');
  await bar.waitFor({ state: 'hidden' });
});

test('looking again adds nothing, and what was left out is offered again', async () => {
  await open('#/setup');
  await page().getByRole('button', { name: 'Look for games' }).click();
  await group(/^New/).waitFor();
  await page().waitForFunction(() => document.querySelectorAll('[data-candidate]').length === 1);
  await row('Fox Orchard').waitFor();
  assert.equal((await names()).length, 6);
});

test('a source that cannot be read at all is told, with the way back', async () => {
  await page().route('**/api/storefront/status',
    (route) => route.fulfill({ status: 503, body: '{"error": "Busy.", "code": "BUSY", "request_id": "r1"}' }));
  await open('#/setup');
  await page().getByRole('alert').getByText('BUSY · r1').waitFor();
  await page().unroute('**/api/storefront/status');
  await page().getByRole('alert').getByRole('button', { name: 'Try again' }).click();
  await page().locator('[data-type="store_c"]').waitFor();
  await open('#/setup/0123456789abcdef0123456789abcdef');
  await page().locator('.toast', { hasText: 'The earlier preview has expired.' }).waitFor();
  await page().locator('[data-type="store_c"]').waitFor();
});
