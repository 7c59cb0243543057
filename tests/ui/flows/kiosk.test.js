import assert from 'node:assert/strict';
import { test } from 'node:test';

import { SCHEMES } from '../../../static/data/preferences.js';
import { Pad } from '../support/gamepad.js';
import { keysOf } from '../support/keys.js';
import { writeLibrary } from '../support/library.js';
import { scene } from '../support/scene.js';

const parts = scene({ prepare: (scratch) => writeLibrary(scratch, 12) });
const { press, type, until, focus, counted } = keysOf(parts);

const page = () => parts.browser.page;

/** @param {string} hash */
async function open(hash) {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}${hash}`);
}

const status = () => /** @type {Promise<Reply.KioskStatus>} */ (parts.service.ask('/api/v2/arcade/kiosk/status'));

const settings = () => /** @type {Promise<Api.Settings>} */ (parts.service.ask('/api/settings'));

test('a PIN is set, the kiosk switched on and this window locked with the pointer', async () => {
  await open('#/settings/kiosk');
  await page().getByLabel('PIN', { exact: true }).fill('12');
  await page().locator('[data-focus="kiosk-save"]').click();
  await page().getByText('The PIN must have 4 to 12 digits.').waitFor();
  await page().getByLabel('PIN', { exact: true }).fill('4711');
  await page().locator('[data-focus="kiosk-save"]').click();
  await page().locator('.toast').filter({ hasText: 'The PIN is set.' }).waitFor();
  await page().locator('.kiosk-settings [data-key="on"] .switch').click();
  await until(status, (now) => now.enabled && now.pin_set);
  // Whoever set it up is not locked out.
  await page().getByRole('button', { name: 'Lock now' }).click();
  await page().getByRole('heading', { name: 'Locked' }).waitFor();
  await counted(page().locator('#sidebar [data-place="settings"]'), 0);
  for (const digit of '0000') await page().locator(`.page [data-focus="pin-${digit}"]`).click();
  await page().locator('.page [data-focus="pin-go"]').click();
  await page().getByText('That is not the PIN.').waitFor();
  for (const digit of '4711') await page().locator(`.page [data-focus="pin-${digit}"]`).click();
  await page().locator('.page [data-focus="pin-go"]').click();
  await page().getByLabel('New PIN').waitFor();
});

test('the place where the PIN is entered has no serious finding', async () => {
  await page().getByRole('button', { name: 'Lock now' }).click();
  await page().getByRole('heading', { name: 'Locked' }).waitFor();
  for (const scheme of SCHEMES.filter((name) => name !== 'auto')) {
    await page().evaluate((name) => document.documentElement.setAttribute('data-scheme', name), scheme);
    assert.deepEqual(await parts.browser.findings(), [], scheme);
  }
});

test('a visitor sees games only, and the PIN is typed', async () => {
  // Another window than the one that knows the PIN.
  await page().evaluate(() => sessionStorage.clear());
  await open('#/');
  await page().locator('.tile').first().waitFor();
  await page().locator('#sidebar [data-focus="unlock"]').waitFor();
  await counted(page().locator('#sidebar .foot a.place'), 2);
  await page().locator('.tile').first().click({ button: 'right' });
  await page().getByRole('menuitem', { name: 'Open game page' }).waitFor();
  await counted(page().getByRole('menuitem', { name: 'Edit' }), 0);
  await press('Escape');
  await press('Control+k');
  await type('settings');
  await counted(page().getByRole('option', { name: 'Settings', exact: true }), 0);
  await press('Escape');
  await page().evaluate(() => {
    location.hash = '#/backups';
  });
  await page().getByRole('heading', { name: 'Locked' }).waitFor();
  await focus(/^1$/);
  await type('4711');
  await press('Enter');
  await page().getByRole('heading', { name: 'Backups', level: 1 }).waitFor();
});

test('keys, pointer and notices offer a visitor nothing that would be refused', async () => {
  await page().evaluate(() => sessionStorage.clear());
  /** @type {string[]} */
  const refused = [];
  const note = (/** @type {import('playwright-core').Response} */ response) => {
    if (response.status() === 403) refused.push(new URL(response.url()).pathname);
  };
  page().on('response', note);
  await open('#/');
  await page().locator('#sidebar [data-focus="unlock"]').waitFor();
  const tile = page().locator('.tile').first();
  await tile.click();
  await press('Delete', 'F3', 'f', 'Control+Space', 'Control+a', 'Shift+ArrowRight');
  await tile.click({ modifiers: ['Control'] });
  await parts.browser.settle();
  await counted(page().locator('.tile.chosen'), 0);
  await counted(page().locator('dialog'), 0);
  const { games } = /** @type {Api.LibraryPage} */ (await parts.service.ask('/api/library?offset=0&limit=1'));
  await page().evaluate((id) => {
    location.hash = `#/game/${id}`;
  }, games[0]?.game_id);
  await page().locator('.game-page .facts').first().waitFor();
  await press('Delete', 'F3', 'f');
  await parts.browser.settle();
  await counted(page().locator('dialog'), 0);
  await counted(page().locator('.toast'), 0);
  page().off('response', note);
  // One request tells the page that it is locked.
  assert.deepEqual(refused, ['/api/v2/jobs']);
});

test('the page of a game offers a visitor nothing that would be refused', async () => {
  const { games } = /** @type {Api.LibraryPage} */ (await parts.service.ask('/api/library?offset=0&limit=1'));
  await page().evaluate(() => sessionStorage.clear());
  /** @type {string[]} */
  const refused = [];
  const note = (/** @type {import('playwright-core').Response} */ response) => {
    const { pathname } = new URL(response.url());
    // This is how the page learns that it is locked.
    if (response.status() === 403 && pathname !== '/api/v2/jobs') refused.push(pathname);
  };
  page().on('response', note);
  await open(`#/game/${games[0]?.game_id}`);
  await page().locator('#sidebar [data-focus="unlock"]').waitFor();
  await page().locator('.game-page .facts').first().waitFor();
  await counted(page().getByRole('tab', { name: 'Saves' }), 0);
  for (const tab of await page().getByRole('tab').all()) {
    await tab.click();
    await parts.browser.settle();
    const offered = await page().evaluate(() =>
      [...document.querySelectorAll('.owner-only, button.favorite')].filter((each) => each.checkVisibility()).map((
        each,
      ) => each.textContent || each.className)
    );
    assert.deepEqual(offered, [], await tab.innerText());
    for (const name of ['Choose a picture', 'Add pictures', 'Add note', 'Add document', 'Add version'])
      await counted(page().getByRole('button', { name, exact: true }), 0);
  }
  await counted(page().locator('[data-focus="playtime"]'), 0);
  await press('F5');
  await counted(page().locator('.toast'), 0);
  await open('#/game/nope');
  await page().getByRole('heading', { name: 'This game is not here' }).waitFor();
  await counted(page().getByRole('link', { name: 'Look in the trash' }), 0);
  await counted(page().locator('.toast'), 0);
  page().off('response', note);
  assert.deepEqual(refused, []);
});

test('the PIN is entered with a controller', async () => {
  await parts.service.ask('/api/v2/arcade/kiosk/verify', { pin: '4711' });
  await parts.service.ask('/api/v2/arcade/kiosk/pin', { pin: '1111' });
  const pad = await Pad.install(page());
  await open('#/jobs');
  await page().getByRole('heading', { name: 'Locked' }).waitFor();
  await focus(/^1$/);
  await pad.connect();
  await pad.press('play', 'play', 'play', 'play');
  await until(() => page().locator('.pin-dots .set').count(), (now) => now === 4);
  await pad.press('down', 'down', 'down', 'right', 'right');
  await focus(/^Unlock$/);
  await pad.press('play');
  await page().getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
});

test('the family view is set up, and a visitor sees no hidden and no higher rated game', async () => {
  await parts.service.ask('/api/v2/arcade/kiosk/verify', { pin: '1111' });
  const { games } = /** @type {Api.LibraryPage} */ (await parts.service.ask('/api/library?offset=0&limit=3'));
  const [hidden, adult, shown] = games.map(({ game_id: id, name }) => ({ id, name }));
  assert.ok(hidden && adult && shown);
  const tile = (/** @type {{name: string}} */ { name }) =>
    page().locator('.tile').filter({ has: page().getByText(name, { exact: true }) });
  await parts.service.ask('/api/game', { game_id: hidden.id, game: { name: hidden.name, hidden: true } });
  await parts.service.ask('/api/game', { game_id: adult.id, game: { name: adult.name, esrb: 'M' } });
  await page().evaluate(() => sessionStorage.clear());
  await open('#/settings/kiosk');
  await page().getByRole('heading', { name: 'Locked' }).waitFor();
  await focus(/^1$/);
  await type('1111');
  await press('Enter');
  await page().getByLabel('Family view').focus();
  await press('Space');
  await until(settings, (now) => now['museum_kiosk_family'] === true && now['museum_kiosk_esrb'] === 'T');
  await page().getByLabel('Highest rating').selectOption('E10+');
  await until(settings, (now) => now['museum_kiosk_esrb'] === 'E10+');
  // The page that knows the PIN shows every game.
  await open('#/?view=all');
  await tile(adult).waitFor();
  await open('#/settings/kiosk');
  await page().getByRole('button', { name: 'Lock now' }).click();
  await page().getByRole('heading', { name: 'Locked' }).waitFor();
  await counted(page().locator('#sidebar .foot a.place'), 1);
  await page().getByRole('link', { name: 'To the games' }).click();
  await tile(shown).waitFor();
  await counted(tile(adult), 0);
  await counted(tile(hidden), 0);
  await tile(shown).click();
  await press('o');
  await page().getByRole('tab', { name: 'Media' }).waitFor();
  await counted(page().getByRole('tab', { name: 'Sessions' }), 0);
  await page().locator('#sidebar [data-focus="unlock"]').click();
  await type('1111');
  await press('Enter');
  await page().getByRole('tab', { name: 'Sessions' }).waitFor();
  await page().evaluate(() => {
    location.hash = '#/';
  });
  await tile(adult).waitFor();
});
