import assert from 'node:assert/strict';
import { test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { writeLibrary } from '../support/library.js';
import { scene } from '../support/scene.js';

const parts = scene({ prepare: (scratch) => writeLibrary(scratch, 300) });

const { press, until, tabTo } = keysOf(parts);

/** @param {RegExp} name */
async function waitFocus(name) {
  await parts.browser.page.waitForFunction(
    (source) =>
      new RegExp(source).test(
        /** @type {import('../support/browser.js').TestWindow} */ (/** @type {unknown} */ (window)).focusedName(),
      ),
    name.source,
  ).catch(async () => assert.match(await parts.browser.focused(), name));
}

/** @param {string} text what the bar says */
async function waitChosen(text) {
  await parts.browser.page.getByRole('toolbar', { name: 'Actions for the selected games' }).getByText(text, {
    exact: true,
  }).waitFor();
}

/** @returns {Promise<Api.LibraryPage>} */
const library = () => parts.service.ask('/api/library');

test('games are chosen with Shift, Ctrl and Space, and the bar is reached with B', async () => {
  const { page } = parts.browser;
  await page.goto(parts.service.address);
  await page.locator('.loading-line.done').waitFor({ state: 'attached' });
  await press('Control+f', 'Enter');
  await waitFocus(/./);
  await press('Home', 'Shift+ArrowRight', 'Shift+ArrowRight');
  await waitChosen('3 selected');
  await press('Shift+ArrowLeft');
  await waitChosen('2 selected');
  await press('ArrowRight', 'ArrowRight', 'Control+Space');
  await waitChosen('3 selected');
  await press('Space');
  await waitChosen('2 selected');
  await press('Control+a');
  const all = (await library()).games.filter((game) => !game.hidden).length;
  await waitChosen(`${all} selected`);
  await press('Escape');
  await page.getByRole('toolbar').waitFor({ state: 'hidden' });
  await press('Home', 'Control+Space', 'b');
  await waitFocus(/^Select all$/);
  await press('ArrowRight');
  await waitFocus(/^Favourite$/);
  const [first] = await page.locator('.tile.chosen .name').allTextContents();
  await press('Enter');
  await page.locator('#toasts').getByText('1 game changed.').last().waitFor();
  const changed = (await library()).games.filter((game) => game.name === first);
  assert.equal(changed.length > 0, true);
  await press('Escape');
  await page.getByRole('toolbar').waitFor({ state: 'hidden' });
});

test('filters are chosen by keys', async () => {
  const { page } = parts.browser;
  await press('Control+b');
  await waitFocus(/^Platform/);
  await tabTo(/^Find in Platform/);
  await page.keyboard.type('snes');
  await page.waitForFunction(() => document.querySelectorAll('.filters details:first-child li').length === 1);
  await press('Tab', 'Space');
  await page.getByRole('button', { name: 'Remove filter SNES' }).waitFor();
  await page.getByRole('heading', { level: 1, name: 'SNES' }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.closest('.filters') !== null), true);
  await press('Control+b');
  await page.getByRole('complementary', { name: 'Filters' }).waitFor({ state: 'detached' });
  await waitFocus(/SNES/);
  await press('Escape');
  await page.getByRole('heading', { level: 1, name: 'All games' }).waitFor();
});

test('the palette goes to games, places, actions and settings', async () => {
  const { page } = parts.browser;
  await press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Go to' });
  await waitFocus(/^Go to$/);
  await page.keyboard.type('home');
  await palette.getByRole('option', { name: 'Home' }).waitFor();
  await parts.browser.shoot('palette');
  assert.deepEqual(await parts.browser.findings(), []);
  await press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await press('Control+k');
  await page.keyboard.type('webhook timeout');
  await palette.getByRole('group', { name: 'Settings' }).getByRole('option').first().waitFor();
  await press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Webhook delivery' }).waitFor();
  await press('Control+k');
  await page.keyboard.type('favour');
  await palette.getByRole('option', { name: 'Favourites' }).waitFor();
  // Settings may be found a moment later; the list keeps its chosen entry then.
  await until(async () => {
    const isChosen =
      (await palette.getByRole('option', { name: 'Favourites' }).getAttribute('aria-selected')) === 'true';
    if (!isChosen) await press('ArrowDown');
    return isChosen;
  }, Boolean);
  await press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Favourites' }).waitFor();
  await press('Control+k');
  await page.keyboard.type('amber');
  await palette.getByRole('group', { name: 'Games' }).getByRole('option').first().waitFor();
  await press('Enter');
  await page.locator('.game-page h1').waitFor();
  await press('Escape');
  await page.getByRole('listbox', { name: 'Games' }).waitFor();
});

test('Enter in the palette means what was typed, however quickly, and a list that grows keeps the entry one has gone to', async () => {
  const { page } = parts.browser;
  let release = () => {};
  const held = new Promise((resolve) => {
    release = () => resolve(undefined);
  });
  await page.route('**/api/openapi.json', async (route) => {
    await held;
    await route.continue();
  });
  await page.reload();
  await page.locator('.tile').first().waitFor();
  await press('Control+k');
  await waitFocus(/^Go to$/);
  await page.evaluate(() => {
    const input = /** @type {HTMLInputElement} */ (document.activeElement);
    input.value = 'play queue';
    input.dispatchEvent(new Event('input', { bubbles: true }));
    input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
  });
  await page.getByRole('heading', { level: 1, name: 'Play queue' }).waitFor();

  await press('Control+k');
  await waitFocus(/^Go to$/);
  const chosen = page.locator('#palette-list [aria-selected="true"] .name');
  // At once, so that no list for a part of it comes between; only what was asked for has games.
  await page.getByRole('combobox', { name: 'Go to' }).fill('li');
  await page.locator('#palette-list').getByRole('group', { name: 'Games' }).waitFor();
  const first = await chosen.textContent();
  await press('ArrowDown');
  const second = await chosen.textContent();
  assert.notEqual(second, first);
  release();
  await page.locator('#palette-list').getByRole('group', { name: 'Settings' }).waitFor();
  assert.equal(await chosen.textContent(), second);
  await press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.unroute('**/api/openapi.json');
});

test('the rows of the home screen are walked with the arrows', async () => {
  const { page } = parts.browser;
  await page.evaluate(() => {
    location.hash = '#/home';
  });
  await page.locator('.home-strip .tile:focus').waitFor();
  const place = () =>
    page.evaluate(() => {
      const tile = document.activeElement;
      const strips = [...document.querySelectorAll('.home-strip')];
      return [strips.indexOf(/** @type {Element} */ (tile?.parentElement)),
        [...(tile?.parentElement?.children ?? [])].indexOf(/** @type {Element} */ (tile))];
    });
  await press('ArrowRight', 'ArrowRight', 'ArrowDown');
  assert.deepEqual(await place(), [1, 2]);
  await press('End', 'ArrowUp');
  assert.deepEqual(await place(), [0, 11]);
  await press('Home', 'ArrowUp');
  assert.deepEqual(await place(), [0, 0]);
  const name = await parts.browser.focused();
  await press('o');
  await page.locator('.game-page h1').waitFor();
  assert.ok(name.startsWith((await page.locator('.game-page h1').textContent()) ?? '?'));
  await press('Escape');
  await page.locator('.home-strip').first().waitFor();
});

test('columns are made wider with the arrows, and the headings sort', async () => {
  const { page } = parts.browser;
  await parts.service.ask('/api/settings', { library_view: 'list' });
  await page.goto('about:blank');
  await page.goto(parts.service.address);
  await page.locator('.grid.list .tile').first().waitFor();
  await page.locator('.columns-head').getByRole('button', { name: 'Name' }).focus();
  await press('Tab', 'Tab');
  await waitFocus(/^Platform$/);
  await press('Enter');
  await page.waitForFunction(() =>
    document.querySelector('.columns-head [aria-pressed="true"]')?.textContent === 'Platform'
  );
  await waitFocus(/^Platform$/);
  await press('Tab');
  await waitFocus(/^Width of Platform$/);
  // A column whose width nobody chose is as wide as there is room for.
  const before = await page.locator('[data-edge="platform"]').evaluate((edge) => edge.parentElement?.clientWidth ?? 0);
  const kept = page.waitForResponse((response) =>
    response.url().endsWith('/api/settings') &&
    (response.request().postData() ?? '').includes(`platform:${before + 32}`)
  );
  await press('ArrowRight', 'ArrowRight');
  await waitFocus(/^Width of Platform$/);
  await kept;
});

test('playlists are renamed with F2 and deleted with Delete', async () => {
  const { page } = parts.browser;
  await parts.service.ask('/api/playlists', { name: 'Evening', type: 'manual', members: [0, 1] });
  await page.getByRole('link', { name: /^Evening/ }).waitFor();
  await press('Control+f', 'Tab', 'End');
  await tabTo(/^Evening/, 'ArrowUp');
  await press('F2');
  await page.getByRole('dialog', { name: 'Edit playlist' }).waitFor();
  await press('Control+a');
  await page.keyboard.type('Morning');
  await press('Enter');
  await page.getByRole('link', { name: /^Morning/ }).waitFor();
  await waitFocus(/^Morning|^Evening|^All games/);
  await tabTo(/^Morning/, 'ArrowDown');
  await press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Morning' }).waitFor();
  await press('Delete');
  const question = page.getByRole('alertdialog', { name: 'Delete Morning?' });
  await question.waitFor();
  await press('Tab', 'Enter');
  await question.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: /^Morning/ }).waitFor({ state: 'detached' });
  await page.getByRole('heading', { level: 1, name: 'All games' }).waitFor();
});
