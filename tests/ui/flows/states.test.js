import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DEMO_ENV, furnish, HERO, writeDemo } from '../support/demo.js';
import { Relay } from '../support/relay.js';
import { scene } from '../support/scene.js';
import { openScreen, SCREENS } from '../support/screens.js';
import { Service } from '../support/service.js';

const parts = scene({ prepare: writeDemo, furnish, env: DEMO_ENV });

/** How the browser reports a request that nobody answered. */
const WITHOUT_ANSWER = /ERR_CONNECTION_|ERR_INCOMPLETE|ERR_EMPTY/;

const page = () => parts.browser.page;

/** What each screen reads, by the name of the screen. */
const READS = Object.freeze(/** @type {Record<string, string>} */ ({
  home: '/api/discovery',
  game: '/api/library/delta',
  'game-sessions': '/api/history',
  'game-saves': '/api/v2/saves/history',
  'game-related': '/api/related/rich',
  play: '/api/queue',
  history: '/api/v2/history/timeline',
  'history-trash': '/api/v2/library/trash',
  'history-journal': '/api/v2/library/journal/events',
  health: '/api/health',
  jobs: '/api/v2/jobs',
  webhooks: '/api/webhooks',
  backups: '/api/backups',
  stores: '/api/storefront/status',
  emulators: '/api/emulators',
  'settings-library': '/api/openapi.json',
}));

/** @param {string} path */
const only = (path) => (/** @type {URL} */ url) => url.pathname === path;

const screenOf = (/** @type {string} */ name) => {
  const found = SCREENS.find((screen) => screen.name === name);
  assert.ok(found, name);
  return found;
};

const failure = () => page().locator('.failure');

for (const [name, path] of Object.entries(READS)) {
  test(`${name} says what went wrong, and shows everything once it is asked again`, async () => {
    const screen = screenOf(name);
    await page().route(only(path), (route) =>
      route.fulfill({ status: 503, contentType: 'application/json',
        body: '{"error":"Out of order for a while.","code":"UNAVAILABLE","request_id":"r-4711"}' }));
    await openScreen(parts, { ...screen, ready: '.failure' });
    await failure().getByText('Out of order for a while.').waitFor();
    await failure().getByText('UNAVAILABLE · r-4711').waitFor();
    assert.deepEqual(await parts.browser.findings(), []);
    await failure().getByRole('button', { name: 'Try again' }).waitFor();
    await page().unrouteAll({ behavior: 'wait' });
    // An event may have let the screen ask again by itself, and the button is gone before a mouse could reach it.
    await page().evaluate(() => {
      for (const button of document.querySelectorAll('.failure button'))
        if (button.textContent === 'Try again')
          /** @type {HTMLElement} */ (button).click();
    });
    // Heads of some screens stand there all the time.
    await failure().waitFor({ state: 'detached' });
    await page().locator(screen.ready).first().waitFor();
  });
}

/** What is said of a service that does not answer: at first, and after a while. */
const AWAY = /^(?:The program is not running any more, or it is starting\.|Start Service Launcher again)/;

test('a start that the service refuses shows what to do, and goes on once it answers', async () => {
  await page().route(only('/api/library'),
    (route) =>
      route.fulfill({ status: 503, contentType: 'application/json',
        body: '{"error":"Out of order for a while.","code":"UNAVAILABLE","request_id":"r-4711"}' }));
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/history`);
  await page().getByRole('heading', { name: 'Service Launcher does not answer' }).waitFor();
  await page().unrouteAll({ behavior: 'wait' });
  await page().getByRole('button', { name: 'Try again' }).click();
  await page().locator('.entry').first().waitFor();
});

test('a library that became unreadable leads from any screen to the recovery', async () => {
  for (const path of ['/api/backups', '/api/v2/library/trash']) {
    await page().route(only(path), (route) =>
      route.fulfill({ status: 503, contentType: 'application/json',
        body: '{"error":"The library cannot be read.","code":"STATE_UNAVAILABLE","request_id":"r-1"}' }));
    await page().goto('about:blank');
    await page().goto(`${parts.service.address}${path === '/api/backups' ? '#/backups' : '#/history/trash'}`);
    await page().getByRole('heading', { name: 'The library needs recovery' }).waitFor();
    await page().unrouteAll({ behavior: 'wait' });
  }
});

test('without the service every screen says so, and comes back by itself', async () => {
  const { errors } = parts.browser;
  const known = errors.length;
  const relay = new Relay(parts.service.url);
  await relay.open();
  await page().goto('about:blank');
  await page().goto(`${relay.url}/?token=${parts.service.token}#/settings/library`);
  await page().locator('.setting').first().waitFor();
  await relay.close();
  await page().getByText('The connection to Service Launcher is lost.').waitFor({ timeout: 40_000 });
  for (const name of Object.keys(READS).filter((each) => !['play', 'jobs', 'settings-library'].includes(each))) {
    await page().evaluate((hash) => {
      location.hash = hash;
    }, screenOf(name).hash);
    await failure().getByText(AWAY).first().waitFor();
  }
  await page().evaluate((hash) => {
    location.hash = hash;
  }, screenOf('backups').hash);
  await failure().first().waitFor();
  await relay.open();
  await page().locator('[data-archive]').first().waitFor({ timeout: 40_000 });
  await page().locator('.strip').waitFor({ state: 'detached' });
  await page().goto('about:blank');
  await relay.close();
  // The browser itself reports each request without an answer.
  assert.deepEqual(errors.splice(known).filter((text) => !WITHOUT_ANSWER.test(text)), []);
  parts.browser.hosts.delete(new URL(relay.url).host);
});

test('a service that was killed is told on the screen one goes to', async () => {
  const { errors } = parts.browser;
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/game/${HERO}`);
  await page().locator('.game-page .facts').first().waitFor();
  const known = errors.length;
  parts.service.kill();
  await page().evaluate(() => {
    location.hash = '#/backups';
  });
  await failure().getByText(AWAY).waitFor();
  await page().getByText('The connection to Service Launcher is lost.').waitFor({ timeout: 40_000 });
  await parts.browser.shoot('gone');
  assert.deepEqual(await parts.browser.findings(), []);
  assert.deepEqual(errors.splice(known).filter((text) => !WITHOUT_ANSWER.test(text)), []);
  // A page that still asks the address of the killed service would count as one that asks elsewhere.
  await page().goto('about:blank');
  parts.service = await Service.start(`${parts.scratch.root}/data`, DEMO_ENV);
  parts.browser.hosts.clear();
  await page().goto(`${parts.service.address}#/backups`);
  await page().locator('[data-archive]').first().waitFor();
  errors.splice(known);
});
