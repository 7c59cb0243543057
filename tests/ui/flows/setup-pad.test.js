import { test } from 'node:test';

import { addCollection } from '../support/collection.js';
import { Pad } from '../support/gamepad.js';
import { keysOf } from '../support/keys.js';
import { machineEnv } from '../support/machine.js';
import { scene } from '../support/scene.js';

const parts = scene({ prepare: addCollection, env: machineEnv });

const { until, press, type, tabTo, focus } = keysOf(parts);

const page = () => parts.browser.page;
/** @type {Pad} */
let pad;

/**
 * Goes one way until the focus is on a control with this name.
 *
 * @param {RegExp} name
 * @param {'up' | 'down' | 'left' | 'right'} way
 */
const walk = (name, way) =>
  until(async () => {
    const here = await parts.browser.focused();
    if (name.test(here)) return here;
    await pad.press(way);
    return parts.browser.focused();
  }, (here) => name.test(here));

test('the system of a folder is chosen by keys', async () => {
  await page().goto(`${parts.service.address}#/setup`);
  await page().locator('[data-type="store_c"]').waitFor();
  await tabTo(/^Look for games$/);
  await press('Enter');
  await page().getByRole('tab', { name: /^Games/ }).waitFor();
  await tabTo(/^Games/);
  await tabTo(/^Folders/, 'ArrowRight');
  await page().locator('[data-folder$="Flash cart"]').waitFor();
  await tabTo(/^System of ROMs\/Flash cart: Choose a system/);
  await press('Enter');
  await focus(/^Search platforms/);
  await type('jagu');
  await page().getByText('2 platforms').waitFor();
  await press('Enter');
  await focus(/^System of ROMs\/Flash cart: Atari Jaguar$/);
  await tabTo(/^Look again with these$/);
  await press('Enter');
  await page().getByText('Chosen by you').waitFor();
});

test('from an empty data directory to a running game by controller, with the system of a folder chosen', async () => {
  pad = await Pad.install(page());
  await page().goto('about:blank');
  await page().goto(parts.service.address);
  const find = page().getByRole('link', { name: 'Find my games' });
  await find.waitFor();
  await pad.connect();
  await find.focus();
  await pad.press('play');
  await page().locator('[data-type="store_c"]').waitFor();
  await page().locator('.choices input').first().focus();
  await walk(/^Import one folder right away$/, 'down');
  await walk(/^Look for games$/, 'right');
  await pad.press('play');
  const games = page().getByRole('tab', { name: /^Games/ });
  await games.waitFor();
  await games.focus();
  await walk(/^Folders/, 'right');
  await pad.press('play');
  await page().locator('[data-folder$="Flash cart"]').waitFor();
  await walk(/^System of ROMs\/Flash cart/, 'down');
  await pad.press('play');
  const dialog = page().getByRole('dialog', { name: 'Which system is this folder for?' });
  await dialog.waitFor();
  await walk(/^3DO/, 'down');
  await walk(/^Atari Jaguar/, 'down');
  await pad.press('play');
  await dialog.waitFor({ state: 'hidden' });
  await page().getByText('Another system for 1 folder').waitFor();
  await walk(/^(Cancel|Look again with these)$/, 'down');
  await walk(/^Look again with these$/, 'right');
  await pad.press('play');
  const chosen = page().locator('[data-folder$="Flash cart"]');
  await chosen.getByText('Chosen by you').waitFor();
  await page().getByRole('tab', { name: /^Folders/ }).focus();
  await walk(/^(Other sources|Look again|Add \d+ games)$/, 'down');
  await walk(/^Add \d+ games$/, 'right');
  await pad.press('play');
  const play = page().getByRole('button', { name: /^Play: / }).first();
  await play.waitFor();
  await play.focus();
  await pad.press('play');
  await page().getByRole('complementary', { name: 'Running games' }).waitFor();
});
