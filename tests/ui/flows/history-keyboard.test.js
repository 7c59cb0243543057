import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hands } from '../support/hands.js';
import { keysOf } from '../support/keys.js';
import { writeLibrary } from '../support/library.js';
import { scene } from '../support/scene.js';

const parts = scene({ prepare: (scratch) => writeLibrary(scratch, 24, { history: 300 }) });
const { pick } = keysOf(parts);
const { press, type, focus, walk, tab, back, heard, goTo, until, open } = hands(parts);

const page = () => parts.browser.page;

/** @param {number} index */
const id = (index) => `game-${index.toString(16).padStart(24, '0')}`;

/** @param {number} index */
const record = async (index) =>
  /** @type {{games: Api.Game[]}} */ (await parts.service.ask(`/api/library/delta?ids=${id(index)}`)).games[0];

/** Changes fields of a game. @param {number} index @param {object} fields */
const edit = async (index, fields) =>
  parts.service.ask('/api/game', { game_id: id(index), game: { name: (await record(index))?.name, ...fields } });

const trash = async () =>
  /** @type {{items: Api.TrashEntry[]}} */ (await parts.service.ask('/api/v2/library/trash')).items.map((entry) =>
    entry.name
  );

/** Empties the trash and puts games into it, the last one on top. @param {number[]} games */
async function fill(games) {
  await parts.service.ask('/api/v2/library/trash/purge', {});
  /** @type {string[]} */
  const names = [];
  for (const index of games)
    names.push(
      /** @type {{name: string}} */ (await parts.service.ask('/api/v2/library/trash', { game_id: id(index) })).name,
    );
  return names;
}

/** Writes a day into the focused field, in the order of its parts that the browser has. @param {string} year @param {string} month @param {string} day */
async function writeDay(year, month, day) {
  for (const parts of [[month, day, year], [day, month, year]]) {
    await type(parts.join(''));
    if (await page().evaluate((wanted) => /** @type {HTMLInputElement} */ (document.activeElement).value === wanted,
      [year, month, day].join('-'))) return;
    await press('ArrowLeft', 'ArrowLeft');
  }
  assert.fail(`${year}-${month}-${day} cannot be written`);
}

/** Writes a day of these weeks. @param {number} [days] before today */
async function writeRecent(days = 0) {
  const at = new Date();
  at.setDate(at.getDate() - days);
  await writeDay(String(at.getFullYear()), String(at.getMonth() + 1).padStart(2, '0'),
    String(at.getDate()).padStart(2, '0'));
}

/** @param {RegExp} name */
async function historyTab(name) {
  await open('#/history');
  await page().getByRole('tablist', { name: 'History' }).waitFor();
  await tab(/^Sessions$/);
  await walk('ArrowRight', name);
}

test('the history is reached by keys, its range changes, and a session leads to its game and back', async () => {
  await open();
  await page().locator('.tile').first().waitFor();
  await goTo('History');
  await page().locator('.entry').first().waitFor();
  const short = await page().locator('.entry').count();
  await tab(/^90 days$/);
  await press('Tab');
  await focus(/^365 days$/);
  await press('Enter');
  await page().waitForFunction((count) => document.querySelectorAll('.entry').length > count, short);
  await focus(/^365 days$/);
  const name = (await page().locator('a.entry .who b').first().textContent()) ?? '';
  await tab(new RegExp(name));
  await press('Enter');
  await page().getByRole('heading', { level: 1, name, exact: true }).waitFor();
  await press('Escape');
  await page().getByRole('button', { name: '365 days', pressed: true }).waitFor();
});

test('games come back from the trash one by one, each spoken, and the focus goes on to the next', async () => {
  const [first, second] = await fill([3, 4]);
  await historyTab(/^Trash$/);
  await tab(new RegExp(`^Restore ${second}$`));
  await press('Enter');
  await heard(new RegExp(`^${second} is back in the library\\.$`));
  await focus(new RegExp(`^(?:Restore ${first}|Delete ${first} permanently)$`));
  await until(trash, (now) => now.join() === first);
  assert.equal((await record(4))?.name, second);
  await back(new RegExp(`^Restore ${first}$`));
  await press('Enter');
  await page().getByRole('heading', { name: 'The trash is empty' }).waitFor();
  await page().waitForFunction(() => document.activeElement?.closest('.empty') !== null);
  assert.equal((await record(3))?.name, first);
});

test('one game is deleted for good after a question, then all others', async () => {
  const [first, second, third] = await fill([5, 6, 7]);
  await historyTab(/^Trash$/);
  await tab(new RegExp(`^Delete ${third} permanently$`));
  await press('Enter');
  await page().getByRole('alertdialog').waitFor();
  await focus(/^Cancel$/);
  await press('Escape');
  await focus(new RegExp(`^Delete ${third} permanently$`));
  await press('Enter');
  await focus(/^Cancel$/);
  await tab(/^Delete permanently$/);
  await press('Enter');
  await heard(/1 game/);
  await focus(new RegExp(`${second}`));
  await until(trash, (now) => now.join() === [second, first].join());
  await back(/^Empty the trash$/);
  await press('Enter');
  await page().getByRole('alertdialog', { name: 'Delete 2 games permanently?' }).waitFor();
  await focus(/^Cancel$/);
  await tab(/^Delete permanently$/);
  await press('Enter');
  await heard(/2 games/);
  await page().getByRole('heading', { name: 'The trash is empty' }).waitFor();
  await page().waitForFunction(() => document.activeElement?.closest('.empty') !== null);
  await until(trash, (now) => now.length === 0);
});

test('lists that are read again leave the keyboard where it is', async () => {
  await fill([11, 12]);
  await edit(0, { launch: 'true {path}' });
  // The trash is read again when any game changes, the sessions when one of them ends.
  for (const [hash, source, control, change] of /** @type {[string, string, RegExp, () => Promise<unknown>][]} */ ([
    ['#/history/trash', '/api/v2/library/trash', /^Empty the trash$/, () => edit(13, { genre: 'Chess' })],
    ['#/history', '/api/v2/history/timeline', new RegExp(`^[^]{0,20}${(await record(0))?.name}[^]{0,80}$`),
      () => parts.service.ask('/api/launch', { game_id: id(0) })],
  ])) {
    await open(hash);
    await page().locator('.entry').first().waitFor();
    await parts.browser.settle();
    await tab(control);
    const read = page().waitForResponse((response) => response.url().includes(source));
    await change();
    await read;
    await parts.browser.settle();
    await focus(control);
  }
});

test('changes are filtered by kind and by time, opened and taken back after their plan was shown', async () => {
  await edit(9, { genre: 'Puzzle' });
  await edit(9, { genre: 'Racing' });
  await historyTab(/^Changes$/);
  await page().locator('.changes summary').first().waitFor();
  await tab(/^Kind of change$/);
  await pick('Edited');
  await page().waitForFunction(() =>
    [...document.querySelectorAll('.changes small')].every((words) => /^Edited/.test(words.textContent ?? '')) &&
    document.querySelectorAll('.changes small').length > 0
  );
  await focus(/^Kind of change$/);
  await press('Tab');
  await focus(/^Time shown$/);
  await press('Home');
  await heard(/changes?$/);
  await page().waitForFunction(() =>
    /** @type {HTMLSelectElement | null} */ (document.querySelector('#journal-days'))?.value === '7'
  );
  await tab(new RegExp(`^${(await record(9))?.name}`));
  await press('Enter');
  await page().getByRole('row', { name: 'Genre Puzzle Racing' }).waitFor();
  await tab(/^Undo this change$/);
  await press('Enter');
  const dialog = page().getByRole('dialog', { name: 'Undo this change' });
  await dialog.getByRole('row', { name: 'Genre Racing Puzzle' }).waitFor();
  await focus(/^Apply$/);
  await press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await focus(/^Undo this change$/);
  assert.equal((await record(9))?.genre, 'Racing');
  await press('Enter');
  await focus(/^Apply$/);
  await press('Enter');
  await heard(/: change undone\.$/);
  await until(() => record(9), (now) => now?.genre === 'Puzzle');
});

test('a game is brought back to what it was after a change', async () => {
  await edit(10, { genre: 'Board', year: '1999' });
  await edit(10, { genre: 'Card', year: '2001' });
  const name = (await record(10))?.name;
  await historyTab(/^Changes$/);
  await page().locator('.changes summary').first().waitFor();
  await tab(new RegExp(`^${name}`));
  await press('Tab');
  await tab(new RegExp(`^${name}`));
  await press('Enter');
  await tab(/^Go back to this state$/);
  await press('Enter');
  await focus(/^Apply$/);
  await press('Enter');
  await heard(new RegExp(`^${name}`));
  await until(() => record(10), (now) => now?.genre === 'Board' && String(now.year) === '1999');
});

test('the library of a day is asked for and searched', async () => {
  await historyTab(/^Changes$/);
  await tab(/^A day in the past$/);
  await press('Enter');
  await tab(/^Day$/);
  await writeRecent();
  await press('Enter');
  await heard(/^\d+ games on /);
  await tab(/^Filter by name$/);
  const wanted = (await record(9))?.name ?? '';
  await type(wanted);
  await page().waitForFunction(
    (name) =>
      document.querySelectorAll('.rows li').length >= 1 &&
      [...document.querySelectorAll('.rows li a')].every((link) => link.textContent?.includes(name)),
    wanted,
  );
  await tab(new RegExp(`^${wanted}$`));
  await press('Enter');
  await page().getByRole('heading', { level: 1, name: wanted }).waitFor();
});

test('two days are compared, and a wrong order is refused in words', async () => {
  await historyTab(/^Changes$/);
  await tab(/^Compare two days$/);
  await press('Enter');
  await focus(/^Compare two days$/);
  await page().locator('.figures').getByText('Added').waitFor();
  await tab(/^From$/);
  await writeRecent(30);
  await tab(/^To$/);
  await writeRecent();
  await press('Enter');
  await heard(/^Added: \d+, Removed: \d+, Changed: \d+$/);
  await page().locator('.figures').getByText('Added').waitFor();
  await tab(/^Look$/);
  await tab(/^From$/);
  await writeRecent();
  await tab(/^To$/);
  await writeDay('2020', '01', '02');
  await press('Enter');
  await heard(/./);
  await page().locator('.form-error').filter({ hasText: /./ }).waitFor();
});

test('only the changes of one game are shown from its menu, and the filter is taken away', async () => {
  await open(`#/game/${id(9)}`);
  await page().locator('.game-page .stars').waitFor();
  await tab(/^More actions$/);
  await press('Enter');
  await walk('ArrowDown', /^Change history$/);
  await press('Enter');
  const name = (await record(9))?.name ?? '';
  await page().waitForFunction(
    (only) =>
      document.querySelectorAll('.changes .who b').length > 0 &&
      [...document.querySelectorAll('.changes .who b')].every((who) => who.textContent === only),
    name,
  );
  await tab(new RegExp(`^Remove filter ${name}$`));
  await press('Enter');
  await page().waitForFunction(
    (only) => [...document.querySelectorAll('.changes .who b')].some((who) => who.textContent !== only),
    name,
  );
  await focus(/^Time shown$/);
});
