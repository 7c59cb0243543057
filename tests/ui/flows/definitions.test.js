import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { addEmulators, machineEnv } from '../support/machine.js';
import { Publisher } from '../support/publisher.js';
import { scene } from '../support/scene.js';

const publisher = await Publisher.start();
publisher.publish('1.0', ['alpha', 'gamma']);
after(() => publisher.stop());

const parts = scene({ prepare: addEmulators,
  env: (scratch) => ({ ...machineEnv(scratch), ...publisher.env(scratch) }) });
const { until } = keysOf(parts);

const page = () => parts.browser.page;
const card = () => page().locator('.definitions');
const has = (/** @type {string} */ id) => existsSync(`${parts.scratch.root}/data/emulator_defs/${id}.yaml`);

test('a signed pack is installed after a question, and its emulators are there', async () => {
  await page().goto(`${parts.service.address}#/emulators`);
  await page().getByText('Emulator definitions', { exact: true }).click();
  await card().getByText('Version 1.0 is there.').waitFor();
  await card().getByText('Notes of 1.0').waitFor();
  await parts.browser.shoot('definitions-news');
  assert.deepEqual(await parts.browser.findings(), []);
  await card().getByRole('button', { name: 'Update definitions' }).click();
  const question = page().getByRole('alertdialog', { name: 'Update to version 1.0?' });
  await question.getByText('Notes of 1.0').waitFor();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
  assert.equal(has('alpha'), false);
  await card().getByRole('button', { name: 'Update definitions' }).click();
  await question.getByRole('button', { name: 'Update definitions' }).click();
  await page().locator('.toast.good', { hasText: 'Definitions updated: 2 new, 0 changed, 0 removed, 0 kept.' })
    .waitFor();
  await card().getByRole('heading', { name: 'Version 1.0' }).waitFor();
  await card().getByText('These are the newest.').waitFor();
  assert.equal(has('alpha') && has('gamma'), true);
  await page().locator('[data-emulator="org.example.alpha"]').waitFor();
});

test('a pack that is not signed with the key is refused in words, and nothing changes', async () => {
  publisher.publish('1.1', ['alpha', 'delta'], false);
  await card().getByRole('button', { name: 'Look for updates' }).click();
  await card().getByRole('button', { name: 'Update definitions' }).click();
  await page().getByRole('alertdialog', { name: 'Update to version 1.1?' }).getByRole('button', {
    name: 'Update definitions',
  }).click();
  await page().locator('.toast.error', {
    hasText: 'The pack is not signed with the key of the channel. Nothing was changed.',
  }).waitFor();
  await parts.browser.shoot('definitions-refused');
  await card().getByRole('heading', { name: 'Version 1.0' }).waitFor();
  assert.equal(has('gamma') && !has('delta'), true);
  // Whoever is away hears of it too.
  await until(
    async () => /** @type {Api.NoticeList} */ (await parts.service.ask('/api/notifications')).notifications.length,
    (now) => now === 1,
  );
});

test('the next pack that is signed changes and retracts, and the bundled ones come back', async () => {
  publisher.publish('1.2', ['alpha', 'delta']);
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/emulators`);
  await page().getByText('Emulator definitions', { exact: true }).click();
  await card().getByRole('button', { name: 'Update definitions' }).click();
  await page().getByRole('alertdialog').getByRole('button', { name: 'Update definitions' }).click();
  await card().getByRole('heading', { name: 'Version 1.2' }).waitFor();
  assert.equal(has('delta') && !has('gamma'), true);
  await page().locator('[data-emulator="org.example.gamma"]').waitFor({ state: 'detached' });
  await card().getByRole('button', { name: 'Go back to the bundled ones' }).click();
  await page().getByRole('alertdialog', { name: 'Take the pack away?' }).getByRole('button', {
    name: 'Go back to the bundled ones',
  }).click();
  await card().getByRole('heading', { name: 'As they came with the program' }).waitFor();
  assert.equal(has('alpha') || has('delta'), false);
  await page().locator('[data-emulator="org.example.alpha"]').waitFor({ state: 'detached' });
});
