import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { poster } from '../support/picture.js';
import { scene } from '../support/scene.js';
import { Service } from '../support/service.js';

const ID = 'game-000000000000000000000000';
const STATUS = `/api/v2/saves/devices?game_id=${ID}`;

/** @type {Service | undefined} */
let other;
after(() => other?.stop());

const parts = scene({
  prepare: (scratch) => {
    device(scratch, 'data', 'deck');
    device(scratch, 'other/data', 'desk');
  },
  furnish: async () => {
    other = await Service.start(`${parts.scratch.root}/other/data`);
  },
});

const { press, until, tabTo } = keysOf(parts);

/**
 * A library with one game that adds a line to its save whenever it is played.
 *
 * @param {import('../support/service.js').Scratch} scratch
 * @param {string} data
 * @param {string} name
 */
function device(scratch, data, name) {
  const saves = scratch.folder(`${name}/saves`);
  const path = scratch.file(`${name}/game.sh`, `#!/bin/sh\necho ${name} >> '${saves}/slot'\n`, 0o755);
  const game = { game_id: ID, name: 'Paper Train', platform: 'Linux', path, save_paths: [saves] };
  const settings = { cloud_folder: scratch.folder('shared'), save_sync_platforms: ['Linux'] };
  scratch.file(`${data}/library.json`, JSON.stringify({ schema_version: 6, games: [game], settings }), 0o600);
}

/** @param {string} name */
const saveOf = (name) => `${parts.scratch.root}/${name}/saves/slot`;

/** @param {string} name */
const saved = async (name) => readFileSync(saveOf(name), 'utf8');

/**
 * Leaves a state with its picture, as a session does.
 *
 * @param {string} data
 */
function leaveState(data) {
  const folder = `${data}/resume_states/${ID}`;
  parts.scratch.file(`${folder}/resume.state`, 'a state');
  parts.scratch.file(`${folder}/thumb.png`, poster(5, 320, 180));
  parts.scratch.file(`${folder}/state.json`, JSON.stringify({ file: 'resume.state', thumbnail: 'thumb.png' }));
}

/** @param {string} state */
const holds = (state) => (/** @type {Reply.SaveSync} */ status) => status.state === state;

test('a game is played on one device and continued on the other', async () => {
  const { page } = parts.browser;
  assert.ok(other);
  await other.ask('/api/launch', { game_id: ID });
  await other.until(STATUS,
    (/** @type {Reply.SaveSync} */ status) => status.state === 'same' && status.versions.length === 1);
  await page.goto(`${parts.service.address}#/game/${ID}?tab=saves`);
  await page.getByText('Another device has newer saves.').waitFor();
  await parts.browser.settle();
  await parts.browser.shoot('saves-devices');
  assert.deepEqual(await parts.browser.findings(), []);
  await page.getByRole('button', { name: 'Play', exact: true }).first().click();
  await parts.service.until(STATUS,
    (/** @type {Reply.SaveSync} */ status) => status.state === 'same' && status.versions.length === 2);
  assert.equal(await saved('deck'), 'desk\ndeck\n');
  await page.getByText('The saves here are the newest ones.').waitFor();
});

test('where two devices played, one version is chosen by keyboard and both are kept', async () => {
  const { page } = parts.browser;
  assert.ok(other);
  writeFileSync(saveOf('desk'), 'played on the desk');
  leaveState('other/data');
  await other.ask('/api/v2/saves/devices/sync', { game_id: ID });
  await other.until(STATUS, (/** @type {Reply.SaveSync} */ status) => !status.unsent && holds('conflict')(status));
  await page.goto('about:blank');
  await page.goto(`${parts.service.address}#/game/${ID}?tab=saves`);
  await page.getByText('Two devices played this game.').or(page.getByText('The saves here are the newest ones.'))
    .or(page.getByText('Another device has newer saves.')).first().waitFor();
  writeFileSync(saveOf('deck'), 'played on the deck');
  await tabTo(/^Sync saves$/);
  await press('Enter');
  await parts.service.until(STATUS,
    (/** @type {Reply.SaveSync} */ status) => !status.unsent && holds('conflict')(status));
  await page.getByText('Two devices played this game.').waitFor();
  await until(() => page.getByRole('button', { name: /^Use this one: / }).count(), (count) => count === 2);
  await page.waitForFunction(() => {
    const pictures = [.../** @type {NodeListOf<HTMLImageElement>} */ (document.querySelectorAll(
      '.devices-choice img',
    ))];
    return pictures.length === 1 && pictures.every((picture) => picture.naturalWidth === 320);
  });
  await parts.browser.settle();
  await parts.browser.shoot('saves-devices-conflict');
  assert.deepEqual(await parts.browser.findings(), []);
  assert.equal(await saved('deck'), 'played on the deck', 'nothing is replaced without a choice');
  // The version of this device is marked as its own; the other one is chosen.
  await tabTo(/^Use this one: (?!Here)(?!.*\(this device\))/);
  await press('Enter');
  await until(() => saved('deck'), (now) => now === 'played on the desk');
  await page.getByText('The saves here are the newest ones.').waitFor();
  await page.getByText('Before a restore').first().waitFor();
  await other.until(STATUS, holds('same'));
  assert.equal(await saved('desk'), 'played on the desk');
  const state = readFileSync(`${parts.scratch.root}/data/resume_states/${ID}/resume.state`, 'utf8');
  assert.equal(state, 'a state', 'the state came along');
});
