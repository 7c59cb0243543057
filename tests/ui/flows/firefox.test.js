import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { Firefox, hasFirefox } from '../support/firefox.js';
import { FOLDER_GAMES, gameFolder } from '../support/scene.js';
import { Scratch, Service } from '../support/service.js';

const scratch = new Scratch();
/** @type {Service} */
let service;
/** @type {Firefox} */
let firefox;
const skip = hasFirefox ? false : 'Firefox is not installed';

before(async () => {
  if (skip) return;
  gameFolder(scratch);
  service = await Service.start(`${scratch.root}/data`);
  firefox = await Firefox.open();
});

after(async () => {
  await firefox?.close();
  await service?.stop();
  scratch.remove();
});

const tiles = (/** @type {number} */ count) =>
  firefox.until((all) => document.querySelectorAll('.tile').length === all, count);
const shown = (/** @type {string} */ selector, /** @type {string} */ text) =>
  firefox.until(
    (query, words) =>
      [...document.querySelectorAll(query)].some((one) =>
        one.textContent.includes(words) && one.getClientRects().length > 0
      ),
    selector,
    text,
  );

test('Firefox: the first run leads to a library', { skip }, async () => {
  await firefox.goto(service.address);
  await shown('h1, h2', 'Your library starts here');
  await firefox.until(() => location.search === '');
  await firefox.click({ selector: 'button', text: 'Choose games folder' });
  await firefox.click({ selector: 'dialog input' });
  await firefox.type(`${scratch.root}/games`);
  await firefox.click({ selector: 'dialog button', text: 'Import' });
  await shown('dialog', `${FOLDER_GAMES} games added`);
  await firefox.click({ selector: 'dialog button', text: 'Show games' });
  await tiles(FOLDER_GAMES);
});

test('Firefox: the library is filtered, searched and walked', { skip }, async () => {
  await firefox.click({ selector: '.place', begins: 'SNES' });
  await tiles(3);
  await firefox.click({ selector: '#search' });
  await firefox.type('pokeball');
  await tiles(1);
  await shown('.tile .name', 'Pokéball Straße');
  await firefox.click({ selector: 'button', text: 'Clear filters' });
  await tiles(FOLDER_GAMES);
  await firefox.click({ selector: '.tile[data-index="0"]' });
  await firefox.press('ArrowRight');
  await firefox.until(() => document.querySelector('.tile[aria-selected="true"]')?.getAttribute('data-index') === '1');
});

test('Firefox: a game is edited', { skip }, async () => {
  await firefox.press('F3');
  await firefox.click({ selector: 'dialog.editor input' });
  await firefox.press('Control+a');
  await firefox.type('Frozen Lake');
  await firefox.click({ selector: 'dialog.editor button', text: 'Save' });
  await firefox.until(() => !document.querySelector('dialog.editor'));
  await shown('.tile .name', 'Frozen Lake');
});

test('Firefox: a game is found by the palette, played and stopped', { skip }, async () => {
  await firefox.press('Control+k');
  await shown('dialog', 'Go to');
  await firefox.type('slow boat');
  await firefox.until(() => document.querySelector('dialog [role="option"]')?.textContent.includes('Slow Boat'));
  await firefox.press('Enter');
  await shown('.game-page h1', 'Slow Boat');
  await firefox.click({ selector: '.game-page button', text: 'Play' });
  await firefox.click({ selector: '.game-page button', text: 'Stop' });
  await firefox.find({ selector: '.game-page button', text: 'Play' });
  const { running } = /** @type {{running: unknown[]}} */ (await service.ask('/api/running'));
  assert.deepEqual(running, []);
});

test('Firefox: the big screen is walked with keys and left', { skip }, async () => {
  await firefox.goto(`${service.url}/#/big`);
  const selected = () => document.querySelector('.big-card[aria-selected="true"]')?.textContent ?? '';
  const first = await firefox.until(selected);
  await firefox.press('ArrowRight');
  await firefox.until((before) => {
    const now = document.querySelector('.big-card[aria-selected="true"]')?.textContent;
    return now && now !== before;
  }, first);
  await firefox.goto(`${service.url}/#/`);
  await tiles(FOLDER_GAMES);
});

test('Firefox: nothing was told in the console, and nobody else was asked', { skip }, () => {
  assert.deepEqual(firefox.errors, []);
  assert.deepEqual([...firefox.hosts], [new URL(service.url).host]);
});
