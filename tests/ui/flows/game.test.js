import assert from 'node:assert/strict';
import { test } from 'node:test';
import { existsSync } from 'node:fs';

import { poster } from '../support/picture.js';
import { BOAT, GONE, ORBIT, TRAIN, writeGames } from '../support/game-library.js';
import { scene } from '../support/scene.js';
import { lookInThemes } from '../support/themes.js';

const parts = scene({ prepare: writeGames });

const page = () => parts.browser.page;

/**
 * @param {string} id
 * @param {string} [tab]
 */
async function open(id, tab) {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/game/${id}${tab ? `?tab=${tab}` : ''}`);
  await page().locator('.game-page .stars').waitFor();
}

/** @param {string} id */
async function record(id) {
  /** @type {{games: Api.Game[]}} */
  const { games } = await parts.service.ask(`/api/library/delta?ids=${id}`);
  const [game] = games;
  assert.ok(game);
  return game;
}

/** @param {() => Promise<boolean>} holds */
async function until(holds) {
  const end = Date.now() + 30_000;
  while (!(await holds())) {
    assert.ok(Date.now() < end, 'it never came true');
    await page().evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  }
}

/** Waits for a focused control whose name matches.
 *
 * @param {RegExp} name
 */
async function waitFocus(name) {
  await until(async () => name.test(await parts.browser.focused()));
}

test('the address names the tab, and back goes to where one came from', async () => {
  await open(BOAT, 'notes');
  await until(async () => (await page().getByRole('tab', { selected: true }).textContent()) === 'Notes1');
  await page().getByText('The lock code is 4711.').waitFor();
  await page().getByRole('tab', { name: /^Sessions/ }).click();
  await page().waitForFunction(() => location.hash.endsWith('?tab=sessions'));
  await page().getByText('Ended with an error (1)').waitFor();
  await page().reload();
  await page().getByText('Ended with an error (1)').waitFor();
});

test('playtime that no session explains has its own line', async () => {
  await open(BOAT, 'sessions');
  await page().getByText('Ended with an error (1)').waitFor();
  assert.equal(await page().getByText('Playtime without sessions').count(), 0, 'its two sessions are all there is');
  await open(GONE, 'sessions');
  const rest = page().getByRole('listitem').filter({ hasText: 'Playtime without sessions' });
  await rest.waitFor();
  assert.match((await rest.textContent()) ?? '', /2 hr$/, 'two and a half hours without the half that is a session');
});

test('tabs are one stop, and arrows choose', async () => {
  await open(BOAT);
  await page().getByRole('tab', { name: 'About' }).focus();
  await page().keyboard.press('ArrowRight');
  await waitFocus(/^Media/);
  await page().getByRole('list', { name: '2 pictures' }).first().waitFor();
  await page().keyboard.press('End');
  await waitFocus(/^Related/);
  await page().getByRole('link', { name: /Paper Train/ }).waitFor();
  await until(async () =>
    /Shared genre.*Same series/s.test((await page().getByRole('link', { name: /Paper Train/ }).textContent()) ?? '')
  );
  await page().keyboard.press('ArrowRight');
  await waitFocus(/^About/);
  await page().keyboard.press('Shift+Tab');
  await page().keyboard.press('Tab');
  await waitFocus(/^About/);
});

test('the main button plays, pauses and stops', async () => {
  await open(BOAT);
  await page().getByRole('article').getByRole('button', { name: 'Play', exact: true }).click();
  await page().getByRole('article').getByRole('button', { name: 'Pause' }).click();
  await page().getByRole('article').getByRole('button', { name: 'Resume' }).waitFor();
  await parts.browser.shoot('game-running-dark');
  await page().getByRole('article').getByRole('button', { name: 'Stop' }).click();
  await page().getByRole('article').getByRole('button', { name: 'Play', exact: true }).waitFor();
});

test('a game that nothing can run says so and offers the way out', async () => {
  await open(ORBIT);
  await page().getByText('No emulator is chosen for .nes files').waitFor();
  await page().getByRole('button', { name: 'Play anyway' }).waitFor();
  await page().getByRole('button', { name: 'Choose an emulator' }).click();
  await page().getByRole('dialog', { name: 'Choose an emulator' }).getByText('RetroArch (NES)').waitFor();
  await page().keyboard.press('Escape');
  await open(GONE);
  await until(() => page().getByRole('article').getByRole('button', { name: 'Play', exact: true }).isDisabled());
  await page().getByRole('button', { name: 'Edit path' }).click();
  await page().getByRole('tab', { name: 'Launch', selected: true }).waitFor();
  await waitFocus(/^File/);
  await until(() =>
    page().evaluate(() => /** @type {HTMLInputElement} */ (document.activeElement).value?.endsWith('gone.sh') ?? false)
  );
});

test('progress and stars are saved, by mouse and by keys', async () => {
  await open(BOAT);
  await page().getByLabel('Progress').selectOption('Beaten');
  await until(async () => (await record(BOAT)).progress === 'Beaten');
  const stars = page().getByRole('slider', { name: 'My rating' });
  await stars.locator('.star').nth(3).click();
  await until(async () => (await record(BOAT))['user_rating'] === 4);
  await stars.focus();
  await page().keyboard.press('ArrowRight');
  await until(async () => (await record(BOAT))['user_rating'] === 5);
  await waitFocus(/My rating/);
  await page().keyboard.press('2');
  await until(async () => (await record(BOAT))['user_rating'] === 2);
  // The page may still be drawing the change before this one.
  await until(async () => (await stars.getAttribute('aria-valuetext')) === '2 stars');
});

test('a very long name leaves the page its room, and nothing known has no heading', async () => {
  const name = 'Wandering '.repeat(20).trim();
  await page().route('**/api/library/delta*', async (route) => {
    const response = await route.fetch();
    const { games, ...rest } = /** @type {{games: Api.Game[]}} */ (await response.json());
    const bare = games.map(({ game_id, path, platform, launch }) => ({ game_id, path, platform, launch, name }));
    await route.fulfill({ response, json: { ...rest, games: bare } });
  });
  await open(TRAIN);
  await page().getByRole('heading', { name: 'Files' }).waitFor();
  await parts.browser.settle();
  assert.equal(await page().getByRole('heading', { name: 'Facts' }).count(), 0);
  for (const [width, height] of /** @type {const} */ ([[1280, 800], [400, 800]])) {
    await page().setViewportSize({ width, height });
    await parts.browser.shoot('game-long-name');
    const heading = page().getByRole('heading', { level: 1 });
    assert.equal(await heading.getAttribute('title'), name);
    const lines = await heading.evaluate((element) =>
      Math.round(element.clientHeight / parseFloat(getComputedStyle(element).lineHeight))
    );
    assert.ok(lines <= 4, `${lines} lines`);
  }
  await page().setViewportSize({ width: 1280, height: 800 });
  await page().unrouteAll({ behavior: 'wait' });
});

test('the heart turns at once, is pressed once, and turns back when that is refused', async () => {
  await open(TRAIN);
  const heart = page().locator('.game-page button.favorite');
  const isOn = (/** @type {boolean} */ on) =>
    page().locator(`.game-page button.favorite[aria-pressed="${on}"]`).waitFor();
  let sent = 0;
  let release = () => {};
  const held = new Promise((resolve) => {
    release = () => resolve(undefined);
  });
  await page().route('**/api/favorite', async (route) => {
    sent += 1;
    await held;
    await route.continue();
  });
  await isOn(false);
  await heart.click();
  await isOn(true);
  await heart.click();
  await page().keyboard.press('f');
  assert.equal((await record(TRAIN))['favorite'], false);
  release();
  await until(async () => (await record(TRAIN))['favorite'] === true);
  assert.equal(sent, 1);
  await parts.browser.settle();
  await isOn(true);
  await page().unrouteAll({ behavior: 'wait' });
  await page().route('**/api/favorite',
    (route) => route.fulfill({ status: 409, json: { error: 'Not now.', code: 'CONFLICT', request_id: 'a' } }));
  await heart.click();
  await page().locator('.toast', { hasText: 'Not now.' }).waitFor();
  await isOn(true);
  await page().unrouteAll({ behavior: 'wait' });
});

test('notes are added, changed and deleted', async () => {
  await open(BOAT, 'notes');
  await page().getByLabel('New note').fill('Ask the ferryman about the bell.');
  await page().keyboard.press('Control+Enter');
  await page().getByRole('listitem').filter({ hasText: 'Ask the ferryman' }).waitFor();
  const item = page().getByRole('listitem').filter({ hasText: 'Ask the ferryman' });
  await item.getByRole('button', { name: 'Edit note' }).click();
  await page().getByLabel('Text of the note').fill('Ask the ferryman about the silver bell.');
  await page().getByRole('button', { name: 'Save' }).click();
  await page().getByText('silver bell').waitFor();
  await parts.browser.shoot('game-notes-dark');
  await page().getByRole('listitem').filter({ hasText: 'silver bell' }).getByRole('button', { name: 'Delete note' })
    .click();
  await waitFocus(/^Cancel$/);
  await page().getByRole('alertdialog').getByRole('button', { name: 'Delete note' }).click();
  await page().getByText('silver bell').waitFor({ state: 'detached' });
  await until(async () => /** @type {Api.Note[]} */ ((await record(BOAT)).notes).length === 1);
});

test('what is being written survives a change of the game', async () => {
  await open(BOAT, 'notes');
  await page().getByLabel('New note').fill('Half a thought');
  await page().getByLabel('Progress').selectOption('Playing');
  await until(async () => (await record(BOAT)).progress === 'Playing');
  await until(async () => (await page().getByLabel('Progress').inputValue()) === 'Playing');
  assert.equal(await page().getByLabel('New note').inputValue(), 'Half a thought');
});

test('a note that was begun is there again after another screen and after loading the page again', async () => {
  await open(TRAIN, 'notes');
  const field = page().getByLabel('New note');
  await field.pressSequentially('Half');
  await page().evaluate(() => {
    location.hash = '#/jobs';
  });
  await page().locator('.game-page').waitFor({ state: 'detached' });
  await page().goBack();
  await field.waitFor();
  assert.equal(await field.inputValue(), 'Half');
  /** @type {string[]} */
  const asked = [];
  page().once('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await field.press('End');
  await page().reload();
  await field.waitFor();
  assert.deepEqual([asked, await field.inputValue()], [['beforeunload'], 'Half']);
  await field.press('Control+Enter');
  await page().getByRole('listitem').filter({ hasText: 'Half' }).waitFor();
  await until(async () => (await field.inputValue()) === '');
  await page().reload();
  await field.waitFor();
  assert.equal(await field.inputValue(), '');
});

test('an empty note is refused beside the field', async () => {
  await open(TRAIN, 'notes');
  await page().getByRole('button', { name: 'Add note' }).click();
  await page().locator('.form-error').filter({ hasText: /./ }).waitFor();
});

test('playtime is corrected and added by hand, with the keyboard', async () => {
  await open(BOAT);
  await page().getByRole('button', { name: /^Playtime/ }).focus();
  await page().keyboard.press('Enter');
  await page().getByRole('dialog').getByRole('heading', { name: 'Add time played elsewhere' }).waitFor();
  await page().keyboard.press('Control+a');
  await page().keyboard.type('1');
  await page().keyboard.press('Tab');
  await page().keyboard.type('30');
  await page().getByLabel('Note', { exact: true }).fill('On a train');
  await page().getByRole('button', { name: 'Add time' }).press('Enter');
  await page().getByText('On a train').waitFor();
  await until(async () => (await record(BOAT))['manual_playtime_seconds'] === 5400);
  await page().locator('#measured-hours').fill('5');
  await page().locator('#measured-minutes').fill('0');
  await page().getByRole('button', { name: 'Correct' }).click();
  await until(async () => (await record(BOAT)).playtime_seconds === 18_000);
  await parts.browser.shoot('game-playtime-dark');
  assert.deepEqual(await parts.browser.findings(), []);
  await page().getByRole('button', { name: 'Delete entry' }).click();
  await until(async () => (await record(BOAT))['manual_playtime_seconds'] === 0);
  await page().keyboard.press('Escape');
  await waitFocus(/^Playtime/);
});

test('documents are read on the page, added and removed', async () => {
  await open(BOAT, 'documents');
  await page().getByRole('button', { name: 'Read Manual' }).click();
  await page().getByText('Chapter one: the river').waitFor();
  await page().keyboard.press('Escape');
  await page().getByRole('button', { name: 'Read Map' }).click();
  await page().waitForFunction(() => (document.querySelector('dialog.picture img')?.clientWidth ?? 0) > 100);
  await page().keyboard.press('Escape');
  await page().getByRole('region').or(page().locator('section')).filter({ hasText: 'Documents of this game' })
    .getByRole('button', { name: 'Add document' }).click();
  await page().getByRole('dialog').getByLabel('File').fill('not/absolute.pdf');
  await page().getByRole('button', { name: 'Save' }).click();
  await page().getByText('Paths must be absolute.').waitFor();
  await page().getByRole('dialog').getByLabel('File').fill(parts.scratch.file('docs/guide.pdf', '%PDF-1.4 guide'));
  await page().getByRole('button', { name: 'Save' }).click();
  const link = page().getByRole('link', { name: 'Read guide' });
  await link.waitFor();
  assert.equal(await link.getAttribute('target'), '_blank');
  await parts.browser.shoot('game-documents-dark');
  await page().getByRole('button', { name: 'Remove guide' }).click();
  await page().getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await link.waitFor({ state: 'detached' });
});

test('a document that is pressed twice opens once', async () => {
  await open(BOAT, 'documents');
  let asked = 0;
  /** @type {(value?: unknown) => void} */
  let release = () => {};
  const pressed = new Promise((resolve) => {
    release = resolve;
  });
  await page().route('**/api/document?*', async (route) => {
    asked += 1;
    await pressed;
    await route.continue();
  });
  await page().getByRole('button', { name: 'Read Manual' }).focus();
  await page().keyboard.press('Enter');
  await until(async () => asked > 0);
  await page().keyboard.press('Enter');
  release();
  await page().locator('dialog.reader').first().waitFor();
  await page().unrouteAll({ behavior: 'wait' });
  await parts.browser.settle();
  assert.deepEqual([asked, await page().locator('dialog.reader').count()], [1, 1]);
});

test('where it is said what documents of a platform are for, it is said once', async () => {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/settings/documents`);
  await page().getByText('No documents yet').waitFor();
  assert.equal(await page().getByText(/each of its games/).count(), 1);
});

test('documents of the platform stand on every game of it', async () => {
  await open(BOAT, 'documents');
  await page().locator('section').filter({ hasText: 'Documents of Linux' }).getByRole('button', {
    name: 'Add document',
  }).click();
  await page().getByRole('dialog').getByLabel('File').fill(parts.scratch.file('docs/keys.txt', 'W A S D'));
  await page().getByRole('dialog').getByLabel('Name').fill('Keys');
  await page().keyboard.press('Enter');
  await page().getByRole('button', { name: 'Read Keys' }).waitFor();
  await open(TRAIN, 'documents');
  await page().getByRole('button', { name: 'Read Keys' }).click();
  await page().getByText('W A S D').waitFor();
});

test('versions and applications start from the page', async () => {
  await open(BOAT, 'versions');
  await page().getByRole('button', { name: 'Start Director’s cut' }).click();
  await until(async () => existsSync(`${parts.scratch.root}/started`));
  await page().getByRole('button', { name: 'Add application' }).click();
  await page().getByRole('dialog').getByLabel('File').fill(`${parts.scratch.root}/roms/cut.sh`);
  await page().getByRole('dialog').getByLabel('Launch command').fill('true {path}');
  await page().keyboard.press('Enter');
  await page().getByRole('button', { name: 'Start cut', exact: true }).waitFor();
  const wanted = JSON.stringify(['cut', `${parts.scratch.root}/roms/cut.sh`, 'true {path}']);
  await until(async () =>
    /** @type {Api.Extra[]} */ ((await record(BOAT))['applications'] ?? []).some(({ name, path, command }) =>
      JSON.stringify([name, path, command]) === wanted
    )
  );
  await parts.browser.shoot('game-versions-dark');
});

test('pictures open large and arrows leaf through them', async () => {
  await open(BOAT, 'media');
  await page().getByRole('button', { name: 'Picture 1' }).focus();
  await page().keyboard.press('Enter');
  await page().getByText('Picture 1, 1 of 2').waitFor();
  await page().keyboard.press('ArrowRight');
  await page().getByText('Picture 2, 2 of 2').waitFor();
  await parts.browser.shoot('game-picture-dark');
  await page().keyboard.press('Escape');
  await waitFocus(/Picture 1/);
  await page().keyboard.press('Enter');
  await page().getByText('Picture 1, 1 of 2').waitFor();
  const before = await page().evaluate(() => location.hash);
  await page().goBack();
  await page().locator('dialog.picture').waitFor({ state: 'detached' });
  assert.equal(await page().evaluate(() => location.hash), before);
  await waitFocus(/Picture 1/);
});

test('the first tab shows the first screenshots, and leads to the others', async () => {
  await open(BOAT);
  const strip = page().locator('.first-shots');
  const shown = (/** @type {number} */ count) => until(async () => (await strip.locator('img').count()) === count);
  const all = page().getByRole('link', { name: 'Show all' });
  await shown(2);
  assert.equal(await all.count(), 0);
  await strip.getByRole('button', { name: 'Picture 2' }).click();
  await page().getByText('Picture 2, 2 of 2').waitFor();
  await page().keyboard.press('Escape');
  await waitFocus(/Picture 2/);
  const { name, screenshots } = await record(BOAT);
  const many = Array.from({ length: 8 },
    (_, at) => parts.scratch.file(`data/media/strip/${at}.png`, poster(at, 64, 40)));
  await parts.service.ask('/api/game', { game_id: BOAT, game: { name, screenshots: many } });
  await shown(6);
  // Whichever is opened, all can be leafed through.
  await strip.getByRole('button', { name: 'Picture 6' }).click();
  await page().getByText('Picture 6, 6 of 8').waitFor();
  await page().keyboard.press('Escape');
  await all.click();
  await page().waitForFunction(() => location.hash.endsWith('?tab=media'));
  await until(async () => (await page().locator('.gallery .shots:not(.artwork) img').count()) === 8);
  await parts.service.ask('/api/game', { game_id: BOAT, game: { name, screenshots } });
});

test('screenshots leave the details form of the library within the window', async () => {
  const { name, screenshots } = await record(BOAT);
  const many = Array.from({ length: 8 },
    (_, at) => parts.scratch.file(`data/media/form/${at}.png`, poster(at, 64, 40)));
  await parts.service.ask('/api/game', { game_id: BOAT, game: { name, screenshots: many } });
  await parts.service.ask('/api/settings', { library_view: 'details' });
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/`);
  await page().locator('.tile').filter({ hasText: name }).click();
  await page().locator('.details .first-shots img').nth(5).waitFor();
  const beyond = await page().evaluate(() =>
    [...document.querySelectorAll(
      '.details, .details .button, .details .stats dd, .details .prose, .details .shot-strip',
    )]
      .filter((part) => part.getBoundingClientRect().right > innerWidth).map((part) => part.className)
  );
  assert.deepEqual(beyond, []);
  await parts.service.ask('/api/settings', { library_view: 'grid' });
  await parts.service.ask('/api/game', { game_id: BOAT, game: { name, screenshots } });
});

test('a removed game can be taken back from the notice', async () => {
  await open(TRAIN);
  await page().keyboard.press('Delete');
  await page().getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await page().locator('.toast', { hasText: 'Paper Train is in the trash.' }).getByRole('button', { name: 'Undo' })
    .press('Enter');
  await page().locator('.toast').getByText('Paper Train is back in the library.').waitFor();
  await until(async () => (await record(TRAIN)).name === 'Paper Train');
});

test('every tab has no serious finding in any theme', async () => {
  for (const tab of ['about', 'media', 'sessions', 'notes', 'documents', 'versions', 'related']) {
    await open(BOAT, tab);
    await parts.browser.settle();
    await parts.browser.assertSteady(tab);
    await lookInThemes(parts, `game-${tab}`);
  }
});
