import assert from 'node:assert/strict';
import { test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { writeLibrary } from '../support/library.js';
import { scene } from '../support/scene.js';

const parts = scene({ prepare: (scratch) => {
  writeLibrary(scratch, 20);
  scratch.file('mine.css', ':root { --bg: #102030; }');
} });
const { press, until, counted } = keysOf(parts);

const page = () => parts.browser.page;

/** The ground that the page has now. */
const ground = () => page().evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--bg').trim());

/** @param {string} hash */
async function open(hash) {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}${hash}`);
}

const settings = () => /** @type {Promise<Api.Settings>} */ (parts.service.ask('/api/settings'));

test('a theme is tried on, left, chosen and taken back with the pointer', async () => {
  await open('#/themes');
  await page().locator('[data-focus="try-ember"]').waitFor();
  const before = await ground();
  await page().locator('[data-focus="try-ember"]').click();
  await until(ground, (now) => now === '#1c110c');
  assert.equal((await settings())['theme'] || '', '');
  await page().getByRole('button', { name: 'Go back' }).click();
  await until(ground, (now) => now === before);
  await page().locator('[data-focus="use-midnight"]').click();
  await page().locator('[data-focus="use-midnight"][aria-pressed="true"]').waitFor();
  await until(settings, (now) => now['theme'] === 'midnight');
  await until(ground, (now) => now !== before);
  await page().getByRole('button', { name: 'Undo' }).click();
  await until(settings, (now) => now['theme'] === '');
  await until(ground, (now) => now === before);
});

test('what is tried on ends with the screen, and the big screen wears what is chosen', async () => {
  await open('#/themes');
  await page().locator('[data-focus="try-forest"]').waitFor();
  const before = await ground();
  await page().locator('[data-focus="try-forest"]').focus();
  await press('Enter');
  await until(ground, (now) => now !== before);
  await press('Escape');
  await page().locator('.try-bar').waitFor({ state: 'detached' });
  await until(ground, (now) => now === before);
  await parts.service.ask('/api/themes/select', { name: 'ember' });
  await open('#/big');
  await until(ground, (now) => now === '#1c110c');
  await parts.service.ask('/api/themes/select', { name: '' });
});

test('a style sheet is imported by keys, and a file that is none is refused in words', async () => {
  await open('#/themes');
  await page().locator('[data-focus="import"]').focus();
  await press('Enter');
  await page().getByLabel('Style sheet').fill('/nowhere.txt');
  await press('Enter');
  await page().getByRole('alert').filter({ hasText: 'Theme path must point to a CSS file.' }).waitFor();
  await page().getByLabel('Style sheet').fill(`${parts.scratch.root}/mine.css`);
  await press('Enter');
  await page().locator('[data-focus="use-mine"]').waitFor();
  await page().locator('[data-focus="use-mine"]').focus();
  await press('Enter');
  await until(ground, (now) => now === '#102030');
  await parts.service.ask('/api/themes/select', { name: '' });
});

test('pages of a platform wear its theme', async () => {
  /** @type {{games: Api.Game[]}} */
  const { games } = await parts.service.ask('/api/library?offset=0&limit=20');
  const game = games[0];
  await open('#/themes/platforms');
  await page().getByLabel(game?.platform ?? '', { exact: true }).selectOption('Forest');
  await until(settings,
    (now) => /** @type {Record<string, string>} */ (now['theme_by_platform'])[game?.platform ?? ''] === 'forest');
  const before = await ground();
  await open(`#/game/${game?.game_id}`);
  await until(ground, (now) => now !== before);
  await open('#/');
  await until(ground, (now) => now === before);
});

test('every token is shown with its value', async () => {
  await open('#/themes/tokens');
  await page().locator('.tokens li').filter({ hasText: '--accent-soft' }).waitFor();
  const row = page().locator('.tokens li').filter({ hasText: '--bg-side' });
  assert.match(await row.innerText(), /#[0-9a-f]{6}/);
});

test('updates are looked for when asked, and a build without an address says so', async () => {
  await open('#/settings/about');
  await page().getByRole('button', { name: 'Check for updates' }).focus();
  await press('Enter');
  await page().locator('.updates').getByText('This build does not check for updates').waitFor();
  await page().getByRole('button', { name: 'Return to the previous version' }).click();
  await page().getByRole('alertdialog').getByRole('button', { name: 'Return to the previous version' }).click();
  await page().locator('.toast').filter({ hasText: /no previous version|AppImage/ }).waitFor();
  await counted(page().locator('.updates .button.primary'), 0);
});

test('a theme that is chosen or written anew elsewhere is worn at once', async () => {
  await open('#/');
  await page().locator('.tile').first().waitFor();
  const bring = async (/** @type {string} */ colour) => {
    parts.scratch.file('live.css', `:root { --bg: ${colour}; }`);
    await parts.service.ask('/api/themes/import', { path: `${parts.scratch.root}/live.css` });
  };
  await bring('#102031');
  await parts.service.ask('/api/themes/select', { name: 'live' });
  await until(ground, (now) => now === '#102031');
  await bring('#312010');
  await page().evaluate(() => dispatchEvent(new Event('focus')));
  await until(ground, (now) => now === '#312010');
  await open('#/themes');
  await page().locator('[data-focus="import"]').waitFor();
  parts.scratch.file('live.css', ':root { --bg: #203110; }');
  await page().locator('[data-focus="import"]').click();
  await page().getByRole('dialog').getByRole('textbox').fill(`${parts.scratch.root}/live.css`);
  await page().keyboard.press('Enter');
  await until(ground, (now) => now === '#203110');
  await parts.service.ask('/api/themes/select', { name: '' });
});
