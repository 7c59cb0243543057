import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { AchievementServer, NUMBER } from '../support/achievement-server.js';
import { scene } from '../support/scene.js';
import { writeLibrary } from '../support/library.js';

const KEY = 'a-web-key';
const GAME = 'game-000000000000000000000000';

const provider = await AchievementServer.start([{ title: 'Landing', points: 25 }, { title: 'Lift-off', points: 5,
  hardcore: true }, { title: 'Orbit', points: 10, earned: true }]);
after(() => provider.stop());

const parts = scene({
  prepare: (scratch) => writeLibrary(scratch, 3),
  env: provider.env,
  furnish: (service) =>
    service.ask('/api/game', { game_id: GAME, game: { name: 'Comet Rangers', ach_game_id: NUMBER } }),
});

test('achievements are told on the page of a game once they are asked for', async () => {
  const { page } = parts.browser;
  await page.goto(`${parts.service.address}#/game/${GAME}`);
  const section = page.locator('.achievements');
  await section.getByRole('heading', { name: 'Achievements' }).waitFor();
  await section.getByRole('button', { name: 'Show achievements' }).click();
  await page.locator('.toast').getByText('Configure RetroAchievements first.').waitFor();
  await page.locator('.toast').getByRole('button').first().click();
  await parts.service.ask('/api/ach/settings', { username: 'Ada', api_key: KEY });
  await section.getByRole('button', { name: 'Show achievements' }).click();
  await section.getByText('15 of 40').waitFor();
  await section.getByText('2 of 3').waitFor();
  assert.deepEqual(await section.locator('.badges b').allTextContents(), ['Lift-off', 'Orbit', 'Landing']);
  assert.equal(await section.locator('.badges .locked').count(), 1);
  const names = await section.locator('.badges img').evaluateAll((images) =>
    images.map((image) => new URL(/** @type {HTMLImageElement} */ (image).src).searchParams.get('locked'))
  );
  assert.deepEqual(names, ['0', '0', '1']);
  assert.equal(await section.getByRole('meter').getAttribute('aria-valuetext'), '2 of 3');
  await section.getByRole('button', { name: 'Read again' }).waitFor();
  await parts.browser.settle();
  assert.deepEqual(await parts.browser.findings(), []);
  assert.equal((await page.content()).includes(KEY), false);
});
