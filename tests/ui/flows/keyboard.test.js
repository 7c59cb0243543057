import assert from 'node:assert/strict';
import { test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { FOLDER_GAMES, gameFolder, scene } from '../support/scene.js';

/** @type {string} */
let folder;
const parts = scene({ prepare: (scratch) => {
  folder = gameFolder(scratch);
} });

const { press, tabTo } = keysOf(parts);

/**
 * @param {RegExp} name
 */
async function waitFocus(name) {
  await parts.browser.page.waitForFunction(
    (source) =>
      new RegExp(source).test(
        /** @type {import('../support/browser.js').TestWindow} */ (/** @type {unknown} */ (window)).focusedName(),
      ),
    name.source,
  ).catch(async () => assert.match(await parts.browser.focused(), name));
}

/**
 * Types letters so quickly that no machine takes them for single ones.
 *
 * @param {string} letters
 */
const typeAtOnce = (letters) =>
  parts.browser.page.evaluate((all) => {
    for (const key of all)
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
      );
  }, letters);

/** Waits until the next letter begins a new name. */
const typedEnds = () =>
  parts.browser.page.waitForFunction(() => document.querySelector('.typed')?.hasAttribute('hidden'));

test('the first import works without a mouse', async () => {
  const { page } = parts.browser;
  await page.goto(parts.service.address);
  await waitFocus(/^Find my games$/);
  await press('Tab');
  await waitFocus(/^Choose games folder$/);
  await press('Enter');
  await page.getByRole('dialog', { name: 'Add games' }).waitFor();
  await page.keyboard.type(folder);
  await press('Enter');
  await page.getByText(`${FOLDER_GAMES} games added`).first().waitFor();
  await waitFocus(/^Show games$/);
  await press('Enter');
  await page.waitForFunction((all) => document.querySelectorAll('.tile').length === all, FOLDER_GAMES);
});

test('the search leads into the grid and the arrows move in it', async () => {
  await press('Control+f');
  await waitFocus(/Search the library/);
  await parts.browser.page.keyboard.type('platform:nes -snes');
  await parts.browser.page.waitForFunction(() => document.querySelectorAll('.tile').length === 4);
  await press('Enter');
  await waitFocus(/^Amber Harbour/);
  await press('ArrowRight');
  await waitFocus(/^Glass Voyage/);
  await press('End');
  await waitFocus(/^Velvet Circuit/);
  await press('Home');
  await waitFocus(/^Amber Harbour/);
  await press('Escape');
  await parts.browser.page.waitForFunction((all) => document.querySelectorAll('.tile').length === all, FOLDER_GAMES);
  await waitFocus(/^Amber Harbour/);
});

test('letters jump to a title; F alone makes a favourite', async () => {
  await typeAtOnce('neon');
  await waitFocus(/^Neon Caravan/);
  await typedEnds();
  await press('f');
  await waitFocus(/^Neon Caravan.*favourite/);
  await typeAtOnce('fro');
  await waitFocus(/^Frozen Orchard/);
  assert.doesNotMatch(await parts.browser.focused(), /favourite/);
});

test('B alone jumps to a title while nothing is chosen', async () => {
  await typedEnds();
  await press('b');
  await waitFocus(/^Broken Wheel/);
  await typedEnds();
  await press('f');
  await waitFocus(/^Broken Wheel.*favourite/);
  await press('f');
  await waitFocus(/^Broken Wheel(?!.*favourite)/);
  await press('Escape');
});

test('a letter that is held back acts at once when another key follows it', async () => {
  const { page } = parts.browser;
  await typedEnds();
  await typeAtOnce('fro');
  await waitFocus(/^Frozen Orchard/);
  await typedEnds();
  const seen = await page.evaluate(() => {
    const say = (/** @type {string} */ key) =>
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    const { hash } = location;
    say('o');
    const held = location.hash === hash;
    say('Shift');
    const modified = location.hash === hash;
    say('ArrowRight');
    return { held, modified, followed: location.hash.startsWith('#/game/') };
  });
  assert.deepEqual(seen, { held: true, modified: true, followed: true });
  await page.getByRole('heading', { level: 1, name: 'Frozen Orchard' }).waitFor();
  await press('Escape');
  await page.getByRole('listbox', { name: 'Games' }).waitFor();
  await typeAtOnce('fro');
  await waitFocus(/^Frozen Orchard/);
});

test('Space shows and hides the details, the focus stays', async () => {
  const { page } = parts.browser;
  await typedEnds();
  const pane = page.getByRole('complementary', { name: 'Details' });
  const before = await pane.isVisible();
  await press('Space');
  await pane.waitFor({ state: before ? 'detached' : 'visible' });
  await waitFocus(/^Frozen Orchard/);
  await press('Space');
  await pane.waitFor({ state: before ? 'visible' : 'detached' });
  await waitFocus(/^Frozen Orchard/);
});

test('the editor opens with F3, keeps Tab inside, and asks before it throws changes away', async () => {
  const { page } = parts.browser;
  await press('F3');
  const dialog = page.getByRole('dialog', { name: 'Edit game' });
  await dialog.waitFor();
  for (let step = 0; step < 60; step += 1) {
    await press('Tab');
    assert.ok(await page.evaluate(() => document.activeElement?.closest('dialog') !== null),
      `Tab ${step} left the dialog`);
  }
  await dialog.getByLabel('Name *').focus();
  await press('End');
  await page.keyboard.type(' II');
  await press('Escape');
  await page.getByRole('alertdialog', { name: 'Discard changes?' }).waitFor();
  await waitFocus(/^Cancel$/);
  await press('Enter');
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  await waitFocus(/^Name/);
  await press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await waitFocus(/Frozen Orchard/);
  await page.getByRole('option', { name: /II/ }).waitFor();
});

test('the sheet lists the live keys', async () => {
  const { page } = parts.browser;
  await press('?');
  const sheet = page.getByRole('dialog', { name: 'Keyboard' });
  await sheet.getByText('Jump to a name').waitFor();
  await sheet.getByText('Ctrl + F', { exact: true }).waitFor();
  await parts.browser.shoot('keyboard');
  await press('Escape');
  await sheet.waitFor({ state: 'detached' });
});

test('Enter plays, the running bar is reached by Tab, Delete asks first', async () => {
  const { page } = parts.browser;
  await press('Home');
  await typeAtOnce('paper');
  await waitFocus(/^Paper Train/);
  await press('Enter');
  const bar = page.getByRole('complementary', { name: 'Running games' });
  await bar.getByText('Paper Train').waitFor();
  await tabTo(/^Stop$/);
  await press('Enter');
  await bar.waitFor({ state: 'hidden' });
  await press('Control+f', 'ArrowDown');
  await waitFocus(/Paper Train/);
  await press('Delete');
  await page.getByRole('alertdialog', { name: 'Remove Paper Train?' }).waitFor();
  await waitFocus(/^Cancel$/);
  await press('Enter');
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  await waitFocus(/Paper Train/);
});

test('screens open and close by keys', async () => {
  const { page } = parts.browser;
  await press('Control+,');
  await page.getByRole('heading', { level: 1, name: 'General' }).waitFor();
  await press('Escape');
  await page.getByRole('listbox', { name: 'Games' }).waitFor();
  await waitFocus(/Paper Train/);
  await press('o');
  await page.getByRole('heading', { level: 1, name: 'Paper Train' }).waitFor();
  await press('Escape');
  await page.getByRole('listbox', { name: 'Games' }).waitFor();
  await waitFocus(/Paper Train/);
});

test('the sidebar is one Tab stop with arrows inside', async () => {
  const { page } = parts.browser;
  await press('Control+f', 'Tab');
  await waitFocus(/^All games/);
  await press('ArrowDown');
  await waitFocus(/^Favourites/);
  await press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('.tile').length === 1);
  await press('Tab');
  await waitFocus(/^Add games$/);
});
