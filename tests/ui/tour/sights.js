/**
 * What the tour looks at beside the screens that the flows walk: states that people see often and that need some doing, or a machine with
 * stores and emulators. They cost too much to be walked in every theme by every flow.
 */

import { delimiter } from 'node:path';

import { HERO } from '../support/demo.js';
import { MAME } from '../support/emulator.js';
import { withoutEmulators } from '../support/search-path.js';

/**
 * @typedef {import('../support/screens.js').Screen & {after?: (service: import('../support/service.js').Service) => Promise<unknown>}} Sight `after` is done when the picture is taken
 */

/** A program that plays until it is stopped. */
const PLAYER = 'play-cartridge';
const COMMAND = `${PLAYER} --fullscreen {path}`;

/** Where the programs of the user are, below the folder of the tour. */
const PROGRAMS = '.local/bin';

/** Settings with which nobody is ever away. */
export const AWAKE = Object.freeze({ screensaver_seconds: 0, attract_mode_seconds: 0 });

/** What all of them begin with: the shelf of the big screen, with the keyboard. */
const SHELF = '.big-shelf [aria-selected="true"]:focus';

/** Groups of settings that the flows do not walk. */
const GROUPS = ['general', 'import', 'media', 'launching', 'backups', 'stores', 'sharing', 'webhooks', 'documents',
  'diagnostics'];

/** With the library of the demo alone. @type {readonly Sight[]} */
export const SIGHTS = Object.freeze([
  ...GROUPS.map((group) => ({ name: `settings-${group}`, view: 'settings', hash: `#/settings/${group}`,
    ready: '.settings .block > *' })
  ),
  { name: 'settings-found', view: 'settings', hash: '#/settings/general', ready: '.setting', act: async (page) => {
    await page.getByRole('searchbox', { name: 'Search settings' }).fill('play');
    await page.getByRole('heading', { name: 'Search results' }).waitFor();
  } },
  {
    name: 'settings-sidebar',
    view: 'settings',
    hash: '#/settings/appearance',
    ready: '.setting',
    act: async (page) => {
      await page.getByRole('group', { name: 'Sidebar sections' }).scrollIntoViewIfNeeded();
    },
  },
  { name: 'history-change', view: 'history', hash: '#/history/journal', ready: '.changes li', act: async (page) => {
    await page.locator('.changes summary').nth(2).click();
    await page.locator('details[open] .change-table').waitFor();
  } },
  { name: 'backups-compare', view: 'backups', hash: '#/backups', ready: '[data-archive]', act: async (page) => {
    await page.locator('[data-archive] .button').last().click();
    await page.locator('dialog [type="checkbox"]').first().waitFor();
  } },
  { name: 'webhooks-edit', view: 'webhooks', hash: '#/webhooks', ready: '.hook', act: async (page) => {
    await page.locator('.hook').first().getByRole('button', { name: /^Edit/ }).click();
    await page.locator('dialog').waitFor();
  } },
  { name: 'jobs-open', view: 'jobs', hash: '#/jobs', ready: '.job', act: async (page) => {
    await page.locator('.job [aria-expanded]').first().click();
    await page.locator('.job [aria-expanded="true"]').waitFor();
  } },
  { name: 'big-search', view: 'big', hash: '#/big', ready: SHELF, act: async (page) => {
    await page.keyboard.press('/');
    await page.locator('dialog.osk').waitFor();
    await page.keyboard.type('si');
    // A small screen has no room for them.
    await page.locator('.osk-found li').first().waitFor({ state: 'attached' });
  } },
  { name: 'big-menu', view: 'big', hash: '#/big', ready: SHELF, act: async (page) => {
    await page.keyboard.press('m');
    await page.locator('dialog.big-menu').waitFor();
  } },
  { name: 'big-systems', view: 'big', hash: '#/big', ready: SHELF, act: async (page) => {
    await page.keyboard.press('m');
    await page.locator('dialog.big-menu [data-act="platform"]').click();
    await page.locator('.big-system:focus').waitFor();
  } },
  { name: 'big-pick', view: 'big', hash: '#/big', ready: SHELF, act: async (page) => {
    await page.keyboard.press('m');
    await page.locator('dialog.big-menu').getByRole('button', { name: 'What shall I play?' }).click();
    await page.locator('.pick-cards li').first().waitFor();
  } },
  { name: 'big-resume', view: 'big', hash: '#/big?q=pacifica', ready: '[data-focus="big-anew"]' },
  { name: 'big-game', view: 'big', hash: '#/big?q=lantern archive', ready: SHELF, act: async (page) => {
    await page.keyboard.press('i');
    await page.locator('dialog.big-details .big-shots img').first().waitFor();
  } },
  { name: 'big-leave', view: 'big', hash: '#/big', ready: SHELF, act: async (page) => {
    await page.keyboard.press('Escape');
    await page.locator('dialog.big-question').waitFor();
  } },
  { name: 'big-nothing', view: 'big', hash: '#/big?q=zzzz', ready: '.big .empty .button' },
  {
    name: 'big-session',
    view: 'big',
    hash: '#/big?q=lantern archive',
    ready: SHELF,
    act: async (page) => {
      await page.keyboard.press('Enter');
      await page.locator('dialog.big-session .big-act').nth(5).waitFor();
    },
    after: stopGames,
  },
  { name: 'big-show', view: 'big', hash: '#/big', ready: SHELF, settings: { attract_mode_seconds: 1 },
    act: async (page) => {
      await page.locator('dialog.big-idle img.shown').waitFor();
    } },
]);

/** With stores, emulators and a folder of games beside the library. @type {readonly Sight[]} */
export const MACHINE_SIGHTS = Object.freeze([
  { name: 'machine-stores', view: 'stores', hash: '#/stores', ready: '[data-source]' },
  { name: 'machine-emulators', view: 'emulators', hash: '#/emulators', ready: '.page h1' },
  { name: 'machine-setup', view: 'setup', hash: '#/setup', ready: '[data-type="store_c"]' },
  { name: 'machine-review', view: 'setup', hash: '#/setup', ready: '[data-type="store_c"]', act: look },
  {
    name: 'machine-review-new',
    view: 'setup',
    hash: '#/setup',
    ready: '[data-type="store_c"]',
    act: async (page) => {
      await look(page);
      await page.getByRole('group', { name: 'Kinds of finds' }).getByRole('button', { name: /^New/ }).click();
      await page.locator('[data-candidate] [type="checkbox"]').first().waitFor();
    },
  },
  { name: 'machine-audit', view: 'health', hash: '#/health/launch', ready: '.audit .panel-head, .audit .empty',
    act: check },
  { name: 'machine-audit-games', view: 'health', hash: '#/health/launch', ready: '.audit .panel-head',
    act: async (page) => {
      await page.locator('.cause [aria-expanded]').first().click();
      await page.locator('.cause .rows li').first().waitFor();
    } },
  { name: 'machine-health', view: 'health', hash: '#/health', ready: '.rows li' },
  { name: 'machine-needs', view: 'game', hash: `#/game/${HERO}`, ready: '.callout' },
]);

/**
 * Writes the program with which games run until they are stopped, and the emulator of the demo beside it.
 *
 * @param {import('../support/service.js').Scratch} scratch
 * @returns {{PATH: string}} the search path that has both
 */
export function addPlayer(scratch) {
  scratch.file(`${PROGRAMS}/${PLAYER}`, '#!/bin/sh\nexec sleep 600\n', 0o755);
  scratch.file(`${PROGRAMS}/mame`, MAME, 0o755);
  return { PATH: [scratch.folder(PROGRAMS), withoutEmulators()].join(delimiter) };
}

/**
 * @param {import('../support/service.js').Service} service
 */
export async function letGamesRun(service) {
  await service.ask('/api/profiles', { profiles: { NES: COMMAND, SNES: COMMAND } });
}

/**
 * The screen with the game that was played most in front where one game is large: it has art, words and pictures.
 *
 * @param {import('../support/screens.js').Screen} screen
 * @returns {import('../support/screens.js').Screen}
 */
export function inFront(screen) {
  if (screen.name === 'library-details') return { ...screen, hash: '#/?sort=playtime_seconds' };
  return screen.hash === '#/big' ? { ...screen, hash: '#/big?sort=playtime_seconds' } : screen;
}

/** @param {import('../support/service.js').Service} service */
async function stopGames(service) {
  /** @type {Api.Running} */
  const { running } = await service.ask('/api/running');
  for (const { launch_id } of running) await service.ask('/api/session/control', { launch_id, action: 'kill' });
}

/** @param {import('playwright-core').Page} page */
async function look(page) {
  const again = page.getByRole('button', { name: 'Look for games' });
  await again.click();
  await page.locator('[data-candidate]').first().waitFor();
}

/** @param {import('playwright-core').Page} page */
async function check(page) {
  const first = page.getByRole('button', { name: 'Check all games' });
  if (await first.count() > 0) await first.click();
  await page.locator('.audit .cause').first().waitFor();
}
