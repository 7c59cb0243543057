import { test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { addNewcomerHome, machineEnv } from '../support/machine.js';
import { scene } from '../support/scene.js';

const parts = scene({ prepare: addNewcomerHome, env: machineEnv });

const { press, until, tabTo, pick } = keysOf(parts);

const page = () => parts.browser.page;

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
  await pick('PlayStation 2');
  await page().getByText('Nothing is written until you add them.').waitFor();
  await tabTo(/^Add 7 games$/);
  await press('Enter');
  await page().getByText('7 games added').first().waitFor();
  await page().getByRole('button', { name: 'Play: Fern Rally' }).waitFor();
  await tabTo(/^Play: Fern Rally$/);
  await press('Enter');
  await page().getByRole('complementary', { name: 'Running games' }).getByText('Fern Rally').waitFor();
  await until(
    async () =>
      /** @type {Api.Running} */ (await parts.service.ask('/api/running')).running.map((entry) => entry.game).join(),
    (now) => now === 'Fern Rally',
  );
});
