import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, test } from 'node:test';

import { poster } from '../support/picture.js';
import { scene } from '../support/scene.js';
import { writeLibrary } from '../support/library.js';

const KEY = 'a-web-key';
const GAME = 'game-000000000000000000000000';

const row = (/** @type {number} */ id, /** @type {string} */ title, /** @type {number} */ points, more = {}) => ({
  ID: id,
  Title: title,
  Description: `How to get ${title}`,
  Points: points,
  TrueRatio: points,
  BadgeName: `2500${id}`,
  DisplayOrder: id,
  ...more,
});

const provider = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '', 'http://here');
  const say = (/** @type {unknown} */ body) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  if (pathname.startsWith('/Badge/'))
    response.writeHead(200, { 'Content-Type': 'image/png' }).end(poster(pathname.length, 64, 64));
  else if (pathname === '/API/API_GetUserProfile.php') say({ User: 'Ada', TotalPoints: 1200, Motto: 'One more go' });
  else if (pathname === '/API/API_GetGameInfoAndUserProgress.php')
    say({ ID: 77, Title: 'Comet Rangers', NumAchievements: 3, NumAwardedToUser: 2, NumAwardedToUserHardcore: 1,
      Achievements: {
        1: row(1, 'Landing', 25),
        2: row(2, 'Lift-off', 5, { DateEarned: '2025-01-02 03:04:05', DateEarnedHardcore: '2025-01-02 03:04:05' }),
        3: row(3, 'Orbit', 10, { DateEarned: '2025-01-02 03:04:05' }),
      }, HighestAwardKind: null });
  else response.writeHead(404).end('[]');
});
provider.listen(0, '127.0.0.1');
await once(provider, 'listening');
after(() => provider.close());
const base = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (provider.address()).port}`;

const parts = scene({
  prepare: (scratch) => writeLibrary(scratch, 3),
  env: { SERVICE_ACH_BASE: `${base}/API`, SERVICE_ACH_MEDIA_BASE: base },
  furnish: (service) => service.ask('/api/game', { game_id: GAME, game: { name: 'Comet Rangers', ach_game_id: '77' } }),
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
