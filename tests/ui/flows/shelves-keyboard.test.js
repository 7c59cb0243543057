import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hands } from '../support/hands.js';
import { writeLibrary } from '../support/library.js';
import { scene } from '../support/scene.js';

const parts = scene({ prepare: (scratch) => writeLibrary(scratch, 200) });
const { press, type, write, focus, walk, tab, back, heard, until, open } = hands(parts);

const page = () => parts.browser.page;

/** @returns {Promise<Api.LibraryPage>} */
const library = () => parts.service.ask('/api/library');
const presets = async () =>
  ((await library()).filter_presets ?? []).map(({ name, rules, bigscreen_quick: quick }) =>
    [name, JSON.stringify(rules), quick].join(' ')
  );
const collections = async () =>
  ((await library()).smart_collections ?? []).map(({ name, query }) => `${name}: ${query}`);

/** @param {string} [hash] */
async function start(hash) {
  await open(hash);
  await page().locator('.loading-line.done').waitFor({ state: 'attached' });
}

/** Goes to an entry of the sidebar. @param {RegExp} name */
async function entry(name) {
  await press('Control+f', 'Tab', 'Home');
  await walk('ArrowDown', name);
}

test('the filters that are set are saved as a preset, which is renamed, opened and deleted, and an undo brings it back', async () => {
  await start('#/?platform=SNES');
  await press('Control+b');
  await focus(/^Platform/);
  await tab(/^Save filters$/);
  await press('Enter');
  await page().getByRole('dialog', { name: 'Save filters' }).waitFor();
  await focus(/^Name/);
  await press('Enter');
  await heard(/^A name is needed\.$/);
  await type('Sixteen bits');
  await press('Tab');
  await focus(/^Save as$/);
  await press('Tab');
  await focus(/big screen/i);
  await press('Space');
  await parts.browser.shoot('save-filters-keys');
  await press('Enter');
  await heard(/^Sixteen bits is in the sidebar now\.$/);
  await focus(/^Save filters$/);
  await until(presets, (now) => now.join() === 'Sixteen bits {"platform":"SNES"} true');
  await press('Control+b');
  await entry(/^Sixteen bits$/);
  await press('F2');
  await page().getByRole('dialog', { name: 'Edit preset' }).waitFor();
  await focus(/^Name/);
  await write('Grey box');
  await press('Escape');
  await page().getByRole('dialog').waitFor({ state: 'detached' });
  await focus(/^Sixteen bits$/);
  await press('F2');
  await focus(/^Name/);
  await write('Grey box');
  await parts.browser.shoot('preset-rename-keys');
  await press('Enter');
  await focus(/^Grey box$/);
  await until(presets, (now) => now.join() === 'Grey box {"platform":"SNES"} true');
  await press('Control+f');
  await type('x');
  const whole = page().getByRole('heading', { level: 1, name: 'All games' });
  // Each closes one level of the address as it stands, which follows a moment later; while no game is shown it closes none.
  await until(async () => {
    if (!(await whole.isVisible())) await press('Escape');
    return whole.isVisible();
  }, Boolean);
  await entry(/^Grey box$/);
  await press('Enter');
  await page().getByRole('heading', { level: 1, name: 'SNES' }).waitFor();
  await focus(/^Grey box$/);
  await press('ContextMenu');
  await page().getByRole('menu', { name: 'Grey box' }).waitFor();
  await focus(/^Edit preset$/);
  await press('Escape');
  await focus(/^Grey box$/);
  await press('Delete');
  await heard(/^Grey box is deleted\.$/);
  await until(presets, (now) => now.length === 0);
  await press('Control+z');
  await page().getByRole('link', { name: 'Grey box' }).waitFor();
  await until(presets, (now) => now.join() === 'Grey box {"platform":"SNES"} true');
});

test('two presets cannot have one name, and the sentence is spoken', async () => {
  await parts.service.ask('/api/filter-presets', { name: 'Other', rules: { platform: 'NES' } });
  await page().getByRole('link', { name: 'Other' }).waitFor();
  await entry(/^Other$/);
  await press('F2');
  await focus(/^Name/);
  await write('Grey box');
  await press('Enter');
  await heard(/exists already/);
  await focus(/^Name/);
  await press('Escape');
  await focus(/^Other$/);
  await press('Delete');
  await heard(/^Other is deleted\.$/);
  // What stands in its place has the keyboard.
  await focus(/^Grey box$/);
});

test('a collection is made of the search, opened, renamed and deleted', async () => {
  await start();
  await press('Control+f');
  await type('platform:snes');
  await page().getByRole('button', { name: 'Save as collection' }).waitFor();
  await press('Enter');
  await page().locator('.tile:focus').waitFor();
  await back(/^Save as collection$/);
  await press('Enter');
  await page().getByRole('dialog', { name: 'New collection' }).waitFor();
  await focus(/^Name/);
  await heard(/^Finds \d+ games/);
  await press('Shift+Tab');
  await focus(/^Phrase/);
  await write('');
  await press('Enter');
  await heard(/^A phrase is needed\.$/);
  await type('platform:snes unplayed');
  await heard(/Unplayed/);
  await tab(/^Name/);
  await write('Still to play');
  await press('Enter');
  await heard(/^Still to play is in the sidebar now\.$/);
  await until(collections, (now) => now.join() === 'Still to play: platform:snes unplayed');
  await focus(/^Save as collection$/);
  await press('F8');
  await focus(/^Open$/);
  await press('Enter');
  await page().getByRole('heading', { level: 1, name: 'Still to play' }).waitFor();
  await page().locator('.tile').first().waitFor();
  await entry(/^Still to play/);
  await press('F2');
  await page().getByRole('dialog', { name: 'Edit collection' }).waitFor();
  await focus(/^Name/);
  await write('Backlog');
  await press('Enter');
  await focus(/^Backlog/);
  await page().getByRole('heading', { level: 1, name: 'Backlog' }).waitFor();
  await until(collections, (now) => now.join() === 'Backlog: platform:snes unplayed');
  await press('ContextMenu');
  await focus(/^Edit collection$/);
  await walk('ArrowDown', /^Delete collection$/);
  await press('Enter');
  await heard(/^Backlog is deleted\.$/);
  await until(collections, (now) => now.length === 0);
  await page().getByRole('heading', { level: 1, name: 'All games' }).waitFor();
  await press('Control+z');
  await page().getByRole('link', { name: /^Backlog/ }).waitFor();
  await until(collections, (now) => now.length === 1);
});

test('playlists, collections and their buttons are walked with the arrows, and a playlist is made below another', async () => {
  await start();
  await entry(/^New playlist$/);
  await press('Enter');
  await page().getByRole('dialog', { name: 'New playlist' }).waitFor();
  await focus(/^Name/);
  await type('Rainy days');
  await press('Enter');
  await heard(/^Rainy days is in the sidebar now\.$/);
  await focus(/^New playlist$/);
  await press('ArrowDown');
  await focus(/^Rainy days/);
  await press('ContextMenu');
  await walk('ArrowDown', /^New playlist below$/);
  await press('Enter');
  await focus(/^Name/);
  await type('With tea');
  await press('Enter');
  await heard(/^With tea is in the sidebar now\.$/);
  await until(async () => ((await library()).playlists ?? []).map(({ name, parent }) => `${name} < ${parent}`),
    (now) => now.join() === 'Rainy days < ,With tea < Rainy days');
  await focus(/^Rainy days/);
  await walk('ArrowDown', /^New collection$/);
  await press('Enter');
  await focus(/^Phrase/);
  await press('Escape');
  await focus(/^New collection$/);
});

test('the palette finds collections and makes them', async () => {
  await press('Control+k');
  await focus(/^Go to$/);
  await type('backlog');
  await page().waitForFunction(() =>
    document.querySelector('#palette-list [aria-selected="true"] .name')?.textContent === 'Backlog'
  );
  await press('Enter');
  await page().getByRole('heading', { level: 1, name: 'Backlog' }).waitFor();
  await press('Control+k');
  await type('new collection');
  await page().waitForFunction(() =>
    document.querySelector('#palette-list [aria-selected="true"] .name')?.textContent === 'New collection'
  );
  await press('Enter');
  await page().getByRole('dialog', { name: 'New collection' }).waitFor();
  await press('Escape');
  await page().getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal((await collections()).length, 1);
});
