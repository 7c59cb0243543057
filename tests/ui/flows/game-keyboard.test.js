import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

import { BOAT, ORBIT, TRAIN, writeGames } from '../support/game-library.js';
import { hands } from '../support/hands.js';
import { keysOf } from '../support/keys.js';
import { answerAfter } from '../support/late.js';
import { scene } from '../support/scene.js';

const parts = scene({ prepare: writeGames });
const { pick } = keysOf(parts);
const { press, type, write, focus, walk, tab, enter, back, heard, goTo, until, open } = hands(parts);

const page = () => parts.browser.page;

/** @param {string} id */
const record = async (id) => {
  const [game] = /** @type {{games: Api.Game[]}} */ (await parts.service.ask(`/api/library/delta?ids=${id}`)).games;
  return game;
};

/** Opens the page of a game, and one of its tabs by the arrows. @param {string} id @param {RegExp} [name] */
async function game(id, name) {
  await open(`#/game/${id}`);
  await page().locator('.game-page .stars').waitFor();
  if (!name) return;
  await tab(/^About/);
  await walk('ArrowRight', name);
  await page().getByRole('tab', { name, selected: true }).waitFor();
}

test('a game is found by the palette, its tabs are walked, and Escape goes back', async () => {
  await open();
  await page().locator('.tile').first().waitFor();
  await goTo('Slow Boat');
  await page().getByRole('heading', { level: 1, name: 'Slow Boat' }).waitFor();
  await tab(/^About/);
  for (const name of [/^Media/, /^Sessions/, /^Moments/, /^Saves/, /^Notes/, /^Documents/, /^Versions/, /^Related/]) {
    await press('ArrowRight');
    await focus(name);
  }
  await page().getByRole('link', { name: /Paper Train/ }).waitFor();
  // The panel is a stop too, and holds the words of all its cards.
  await tab(/^[^]{0,20}Paper Train[^]{0,80}$/);
  await press('Enter');
  await page().getByRole('heading', { level: 1, name: 'Paper Train' }).waitFor();
  await press('Escape');
  await page().getByRole('heading', { level: 1, name: 'Slow Boat' }).waitFor();
});

test('a game is started, paused, resumed and stopped', async () => {
  await game(BOAT);
  await tab(/^Play$/);
  await press('Enter');
  await focus(/^Pause$/);
  await press('Enter');
  await focus(/^Resume$/);
  await press('Enter');
  await focus(/^Pause$/);
  await tab(/^Stop$/);
  await press('Enter');
  await focus(/^Play$/);
});

test('favourite, progress and stars are set', async () => {
  await game(BOAT);
  await tab(/^Add to favourites$/);
  await press('Space');
  await heard(/^Slow Boat added to favourites$/);
  await until(() => record(BOAT), (now) => now?.favorite === true);
  await focus(/^Add to favourites$/);
  await press('f');
  await heard(/^Slow Boat removed from favourites$/);
  await until(() => record(BOAT), (now) => now?.favorite === false);
  await tab(/^Progress$/);
  await pick('Beaten');
  await until(() => record(BOAT), (now) => now?.progress === 'Beaten');
  await focus(/^Progress$/);
  await tab(/^My rating$/);
  await press('4');
  await until(() => record(BOAT), (now) => now?.['user_rating'] === 4);
  // An arrow goes on from what the page shows, which may still be what was before.
  await page().locator('[role="slider"][aria-valuetext="4 stars"]:focus').waitFor();
  await press('ArrowLeft', 'ArrowLeft');
  await until(() => record(BOAT), (now) => now?.['user_rating'] === 2);
  await focus(/^My rating$/);
});

test('notes are added, changed with a question before words are lost, and deleted', async () => {
  await game(BOAT, /^Notes/);
  await tab(/^New note$/);
  await type('Ask the ferryman about the bell.');
  await press('Control+Enter');
  await heard(/^The note was added\.$/);
  await focus(/^New note$/);
  await page().getByText('Ask the ferryman about the bell.').waitFor();
  await tab(/^Edit note$/);
  await press('Enter');
  await page().getByRole('dialog', { name: 'Edit note' }).waitFor();
  await focus(/^Text of the note$/);
  await press('Control+End');
  await type(' It is silver.');
  await press('Escape');
  await page().getByRole('alertdialog', { name: 'Discard changes?' }).waitFor();
  await focus(/^Cancel$/);
  await press('Enter');
  await focus(/^Text of the note$/);
  await parts.browser.shoot('note-edit-keys');
  assert.deepEqual(await parts.browser.findings(), []);
  await enter(/^Save$/);
  await heard(/^The note is saved\.$/);
  await focus(/^Edit note$/);
  const texts = async () => /** @type {Api.Note[]} */ ((await record(BOAT))?.notes ?? []).map((note) => note.text);
  await until(texts, (now) => now.join() === 'The lock code is 4711.,Ask the ferryman about the bell. It is silver.');
  await enter(/^Delete note$/);
  await focus(/^Cancel$/);
  await press('Escape');
  await focus(/^Delete note$/);
  await press('Enter');
  await focus(/^Cancel$/);
  await press('Tab');
  await focus(/^Delete note$/);
  await press('Enter');
  await heard(/^The note is deleted\.$/);
  await until(texts, (now) => now.join() === 'The lock code is 4711.');
  await focus(/^New note$/);
});

test('a note is added once however long its key is held, and what is written or done meanwhile stays', async () => {
  await game(BOAT, /^Notes/);
  await tab(/^New note$/);
  /** @type {{route: import('playwright-core').Route, path: string}[]} */
  const held = [];
  let isOpen = false;
  await page().route(/\/api\/(?:v2\/library\/notes\/add|library\/delta)/, async (route) => {
    if (isOpen) await route.continue();
    else held.push({ route, path: new URL(route.request().url()).pathname });
  });
  const asked = async (/** @type {string} */ path) => {
    while (!held.some((one) => one.path === path)) await page().evaluate(() => new Promise(requestAnimationFrame));
  };
  await type('Twice around the lake.');
  await press('Control+Enter', 'Control+Enter');
  await type(' Then home.');
  await asked('/api/v2/library/notes/add');
  await held.shift()?.route.continue();
  await heard(/^The note was added\.$/);
  assert.equal(await page().locator('#new-note').inputValue(), ' Then home.');
  await asked('/api/library/delta');
  await tab(/^Edit note$/);
  isOpen = true;
  for (const { route } of held) await route.continue();
  await page().getByText('Twice around the lake.', { exact: true }).waitFor();
  await focus(/^Edit note$/);
  await page().unrouteAll({ behavior: 'wait' });
  const texts = async () => /** @type {Api.Note[]} */ ((await record(BOAT))?.notes ?? []).map((note) => note.text);
  assert.deepEqual(await texts(), ['The lock code is 4711.', 'Twice around the lake.']);
  // The sound of a redraw that would take the keyboard away has died down.
  await parts.browser.settle();
  await focus(/^Edit note$/);
  await parts.service.ask('/api/v2/library/notes/delete', { game_id: BOAT, index: 1 });
});

test('an empty note is refused beside the field', async () => {
  await game(TRAIN, /^Notes/);
  await tab(/^Add note$/);
  await press('Enter');
  await heard(/./);
  await page().locator('.form-error').filter({ hasText: /./ }).waitFor();
  await focus(/^New note$/);
});

test('a version is started; an application is added, changed and removed', async () => {
  await game(BOAT, /^Versions/);
  await tab(/^Start Director’s cut$/);
  await press('Enter');
  await heard(/^Director’s cut was started\.$/);
  await until(async () => existsSync(`${parts.scratch.root}/started`), Boolean);
  await focus(/^Start Director’s cut$/);
  await tab(/^Add application$/);
  await press('Enter');
  await page().getByRole('dialog', { name: 'Add application' }).waitFor();
  await focus(/^File/);
  await type(`${parts.scratch.root}/roms/cut.sh`);
  await press('Tab', 'Tab');
  await focus(/^Launch command$/);
  await type('true {path}');
  await press('Enter');
  await heard(/: saved$/);
  await focus(/^Add application$/);
  await tab(/^Edit cut$/);
  await press('Enter');
  await focus(/^File/);
  await press('Tab');
  await focus(/^Name/);
  await write('Level editor');
  await press('Enter');
  await heard(/^Level editor: saved$/);
  await focus(/^Edit Level editor$/);
  await until(
    async () =>
      /** @type {Api.Extra[]} */ ((await record(BOAT))?.['applications']).map(({ name, path, command }) =>
        [name, path, command].join()
      ),
    (now) => now.join() === `Level editor,${parts.scratch.root}/roms/cut.sh,true {path}`,
  );
  await tab(/^Remove Level editor$/);
  await press('Enter');
  await focus(/^Cancel$/);
  await tab(/^Remove$/);
  await press('Enter');
  await heard(/^Level editor is removed\.$/);
  await until(() => record(BOAT), (now) => JSON.stringify(now?.['applications'] ?? []) === '[]');
  await focus(/^Add application$/);
});

test('what is gone before its answer is there leaves the keyboard to what is next', async () => {
  await parts.service.ask('/api/v2/library/notes/add', { game_id: BOAT, text: 'Sold the oars.' });
  await game(BOAT, /^Notes/);
  const note = page().getByText('Sold the oars.', { exact: true });
  await note.waitFor();
  await answerAfter(page(), '/api/v2/library/notes/delete', () => note.waitFor({ state: 'detached' }));
  await tab(/^Delete note$/);
  await press('Enter');
  await focus(/^Cancel$/);
  await tab(/^Delete note$/);
  await press('Enter');
  await heard(/^The note is deleted\.$/);
  await focus(/^New note$/);
  const documents = (await record(BOAT))?.['documents'];
  await game(BOAT, /^Documents/);
  const last = page().getByRole('button', { name: 'Remove Map' });
  await tab(/^Remove Map$/);
  await answerAfter(page(), '/api/game', () => last.waitFor({ state: 'detached' }));
  await press('Enter');
  await focus(/^Cancel$/);
  await tab(/^Remove$/);
  await press('Enter');
  await heard(/^Map is removed\.$/);
  await focus(/^Remove Manual$/);
  await parts.service.ask('/api/game', { game_id: BOAT, game: { name: 'Slow Boat', documents } });
});

test('documents of the game are read, refused, added and removed, and the focus stays in the list', async () => {
  await game(BOAT, /^Documents/);
  await tab(/^Read Manual$/);
  await press('Enter');
  await page().getByText('Chapter one: the river').waitFor();
  await focus(/^Manual$/);
  await press('Escape');
  await focus(/^Read Manual$/);
  await tab(/^Read Map$/);
  await press('Enter');
  await page().waitForFunction(() => (document.querySelector('dialog.picture img')?.clientWidth ?? 0) > 100);
  await press('Escape');
  await focus(/^Read Map$/);
  await back(/^Add document$/);
  await press('Enter');
  await focus(/^File/);
  await type('not/absolute.pdf');
  await press('Enter');
  await heard(/^Paths must be absolute\.$/);
  await focus(/^File/);
  await write(parts.scratch.file('docs/guide.txt', 'Chapter two: the sea\n'));
  await press('Enter');
  await heard(/: saved$/);
  await focus(/^Add document$/);
  const names = async () =>
    /** @type {Api.Extra[]} */ ((await record(BOAT))?.['documents']).map((extra) => extra.name).join();
  await until(names, (now) => now === 'Manual,Map,guide');
  await tab(/^Remove Map$/);
  await press('Enter');
  await focus(/^Cancel$/);
  await tab(/^Remove$/);
  await press('Enter');
  await heard(/^Map is removed\.$/);
  await until(names, (now) => now === 'Manual,guide');
  await focus(/^Remove guide$/);
});

test('documents of the platform are added on one game, read on another, changed and removed', async () => {
  const stored = async () =>
    /** @type {{documents: Api.Extra[]}} */ (await parts.service.ask('/api/platform/documents?platform=Linux'))
      .documents.map((extra) => extra.name).join();
  await game(BOAT, /^Documents/);
  await tab(/^Remove Manual$/);
  await tab(/^Add document$/);
  await press('Enter');
  await focus(/^File/);
  await type(parts.scratch.file('docs/keys.txt', 'W A S D'));
  await press('Tab');
  await type('Keys');
  await press('Enter');
  await heard(/^Keys: saved$/);
  await focus(/^Add document$/);
  await until(stored, (now) => now === 'Keys');
  await game(TRAIN, /^Documents/);
  await tab(/^Read Keys$/);
  await press('Enter');
  await page().getByText('W A S D').waitFor();
  await press('Escape');
  await focus(/^Read Keys$/);
  await tab(/^Edit Keys$/);
  await press('Enter');
  await focus(/^File/);
  await press('Tab');
  await write('All keys');
  await press('Enter');
  await heard(/^All keys: saved$/);
  await focus(/^Edit All keys$/);
  await until(stored, (now) => now === 'All keys');
  await tab(/^Remove All keys$/);
  await press('Enter');
  await focus(/^Cancel$/);
  await tab(/^Remove$/);
  await press('Enter');
  await heard(/^All keys is removed\.$/);
  await until(stored, (now) => now === '');
  await focus(/^Add document$/);
});

test('pictures open large, arrows leaf through them, and what is seen is spoken', async () => {
  await game(BOAT, /^Media/);
  await tab(/^Picture 1$/);
  await press('Enter');
  await page().getByText('Picture 1, 1 of 2').waitFor();
  await focus(/^Close$/);
  await press('ArrowRight');
  await heard(/^Picture 2, 2 of 2$/);
  await back(/^Next picture$/);
  await press('Enter');
  await heard(/^Picture 1, 1 of 2$/);
  await back(/^Previous picture$/);
  await press('Escape');
  await focus(/^Picture 1$/);
});

test('playtime is added, changed, deleted and corrected', async () => {
  await game(BOAT);
  await tab(/^Playtime/);
  await press('Enter');
  await page().getByRole('dialog', { name: 'Playtime' }).waitFor();
  await focus(/^Hours$/);
  await write('1');
  await press('Tab');
  await focus(/^Minutes$/);
  await write('30');
  await tab(/^Note$/);
  await type('On a train');
  await tab(/^Add time$/);
  await press('Enter');
  await heard(/^The playtime was saved\.$/);
  await until(() => record(BOAT), (now) => now?.['manual_playtime_seconds'] === 5400);
  await focus(/^Add time$/);
  await tab(/^Edit entry$/);
  await press('Enter');
  await focus(/^Hours$/);
  await write('2');
  await tab(/^Save$/);
  await press('Enter');
  await heard(/^The playtime was saved\.$/);
  await until(() => record(BOAT), (now) => now?.['manual_playtime_seconds'] === 9000);
  await tab(/^Delete entry$/);
  await press('Enter');
  await heard(/^The playtime was saved\.$/);
  await until(() => record(BOAT), (now) => now?.['manual_playtime_seconds'] === 0);
  await focus(/^Add time$/);
  await press('Escape');
  await focus(/^Playtime/);
});

test('the menu of the game hides it, and the message takes that back', async () => {
  await game(BOAT);
  await tab(/^More actions$/);
  await press('Enter');
  await page().getByRole('menu', { name: 'Slow Boat' }).waitFor();
  await walk('ArrowDown', /^Hide$/);
  await press('Enter');
  await heard(/^Slow Boat is hidden now\.$/);
  await until(() => record(BOAT), (now) => now?.hidden === true);
  await focus(/^More actions$/);
  await press('Control+z');
  await until(() => record(BOAT), (now) => now?.hidden === false);
});

test('a game without an emulator offers to choose one, and Escape leaves the choice', async () => {
  await game(ORBIT);
  await tab(/^Choose an emulator$/);
  await press('Enter');
  const choice = page().getByRole('dialog');
  await choice.waitFor();
  await page().waitForFunction(() => document.querySelector('dialog')?.contains(document.activeElement) ?? false);
  await press('Escape');
  await choice.waitFor({ state: 'detached' });
  await focus(/^Choose an emulator$/);
});

test('a game goes to the trash after a question, and comes back', async () => {
  await game(TRAIN);
  await press('Delete');
  await page().getByRole('alertdialog', { name: 'Remove Paper Train?' }).waitFor();
  await focus(/^Cancel$/);
  await tab(/^Remove$/);
  await press('Enter');
  await heard(/^Paper Train is in the trash\.$/);
  await until(() => record(TRAIN), (now) => now === undefined);
  await press('Control+z');
  await heard(/^Paper Train is back in the library\.$/);
  await until(() => record(TRAIN), (now) => now?.name === 'Paper Train');
});

test('a save path is added, a version kept, checked and brought back', async () => {
  const folder = parts.scratch.folder('saves');
  const save = parts.scratch.file('saves/slot.sav', 'the good save');
  await game(BOAT, /^Saves/);
  await tab(/^Add path$/);
  await press('Enter');
  await page().getByRole('dialog', { name: 'Add path' }).waitFor();
  await focus(/^Path of the saves/);
  await type(`${parts.scratch.root}/nowhere`);
  await press('Enter');
  await heard(/^Save path does not exist\./);
  await focus(/^Path of the saves/);
  await write(folder);
  await press('Enter');
  await page().getByRole('dialog').waitFor({ state: 'detached' });
  await tab(/^Back up now$/);
  await press('Enter');
  await page().getByText('By hand').waitFor();
  await tab(/^Check: /);
  await press('Enter');
  await page().locator('.rows').getByText(/Whole, 1 file/).waitFor();
  await focus(/^Check: /);
  writeFileSync(save, 'a spoilt save');
  await tab(/^Restore: /);
  await press('Enter');
  await page().getByRole('alertdialog').waitFor();
  await press('Escape');
  await focus(/^Restore: /);
  await press('Enter');
  await page().getByRole('alertdialog').waitFor();
  await tab(/^Restore$/);
  await press('Enter');
  await heard(/^Save restore is done\.$/);
  await until(async () => readFileSync(save, 'utf8'), (now) => now === 'the good save');
});

test('a running game is restarted from its menu and stopped from the bar', async () => {
  await game(BOAT);
  await tab(/^Play$/);
  await press('Enter');
  await focus(/^Pause$/);
  const bar = page().getByRole('complementary', { name: 'Running games' });
  await bar.waitFor();
  const launch = await bar.locator('[data-clock]').getAttribute('data-clock');
  await tab(/^Copy path$/);
  await tab(/^Stop$/);
  await tab(/^More actions$/);
  await press('Enter');
  await focus(/^Restart game$/);
  await press('Escape');
  await focus(/^More actions$/);
  await press('Enter');
  const restarted = page().waitForResponse((response) =>
    response.url().includes('/api/session') && response.request().method() === 'POST'
  );
  await press('Enter');
  assert.equal((await restarted).status(), 200);
  // The bar of the new launch takes the place of the old one, and the focus with it.
  await page().waitForFunction((old) => {
    const clock = document.querySelector('#running [data-clock]');
    return clock !== null && clock.getAttribute('data-clock') !== old;
  }, launch);
  await back(/^Stop$/);
  await press('Enter');
  await bar.waitFor({ state: 'hidden' });
});
