import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { scene } from '../support/scene.js';

const KEY = 'key-of-ana-0a1b2c';

/** The artwork provider, as far as it says whether a key is good. */
const provider = createServer((request, response) => {
  const isGood = request.headers.authorization === `Bearer ${KEY}`;
  response.writeHead(isGood ? 200 : 401, { 'Content-Type': 'application/json' })
    .end(JSON.stringify(isGood ? { success: true, data: [] } : { success: false, errors: ['Invalid key format'] }));
});
provider.listen(0, '127.0.0.1');
await once(provider, 'listening');
after(() => provider.close());

const { port } = /** @type {import('node:net').AddressInfo} */ (provider.address());
const parts = scene({ env: { SERVICE_ARTGRID_BASE: `http://127.0.0.1:${port}/api/v2` } });

const { until } = keysOf(parts);

const page = () => parts.browser.page;
const card = () => page().locator('[data-source="artgrid"]');
const order = () => page().locator('.source-order');

/** @returns {Promise<Reply.SourceOrder>} */
const stored = () => parts.service.ask('/api/v2/metadata/source-order');

/**
 * @param {Reply.SourceOrder} answer
 * @param {'fields' | 'media'} part
 * @param {string} name
 */
const sources = (answer, part, name) => answer[part].find((row) => row.name === name)?.sources.join(' ');

test('an account is tried, stored, and removed after a question', async () => {
  await page().goto(`${parts.service.address}#/sources`);
  await card().getByText('No account yet').waitFor();
  await card().getByRole('button', { name: /^Enter account/ }).click();
  const dialog = page().getByRole('dialog');
  await dialog.getByLabel(/API key/).fill('another-key');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('SteamGridDB rejected this account. Nothing was saved.').waitFor();
  await dialog.getByLabel(/API key/).fill(KEY);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await card().getByText('An account is set up').waitFor();
  assert.equal((await page().content()).includes(KEY), false);
  await card().getByRole('button', { name: /^Remove account/ }).click();
  await page().getByRole('alertdialog').getByRole('button', { name: 'Remove account' }).click();
  await card().getByText('No account yet').waitFor();
});

test('the order of sources is changed for a kind of picture and set back', async () => {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/sources`);
  await order().getByLabel('For').selectOption({ label: 'Cover' });
  await order().getByRole('button', { name: 'Move down: LaunchBox Games Database' }).click();
  await until(stored, (now) => sources(now, 'media', 'cover') === 'opendb metadb artgrid scraper');
  await order().getByRole('checkbox', { name: 'ScreenScraper', exact: true }).uncheck();
  await until(stored, (now) => sources(now, 'media', 'cover') === 'opendb metadb artgrid');
  await order().getByRole('button', { name: 'Usual order' }).click();
  await until(stored, (now) => sources(now, 'media', 'cover') === 'metadb opendb artgrid scraper');
  await order().locator('li').first().getByText('LaunchBox Games Database').waitFor();
  assert.deepEqual(await parts.browser.findings(), []);
});
