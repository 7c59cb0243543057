import assert from 'node:assert/strict';
import { test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { machineEnv } from '../support/machine.js';
import { scene } from '../support/scene.js';

const LIST = 'home/.local/share/bottles/library.yml';

const parts = scene({
  prepare: (scratch) => {
    scratch.file(LIST,
      ['Climb', 'Dive'].map((name) =>
        `uuid-${name}:\n  bottle:\n    name: Games\n    path: Games\n  id: ${name}\n  name: Deep ${name}\n`
      ).join(''));
  },
  env: machineEnv,
});

const { press, tabTo, until } = keysOf(parts);

const page = () => parts.browser.page;
const bottles = () => page().getByRole('checkbox', { name: /^Bottles/ });

/** @returns {Promise<string[]>} names of the library */
async function names() {
  /** @type {Api.LibraryPage} */
  const library = await parts.service.ask('/api/library?offset=0&limit=100');
  return library.games.map((game) => game.name).sort();
}

test('what another launcher has is offered as a source and brought in by mouse', async () => {
  await page().goto(`${parts.service.address}#/setup`);
  await bottles().waitFor();
  assert.equal(await bottles().isChecked(), true);
  await page().getByText(`${parts.scratch.root}/${LIST}`).waitFor();
  await page().getByRole('button', { name: 'Look for games' }).click();
  await page().locator('[data-candidate="Deep Climb"]').waitFor();
  await page().locator('[data-candidate="Deep Climb"]').getByRole('checkbox').uncheck();
  await page().locator('[data-candidate="Deep Climb"].left-out').waitFor();
  await page().getByRole('button', { name: /^Add 1 game/ }).click();
  await until(names, (now) => now.length === 1);
  assert.deepEqual(await names(), ['Deep Dive']);
});

test('a source that is not wanted is left out by keyboard only', async () => {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/setup`);
  await bottles().waitFor();
  await tabTo(/^Bottles/);
  await press('Space');
  assert.equal(await bottles().isChecked(), false);
  await press('Space');
  await tabTo(/^Look for games$/);
  await press('Enter');
  await page().locator('[data-candidate="Deep Climb"]').waitFor();
});
