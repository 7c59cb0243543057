import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Pad } from '../support/gamepad.js';
import { hands } from '../support/hands.js';
import { scene } from '../support/scene.js';
import { lookInThemes } from '../support/themes.js';

const NAMES = ['Chrono Trigger (USA).sfc', 'EarthBound (USA).sfc'];

const parts = scene({
  prepare: (scratch) => {
    for (const name of NAMES) scratch.file(`games/snes/${name}`, `SFC ${name}`);
  },
  furnish: async (service) => {
    await service.ask('/api/import', { folder: `${parts.scratch.root}/games` });
    await setGenre('Role-playing');
  },
});

const { press, type, focus, walk, tab, enter, back, heard, until, open } = hands(parts);

const page = () => parts.browser.page;
const row = (/** @type {string} */ field) => page().locator(`.origins [data-field="${field}"]`);

/** @returns {Promise<Api.Game>} */
const record = async () => {
  const { games } = await parts.service.ask('/api/library?offset=0&limit=9');
  return games.find((/** @type {Api.Game} */ game) => game.name.startsWith('Chrono'));
};

/** @param {string} name */
const origin = async (name) => {
  /** @type {Reply.GameOrigins} */
  const { fields } = await parts.service.ask(`/api/v2/game/origins?game_id=${(await record()).game_id}`);
  return fields.find(({ field }) => field === name);
};

/** Sets the genre as the user does. @param {string} genre */
async function setGenre(genre) {
  const { game_id: id, name } = await record();
  await parts.service.ask('/api/game', { game_id: id, game: { name, genre } });
}

/** Gives a game the platform of an automatic pass. */
async function runPass() {
  const { game_id: id, platform } = await record();
  await parts.service.ask('/api/v2/library/recognition', {
    changes: [{ game_id: id, field: 'platform', expected: platform, value: 'NES' }],
  });
}

/** Opens the page of the game, its editor and the tab of sources, by keys. */
async function openSources() {
  await open(`#/game/${(await record()).game_id}`);
  await page().locator('.game-page .stars').waitFor();
  await press('F3');
  await focus(/^Name/);
  await back(/^General$/);
  await walk('ArrowRight', /^Sources$/);
}

test('sources are shown by keys, and values are locked and unlocked', async () => {
  await setGenre('Role-playing');
  await openSources();
  await row('genre').getByText('Set by hand').waitFor();
  await enter(/^Unlock: Genre$/);
  await heard(/^Genre is unlocked\.$/);
  await focus(/^Lock: Genre$/);
  assert.equal((await origin('genre'))?.locked, false);
  await press('Enter');
  await heard(/^Genre is locked\.$/);
  await focus(/^Unlock: Genre$/);
  assert.equal((await origin('genre'))?.locked, true);
  await press('Escape');
  await page().locator('dialog.editor').waitFor({ state: 'detached' });
  assert.equal((await record()).genre, 'Role-playing', 'a lock changes no value');
});

test('a value goes back to its automatic one by keys, and what else was typed stays', async () => {
  const { game_id: id, name } = await record();
  await parts.service.ask('/api/game', { game_id: id, game: { name: 'Chrono Trigger Deluxe' } });
  await open(`#/game/${id}`);
  await page().locator('.game-page .stars').waitFor();
  await press('F3');
  await focus(/^Name/);
  await tab(/^Series/);
  await type('Chrono');
  await back(/^General$/);
  await walk('ArrowRight', /^Sources$/);
  await row('name').getByText(`Automatic value: ${name}`).waitFor();
  await enter(/^Revert: Name$/);
  await heard(/^Name has its automatic value again\.$/);
  await row('name').locator('.value').getByText(name, { exact: true }).waitFor();
  assert.equal((await record()).name, name);
  await enter(/^Save$/);
  await page().locator('dialog.editor').waitFor({ state: 'detached' });
  const saved = await record();
  assert.deepEqual([saved.name, saved['series']], [name, 'Chrono']);
});

test('a whole pass is taken back by keys', async () => {
  await runPass();
  await open('#/history/passes');
  await page().locator('.passes li').first().waitFor();
  await enter(/^Undo: Games read again$/);
  await heard(/^Undone: 1 game$/);
  await until(record, (game) => game.platform === 'SNES');
});

test('sources are opened, locked and reverted by controller', async () => {
  await setGenre('Puzzle');
  const pad = await Pad.install(page());
  await open(`#/game/${(await record()).game_id}`);
  await page().locator('.game-page .stars').waitFor();
  await pad.connect();
  await press('F3');
  await focus(/^Name/);
  const steer = async (/** @type {'up' | 'down' | 'left' | 'right'} */ way, /** @type {RegExp} */ name) => {
    await until(async () => {
      const here = await parts.browser.focused();
      if (!name.test(here)) await pad.press(way);
      return here;
    }, (here) => name.test(here));
  };
  await steer('up', /^(?:General|Details|Launch|Media|Identifiers|Sources)$/);
  await steer('right', /^Sources$/);
  await pad.press('play');
  await row('genre').waitFor();
  await steer('down', /: Genre$/);
  await steer('right', /^Unlock: Genre$/);
  await pad.press('play');
  await focus(/^Lock: Genre$/);
  assert.equal((await origin('genre'))?.locked, false);
  await pad.press('play');
  await focus(/^Unlock: Genre$/);
});

test('sources and passes have no serious finding in any theme', async () => {
  await setGenre('Role-playing');
  await openSources();
  await row('genre').waitFor();
  await parts.browser.settle();
  await lookInThemes(parts, 'edit-sources');
  await press('Home');
  await page().getByRole('tab', { name: 'General', selected: true }).waitFor();
  await lookInThemes(parts, 'edit-general');
  await runPass();
  await open('#/history/passes');
  await page().locator('.passes li').first().waitFor();
  await parts.browser.settle();
  await lookInThemes(parts, 'history-passes');
  const { passes } = await parts.service.ask('/api/v2/library/passes');
  await parts.service.ask('/api/v2/library/passes/undo', { pass_id: passes[0].pass_id });
});
