import assert from 'node:assert/strict';
import { test } from 'node:test';

import { addNewcomerHome, machineEnv } from '../support/machine.js';
import { scene } from '../support/scene.js';

const parts = scene({ prepare: addNewcomerHome, env: machineEnv });

const page = () => parts.browser.page;
const press = (/** @type {string} */ key) => page().keyboard.press(key);

/** @param {RegExp} name */
async function tabTo(name) {
  for (let step = 0; step < 120 && !name.test(await parts.browser.focused()); step += 1) await press('Tab');
  assert.match(await parts.browser.focused(), name);
}

test('from an empty data directory to a launched game by keyboard only', async () => {
  await page().goto(parts.service.address);
  await page().getByRole('link', { name: 'Find my games' }).waitFor();
  await tabTo(/^Find my games$/);
  await press('Enter');
  await page().locator('[data-type="store_c"]').waitFor();
  await tabTo(/^Look for games$/);
  await press('Enter');
  await page().locator('[data-candidate="Twin Suns"]').waitFor();
  await tabTo(/^Platform: Twin Suns$/);
  await page().keyboard.type('PlayStation 2');
  await press('Tab');
  await page().getByText('Nothing is written until you add them.').waitFor();
  await tabTo(/^Add 7 games$/);
  await press('Enter');
  await page().getByText('7 games added').first().waitFor();
  await page().getByRole('button', { name: 'Play: Fern Rally' }).waitFor();
  await tabTo(/^Play: Fern Rally$/);
  await press('Enter');
  await page().getByRole('complementary', { name: 'Running games' }).getByText('Fern Rally').waitFor();
  const { running } = /** @type {Api.Running} */ (await parts.service.ask('/api/running'));
  assert.deepEqual(running.map((entry) => entry.game), ['Fern Rally']);
});
