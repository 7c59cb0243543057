import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DEMO_ENV, furnish, HERO, writeDemo } from '../support/demo.js';
import { hands } from '../support/hands.js';
import { RESUMABLE } from '../support/keepsakes.js';
import { scene } from '../support/scene.js';

/** A command that plays until it is stopped. */
const LONG_GAME = 'sh -c "exec sleep 600" {path}';

const parts = scene({ prepare: writeDemo, env: DEMO_ENV, furnish: async (service) => {
  await furnish(service);
  await service.ask('/api/profiles', { profiles: { SNES: LONG_GAME } });
} });

const { press, focus, write, heard, tab, until, open } = hands(parts);

const page = () => parts.browser.page;

/** @param {string} id */
const moments = async (id) =>
  /** @type {Reply.MomentList} */ (await parts.service.ask(`/api/v2/moments?game_id=${id}`)).items ?? [];

/** @returns {Promise<Reply.ResumeStatus>} */
const status = () => parts.service.ask(`/api/v2/resume/status?game_id=${RESUMABLE}`);

test('Enter on the big screen goes on from where a game was left', async () => {
  const before = (await status()).state?.capture_id;
  // The big screen has no sidebar, which `open` waits for.
  await page().goto(`${parts.service.address}#/big?q=pacifica rally`);
  await page().locator('.big-shelf [aria-selected="true"]:focus').waitFor();
  await page().locator('.big-acts').getByRole('button', { name: 'Continue', exact: true }).waitFor();
  await press('Enter');
  await until(status, ({ state }) => state !== null && state.capture_id !== before);
});

test('home offers to continue first, and the page of the game deletes the state after a question', async () => {
  const before = (await status()).state?.capture_id;
  await open('#/home');
  await focus(/^Continue/);
  await press('ArrowDown');
  await until(() => page().evaluate(() => document.activeElement?.className ?? ''), (name) => /tile/.test(name));
  await press('ArrowUp');
  await focus(/^Continue/);
  await press('Enter');
  await until(status, ({ state }) => state !== null && state.capture_id !== before);
  await open(`#/game/${RESUMABLE}`);
  await focus(/^Continue/);
  await tab(/^Delete state/);
  await press('Enter');
  await focus(/^Cancel/);
  await press('Tab', 'Enter');
  await until(status, ({ available }) => !available);
  await heard(/state is deleted/);
});

test('F9 keeps a moment of the running game, which is named and deleted by keys', async () => {
  const { length } = await moments(HERO);
  await open(`#/game/${HERO}?tab=moments`);
  await focus(/^Play/);
  await press('Enter');
  await page().locator('#running .session').waitFor();
  await press('F9');
  await until(() => moments(HERO), (all) => all.length === length + 1);
  await heard(/moment of The Lantern Archive is kept/);
  await tab(/^Edit moment: Moment/);
  await press('Enter');
  await focus(/^Title/);
  await write('By the lamp');
  await press('Enter');
  await page().locator('.film .frame', { hasText: 'By the lamp' }).waitFor();
  await tab(/^Delete moment: By the lamp/);
  await press('Enter');
  await until(() => moments(HERO), (all) => all.length === length);
  await page().locator('.toast').getByRole('button', { name: 'Undo' }).first().waitFor();
  await press('Control+z');
  await until(() => moments(HERO), (all) => all.length === length + 1);
  await page().locator('.film .frame', { hasText: 'By the lamp' }).waitFor();
});

test('pictures are assigned by typing a name and Enter, one after the other', async () => {
  const left = async () =>
    /** @type {Reply.MemoryList} */ (await parts.service.ask('/api/v2/memories?unassigned=1')).memories.length;
  const before = await left();
  await open('#/moments/inbox');
  await focus(/^Which game is this/);
  await page().locator('.inbox-games [role="option"]').first().waitFor();
  await press('Enter');
  await until(left, (count) => count === before - 1);
  await page().getByText(`${before - 1} pictures fit several games.`).waitFor();
  await press('PageDown');
  await page().getByText(/^2 of/).waitFor();
  await write('lantern archive');
  await page().locator('.inbox-games [aria-selected="true"]', { hasText: 'The Lantern Archive' }).waitFor();
  await press('Enter');
  await until(left, (count) => count === before - 2);
  await heard(/belongs to The Lantern Archive now/);
});

test('a reel is leafed through with the arrows', async () => {
  await open(`#/game/${HERO}?tab=moments`);
  await page().locator('.film .frame').first().waitFor();
  await tab(/^Make a reel/);
  await press('Enter');
  await focus(/preview/);
  await press('ArrowRight');
  await page().getByText(/, 2 of/).waitFor();
  await press('Escape');
  await focus(/^Make a reel/);
  assert.equal(await page().locator('dialog').count(), 0);
});

test('the gallery is reached by the sidebar and its tabs by arrows', async () => {
  await open('#/moments');
  await page().locator('.gallery .frame').first().waitFor();
  await tab(/^All moments/);
  await press('ArrowRight');
  await page().locator('.inbox').waitFor();
  await press('ArrowLeft');
  await page().locator('.gallery .frame').first().waitFor();
  await tab(/^Show the picture of/);
  await press('Enter');
  await page().locator('dialog.picture').waitFor();
  await press('Escape');
  await focus(/^Show the picture of/);
});
