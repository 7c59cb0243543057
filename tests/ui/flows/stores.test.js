import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { LibraryServer } from '../support/library-server.js';
import { addStores, machineEnv } from '../support/machine.js';
import { scene } from '../support/scene.js';
import { SIZES } from '../support/sizes.js';
import { lookInThemes } from '../support/themes.js';

/** @type {LibraryServer} */
let shop;
before(async () => {
  shop = await LibraryServer.start();
});
after(() => shop.stop());

const parts = scene({
  prepare: (scratch) => {
    addStores(scratch);
    scratch.file('home/.config/faugus-launcher/games/amber.json',
      JSON.stringify({ title: 'Amber Rally', gameid: 'amber', path: '/games/amber.exe', prefix: '/games/prefix' }));
    scratch.folder('home/.local/share/Steam/compatibilitytools.d/Proton-Test/files/bin');
    scratch.file('home/.local/share/Steam/compatibilitytools.d/Proton-Test/proton', '#!/bin/sh\n', 0o755);
  },
  env: machineEnv,
});

const { press, until, focus, tabTo } = keysOf(parts);

const page = () => parts.browser.page;

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

const card = (/** @type {string} */ source) => page().locator(`[data-source="${source}"]`);
const title = (/** @type {string} */ name) => page().locator('[data-title]', { hasText: name });

test('every store says where it is and what it has', async () => {
  await open('#/stores');
  await page().getByRole('heading', { level: 1, name: 'Stores' }).waitFor();
  for (const [source, name]
    of /** @type {const} */ ([['store_a', 'Steam'], ['store_b', 'Heroic'], ['store_c', 'Lutris']])) {
    await card(source).getByRole('heading', { name }).waitFor();
    await card(source).getByText('Found on this computer').waitFor();
    await page().waitForFunction(
      (key) =>
        [...document.querySelectorAll(`[data-source="${key}"] dd`)].map((item) => item.textContent).join() === '1,2,0',
      source,
    );
  }
  await card('store_a').getByText(`${parts.scratch.root}/home/.local/share/Steam`).waitFor();
  await card('libserver').getByText('Not set up').waitFor();
  await card('wrapper').getByText('Found on this computer').waitFor();
  await page().getByText('Runtimes').click();
  await page().getByText('Proton-Test').first().waitFor();
});

test('what is installed comes in by mouse, once', async () => {
  for (const [source, store]
    of /** @type {const} */ ([['store_a', 'Steam'], ['store_b', 'Heroic'], ['store_c', 'Lutris']])) {
    await card(source).getByRole('button', { name: `Import installed: ${store}` }).click();
    await page().locator('.toast', { hasText: `${store}: 1 game added.` }).waitFor();
  }
  await card('wrapper').getByRole('button', { name: /^Import installed/ }).click();
  await page().locator('.toast', { hasText: 'Faugus Launcher: 1 game added.' }).waitFor();
  await until(names, (now) => now.join() === 'Amber Rally,Fox Orchard,Harbour Lights,Paper Kingdom');
  const again = page().waitForResponse((response) => response.url().endsWith('/api/import/store-a'));
  await card('store_a').getByRole('button', { name: 'Import installed: Steam' }).click();
  assert.deepEqual(await (await again).json(), { added: 0, found: 1, errors: [] });
  assert.equal((await names()).length, 4);
});

test('a store is imported by itself when that is switched on', async () => {
  const saved = page().waitForResponse((response) =>
    response.url().endsWith('/api/settings') && response.request().method() === 'POST'
  );
  await card('store_c').getByRole('switch').check({ force: true });
  await saved;
  const settings = /** @type {Api.Settings} */ (await parts.service.ask('/api/settings'));
  assert.deepEqual(settings['storefront_auto_import'], { store_a: false, store_b: false, store_c: true,
    libserver: false });
  await parts.service.ask('/api/settings', {
    storefront_auto_import: { store_a: false, store_b: false, store_c: false, libserver: false },
  });
});

test('a switch stays as it was set while that is saved', async () => {
  await open('#/stores');
  const turn = card('store_c').getByRole('switch');
  await turn.waitFor({ state: 'attached' });
  let release = () => {};
  const wanted = new Promise((resolve) => {
    release = () => resolve(undefined);
  });
  await page().route('**/api/settings', async (route) => {
    if (route.request().method() === 'POST') await wanted;
    await route.continue();
  });
  await turn.check({ force: true });
  // The screen is drawn anew by what else ends meanwhile.
  await card('store_a').getByRole('button', { name: 'Import installed: Steam' }).click();
  await page().locator('.toast', { hasText: 'Steam: ' }).last().waitFor();
  await page().waitForFunction(() => document.querySelector('[data-source="store_a"] [aria-busy="true"]') === null);
  assert.ok(await turn.isChecked());
  const saved = page().waitForResponse('**/api/settings');
  release();
  await saved;
  await page().unrouteAll({ behavior: 'wait' });
  assert.ok(await turn.isChecked());
  await parts.service.ask('/api/settings', {
    storefront_auto_import: { store_a: false, store_b: false, store_c: false, libserver: false },
  });
});

test('the catalog adds single games, opens the client and leaves games out', async () => {
  await open('#/stores');
  await card('store_b').getByRole('link', { name: 'Catalog of Heroic' }).click();
  await title('Owl Night').getByRole('button', { name: 'Add: Owl Night' }).waitFor();
  assert.equal(await title('Owl Night').getByRole('link', { name: /^Install with Heroic/ }).getAttribute('href'),
    'heroic://install/legendary/Owl');
  await title('Owl Night').getByRole('button', { name: 'Never import: Owl Night' }).click();
  await title('Owl Night').getByText('Never imported').waitFor();
  await page().getByRole('button', { name: /^Not in your library/ }).click();
  await page().getByText('No games in this catalog match.').waitFor();
  await page().getByRole('button', { name: /^All/ }).click();
  await title('Owl Night').getByRole('button', { name: 'Allow again: Owl Night' }).click();
  await title('Owl Night').getByRole('button', { name: 'Add: Owl Night' }).click();
  await title('Owl Night').getByText('In your library').waitFor();
  await page().getByRole('searchbox', { name: 'Search this catalog' }).fill('fox');
  await page().waitForFunction(() => document.querySelectorAll('[data-title]').length === 1);
  assert.ok((await names()).includes('Owl Night'));
});

test('the exclusions list brings a game back', async () => {
  await parts.service.ask('/api/import/exclusions', { source: 'store_a', external_id: '620' });
  await open('#/stores');
  await page().getByRole('button', { name: 'Allow again: Steam App 620' }).click();
  await page().getByText('Nothing is left out.').waitFor();
});

test('the library server is tried, saved, installs and uninstalls', async () => {
  await card('libserver').getByRole('link', { name: 'Set up' }).click();
  const form = page().getByRole('form', { name: 'Connection' });
  await form.getByLabel(/^Address/).fill(shop.url);
  await form.getByLabel('User name').fill('me');
  await form.getByLabel('Password').fill('wrong');
  await form.getByRole('button', { name: 'Try it' }).click();
  await form.getByText(/request failed \(401\)/).waitFor();
  await form.getByLabel('Password').fill('secret');
  await form.getByRole('button', { name: 'Try it' }).click();
  await form.getByText('It works: 3 games on the server.').waitFor();
  await form.getByLabel('Install into').fill(`${parts.scratch.root}/home/served`);
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('The connection is saved.').waitFor();
  await title('Quiet Voyage').getByRole('button', { name: 'Install: Quiet Voyage' }).click();
  await title('Quiet Voyage').getByRole('button', { name: 'Uninstall: Quiet Voyage' }).waitFor();
  assert.ok(existsSync(`${parts.scratch.root}/home/served/quiet-voyage-7/quiet.bin`));
  await title('Broken Lantern').getByRole('button', { name: 'Install: Broken Lantern' }).click();
  await page().locator('.toast.error', { hasText: 'request failed (500): no such file' }).waitFor();
  await title('Quiet Voyage').getByRole('button', { name: 'Uninstall: Quiet Voyage' }).click();
  const question = page().getByRole('alertdialog', { name: 'Uninstall Quiet Voyage?' });
  await question.getByText(/quiet-voyage-7 is deleted from the disk/).waitFor();
  await focus(/^Cancel$/);
  await question.getByRole('button', { name: 'Uninstall' }).click();
  await title('Quiet Voyage').getByRole('button', { name: 'Install: Quiet Voyage' }).waitFor();
  // The library knows of it before the last file is gone.
  await until(async () => existsSync(`${parts.scratch.root}/home/served/quiet-voyage-7`), (now) => !now);
});

test('a button at work that is drawn anew is still at work', async () => {
  await open('#/stores');
  const button = card('store_c').getByRole('button', { name: 'Import installed: Lutris' });
  await card('store_c').getByRole('switch').waitFor({ state: 'attached' });
  let asked = 0;
  let release = () => {};
  const seen = new Promise((resolve) => {
    release = () => resolve(undefined);
  });
  await page().route('**/api/import/store-c', async (route) => {
    asked += 1;
    await seen;
    await route.continue();
  });
  await button.click();
  await until(async () => asked, (now) => now === 1);
  await button.evaluate((old) => {
    /** @type {HTMLElement} */ (old).title = 'old';
  });
  const saved = page().waitForResponse('**/api/settings');
  await card('store_c').getByRole('switch').check({ force: true });
  await saved;
  assert.deepEqual([await button.getAttribute('title'), await button.getAttribute('aria-busy')], ['old', 'true']);
  await button.click();
  release();
  await page().locator('.toast', { hasText: /^Lutris: / }).last().waitFor();
  await page().waitForFunction(() => document.querySelector('[data-source="store_c"] [aria-busy="true"]') === null);
  assert.equal(asked, 1);
  await page().unrouteAll({ behavior: 'wait' });
  await parts.service.ask('/api/settings', {
    storefront_auto_import: { store_a: false, store_b: false, store_c: false, libserver: false },
  });
});

test('whoever searches a catalog goes on typing while the answer of a button comes', async () => {
  await open('#/stores/store_c');
  const search = page().getByRole('searchbox', { name: 'Search this catalog' });
  await title('Glass Tides').waitFor();
  let release = () => {};
  const typed = new Promise((resolve) => {
    release = () => resolve(undefined);
  });
  await page().route('**/api/storefront/catalog?*', async (route) => {
    await typed;
    await route.continue();
  });
  const asked = page().waitForRequest('**/api/storefront/catalog?*');
  await title('Glass Tides').getByRole('button', { name: 'Never import: Glass Tides' }).click();
  await asked;
  await search.focus();
  await page().keyboard.type('gl');
  release();
  await title('Glass Tides').getByText('Never imported').waitFor();
  await page().unrouteAll({ behavior: 'wait' });
  await page().keyboard.type('ass');
  assert.equal(await search.inputValue(), 'glass');
  await title('Glass Tides').getByRole('button', { name: 'Allow again: Glass Tides' }).click();
  await title('Glass Tides').getByRole('button', { name: 'Add: Glass Tides' }).waitFor();
});

test('a store is imported and a game added by keyboard only', async () => {
  await open('#/stores');
  await page().waitForFunction(() => document.querySelector('[data-source="store_c"] dd')?.textContent === '1');
  await tabTo(/^Import installed: Lutris$/);
  await press('Enter');
  await page().locator('.toast', { hasText: /^Lutris: / }).waitFor();
  await focus(/^Import installed: Lutris$/);
  await tabTo(/^Catalog of Lutris$/);
  await press('Enter');
  await title('Glass Tides').waitFor();
  await tabTo(/^Add: Glass Tides$/);
  await press('Enter');
  await title('Glass Tides').getByText('In your library').waitFor();
  // The focus stays at the game.
  await focus(/^Open game page: Glass Tides$/);
  await press('Enter');
  await page().getByRole('heading', { level: 1, name: 'Glass Tides' }).waitFor();
});

test('a server that is gone is told, with the way to try again', async () => {
  await open('#/stores/libserver');
  await title('Quiet Voyage').waitFor();
  await page().route('**/api/storefront/catalog**', (route) => route.abort());
  await open('#/stores/libserver');
  await page().getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor();
  await parts.browser.shoot('stores-error');
  await page().unroute('**/api/storefront/catalog**');
  await page().getByRole('alert').getByRole('button', { name: 'Try again' }).click();
  await title('Quiet Voyage').waitFor();
  parts.browser.errors.splice(0, parts.browser.errors.length,
    ...parts.browser.errors.filter((error) => !error.includes('ERR_FAILED')));
});

test('the stores have no serious finding in any theme', async () => {
  for (const [hash, ready, name]
    of /** @type {const} */ ([['#/stores', '[data-source="store_c"] dd', 'stores'], ['#/stores/store_b', '[data-title]',
      'stores-catalog'], ['#/stores/libserver', '[data-title]', 'stores-server']])) {
    for (const [width, height] of SIZES) {
      await page().setViewportSize({ width, height });
      await open(hash);
      await page().locator(ready).first().waitFor();
      await parts.browser.settle();
      await parts.browser.assertSteady(`${name} ${width}`);
      assert.deepEqual(await parts.browser.findings(), [], `${name} ${width}`);
      assert.equal(await page().evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    }
    await lookInThemes(parts, name);
  }
});
