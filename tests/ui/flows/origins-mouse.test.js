import assert from 'node:assert/strict';
import { test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { scene } from '../support/scene.js';

const parts = scene({
  prepare: (scratch) => {
    for (const name of ['Chrono Trigger', 'EarthBound']) scratch.file(`games/snes/${name}.sfc`, `SFC ${name}`);
  },
  furnish: (service) => service.ask('/api/import', { folder: `${parts.scratch.root}/games` }),
});

const { until } = keysOf(parts);

const page = () => parts.browser.page;

/** @returns {Promise<Api.Game[]>} */
const games = async () => (await parts.service.ask('/api/library?offset=0&limit=9')).games;

test('sources are shown with the pointer, a lock keeps a value, and revert brings the automatic one back', async () => {
  const [game] = await games();
  assert.ok(game);
  await parts.service.ask('/api/game', { game_id: game.game_id, game: { name: 'My Own Title' } });
  await page().goto(`${parts.service.address}#/game/${game.game_id}`);
  await page().locator('.game-page .stars').waitFor();
  await page().keyboard.press('F3');
  const dialog = page().locator('dialog.editor');
  await dialog.locator('.field:has(> .from)').filter({ hasText: 'Set by hand' }).first().waitFor();
  await dialog.getByRole('tab', { name: 'Sources' }).click();
  const row = dialog.locator('[data-field="name"]');
  await row.getByRole('button', { name: 'Unlock' }).click();
  await row.getByRole('button', { name: 'Lock', exact: false }).and(row.getByRole('button', { name: /^Lock/ }))
    .waitFor();
  await row.getByRole('button', { name: /^Revert/ }).click();
  await until(games, (now) => now.every(({ name }) => name !== 'My Own Title'));
  await row.locator('.value').getByText(game.name, { exact: true }).waitFor();
  await dialog.getByRole('tab', { name: 'General' }).click();
  assert.equal(await dialog.getByRole('tabpanel').getByLabel('Name *').inputValue(), game.name);
});

test('a pass is taken back with the pointer, and one that is gone leaves the list', async () => {
  const change = async () =>
    parts.service.ask('/api/v2/library/recognition', { changes: (await games()).map((game) => ({
      game_id: game.game_id,
      field: 'platform',
      expected: game.platform,
      value: game.platform === 'SNES' ? 'NES' : 'SNES',
    })) });
  await change();
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/history`);
  await page().getByRole('tab', { name: 'Automatic' }).click();
  await page().getByText('2 games').waitFor();
  await page().getByRole('button', { name: 'Undo' }).click();
  await page().getByText('Undone: 2 games').first().waitFor();
  await until(games, (now) => now.every(({ platform }) => platform === 'SNES'));
  await page().getByRole('heading', { name: 'No automatic changes' }).waitFor();
  await change();
  const undo = page().locator('.passes li').getByRole('button', { name: 'Undo' });
  await undo.waitFor();
  await page().route('**/api/v2/library/passes/undo', async (route) => {
    const { pass_id: id } = route.request().postDataJSON();
    await parts.service.ask('/api/v2/library/passes/undo', { pass_id: id });
    await route.continue();
  }, { times: 1 });
  await undo.click();
  await page().getByRole('heading', { name: 'No automatic changes' }).waitFor();
});
