import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { keysOf } from '../support/keys.js';
import { FOLDER_GAMES, gameFolder, scene } from '../support/scene.js';

/** @type {string} */
let folder;
const parts = scene({ prepare: (scratch) => {
  folder = gameFolder(scratch);
} });
const { until, focus, counted } = keysOf(parts);

test('an empty library names the next action, and the token leaves the address', async () => {
  const { page } = parts.browser;
  await page.goto(parts.service.address);
  await page.getByRole('heading', { name: 'Your library starts here' }).waitFor();
  await page.waitForURL((url) => url.search === '' && !url.href.includes(parts.service.token));
  await parts.browser.shoot('empty');
});

test('a folder is imported', async () => {
  const { page } = parts.browser;
  await page.getByRole('button', { name: 'Choose games folder' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add games' });
  await dialog.getByLabel('Folder').fill(`${folder}-that-is-not-there`);
  await dialog.getByRole('button', { name: 'Import' }).click();
  await dialog.getByText('Folder does not exist.').waitFor();
  await parts.browser.shoot('import-refused');
  // A folder without games leads to the next one, and a path is taken as a terminal or a file manager copies it.
  await dialog.getByLabel('Folder').fill(`"${parts.scratch.folder('no games')}"`);
  await dialog.getByRole('button', { name: 'Import' }).click();
  await dialog.getByText('Nothing new').waitFor();
  await dialog.getByRole('button', { name: 'Choose another folder' }).click();
  await dialog.getByLabel('Folder').fill(pathToFileURL(folder).href);
  await dialog.getByRole('button', { name: 'Import' }).click();
  await dialog.getByText(`${FOLDER_GAMES} games added`).waitFor();
  await parts.browser.shoot('import-done');
  await dialog.getByRole('button', { name: 'Undo' }).click();
  await page.locator('.toast', { hasText: `Undone: ${FOLDER_GAMES} games removed` }).waitFor();
  await page.getByRole('button', { name: 'Choose games folder' }).click();
  await dialog.getByLabel('Folder').fill(folder);
  await dialog.getByRole('button', { name: 'Import' }).click();
  await dialog.getByText(`${FOLDER_GAMES} games added`).waitFor();
  await dialog.getByRole('button', { name: 'Show games' }).click();
  await page.locator('.tile').first().waitFor();
  await counted(page.locator('.tile'), FOLDER_GAMES);
  await page.locator('.library-head').getByText(`${FOLDER_GAMES} games`).waitFor();
  await page.waitForFunction(() => {
    const shown = document.querySelector('.details h2')?.textContent;
    return shown && shown === document.querySelector('.tile[aria-selected="true"] .name')?.textContent;
  });
});

test('platforms filter, the search finds, the chip clears', async () => {
  const { page } = parts.browser;
  await page.locator('.place', { hasText: 'SNES' }).click();
  await page.waitForFunction(() => document.querySelectorAll('.tile').length === 3);
  await page.locator('#search').fill('pokeball');
  await page.waitForFunction(() => document.querySelectorAll('.tile').length === 1);
  await page.getByRole('option', { name: /Pokéball Straße/ }).waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.waitForFunction((all) => document.querySelectorAll('.tile').length === all, FOLDER_GAMES);
});

test('the list sorts by its headings and stays after a reload', async () => {
  const { page } = parts.browser;
  const names = () => page.locator('.tile .name').allTextContents();
  const sorted = [...(await names())];
  const saved = page.waitForResponse((response) =>
    response.url().endsWith('/api/settings') && (response.request().postData() ?? '').includes('library_view')
  );
  await page.getByRole('button', { name: 'Show as a list' }).click();
  await page.locator('.columns-head').getByRole('button', { name: 'Name' }).click();
  await page.waitForFunction((last) => document.querySelector('.tile[data-index="0"] .name')?.textContent === last,
    sorted.at(-1));
  await page.locator('.columns-head').getByRole('button', { name: 'Name' }).click();
  await page.waitForFunction((first) => document.querySelector('.tile[data-index="0"] .name')?.textContent === first,
    sorted[0]);
  await saved;
  await page.reload();
  await page.locator('.grid.list .tile').first().waitFor();
  await parts.browser.shoot('list');
  await page.getByRole('button', { name: 'Show as tiles' }).click();
  await page.locator('.grid:not(.list) .tile').first().waitFor();
});

test('a game is edited, and a refused field shows the sentence of the server', async () => {
  const { page } = parts.browser;
  await page.getByRole('option', { name: /Iron Garden/ }).click();
  await page.getByRole('complementary', { name: 'Details' }).getByRole('heading', { name: /Iron Garden/ }).waitFor();
  await page.getByRole('option', { name: /Iron Garden/ }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit game' });
  await dialog.getByLabel('Name *').fill('Iron Garden Remade');
  await dialog.getByLabel('Genre').fill('Puzzle');
  await dialog.getByRole('tab', { name: 'Launch' }).click();
  const path = await dialog.getByLabel('File *').inputValue();
  await dialog.getByLabel('File *').fill('/nowhere/at/all.nes');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Path must point to an existing local file.').waitFor();
  assert.equal(await dialog.getByLabel('File *').getAttribute('aria-invalid'), 'true');
  await parts.browser.shoot('edit-refused');
  await dialog.getByLabel('File *').fill(path);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('option', { name: /Iron Garden Remade/ }).waitFor();
  await page.getByRole('complementary', { name: 'Details' }).getByText('Puzzle').waitFor();
});

test('favourite and progress are kept by the server', async () => {
  const { page } = parts.browser;
  const details = page.getByRole('complementary', { name: 'Details' });
  await details.getByRole('button', { name: 'Add to favourites' }).click();
  await details.locator('.favorite[aria-pressed="true"]').waitFor();
  await details.getByLabel('Progress').selectOption('Beaten');
  await page.getByRole('option', { name: /Iron Garden Remade.*Beaten.*favourite/ }).waitFor();
  const stored = async () =>
    /** @type {Api.LibraryPage} */ (await parts.service.ask('/api/library?offset=0&limit=100')).games.find(({ name }) =>
      name === 'Iron Garden Remade'
    );
  await until(stored, (game) => game?.favorite === true && game.progress === 'Beaten' && game.genre === 'Puzzle');
});

test('a game is played, paused, resumed and stopped', async () => {
  const { page } = parts.browser;
  await page.getByRole('option', { name: /Slow Boat/ }).click();
  await page.getByRole('complementary', { name: 'Details' }).getByRole('button', { name: 'Play', exact: true }).click();
  const bar = page.getByRole('complementary', { name: 'Running games' });
  await bar.getByText('Slow Boat').waitFor();
  await page.waitForFunction(() =>
    /^\d+:\d\d$/.test(document.querySelector('[data-clock]')?.textContent ?? '') &&
    document.querySelector('[data-clock]')?.textContent !== '0:00'
  );
  await parts.browser.shoot('running');
  await bar.getByRole('button', { name: 'Pause' }).click();
  await bar.getByText('Paused').waitFor();
  await bar.getByRole('button', { name: 'Resume' }).click();
  await bar.getByText('Playing').waitFor();
  await bar.getByRole('button', { name: 'Stop' }).click();
  await bar.waitFor({ state: 'hidden' });
  await page.locator('.toast', { hasText: 'Slow Boat ended after' }).waitFor();
});

test('a game that fails at once says so', async () => {
  const { page } = parts.browser;
  await page.getByRole('option', { name: /Broken Wheel/ }).dblclick();
  await page.locator('.toast.error', { hasText: 'Broken Wheel ended at once with exit code 3.' }).waitFor();
});

test('a refused launch shows code, request id and what to do', async () => {
  const { page } = parts.browser;
  await page.getByRole('option', { name: /Amber Harbour/ }).dblclick();
  const toast = page.locator('.toast.error', { hasText: 'has no launch command' });
  await toast.waitFor();
  // A notice that has the focus stays.
  const commands = toast.getByRole('button', { name: 'Launch commands' });
  await commands.focus();
  assert.match(await toast.locator('.facts').innerText(), /^BAD_REQUEST · \w+/);
  await parts.browser.shoot('launch-refused');
  await commands.press('Enter');
  await page.getByRole('heading', { name: 'Launch commands' }).waitFor();
});

test('the history knows the sessions', async () => {
  const { page } = parts.browser;
  await page.locator('#sidebar').getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'History' }).click();
  await page.getByRole('heading', { name: /^Today/ }).waitFor();
  await page.getByRole('link', { name: /Slow Boat/ }).first().waitFor();
  await page.locator('.entry', { hasText: 'Broken Wheel' }).getByText('Ended with an error (3)').waitFor();
  await page.getByRole('link', { name: /Slow Boat/ }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Slow Boat' }).waitFor();
  await page.locator('.stats').getByText('1', { exact: true }).waitFor();
});

test('a game leaves the library only after a question, and its file stays', async () => {
  const { page } = parts.browser;
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  const question = page.getByRole('alertdialog', { name: 'Remove Slow Boat?' });
  await parts.browser.shoot('remove');
  await focus(/^Cancel$/);
  await question.getByRole('button', { name: 'Remove' }).click();
  await page.locator('.toast', { hasText: 'Slow Boat is in the trash.' }).waitFor();
  await page.goto(`${parts.service.url}/#/`);
  await page.waitForFunction((all) => document.querySelectorAll('.tile').length === all - 1, FOLDER_GAMES);
  const { existsSync } = await import('node:fs');
  assert.ok(existsSync(`${folder}/linux/Slow Boat.sh`));
});

test('a reload keeps the right to ask, another tab without the token does not get it', async () => {
  const { page } = parts.browser;
  await page.reload();
  await page.locator('.tile').first().waitFor();
  const other = await page.context().newPage();
  await other.goto(`${parts.service.url}/`);
  await other.getByRole('heading', { name: 'This page is not connected' }).waitFor();
  await other.close();
});
