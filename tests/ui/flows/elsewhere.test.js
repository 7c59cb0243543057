import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DEMO_ENV, furnish, writeDemo } from '../support/demo.js';
import { Relay } from '../support/relay.js';
import { scene } from '../support/scene.js';
import { PLAIN } from '../support/screens.js';

const parts = scene({ prepare: writeDemo, furnish, env: DEMO_ENV });

const page = () => parts.browser.page;

const ids = async () => {
  const { games } = /** @type {Api.LibraryPage} */ (await parts.service.ask('/api/library?offset=0&limit=4'));
  return games.map(({ game_id: id }) => String(id));
};

/** @param {string} hash */
async function open(hash) {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}${hash}`);
}

const gone = () => page().getByRole('heading', { name: 'This game is not here' });

test('an interruption is told once, and what failed meanwhile comes when it is over', async () => {
  const known = parts.browser.errors.length;
  const relay = new Relay(parts.service.url);
  await relay.open();
  await parts.service.ask('/api/settings', { ...PLAIN, library_view: 'details' });
  await page().goto('about:blank');
  await page().goto(`${relay.url}/?token=${parts.service.token}#/history`);
  await page().locator('.entry').first().waitFor();
  await relay.close();
  await page().locator('.strip').waitFor({ timeout: 40_000 });
  await page().evaluate(() => {
    location.hash = '#/';
  });
  await page().locator('.tile .art.missed').first().waitFor();
  await page().locator('.tile').first().click();
  await page().locator('.toast').waitFor();
  for (let games = 0; games < 5; games += 1) {
    const failed = page().waitForEvent('requestfailed', (request) => request.url().includes('/api/library/delta'));
    await page().keyboard.press('ArrowDown');
    await failed;
  }
  assert.equal(await page().locator('.toast').count(), 1, 'equal notices are one');
  // A notice that has the focus stays, so that only the answer takes it away.
  await page().keyboard.press('F8');
  await page().waitForFunction(() => document.activeElement?.closest('.toast'));
  await relay.open();
  await page().locator('.strip button').evaluate((button) => /** @type {HTMLElement} */ (button).click());
  await page().locator('.toast').waitFor({ state: 'detached' });
  await page().locator('.tile img.shown').first().waitFor();
  await page().waitForFunction(() => document.querySelector('.tile .art.missed') === null);
  await page().goto('about:blank');
  await relay.close();
  // The browser itself reports each request without an answer.
  assert.deepEqual(parts.browser.errors.splice(known).filter((text) => !/ERR_|Failed to load resource/.test(text)), []);
  parts.browser.hosts.delete(new URL(relay.url).host);
});

test('what failed is named, and an action stays told when the service answers again', async () => {
  const known = parts.browser.errors.length;
  const [id] = await ids();
  await open(`#/game/${id}`);
  const heart = page().locator('.game-page button.favorite');
  await heart.waitFor();
  const told = (/** @type {string} */ text) => page().locator('.toast', { hasText: text });
  await page().route('**/api/favorite', (route) => route.fulfill({ status: 502, body: '<h1>Bad Gateway</h1>' }));
  await heart.click();
  await told('“Add to favourites” failed. Something between this page and Service Launcher answered instead of it.')
    .waitFor();
  await page().unrouteAll({ behavior: 'wait' });
  await page().route('**/api/favorite', (route) => route.abort());
  await heart.click();
  await told('“Add to favourites” failed. Service Launcher does not answer.').waitFor();
  await page().unrouteAll({ behavior: 'wait' });
  await page().evaluate(() => {
    location.hash = '#/history';
  });
  await page().locator('.entry').first().waitFor();
  await parts.browser.settle();
  assert.equal(await told('Service Launcher does not answer.').count(), 1);
  await parts.browser.shoot('action-failed');
  assert.deepEqual(parts.browser.errors.splice(known).filter((text) => !/ERR_|Failed to load resource/.test(text)), []);
});

test('a program that stays away is not waited for without end', async () => {
  const known = parts.browser.errors.length;
  const relay = new Relay(parts.service.url);
  await relay.open();
  const tab = await parts.browser.newTab();
  // The page waits for twenty seconds; this tab does not.
  await tab.addInitScript(() => {
    const wait = window.setTimeout;
    window.setTimeout = /** @type {typeof window.setTimeout} */ ((
      /** @type {() => void} */ run,
      /** @type {number} */ time,
    ) => wait(run, time === 20_000 ? 0 : time));
  });
  await tab.goto(`${relay.url}/?token=${parts.service.token}#/history`);
  await tab.locator('.entry').first().waitFor();
  await relay.close();
  await tab.locator('.strip', { hasText: 'Start Service Launcher again' }).waitFor({ timeout: 40_000 });
  await tab.evaluate(() => {
    location.hash = '#/backups';
  });
  await tab.locator('.failure', { hasText: 'Start Service Launcher again' }).waitFor();
  await relay.open();
  await tab.locator('.strip button').evaluate((button) => /** @type {HTMLElement} */ (button).click());
  await tab.locator('.strip').waitFor({ state: 'detached' });
  await tab.close();
  await relay.close();
  assert.deepEqual(parts.browser.errors.splice(known).filter((text) => !/ERR_|Failed to load resource/.test(text)), []);
  parts.browser.hosts.delete(new URL(relay.url).host);
});

test('the page of a game that is removed elsewhere says so, and shows it again when it comes back', async () => {
  const [id = ''] = await ids();
  await open(`#/game/${id}`);
  await page().locator('.game-page .facts').first().waitFor();
  const { trash_id: trash } = /** @type {Reply.GameTrashed} */ (
    await parts.service.ask('/api/v2/library/trash', { game_id: id })
  );
  await gone().waitFor();
  assert.equal(await page().title(), 'This game is not here – Service Launcher');
  await page().waitForFunction(() => document.activeElement?.textContent === 'To the library');
  assert.deepEqual(await parts.browser.findings(), []);
  await parts.service.ask('/api/v2/library/trash/restore', { trash_id: trash });
  await page().locator('.game-page .facts').first().waitFor();
});

test('an address of no game has a title of its own, and nothing is asked about the game', async () => {
  await open('#/history');
  await page().locator('.entry').first().waitFor();
  /** @type {string[]} */
  const asked = [];
  const note = (/** @type {import('playwright-core').Request} */ request) =>
    asked.push(new URL(request.url()).pathname);
  page().on('request', note);
  await page().evaluate(() => {
    location.hash = '#/game/nope';
  });
  await gone().waitFor();
  page().off('request', note);
  assert.equal(await page().title(), 'This game is not here – Service Launcher');
  assert.ok(asked.includes('/api/library/delta'), asked.join(' '));
  assert.ok(!asked.includes('/api/v2/resume/status'), asked.join(' '));
});

test('the details of the big screen close when their game is removed elsewhere', async () => {
  await open('#/big?filter=all');
  await page().getByRole('button', { name: 'Details' }).click();
  await page().locator('dialog.big-details').waitFor();
  const name = await page().locator('dialog.big-details h2').first().innerText();
  const { games } = /** @type {Api.LibraryPage} */ (await parts.service.ask('/api/library?offset=0&limit=500'));
  const game = games.find((each) => each.name === name);
  assert.ok(game, name);
  await parts.service.ask('/api/v2/library/trash', { game_id: game.game_id });
  await page().locator('dialog.big-details').waitFor({ state: 'detached' });
  await page().locator('.toast').filter({ hasText: `${name} is no longer in the library.` }).waitFor();
});
