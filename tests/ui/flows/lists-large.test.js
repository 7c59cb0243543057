import assert from 'node:assert/strict';
import { availableParallelism, loadavg } from 'node:os';
import { test } from 'node:test';

import { writeLibrary } from '../support/library.js';
import { scene } from '../support/scene.js';

const GAMES = 50_000;
const parts = scene({ width: 1920, height: 1080, prepare: (scratch) => writeLibrary(scratch, GAMES) });

/** How long a piece of work on all games may take on a busy machine. */
const PATIENCE = 240_000;

/**
 * Where a figure stops being explained by a busy machine.
 *
 * @param {number} milliseconds
 */
function limit(milliseconds) {
  return 10 * milliseconds * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());
}

/** @returns {Promise<Api.LibraryPage>} */
const library = () => parts.service.ask('/api/library');

test('with the filters open a keystroke still answers soon', async (context) => {
  const { page } = parts.browser;
  await parts.service.ask('/api/settings', { ui_filters_open: true });
  await page.goto(parts.service.address);
  await page.locator('.loading-line.done').waitFor({ state: 'attached', timeout: PATIENCE });
  let time = 0;
  for (const text of ['h', 'harb', 'harbour nes', '']) {
    let least = Infinity;
    for (let run = 0; run < 4; run += 1) {
      least = Math.min(least, await page.evaluate(async (query) => {
        const input = /** @type {HTMLInputElement} */ (document.querySelector('#search'));
        const type = async (/** @type {string} */ value) => {
          const began = performance.now();
          input.value = value;
          input.dispatchEvent(new Event('input', { bubbles: true }));
          while (document.querySelector('.grid')?.hasAttribute('aria-busy')) await new Promise(requestAnimationFrame);
          return performance.now() - began;
        };
        await type('amber');
        return type(query);
      }, text));
    }
    time = Math.max(time, least);
  }
  context.diagnostic(`slowest keystroke ${Math.round(time)} ms`);
  assert.ok(time < limit(100), `${time} ms`);
});

test('a filter answers soon, and its count is right', async (context) => {
  const { page } = parts.browser;
  const expected = (await library()).games.filter((game) => !game.hidden && game.genre === 'Puzzle').length
    .toLocaleString('en');
  const line = page.locator('.filters li', { has: page.locator('[data-focus="genre|Puzzle"]') });
  // The counts follow the search of the test before.
  await line.locator('.count').getByText(expected, { exact: true }).waitFor();
  const began = Date.now();
  await line.getByRole('checkbox').check();
  await page.locator('.library-head').getByText(`${expected} games`, { exact: true }).waitFor();
  context.diagnostic(`a filter after ${Date.now() - began} ms`);
  await page.getByRole('button', { name: 'Remove filter Puzzle' }).click();
});

test('groups and the list keep few tiles while scrolling', async (context) => {
  const { page } = parts.browser;
  for (const form of ['grid', 'list']) {
    await page.getByRole('button', { name: form === 'grid' ? 'Show as tiles' : 'Show as a list' }).click();
    await page.getByRole('button', { name: 'Display options' }).click();
    await page.getByLabel('Group by').selectOption('year');
    await page.keyboard.press('Escape');
    await page.locator('.group-head').first().waitFor();
    const most = await page.evaluate(async () => {
      const grid = /** @type {HTMLElement} */ (document.querySelector('.grid'));
      let tiles = 0;
      for (const step of [80, 900, 9000, 90_000]) {
        for (let turn = 0; turn < 12; turn += 1) {
          grid.scrollTop += step;
          await new Promise(requestAnimationFrame);
          tiles = Math.max(tiles, document.querySelectorAll('.tile').length);
        }
      }
      grid.scrollTop = 0;
      return tiles;
    });
    context.diagnostic(`${form}: at most ${most} tiles`);
    assert.ok(most < 400, `${most} tiles`);
    await page.getByRole('button', { name: 'Display options' }).click();
    await page.getByLabel('Group by').selectOption('');
    await page.keyboard.press('Escape');
  }
  await page.getByRole('button', { name: 'Show as tiles' }).click();
});

test('all games change at once, with progress, and an undo brings every one back', async (context) => {
  const { page } = parts.browser;
  const before = (await library()).games;
  await page.locator('.tile').first().click();
  await page.keyboard.press('Control+a');
  const bar = page.getByRole('toolbar', { name: 'Actions for the selected games' });
  const visible = before.filter((game) => !game.hidden).length;
  await bar.getByText(`${visible.toLocaleString('en')} selected`).waitFor();
  const began = Date.now();
  await bar.getByRole('button', { name: 'Progress' }).click();
  await page.getByRole('menuitem', { name: 'Paused' }).click();
  await bar.getByRole('progressbar').waitFor();
  await page.locator('#toasts').getByText(/games changed/).waitFor({ timeout: PATIENCE });
  context.diagnostic(`${visible} games changed after ${Date.now() - began} ms`);
  /** @type {Api.LibraryPage} */
  const during = await parts.service.ask(`/api/library?offset=${GAMES - 500}&limit=500`);
  assert.ok(during.games.every((game) => game.hidden || game.progress === 'Paused'));
  const undone = Date.now();
  await page.locator('#toasts').getByRole('button', { name: 'Undo' }).click();
  await page.locator('#toasts').getByText(/^Undone: [\d,]+ games/).waitFor({ timeout: PATIENCE });
  context.diagnostic(`taken back after ${Date.now() - undone} ms`);
  const after = (await library()).games;
  assert.deepEqual(after.map((game) => game.progress), before.map((game) => game.progress));
});

test('a playlist takes every game', async (context) => {
  const { page } = parts.browser;
  const bar = page.getByRole('toolbar', { name: 'Actions for the selected games' });
  const began = Date.now();
  await bar.getByRole('button', { name: 'Add to playlist' }).click();
  await page.getByRole('menuitem', { name: /^New playlist/ }).click();
  await page.getByLabel('Name *').fill('Everything');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('link', { name: /^Everything/ }).waitFor({ timeout: PATIENCE });
  await page.locator('dialog').waitFor({ state: 'detached', timeout: PATIENCE });
  context.diagnostic(`a playlist of all games after ${Date.now() - began} ms`);
  const [list] = (await library()).playlists ?? [];
  assert.equal(list?.members.length, (await library()).games.filter((game) => !game.hidden).length);
});
