/** What was kept of games, by controller alone. */

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

const { until, focus } = keysOf(parts);

const page = () => parts.browser.page;
/** @type {Pad} */
let pad;

/**
 * Opens an address in a fresh page with a controller, and waits until something is there.
 *
 * @param {string} hash
 * @param {string} ready
 */
async function open(hash, ready) {
  pad ??= await Pad.install(page());
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}${hash}`);
  await page().locator(ready).first().waitFor();
  await pad.connect();
}

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

/** @param {string} id */
const moments = async (id) =>
  /** @type {Reply.MomentList} */ (await parts.service.ask(`/api/v2/moments?game_id=${id}`)).items ?? [];

const kept = async () =>
  /** @type {Reply.ResumeStatus} */ (await parts.service.ask(`/api/v2/resume/status?game_id=${RESUMABLE}`)).state
    ?.capture_id;

test('the big screen: a game goes on from where it was left', async () => {
  const before = await kept();
  await open('#/big?q=pacifica rally', '.big-shelf [aria-selected="true"]:focus');
  await page().locator('.big-acts').getByRole('button', { name: 'Continue', exact: true }).waitFor();
  await pad.press('play');
  await until(kept, (id) => id !== undefined && id !== before);
});

test('the film strip: a picture is looked at, a moment opened for editing and deleted', async () => {
  const { length } = await moments(HERO);
  await open(`#/game/${HERO}?tab=moments`, '.film .frame img');
  await page().getByRole('tab', { name: 'Moments' }).focus();
  await walk(/^Show the picture/, 'down');
  await pad.press('play');
  const picture = page().locator('dialog.picture');
  await picture.locator('img').waitFor();
  await pad.press('back');
  await picture.waitFor({ state: 'detached' });
  await walk(/^(Edit|Delete) moment: /, 'down');
  await walk(/^Edit moment: /, 'left');
  await pad.press('play');
  const dialog = page().getByRole('dialog', { name: 'Edit moment' });
  await dialog.waitFor();
  await focus(/^Title/);
  await pad.press('back');
  await dialog.waitFor({ state: 'detached' });
  await focus(/^Edit moment: /);
  await walk(/^Delete moment: /, 'right');
  await pad.press('play');
  await until(() => moments(HERO), (all) => all.length === length - 1);
});

test('the gallery: a picture is looked at, and the next tab is the inbox', async () => {
  await open('#/moments', '.gallery .frame img');
  await page().getByRole('tab', { name: 'All moments' }).focus();
  await walk(/^Show the picture/, 'down');
  await pad.press('play');
  const picture = page().locator('dialog.picture');
  await picture.locator('img').waitFor();
  await pad.press('back');
  await picture.waitFor({ state: 'detached' });
  await focus(/^Show the picture/);
  await pad.press('page_right');
  await page().locator('.inbox').waitFor();
});

test('the inbox: the next picture is shown, and one is given to the second game that fits', async () => {
  const left = async () =>
    /** @type {Reply.MemoryList} */ (await parts.service.ask('/api/v2/memories?unassigned=1')).memories;
  const before = await left();
  await open('#/moments/inbox', '.inbox-games [role="option"]');
  await focus(/^Which game is this/);
  await pad.press('page_right');
  await page().getByText(`2 of ${before.length}`).waitFor();
  await page().locator('.inbox-games [role="option"]').nth(1).waitFor();
  await pad.press('down');
  const chosen = page().locator('.inbox-games [aria-selected="true"]');
  await until(() => chosen.getAttribute('id'), (id) => id === 'inbox-1');
  await pad.press('play');
  await until(left, (now) => now.length === before.length - 1);
  assert.ok(!(await left()).some(({ sha256 }) => sha256 === before[1]?.sha256));
});

test('a reel is leafed through and made', async () => {
  await open(`#/game/${HERO}?tab=moments`, '.film .frame img');
  await page().getByRole('tab', { name: 'Moments' }).focus();
  await walk(/^(Make a reel|All moments)$/, 'down');
  await walk(/^Make a reel$/, 'left');
  await pad.press('play');
  const dialog = page().getByRole('dialog', { name: 'Reel of The Lantern Archive' });
  await dialog.getByText(/, 1 of/).waitFor();
  await focus(/preview/);
  await walk(/^Next picture$/, 'right');
  await pad.press('play');
  await dialog.getByText(/, 2 of/).waitFor();
  await walk(/^(Cancel|Make a reel)$/, 'down');
  await walk(/^Make a reel$/, 'right');
  await pad.press('play');
  await dialog.waitFor({ state: 'detached' });
  const { jobs } = /** @type {Api.JobPage} */ (await parts.service.ask('/api/v2/jobs'));
  assert.ok(jobs.some(({ type }) => type === 'clips.reel'));
});

test('the overlay of a running game: a moment is kept, the game is stopped', async () => {
  const { length } = await moments(HERO);
  await open('#/big?q=lantern archive', '.big-shelf [aria-selected="true"]:focus');
  await pad.press('play');
  const overlay = page().locator('dialog.big-session');
  await overlay.waitFor();
  // The game has the controller until the user comes back to the window of the page.
  const act = (/** @type {RegExp} */ name, /** @type {'up' | 'down'} */ way) =>
    until(async () => {
      await page().evaluate(() => dispatchEvent(new Event('focus')));
      const here = await parts.browser.focused();
      if (!name.test(here)) await pad.press(way);
      return parts.browser.focused();
    }, (here) => name.test(here));
  await overlay.locator(':focus').waitFor();
  await act(/^Keep a moment$/, 'down');
  await pad.press('play');
  await until(() => moments(HERO), (all) => all.length === length + 1);
  await act(/^Stop$/, 'up');
  await pad.press('play');
  await overlay.waitFor({ state: 'detached' });
});
