/**
 * Achievements on the big screen: by controller, by keys and with the pointer.
 */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { AchievementServer, NUMBER } from '../support/achievement-server.js';
import { Pad } from '../support/gamepad.js';
import { keysOf } from '../support/keys.js';
import { writeLibrary } from '../support/library.js';
import { scene } from '../support/scene.js';

const GAME = 'game-000000000000000000000000';

/** Achievements of the game; every third was earned, every sixth in hardcore mode. */
const COUNT = 30;

const provider = await AchievementServer.start(Array.from({ length: COUNT }, (_, index) => ({
  title: `Badge ${index + 1}`,
  points: 5,
  earned: index % 3 === 0,
  hardcore: index % 6 === 0,
})));
after(() => provider.stop());

const parts = scene({
  width: 1280,
  height: 800,
  prepare: (scratch) => writeLibrary(scratch, 3),
  env: { ...provider.env, ACH_USERNAME: 'Ada', ACH_API_KEY: 'a-web-key' },
  furnish: async (service) => {
    await service.ask('/api/game', { game_id: GAME, game: { name: 'Comet Rangers', ach_game_id: NUMBER } });
    const { games } = await service.ask('/api/library');
    for (const { game_id: id, name } of games.filter((/** @type {Api.Game} */ { game_id: id }) => id !== GAME))
      await service.ask('/api/game', { game_id: id, game: { name: `Zeta ${name}`, ach_game_id: '' } });
  },
});

const { press, focus } = keysOf(parts);

const page = () => parts.browser.page;
const details = () => page().locator('dialog.big-details');
const wall = () => page().locator('dialog.big-achievements');

/** Waits until a badge has the focus and what it is for stands beside the wall. */
const waitBadge = async (/** @type {string} */ title) => {
  await focus(new RegExp(`^${title}\\. `));
  await wall().locator('.big-ach-now h3').getByText(title, { exact: true }).waitFor();
};

/** Opens the big screen on the shelf of games with achievements: the one game that has some. */
async function open() {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/big?achievements=yes`);
  await page().getByText('1 game', { exact: true }).waitFor();
  await focus(/Comet Rangers/);
}

test('a controller opens the wall of a game and walks over its badges', async () => {
  const pad = await Pad.install(page());
  await open();
  await pad.connect();
  await pad.press('details');
  await details().getByRole('button', { name: 'Achievements' }).waitFor();
  for (let step = 0; step < 6 && await details().locator('[data-focus="achievements"]:focus').count() === 0; step += 1)
    await pad.press('right');
  await pad.press('play');
  await wall().getByText('10 of 30').waitFor();
  await wall().getByText('50 of 150').waitFor();
  assert.equal(await wall().getByRole('meter').getAttribute('aria-valuetext'), '10 of 30');
  assert.equal(await wall().locator('.big-badges .earned').count(), 10);
  assert.equal(await wall().locator('.big-badges .locked').count(), 20);
  await waitBadge('Badge 1');
  await pad.press('right');
  await waitBadge('Badge 4');
  await pad.press('up');
  await focus(/^Earned 10$/);
  await pad.press('right');
  await focus(/^Locked 20$/);
  await pad.press('play');
  await page().waitForFunction(() => document.querySelectorAll('.big-badges li').length === 20);
  await focus(/^Locked 20$/);
  await pad.press('down');
  await page().waitForFunction(() => document.activeElement?.closest('.big-badges .locked'));
  await parts.browser.settle();
  assert.deepEqual(await parts.browser.findings(), []);
  await pad.press('back');
  await wall().waitFor({ state: 'detached' });
  await focus(/^Achievements$/);
  await details().locator('.achievements').getByText('10 of 30').waitFor();
  await pad.press('back');
  await details().waitFor({ state: 'detached' });
  await focus(/Comet Rangers/);
});

test('keys and the pointer do the same', async () => {
  await open();
  await press('i');
  await details().getByRole('button', { name: 'Achievements' }).click();
  await waitBadge('Badge 1');
  await wall().getByRole('button', { name: 'Earned 10' }).click();
  await page().waitForFunction(() => document.querySelectorAll('.big-badges li').length === 10);
  await wall().getByRole('button', { name: /^Badge 7\. / }).click();
  await waitBadge('Badge 7');
  await wall().locator('.big-ach-now').getByText('5 points · In hardcore mode').waitFor();
  await wall().getByRole('button', { name: 'Read again' }).click();
  await wall().locator('[aria-busy]').waitFor({ state: 'detached' });
  await press('Escape');
  await wall().waitFor({ state: 'detached' });
  await focus(/^Achievements$/);
  assert.equal((await page().content()).includes('a-web-key'), false);
});
