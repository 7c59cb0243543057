import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, test } from 'node:test';

import { hands } from '../support/hands.js';
import { keysOf } from '../support/keys.js';
import { LibraryServer } from '../support/library-server.js';
import { addEmulators, addStores, machineEnv } from '../support/machine.js';
import { Publisher } from '../support/publisher.js';
import { scene } from '../support/scene.js';

const shop = await LibraryServer.start();
const publisher = await Publisher.start();
publisher.publish('1.0', ['alpha']);
after(async () => {
  await shop.stop();
  await publisher.stop();
});

const parts = scene({
  prepare: (scratch) => {
    addStores(scratch);
    addEmulators(scratch);
  },
  env: (scratch) => ({ ...machineEnv(scratch), ...publisher.env(scratch) }),
});
const { pick } = keysOf(parts);
const { press, type, write, focus, tab, enter, back, heard, until, open } = hands(parts);

const page = () => parts.browser.page;
const title = (/** @type {string} */ name) => page().locator('[data-title]', { hasText: name });

/** @returns {Promise<Api.Settings>} */
const settings = () => parts.service.ask('/api/settings');

/** @returns {Promise<number>} games that are never imported */
const excluded = async () =>
  /** @type {{exclusions: Api.Exclusion[]}} */ (await parts.service.ask('/api/import/exclusions')).exclusions.length;

test('the library server is tried, refused, saved, and a game of it installed and uninstalled', async () => {
  await open('#/stores');
  await page().locator('[data-source="libserver"]').waitFor();
  await enter(/^Set up/);
  await page().getByRole('form', { name: 'Connection' }).waitFor();
  await tab(/^Address/);
  await type(shop.url);
  await tab(/^User name$/);
  await type('me');
  await tab(/^Password$/);
  await type('wrong');
  await enter(/^Try it$/);
  await heard(/request failed \(401\)/);
  await focus(/^Try it$/);
  await back(/^Password$/);
  await write('secret');
  await enter(/^Try it$/);
  await heard(/^It works: 3 games on the server\.$/);
  await back(/^Way of downloading/);
  await pick('Direct');
  await back(/^Install into/);
  await type(`${parts.scratch.root}/home/served`);
  await press('Enter');
  await heard(/^The connection is saved\.$/);
  await focus(/^Install into/);
  await until(settings, (now) =>
    now['libserver_url'] === shop.url && now['libserver_provider'] === 'direct' &&
    now['libserver_install_dir'] === `${parts.scratch.root}/home/served` && now['libserver_password_set'] === true);
  await title('Quiet Voyage').waitFor();
  await tab(/^Install: Quiet Voyage$/);
  await press('Enter');
  await title('Quiet Voyage').getByRole('button', { name: 'Uninstall: Quiet Voyage' }).waitFor();
  await focus(/: Quiet Voyage$/);
  await tab(/^Uninstall: Quiet Voyage$/);
  await press('Enter');
  await page().getByRole('alertdialog', { name: 'Uninstall Quiet Voyage?' }).waitFor();
  await focus(/^Cancel$/);
  await tab(/^Uninstall$/);
  await press('Enter');
  await heard(/^Quiet Voyage is uninstalled\.$/);
  await title('Quiet Voyage').getByRole('button', { name: 'Install: Quiet Voyage' }).waitFor();
  await focus(/: Quiet Voyage$/);
  await until(async () => existsSync(`${parts.scratch.root}/home/served/quiet-voyage-7`), (now) => !now);
});

test('a game is left out for good, and allowed again from its catalog and from the list of all', async () => {
  await open('#/stores/store_b');
  await title('Owl Night').waitFor();
  await tab(/^Never import: Owl Night$/);
  await press('Enter');
  await heard(/^Owl Night is not imported any more\.$/);
  await focus(/^Allow again: Owl Night$/);
  await until(excluded, (now) => now === 1);
  await press('Enter');
  await page().getByRole('button', { name: 'Never import: Owl Night' }).waitFor();
  await focus(/: Owl Night$/);
  await until(excluded, (now) => now === 0);
  await tab(/^Never import: Owl Night$/);
  await press('Enter');
  await until(excluded, (now) => now === 1);
  await open('#/stores');
  await page().getByRole('button', { name: 'Allow again: Owl Night' }).waitFor();
  await tab(/^Allow again: Owl Night$/);
  await press('Enter');
  await heard(/^Owl Night may be imported again\.$/);
  await page().getByText('Nothing is left out.').waitFor();
  await until(excluded, (now) => now === 0);
  // The keyboard stays where the list was.
  await focus(/./);
});

test('definitions are updated after a question, and a pack that is not signed is refused in words', async () => {
  const question = () => page().getByRole('alertdialog');
  await open('#/emulators');
  await page().locator('[data-emulator]').first().waitFor();
  await tab(/^Emulator definitions$/);
  await press('Enter');
  await page().getByText('Version 1.0 is there.').waitFor();
  await tab(/^Update definitions$/);
  await press('Enter');
  await question().waitFor();
  await press('Escape');
  await question().waitFor({ state: 'detached' });
  await focus(/^Update definitions$/);
  await press('Enter');
  await question().waitFor();
  await focus(/^Update definitions$/);
  /** @type {import('playwright-core').Route[]} */
  const held = [];
  await page().route('**/api/emulators?*', (route) => void held.push(route));
  await press('Enter');
  await heard(/^Definitions updated: 1 new, 0 changed, 0 removed, 0 kept\.$/);
  // The same place offers to look for the next version, before the emulators above are read.
  await focus(/^Look for updates$/);
  assert.equal(existsSync(`${parts.scratch.root}/data/emulator_defs/alpha.yaml`), true);
  publisher.publish('1.1', ['beta'], false);
  await press('Enter');
  await focus(/^Update definitions$/);
  await press('Enter');
  await question().waitFor();
  await until(async () => held.length > 0, Boolean);
  for (const route of held) await route.continue();
  await page().unroute('**/api/emulators?*');
  await focus(/^Update definitions$/);
  await press('Enter');
  await heard(/^The pack is not signed with the key of the channel\. Nothing was changed\.$/);
  await focus(/^Update definitions$/);
  await tab(/^Go back to the bundled ones$/);
  await press('Enter');
  await focus(/^Cancel$/);
  await tab(/^Go back to the bundled ones$/);
  await press('Enter');
  await heard(/^1 definition was taken away\.$/);
  await until(async () => existsSync(`${parts.scratch.root}/data/emulator_defs/alpha.yaml`), (now) => !now);
  await page().getByRole('heading', { name: 'As they came with the program' }).waitFor();
});
