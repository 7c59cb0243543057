import assert from 'node:assert/strict';
import { test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { writeLibrary } from '../support/library.js';
import { scene } from '../support/scene.js';
import { ROOT } from '../support/sources.js';

const parts = scene({ prepare: (scratch) => {
  writeLibrary(scratch, 5);
  scratch.file('data/plugins/broken.one/plugin.json', '{}');
} });
const { press, type, until, focus, counted } = keysOf(parts);

const page = () => parts.browser.page;
const card = (/** @type {string} */ id) => page().locator(`[data-plugin="${id}"]`);

/** @param {string} [tab] */
async function open(tab = '') {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/plugins${tab}`);
}

/** @param {string} id */
async function pluginNow(id) {
  const { plugins } = /** @type {{plugins: Api.Plugin[]}} */ (await parts.service.ask('/api/plugins'));
  return plugins.find((plugin) => plugin.id === id);
}

test('a plugin is installed, set, given the network, switched off and removed with the pointer', async () => {
  await open();
  // One that makes no sense says why.
  await card('broken.one').getByText('Plugin id, name, and version are required.').waitFor();
  await page().getByRole('button', { name: 'Install from a file' }).click();
  await page().getByLabel('Folder or ZIP file').fill('/nowhere');
  await page().getByRole('dialog').getByRole('button', { name: 'Install', exact: true }).click();
  await page().getByRole('alert').filter({ hasText: 'Plugin path must be a directory or ZIP package.' }).waitFor();
  await page().getByLabel('Folder or ZIP file').fill(`${ROOT}/examples/plugins/service.event-relay`);
  await page().getByRole('dialog').getByRole('button', { name: 'Install', exact: true }).click();
  await card('service.event-relay').getByText('Wants network access; not allowed yet').waitFor();

  await card('service.event-relay').getByRole('button', { name: /^Permissions/ }).click();
  await page().getByRole('checkbox', { name: /Use the network/ }).check();
  await page().getByRole('button', { name: 'Save' }).click();
  await card('service.event-relay').getByText('May use the network').waitFor();

  await card('service.event-relay').getByRole('button', { name: /^Settings/ }).click();
  await page().getByLabel('Address').fill('http://127.0.0.1:9/hook');
  await page().getByRole('button', { name: 'Save' }).click();
  await page().locator('.toast').filter({ hasText: 'The settings of Event Relay are saved.' }).waitFor();
  const { values } = /** @type {Reply.PluginSettings} */ (await parts.service.ask(
    '/api/v2/plugins/settings?id=service.event-relay',
  ));
  assert.equal(values['address'], 'http://127.0.0.1:9/hook');

  await card('service.event-relay').locator('.switch').click();
  await until(() => pluginNow('service.event-relay'), (plugin) => plugin?.enabled === false);
  await card('service.event-relay').getByRole('button', { name: /^Remove/ }).click();
  await page().getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await counted(card('service.event-relay'), 0);
  assert.equal(await pluginNow('service.event-relay'), undefined);
});

test('a plugin is installed and its command run by keys, and a value out of bounds is told at its field', async () => {
  await open();
  await page().locator('[data-focus="install"]').focus();
  await press('Enter');
  await focus(/Folder or ZIP file/);
  await type(`${ROOT}/examples/plugins/service.hello-palette`);
  await press('Enter');
  await card('service.hello-palette').waitFor();
  await page().locator('[data-focus="set:service.hello-palette"]').focus();
  await press('Enter');
  await page().getByLabel('Your name').waitFor();
  await page().getByLabel('Your name').focus();
  await press('Control+a', 'Delete');
  await type('x'.repeat(41));
  await press('Enter');
  await page().getByRole('alert').filter({ hasText: /name/ }).waitFor();
  await press('Escape');
  await counted(page().locator('dialog'), 0);
  await press('Control+k');
  await type('>say hello');
  await page().getByRole('option', { name: /Say hello/ }).waitFor();
  await press('Enter');
  await page().locator('.toast').filter({ hasText: /there/i }).waitFor();
});

test('the catalog says what is installed, by the tabs', async () => {
  await open();
  await page().getByRole('tab', { name: 'Installed' }).focus();
  await press('ArrowRight');
  await card('service.library-stats').getByText('An example that comes with the source code').waitFor();
  assert.match(page().url(), /#\/plugins\/catalog$/);
});
