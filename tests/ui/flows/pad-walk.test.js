import assert from 'node:assert/strict';

import { Pad } from '../support/gamepad.js';
import { keysOf } from '../support/keys.js';
import { scene } from '../support/scene.js';
import { writeLibrary } from '../support/library.js';
import { testWithLooks } from '../support/looks.js';

const parts = scene({ prepare: (scratch) => writeLibrary(scratch, 60, { history: 12 }) });
const test = testWithLooks(parts);
const { until } = keysOf(parts);
/** @type {Pad} */
let pad;

const GAME = 'game-00000000000000000000000c';

/** @param {string} hash */
async function open(hash) {
  const { page } = parts.browser;
  pad ??= await Pad.install(page);
  await page.goto('about:blank');
  await page.goto(`${parts.service.address}${hash}`);
}

test('up and down stay in the pane they start from, left leads into the sidebar', async () => {
  const { page } = parts.browser;
  await open('#/setup');
  const field = page.locator('.setup-sources input[type="text"]').first();
  await field.waitFor();
  await pad.connect();
  await field.focus();
  await pad.press('down');
  await page.locator('.setup-sources .step-acts :focus').waitFor();
  await pad.press('down');
  assert.equal(await page.locator('.setup-sources .step-acts :focus').count(), 1);
  await until(async () => {
    await pad.press('left');
    return page.evaluate(() => Boolean(document.activeElement?.closest('#sidebar')));
  }, Boolean);
  await pad.press('down');
  assert.equal(await page.locator('#sidebar :focus').count(), 1);
});

test('stars are given by controller, on the page of a game and on the big screen', async () => {
  const { page } = parts.browser;
  const stars = (/** @type {number} */ count) =>
    parts.service.until(`/api/library/delta?ids=${GAME}`, (/** @type {{games: Api.Game[]}} */ { games }) =>
      Number(games[0]?.['user_rating'] ?? 0) === count);
  await open(`#/game/${GAME}`);
  await page.locator('.game-page .stars').waitFor();
  await pad.connect();
  const shown = (/** @type {number} */ count) => page.locator(`.stars[aria-valuenow="${count}"]:focus`).waitFor();
  await page.locator('.stars').focus();
  await pad.press('right', 'right', 'right');
  await shown(3);
  await pad.press('left');
  await shown(2);
  await stars(2);
  await pad.press('play', 'play', 'play');
  await shown(5);
  await pad.press('play');
  await shown(0);
  await stars(0);
  await open(`#/big?id=${GAME}`);
  await page.locator('.big-card').first().waitFor();
  await pad.connect();
  await pad.press('details');
  const dialog = page.locator('dialog.big-details');
  await dialog.locator('.stars').waitFor();
  await dialog.locator('.stars').focus();
  await pad.press('play');
  await dialog.locator('.stars[aria-valuenow="1"]').waitFor();
});

test('of a kind with many findings the first are shown, and all of them on request', async () => {
  const { page } = parts.browser;
  await open('#/health');
  const all = page.getByRole('button', { name: /^Show all \d+$/ }).first();
  await all.waitFor();
  await pad.connect();
  const count = Number((await all.textContent())?.replace(/\D/g, ''));
  assert.ok(count > 8);
  assert.equal(
    await page.locator('.found', { has: page.getByRole('button', { name: /^Show all/ }) }).first().locator('li')
      .count(),
    8,
  );
  await all.focus();
  await pad.press('play');
  await page.waitForFunction((rows) => document.querySelectorAll('.findings li').length === rows, count);
  await page.locator('.segment [aria-pressed="true"]:focus').waitFor();
  assert.match(page.url(), /kind=/);
});

test('the palette: places, the keyboard on the screen, and what was typed', async () => {
  const { page } = parts.browser;
  await open('#/jobs');
  await page.locator('.page h1').waitFor();
  await pad.connect();
  await pad.press('menu');
  const palette = page.getByRole('dialog', { name: /./ }).filter({ has: page.getByRole('combobox') });
  await palette.waitFor();
  await pad.press('down');
  assert.equal(await page.locator('[role="option"][aria-selected="true"]').count(), 1);
  await pad.press('right');
  await until(async () => {
    const isThere = (await parts.browser.focused()) === 'On-screen keyboard';
    if (!isThere) await pad.press('down');
    return isThere;
  }, Boolean);
  await pad.press('play');
  await page.locator('dialog.osk').waitFor();
  await page.locator('dialog.osk :focus').waitFor();
  await pad.press('play', 'menu');
  await page.locator('dialog.osk').waitFor({ state: 'detached' });
  await page.waitForFunction(() =>
    /** @type {HTMLInputElement | null} */ (document.querySelector('dialog [role="combobox"]'))?.value === 'a'
  );
  await pad.press('back');
  await palette.waitFor({ state: 'detached' });
});

test('words of a dialog that do not fit are scrolled', async () => {
  const { page } = parts.browser;
  await page.setViewportSize({ width: 1280, height: 500 });
  await open('#/jobs');
  await page.locator('.page h1').waitFor();
  await page.keyboard.press('?');
  const words = page.locator('dialog .content');
  await words.waitFor();
  await pad.connect();
  await pad.press('down', 'down');
  await until(() => words.evaluate((content) => content.scrollTop), (now) => now > 0);
  await pad.press('back');
  await words.waitFor({ state: 'detached' });
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('a field opens the keyboard, a list its choices, a switch turns', async () => {
  const { page } = parts.browser;
  await open('#/settings/bigscreen');
  await page.locator('.pad-map').waitFor();
  await pad.connect();
  await page.locator('#setting-bigscreen_mode').focus();
  await pad.press('play');
  await page.locator('dialog.choose').waitFor();
  await pad.press('down', 'play');
  await page.locator('dialog.choose').waitFor({ state: 'detached' });
  await page.waitForFunction(() => document.querySelector('.setting.is-saved') !== null);
  await page.waitForFunction(() =>
    /** @type {HTMLSelectElement | null} */ (document.querySelector('#setting-bigscreen_mode'))?.value === 'hybrid'
  );
  const before = await page.locator('#setting-bigscreen_start_at_launch').isChecked();
  await page.locator('#setting-bigscreen_start_at_launch').focus();
  await pad.press('play');
  await page.locator(`#setting-bigscreen_start_at_launch${before ? ':not(:checked)' : ':checked'}`).waitFor({
    state: 'attached',
  });
  await pad.press('play');
});

test('buttons are chosen by pressing them; two that meet change places; reset brings the usual ones back', async () => {
  const { page } = parts.browser;
  const { service } = parts;
  const kept = (/** @type {(map: Record<string, number>) => boolean} */ holds) =>
    service.until('/api/settings', (/** @type {{controller_map: Record<string, number>}} */ { controller_map: map }) =>
      holds(map));
  await open('#/settings/bigscreen');
  await page.locator('.pad-map').waitFor();
  await pad.connect();
  await page.getByRole('button', { name: 'Change: Random game' }).focus();
  await pad.press('play');
  await page.getByText('Press the button on the controller.').waitFor();
  await pad.press(0);
  await page.locator('.toast', { hasText: 'Random game and Play changed places.' }).waitFor();
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.locator('[data-focus="bind-random"]:focus').waitFor();
  await kept((map) => map['random'] === 0 && map['play'] === 3);
  // The page acts on what the server has told it, which says so.
  await page.locator('#status', { hasText: ': saved' }).waitFor({ state: 'attached' });
  // The new button acts at once: Y presses now.
  await page.getByRole('button', { name: 'Usual buttons' }).focus();
  await pad.press(3);
  await kept((map) => Object.keys(map).length === 0);
  await pad.disconnect();
  await page.getByText('No controller.').waitFor();
  await page.getByRole('button', { name: 'Change: Menu' }).click();
  await page.getByLabel('Or choose it from the list').selectOption('16');
  await page.getByRole('button', { name: 'Take it' }).click();
  await page.locator('dialog').waitFor({ state: 'detached' });
  await kept((map) => map['menu'] === 16);
  await service.ask('/api/settings', { controller_map: {} });
});

test('a button pressed twice at once does twice what it does, and begins no name', async () => {
  const { page } = parts.browser;
  await open('#/');
  await page.locator('.tile').first().waitFor();
  await pad.connect();
  await page.locator('.tile').first().focus();
  const name = await parts.browser.focused();
  let answers = 0;
  const count = (/** @type {import('playwright-core').Response} */ response) => {
    answers += Number(response.url().endsWith('/api/favorite'));
  };
  page.on('response', count);
  await pad.press('favorite', 'favorite');
  await until(async () => answers, (now) => now === 2);
  page.off('response', count);
  assert.equal(await page.locator('.typed:not([hidden])').count(), 0);
  await until(() => parts.browser.focused(), (now) => now === name);
});

test('from the library to a game, its menu and back', async () => {
  const { page } = parts.browser;
  await open('#/');
  await page.locator('.tile').first().waitFor();
  await pad.connect();
  await page.locator('.tile').first().focus();
  await pad.press('right', 'down');
  const name = (await parts.browser.focused()).split(/[A-Z][a-z]+ · /)[0] ?? '';
  assert.notEqual(name, '');
  await pad.press('menu');
  await page.getByRole('menu').waitFor();
  await pad.press('down');
  await pad.press('back');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  await pad.press('menu', 'down', 'play');
  // The tabs come with the record of the game.
  await page.locator('.game-page').getByRole('tab').first().waitFor();
  await pad.press('page_right');
  await page.waitForFunction(() => location.hash.includes('tab='));
  await pad.press('back');
  await page.locator('.tile:focus').waitFor();
  // What a hidden page must not do: ask for controllers.
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: true, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  const calls = await pad.calls();
  await pad.frames();
  await pad.frames();
  assert.equal(await pad.calls(), calls);
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: false, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await pad.frames();
  assert.ok((await pad.calls()) > calls);
});
