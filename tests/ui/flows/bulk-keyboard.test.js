import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hands } from '../support/hands.js';
import { writeLibrary } from '../support/library.js';
import { scene } from '../support/scene.js';

const parts = scene({ prepare: (scratch) => writeLibrary(scratch, 120) });
const { press, type, focus, walk, tab, heard, until, open } = hands(parts);

const page = () => parts.browser.page;
const bar = () => page().getByRole('toolbar', { name: 'Actions for the selected games' });

/** @returns {Promise<Api.LibraryPage>} */
const library = () => parts.service.ask('/api/library');

/** Ids of the chosen games. */
const chosen = async () => {
  const names = await page().locator('.tile.chosen .name').allTextContents();
  return (await library()).games.filter((game) => names.includes(game.name) && game.platform === 'Linux').map((game) =>
    game.game_id
  );
};

/** @param {readonly string[]} ids */
const records = async (ids) => (await library()).games.filter((game) => ids.includes(game.game_id));

/** Chooses the first three games of a platform, and goes to an action on them. @param {RegExp} action */
async function choose(action) {
  await open('#/?platform=Linux');
  await page().locator('.loading-line.done').waitFor({ state: 'attached' });
  await page().locator('.tile[data-index="2"]').waitFor();
  await press('Control+f', 'Enter');
  await page().locator('.tile:focus').waitFor();
  await press('Home');
  await page().locator('.tile[data-index="0"]:focus').waitFor();
  await press('Shift+ArrowRight', 'Shift+ArrowRight');
  await bar().getByText('3 selected', { exact: true }).waitFor();
  await heard(/^3 selected$/);
  const ids = await chosen();
  assert.equal(ids.length, 3);
  await press('b');
  await focus(/^Select all$/);
  await walk('ArrowRight', action);
  return ids;
}

/** Takes the newest change back by its key, and waits until every game is as it was. @param {Api.Game[]} before */
async function undo(before) {
  await press('Control+z');
  await heard(/^Undone: \d+ games?$/);
  const ids = before.map((game) => game.game_id);
  const facts = (/** @type {Api.Game[]} */ games) =>
    games.map(({ game_id, favorite, hidden, progress, platform, genre, tags, user_rating, rating }) => ({ game_id,
      favorite, hidden, progress, platform, genre, tags, user_rating, rating })
    );
  await until(() => records(ids), (now) => JSON.stringify(facts(now)) === JSON.stringify(facts(before)));
}

for (const [action, holds] of /** @type {[RegExp, (game: Api.Game) => boolean][]} */ ([
  [/^Favourite$/, (game) => game.favorite === true],
  [/^Hide or show$/, (game) => game.hidden === true],
])) {
  test(`${action.source} is set on several games and taken back`, async () => {
    const ids = await choose(action);
    const before = await records(ids);
    await press('Enter');
    await heard(/^3 games changed\.$/);
    await until(() => records(ids), (now) => now.every(holds));
    if (action.source.includes('Favourite')) await focus(action);
    await undo(before);
  });
}

for (const [action, menu, steps, choice, holds]
  of /** @type {[RegExp, string, number, RegExp, (game: Api.Game) => boolean][]} */ ([
    [/^Progress$/, 'Progress', 3, /^Beaten$/, (game) => game.progress === 'Beaten'],
    [/^My stars$/, 'My stars', 1, /^★★★★$/, (game) => game['user_rating'] === 4],
  ])) {
  test(`${menu} of several games is chosen from the menu and taken back`, async () => {
    const ids = await choose(action);
    const before = await records(ids);
    await press('Enter');
    await page().getByRole('menu', { name: menu }).waitFor();
    await press('Escape');
    await focus(action);
    await press('Enter', ...Array.from({ length: steps }, () => 'ArrowDown'));
    await walk('ArrowDown', choice);
    await press('Enter');
    await heard(/^3 games changed\.$/);
    await until(() => records(ids), (now) => now.every(holds));
    await focus(action);
    await undo(before);
  });
}

test('tags are added and removed in their dialog, and taken back', async () => {
  const ids = await choose(/^Tags$/);
  const before = await records(ids);
  await press('Enter');
  const dialog = page().getByRole('dialog', { name: 'Tags of 3 games' });
  await dialog.waitFor();
  await focus(/^Add tags$/);
  await type('rainy day, by the fire');
  await press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await focus(/^Tags$/);
  assert.deepEqual((await records(ids)).map((game) => game.tags), before.map((game) => game.tags));
  await press('Enter');
  await focus(/^Add tags$/);
  await type('rainy day, by the fire');
  const old = before.flatMap((game) => game.tags ?? [])[0];
  if (old) {
    await press('Tab');
    await page().locator('.tag-boxes input:focus').waitFor();
    await press('Space');
  }
  await parts.browser.shoot('bulk-tags-keys');
  assert.deepEqual(await parts.browser.findings(), []);
  await tab(/^Apply$/);
  await press('Enter');
  await heard(/^3 games changed\.$/);
  await until(() => records(ids),
    (now) => now.every((game) => game.tags?.includes('rainy day') && game.tags.includes('by the fire')));
  await focus(/^Tags$/);
  await undo(before);
});

test('fields change only when their box is ticked, a wrong rating is refused in its place, and all is taken back', async () => {
  const ids = await choose(/^Edit fields$/);
  const before = await records(ids);
  await press('Enter');
  const dialog = page().getByRole('dialog', { name: 'Edit 3 games' });
  await dialog.waitFor();
  await focus(/^Platform$/);
  await press('Tab');
  await focus(/^Change Genre$/);
  await press('Tab');
  await focus(/^Genre$/);
  await type('Board');
  await walk('Tab', /^Change Rating$/);
  await press('Tab');
  await focus(/^Rating$/);
  await type('9');
  await press('Enter');
  await heard(/from 0 to 5/);
  assert.equal(await dialog.isVisible(), true);
  await focus(/^Rating$/);
  await press('Control+a');
  await type('4.5');
  await parts.browser.shoot('bulk-fields-keys');
  await press('Enter');
  await heard(/^3 games changed\.$/);
  await until(() => records(ids),
    (now) => now.every((game) => game.genre === 'Board' && Number(game.rating) === 4.5 && game.platform === 'Linux'));
  await focus(/^Edit fields$/);
  await undo(before);
});

test('a playlist is made of the chosen games, more are added, and they leave it again', async () => {
  const ids = await choose(/^Add to playlist$/);
  await press('Enter');
  await focus(/^New playlist/);
  await press('Enter');
  await page().getByRole('dialog', { name: 'New playlist' }).waitFor();
  await focus(/^Name/);
  await type('Late night');
  await press('Enter');
  await heard(/^Late night is in the sidebar now\.$/);
  await focus(/^Add to playlist$/);
  const members = async () =>
    ((await library()).playlists ?? []).find((playlist) => playlist.name === 'Late night')?.members;
  await until(members, (now) => JSON.stringify(now?.toSorted()) === JSON.stringify(ids.toSorted()));
  await press('Escape');
  await page().getByRole('toolbar').waitFor({ state: 'hidden' });
  await page().locator('.tile:focus').waitFor();
  await press('End', 'Control+Space');
  await bar().getByText('1 selected', { exact: true }).waitFor();
  await press('b');
  await focus(/^Select all$/);
  await walk('ArrowRight', /^Add to playlist$/);
  await press('Enter');
  await walk('ArrowDown', /^Late night$/);
  await press('Enter');
  await heard(/^1 game added to Late night\.$/);
  await until(members, (now) => now?.length === 4);
  await focus(/^Add to playlist$/);
  await press('Control+z');
  await until(members, (now) => JSON.stringify(now?.toSorted()) === JSON.stringify(ids.toSorted()));
});

test('games go to the trash after a question whose harmless answer has the focus, and come back', async () => {
  const ids = await choose(/^Move to trash$/);
  const before = (await library()).games.map((game) => game.game_id);
  await press('Enter');
  const question = page().getByRole('alertdialog', { name: 'Move 3 games to the trash?' });
  await question.waitFor();
  await focus(/^Cancel$/);
  await press('Enter');
  await question.waitFor({ state: 'detached' });
  await focus(/^Move to trash$/);
  await press('Enter');
  await tab(/^Move 3 games$/);
  await press('Enter');
  await heard(/^3 games are in the trash\.$/);
  await bar().waitFor({ state: 'hidden' });
  await until(() => records(ids), (now) => now.length === 0);
  // The keyboard is on the game that stands where the first one stood.
  await page().locator('.tile[data-index="0"]:focus').waitFor();
  await press('F8');
  await focus(/^Undo$/);
  await press('Enter');
  await heard(/^3 games restored\.$/);
  await until(async () => (await library()).games.map((game) => game.game_id),
    (now) => JSON.stringify(now) === JSON.stringify(before));
  await focus(/Linux/);
});

test('the message is left with Escape, and the focus is back where it was', async () => {
  await choose(/^Favourite$/);
  await press('Enter');
  await heard(/^3 games changed\.$/);
  await focus(/^Favourite$/);
  await press('F8');
  await focus(/^Undo$/);
  await press('Escape');
  await focus(/^Favourite$/);
});
