import assert from 'node:assert/strict';
import { test } from 'node:test';

import { BOAT, writeGames } from '../support/game-library.js';
import { keysOf } from '../support/keys.js';
import { scene } from '../support/scene.js';

const parts = scene({ prepare: writeGames });

const { until } = keysOf(parts);

const page = () => parts.browser.page;

/** @param {string} [hash] */
async function open(hash = '') {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}${hash}`);
  await page().locator('#sidebar .place').first().waitFor();
}

/** @returns {Promise<string[]>} */
const presets = async () =>
  (/** @type {Api.LibraryPage} */ (await parts.service.ask('/api/library')).filter_presets ?? []).map(({ name }) =>
    name
  );

test('an entry of the palette is chosen with the pointer', async () => {
  await open();
  await page().locator('.tile').first().waitFor();
  await page().keyboard.press('Control+k');
  const palette = page().getByRole('dialog', { name: 'Go to' });
  await palette.getByRole('combobox').fill('boat');
  await palette.getByRole('option', { name: /Slow Boat/ }).hover();
  await palette.locator('[aria-selected="true"]', { hasText: 'Slow Boat' }).waitFor();
  await palette.getByRole('option', { name: /Slow Boat/ }).click();
  await page().getByRole('heading', { level: 1, name: 'Slow Boat' }).waitFor();
});

test('the sheet of keys opens from the sidebar, and closes by its cross and by a press beside it', async () => {
  await open();
  const sheet = page().getByRole('dialog', { name: 'Keyboard' });
  await page().locator('#sidebar').getByRole('button', { name: 'More' }).click();
  await page().getByRole('menuitem', { name: /^Keyboard/ }).click();
  await sheet.getByText('This sheet').waitFor();
  await sheet.getByRole('button', { name: 'Close' }).click();
  await sheet.waitFor({ state: 'detached' });
  await page().locator('#sidebar').getByRole('button', { name: 'More' }).click();
  await page().getByRole('menuitem', { name: /^Keyboard/ }).click();
  await sheet.waitFor();
  await page().mouse.click(4, 4);
  await sheet.waitFor({ state: 'detached' });
});

test('a preset is renamed and deleted from its menu, and an undo brings it back', async () => {
  await parts.service.ask('/api/filter-presets', { name: 'Rivers', rules: { platform: 'Linux' } });
  await open();
  const link = (/** @type {string} */ name) => page().getByRole('link', { name, exact: true });
  await link('Rivers').click({ button: 'right' });
  await page().getByRole('menuitem', { name: 'Edit preset' }).click();
  await page().getByRole('dialog', { name: 'Edit preset' }).getByLabel('Name *').fill('Streams');
  await page().getByRole('button', { name: 'Save', exact: true }).click();
  await link('Streams').waitFor();
  // The old name goes only after the new one is safe.
  await link('Rivers').waitFor({ state: 'detached' });
  await until(presets, (now) => now.join() === 'Streams');
  await link('Streams').hover();
  await page().getByRole('button', { name: 'More about Streams' }).click();
  await page().getByRole('menuitem', { name: 'Delete preset' }).click();
  await link('Streams').waitFor({ state: 'detached' });
  await page().locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await link('Streams').waitFor();
  await until(presets, (now) => now.join() === 'Streams');
});

test('pictures are leafed through and closed', async () => {
  await open(`#/game/${BOAT}?tab=media`);
  await page().getByRole('button', { name: 'Picture 1' }).click();
  await page().getByRole('button', { name: 'Next picture' }).click();
  await page().getByText('Picture 2, 2 of 2').waitFor();
  await page().getByRole('button', { name: 'Previous picture' }).click();
  await page().getByText('Picture 1, 1 of 2').waitFor();
  await page().locator('dialog.picture').getByRole('button', { name: 'Close' }).click();
  await page().locator('dialog.picture').waitFor({ state: 'detached' });
});

test('the details pane opens with a press on a game and closes by its cross', async () => {
  await open();
  const pane = page().getByRole('complementary', { name: 'Details' });
  await page().locator('.tile', { hasText: 'Slow Boat' }).click();
  await pane.getByRole('heading', { name: 'Slow Boat' }).waitFor();
  await pane.getByRole('button', { name: 'Close details' }).click();
  await pane.waitFor({ state: 'detached' });
});

test('the details pane keeps its space when a search finds nothing', async () => {
  await open();
  const pane = page().getByRole('complementary', { name: 'Details' });
  await page().locator('.tile', { hasText: 'Slow Boat' }).click();
  await pane.getByRole('heading', { name: 'Slow Boat' }).waitFor();
  const before = await page().locator('.shelf').boundingBox();
  await page().getByRole('searchbox', { name: 'Search the library' }).fill('zzzzzz');
  await page().locator('.empty').waitFor();
  assert.equal((await page().locator('.shelf').boundingBox())?.width, before?.width);
  assert.equal(await page().locator('.details h2').count(), 0, 'no game is named beside an empty answer');
  await page().getByRole('searchbox', { name: 'Search the library' }).fill('');
  await page().locator('.tile', { hasText: 'Slow Boat' }).click();
  await pane.getByRole('button', { name: 'Close details' }).click();
  await pane.waitFor({ state: 'detached' });
});

test('a running game is restarted from its menu and stopped', async () => {
  await open(`#/game/${BOAT}`);
  await page().getByRole('article').getByRole('button', { name: 'Play', exact: true }).click();
  const bar = page().getByRole('complementary', { name: 'Running games' });
  const stop = () => bar.locator('[data-focus$=":stop"]').getAttribute('data-focus');
  const before = await stop();
  await bar.getByRole('button', { name: 'More actions' }).click();
  const restarted = page().waitForResponse((response) =>
    response.url().includes('/api/session') && response.request().method() === 'POST'
  );
  await page().getByRole('menuitem', { name: 'Restart game' }).click();
  assert.equal((await restarted).status(), 200);
  // The new start has a button of its own; that of the old one stops nothing any more.
  await until(stop, (now) => now !== before);
  await bar.getByRole('button', { name: 'Stop' }).click();
  await bar.waitFor({ state: 'hidden' });
});

test('a page without the right to ask tries again when asked to', async () => {
  await page().goto('about:blank');
  await page().goto(`${parts.service.url}/?token=${'0'.repeat(64)}`);
  await page().getByRole('heading', { name: 'This page is not connected' }).waitFor();
  const asked = page().waitForResponse((response) => response.status() === 403);
  await page().getByRole('button', { name: 'Try again' }).click();
  await asked;
  // The screen stays while it is tried; every question is answered when the button is at work no more.
  await page().waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
  await page().getByRole('heading', { name: 'This page is not connected' }).waitFor();
  parts.browser.errors = parts.browser.errors.filter((text) => !text.includes('status of 403'));
});
