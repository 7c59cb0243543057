import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { scene } from '../support/scene.js';
import { lookInThemes } from '../support/themes.js';

const [BOAT, TRAIN] =
  /** @type {[string, string]} */ ([1, 2].map((number) => `game-${String(number).padStart(24, '0')}`));

const parts = scene({
  prepare: (scratch) => {
    const file = (/** @type {string} */ name) => scratch.file(`roms/${name}.sh`, '#!/bin/bash\nexit 0\n', 0o755);
    const common = { platform: 'Linux', genre: 'Adventure', tags: [], notes: [], screenshots: [], save_paths: [] };
    mkdirSync(`${scratch.root}/data`, { recursive: true });
    writeFileSync(`${scratch.root}/data/library.json`, JSON.stringify({
      schema_version: 6,
      games: [{ ...common, game_id: BOAT, name: 'Slow Boat', path: file('Slow Boat') }, { ...common, game_id: TRAIN,
        name: 'Paper Train', path: file('Paper Train') }],
      profiles: {},
      history: [],
      settings: {},
      playlists: [],
      queue: [],
      notifications: [],
      ui_state: {},
      active_sessions: [],
      trash: [],
    }), { mode: 0o600 });
  },
});

const { until, focus: waitFocus, tabTo } = keysOf(parts);

const page = () => parts.browser.page;

/** @param {string} hash */
async function open(hash) {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}${hash}`);
  await page().getByRole('tablist', { name: 'History' }).waitFor();
}

/** @param {object} fields */
const edit = (fields) => parts.service.ask('/api/game', { game_id: BOAT, game: { name: 'Slow Boat', ...fields } });

/** @param {string} id */
async function record(id) {
  /** @type {{games: Api.Game[]}} */
  const { games } = await parts.service.ask(`/api/library/delta?ids=${id}`);
  return games[0];
}

/** The newest change of a game on the page. @param {string} name */
const newest = (name) => page().locator('.changes details').filter({ hasText: name }).first();

test('changes are listed with what was before, and filtered', async () => {
  await edit({ genre: 'Puzzle', year: '2019' });
  await open('#/history/journal');
  const change = newest('Slow Boat');
  await change.locator('summary').click();
  await change.getByRole('row', { name: 'Genre Adventure Puzzle' }).waitFor();
  await change.getByRole('row', { name: 'Year – 2019' }).waitFor();
  await parts.browser.shoot('journal-open-dark');
  await page().getByLabel('Kind of change').selectOption('add');
  await page().waitForFunction(() =>
    [...document.querySelectorAll('.changes small')].every((words) => words.textContent === 'Added')
  );
  await page().getByLabel('Kind of change').selectOption('restore');
  await page().getByRole('heading', { name: 'No changes in this time' }).waitFor();
});

test('a change is taken back with the keyboard, after its plan was shown', async () => {
  await edit({ genre: 'Racing' });
  await open('#/history/journal');
  await newest('Slow Boat').locator('summary').focus();
  await page().keyboard.press('Enter');
  await newest('Slow Boat').getByRole('button', { name: 'Undo this change' }).waitFor();
  await tabTo(/^Undo this change$/);
  await page().keyboard.press('Enter');
  await page().getByRole('dialog').getByRole('row', { name: 'Genre Racing Puzzle' }).waitFor();
  await waitFocus(/^Apply$/);
  await parts.browser.shoot('journal-revert-dark');
  assert.deepEqual(await parts.browser.findings(), []);
  await page().keyboard.press('Enter');
  await page().locator('.toast').getByText('Slow Boat: change undone.').waitFor();
  await until(() => record(BOAT), (now) => now?.genre === 'Puzzle');
  await page().locator('.changes small').filter({ hasText: 'Undone' }).first().waitFor();
});

test('a plan that is too old writes nothing and shows the new plan', async () => {
  await edit({ genre: 'Sports' });
  await open('#/history/journal');
  await newest('Slow Boat').locator('summary').click();
  await newest('Slow Boat').getByRole('button', { name: 'Undo this change' }).click();
  await page().getByRole('dialog').getByRole('row', { name: 'Genre Sports Puzzle' }).waitFor();
  await edit({ genre: 'Strategy' });
  await page().getByRole('button', { name: 'Apply' }).click();
  await page().locator('dialog .failure').getByText('Nothing was written.').waitFor();
  await page().getByRole('dialog').getByRole('row', { name: 'Genre Strategy Puzzle' }).waitFor();
  await parts.browser.shoot('journal-stale-dark');
  assert.equal((await record(BOAT))?.genre, 'Strategy');
  await page().getByRole('button', { name: 'Apply' }).click();
  await page().locator('dialog').waitFor({ state: 'detached' });
  await until(() => record(BOAT), (now) => now?.genre === 'Puzzle');
});

test('a removed game comes back by taking its removal back', async () => {
  await parts.service.ask('/api/v2/library/trash', { game_id: TRAIN });
  await open('#/history/journal');
  const change = newest('Paper Train');
  await change.locator('small').filter({ hasText: 'Removed' }).waitFor();
  await change.locator('summary').click();
  await change.getByRole('button', { name: 'Undo this change' }).click();
  await page().getByRole('button', { name: 'Apply' }).click();
  await page().locator('dialog').waitFor({ state: 'detached' });
  await until(() => record(TRAIN), (now) => now?.name === 'Paper Train');
});

test('the library of a day, and what two days have different', async () => {
  await open('#/history/journal?show=past');
  const today = await page().locator('#past-date').getAttribute('max');
  await page().locator('#past-date').fill(today ?? '');
  await page().keyboard.press('Enter');
  await page().locator('.page h2.result').filter({ hasText: /^2 games on / }).waitFor();
  await page().getByRole('searchbox', { name: 'Filter by name' }).fill('boat');
  await page().waitForFunction(() => document.querySelectorAll('.rows li').length === 1);
  await parts.browser.shoot('journal-past-dark');
  await page().getByRole('button', { name: 'Compare two days' }).click();
  await page().locator('.figures').getByText('Added').waitFor();
  await page().getByRole('link', { name: 'Slow Boat' }).waitFor();
  await parts.browser.shoot('journal-compare-dark');
  await page().locator('#compare-from').fill(today ?? '');
  await page().locator('#compare-to').fill('2020-01-01');
  await page().getByRole('button', { name: 'Look' }).click();
  await page().locator('.form-error').filter({ hasText: /./ }).waitFor();
});

test('only the changes of one game, from its page', async () => {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/game/${BOAT}`);
  await page().getByRole('article').getByRole('button', { name: 'More actions' }).click();
  await page().getByRole('menuitem', { name: 'Change history' }).click();
  await page().locator('.changes summary').first().waitFor();
  await until(async () => [...new Set(await page().locator('.changes .who b').allTextContents())].join(),
    (now) => now === 'Slow Boat');
  await page().getByRole('button', { name: 'Remove filter Slow Boat' }).click();
  await page().locator('.changes .who b').filter({ hasText: 'Paper Train' }).first().waitFor();
});

test('the journal has no serious finding in any theme', async () => {
  for (const [hash, ready, name]
    of /** @type {const} */ ([['#/history/journal', '.changes', 'journal'], ['#/history/journal?show=past',
      '.page .result', 'journal-past'], ['#/history/journal?show=compare', '.figures', 'journal-compare']])) {
    await open(hash);
    await page().locator(ready).first().waitFor();
    await parts.browser.settle();
    if (name === 'journal') await page().locator('.changes summary').first().press('Enter');
    await lookInThemes(parts, name);
  }
});

test('what was asked for in the list of changes stays when something changes meanwhile', async () => {
  for (let year = 1900; year < 1970; year += 1) await edit({ year: String(year) });
  await open('#/history/journal');
  const rows = page().locator('.changes details');
  const more = page().getByRole('button', { name: 'Show older changes' });
  await more.waitFor();
  assert.equal(await rows.count(), 50);
  await more.focus();
  await page().keyboard.press('Enter');
  await until(() => rows.count(), (count) => count > 70);
  const before = await rows.count();
  // All there is stands there now, and the button is gone: the keyboard stays in the list.
  await until(() => page().evaluate(() => document.activeElement?.closest('.changes') !== null), (isIn) => isIn);
  await rows.last().locator('summary').click();
  await edit({ year: '1999' });
  await until(() => rows.first().getByRole('row', { name: 'Year 1969 1999', includeHidden: true }).count(),
    (count) => count === 1);
  assert.equal(await rows.count(), before + 1);
  assert.equal(await rows.last().evaluate((row) => /** @type {HTMLDetailsElement} */ (row).open), true);
});
