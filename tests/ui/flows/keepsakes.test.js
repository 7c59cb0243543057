import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DEMO_ENV, furnish, HERO, writeDemo } from '../support/demo.js';
import { Pad } from '../support/gamepad.js';
import { RESUMABLE } from '../support/keepsakes.js';
import { keysOf } from '../support/keys.js';
import { scene } from '../support/scene.js';

/** A command that plays until it is stopped. */
const LONG_GAME = 'sh -c "exec sleep 600" {path}';

const parts = scene({ prepare: writeDemo, env: DEMO_ENV, furnish: async (service) => {
  await furnish(service);
  await service.ask('/api/profiles', { profiles: { SNES: LONG_GAME } });
} });

const { until } = keysOf(parts);

const page = () => parts.browser.page;

/** @param {string} hash */
async function open(hash) {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}${hash}`);
}

/** @param {string} id */
const moments = async (id) =>
  /** @type {Reply.MomentList} */ (await parts.service.ask(`/api/v2/moments?game_id=${id}`)).items ?? [];

/** @param {string} id */
const status = (
  id,
) => /** @type {Promise<Reply.ResumeStatus>} */ (parts.service.ask(`/api/v2/resume/status?game_id=${id}`));

test('a game goes on from where it was left, from its page and from home', async () => {
  const before = (await status(RESUMABLE)).state?.capture_id;
  await open(`#/game/${RESUMABLE}`);
  await page().getByRole('button', { name: 'Continue', exact: true }).click();
  await until(() => status(RESUMABLE), ({ state }) => state !== null && state.capture_id !== before);
  const next = (await status(RESUMABLE)).state?.capture_id;
  await open('#/home');
  await page().locator('.resume-card').getByRole('heading', { name: 'Pacifica Rally' }).waitFor();
  await page().locator('.resume-card').getByRole('button', { name: 'Start over' }).click();
  await until(() => status(RESUMABLE), ({ state }) => state !== null && state.capture_id !== next);
});

test('a game goes on from where it was left on the big screen', async () => {
  const before = (await status(RESUMABLE)).state?.capture_id;
  await open('#/big?q=pacifica rally');
  await page().locator('.big-acts').getByRole('button', { name: 'Continue', exact: true }).click();
  await until(() => status(RESUMABLE), ({ state }) => state !== null && state.capture_id !== before);
});

test('moments stand on a film strip: one is named, deleted and comes back', async () => {
  await open(`#/game/${HERO}?tab=moments`);
  const frame = page().locator('.film .frame', { hasText: 'First night' });
  await frame.getByRole('button', { name: 'Edit moment: First night' }).click();
  const dialog = page().getByRole('dialog', { name: 'Edit moment' });
  await dialog.getByLabel('Title').fill('The first night');
  await dialog.getByLabel('Note').fill('Nothing but fog.');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page().locator('.film .frame', { hasText: 'Nothing but fog.' }).waitFor();
  const { length } = await moments(HERO);
  await page().getByRole('button', { name: 'Delete moment: The first night' }).click();
  await page().getByText('“The first night” is deleted.').first().waitFor();
  assert.equal((await moments(HERO)).length, length - 1);
  await page().getByRole('button', { name: 'Undo' }).click();
  await page().locator('.film .frame', { hasText: 'The first night' }).waitFor();
  assert.equal((await moments(HERO)).length, length);
});

test('a moment with a state starts the game from there', async () => {
  const before = (await status(RESUMABLE)).state?.capture_id;
  await open(`#/game/${RESUMABLE}?tab=moments`);
  await page().getByRole('button', { name: 'Continue here: Last lap' }).click();
  await page().getByRole('alertdialog').getByRole('button', { name: 'Continue here' }).click();
  await until(() => status(RESUMABLE), ({ state }) => state !== null && state.capture_id !== before);
});

test('the gallery shows the moments of all games by month', async () => {
  await open('#/moments');
  await page().locator('.gallery .frame', { hasText: 'Boss of the third world' }).waitFor();
  const gallery = /** @type {Reply.MomentGallery} */ (await parts.service.ask('/api/v2/moments/gallery'));
  assert.equal(await page().locator('.gallery section').count(), gallery.months.length);
  assert.equal(await page().locator('.gallery .frame').count(), gallery.total);
  await page().locator('.gallery .frame', { hasText: 'Boss' }).getByRole('button', { name: /^Show the picture/ })
    .click();
  await page().locator('dialog.picture img').waitFor();
  await page().keyboard.press('Escape');
});

test('a found picture is given to a game, and taken back', async () => {
  await open('#/moments/inbox');
  await page().getByText('5 pictures fit several games.').waitFor();
  await page().getByRole('option', { name: /The Lantern Archive/ }).click();
  await page().getByText('4 pictures fit several games.').waitFor();
  const ofHero = () => parts.service.ask(`/api/v2/memories?game_id=${HERO}`);
  assert.equal(/** @type {Reply.MemoryList} */ (await ofHero()).memories.length, 4);
  await page().getByRole('button', { name: 'Undo' }).click();
  await page().getByText('5 pictures fit several games.').waitFor();
  assert.equal(/** @type {Reply.MemoryList} */ (await ofHero()).memories.length, 3);
});

test('a reel is looked at first and then made', async () => {
  await open(`#/game/${HERO}?tab=moments`);
  await page().getByRole('button', { name: 'Make a reel' }).click();
  const dialog = page().getByRole('dialog', { name: 'Reel of The Lantern Archive' });
  await dialog.getByText(/Cover, 1 of/).waitFor();
  await dialog.getByRole('button', { name: 'Next picture' }).click();
  await dialog.getByText(/, 2 of/).waitFor();
  await dialog.getByRole('button', { name: 'Make a reel' }).click();
  await dialog.waitFor({ state: 'detached' });
  const { jobs } = /** @type {Api.JobPage} */ (await parts.service.ask('/api/v2/jobs'));
  assert.ok(jobs.some(({ type }) => type === 'clips.reel'));
});

test('a moment is kept in the overlay of the big screen with a controller, and the recap is told', async () => {
  const pad = await Pad.install(page());
  const { length } = await moments(HERO);
  await open('#/big?q=lantern archive');
  await page().locator('.big-shelf [aria-selected="true"]:focus').waitFor();
  await pad.connect();
  await page().keyboard.press('Enter');
  const overlay = page().locator('dialog.big-session');
  await overlay.getByRole('button', { name: 'Keep a moment' }).click();
  await until(() => moments(HERO), (all) => all.length === length + 1);
  await pad.press('favorite');
  await until(() => moments(HERO), (all) => all.length === length + 2);
  await overlay.getByRole('button', { name: 'Stop', exact: true }).click();
  await overlay.waitFor({ state: 'detached' });
  await page().locator('.toast.with-card .recap', { hasText: 'SNES' }).waitFor();
});

test('a state of another emulator is named, and tried only when it is asked for', async () => {
  await page().route((url) => url.pathname === '/api/v2/resume/status', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...await answer.json(), stale: true } });
  });
  /** @type {Record<string, unknown>[]} */
  const sent = [];
  page().on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/v2/resume') sent.push(request.postDataJSON());
  });
  await open(`#/game/${RESUMABLE}`);
  await page().getByText(/by another emulator or another version of it/).waitFor();
  await page().getByRole('button', { name: 'Play', exact: true }).waitFor();
  await page().getByRole('button', { name: 'Continue anyway' }).click();
  await until(async () => sent.length, (count) => count === 1);
  assert.equal(sent[0]?.['allow_stale'], true);
  await page().unrouteAll({ behavior: 'wait' });
});
