import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DEMO_ENV, furnish, HERO, writeDemo } from '../support/demo.js';
import { scene } from '../support/scene.js';

const parts = scene({ width: 1600, height: 1000, prepare: writeDemo, furnish, env: DEMO_ENV });
const page = () => parts.browser.page;

/** @param {Record<string, unknown>} settings */
const set = (settings) => parts.service.ask('/api/settings', settings);

/** @param {string} hash */
async function open(hash) {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}${hash}`);
  await page().locator('.tile').first().waitFor();
  await page().locator('.loading-line.done').waitFor({ state: 'attached' });
}

/** @param {string} kind */
const pictures = (kind) => page().locator(`.grid .tile .art img[src*="kind=${kind}&"]`);

test('tiles and details show the marks that were chosen, and menus the actions', async () => {
  await open('#/');
  const favorite = page().locator('.tile .mark.favorite');
  const missing = page().locator('.tile .mark.warning');
  await favorite.first().waitFor();
  await set({ badge_visibility: ['progress', 'documents'] });
  await favorite.first().waitFor({ state: 'detached' });
  await missing.first().waitFor();
  await set({ show_launch_badges: false });
  await missing.first().waitFor({ state: 'detached' });
  await open('#/?q=lantern archive');
  const marks = page().getByRole('list', { name: 'Features' });
  await marks.getByText('Documents').waitFor();
  assert.equal(await marks.getByText('Saves').count(), 0);
  await set({ badge_visibility: ['saves', 'favorite'], show_launch_badges: true });
  await marks.getByText('Saves').waitFor();
  await page().locator('.tile').first().click({ button: 'right' });
  await page().getByRole('menuitem', { name: 'Add to playlist' }).waitFor();
  await page().keyboard.press('Escape');
  await set({ show_playlist_actions: false });
  await page().waitForFunction(() => document.querySelector('[role="menu"]') === null);
  await open('#/');
  await page().locator('.tile').first().click({ button: 'right' });
  await page().getByRole('menuitem', { name: 'Edit' }).waitFor();
  assert.equal(await page().getByRole('menuitem', { name: 'Add to playlist' }).count(), 0);
  await page().keyboard.press('Escape');
  await set({ show_playlist_actions: true });
});

test('titles below the covers can be left out: they appear on the cover that is used, and where there is none', async () => {
  await open('#/');
  const tiles = page().locator('.grid .tile');
  const covered = tiles.filter({ has: page().locator('.art img.shown') });
  await covered.nth(2).waitFor();
  /** How far the rows are apart, and how visible the titles of tiles with and without a cover are. */
  const look = () =>
    page().evaluate(() => {
      const all = [...document.querySelectorAll('.grid .tile')];
      const tops = [...new Set(all.map((tile) => Math.round(tile.getBoundingClientRect().top)))].sort((a, b) => a - b);
      const shown = (/** @type {boolean} */ isCovered) =>
        all.filter((tile) => (tile.querySelector('.art img.shown') !== null) === isCovered).map((tile) =>
          Number(getComputedStyle(/** @type {Element} */ (tile.querySelector('.caption'))).opacity)
        );
      return { step: (tops[1] ?? 0) - (tops[0] ?? 0), covered: Math.max(...shown(true)),
        bare: Math.min(...shown(false)) };
    });
  const before = await look();
  assert.deepEqual([before.covered, before.bare], [1, 1]);
  await set({ ui_tile_titles: false });
  await page().locator('.grid.untitled').waitFor();
  await page().mouse.move(5, 5);
  await page().waitForFunction((step) => {
    const tiles = [...document.querySelectorAll('.grid .tile')];
    const [first, next] = [...new Set(tiles.map((tile) => Math.round(tile.getBoundingClientRect().top)))].sort((a, b) =>
      a - b
    );
    return next !== undefined && first !== undefined && next - first < step - 40 &&
      tiles.filter((tile) => tile.querySelector('.art img.shown')).every((tile) =>
        getComputedStyle(/** @type {Element} */ (tile.querySelector('.caption'))).opacity === '0'
      );
  }, before.step);
  assert.equal((await look()).bare, 1);
  // Whoever points at a game or reaches it with keys reads its title; a screen reader always does.
  const title = covered.nth(2).locator('.caption');
  await covered.nth(2).hover();
  await page().waitForFunction((element) => getComputedStyle(/** @type {Element} */ (element)).opacity === '1',
    await title.elementHandle());
  assert.deepEqual(await parts.browser.findings(), []);
  await set({ ui_tile_titles: true });
  await page().locator('.grid:not(.untitled)').waitFor();
  assert.equal((await look()).step, before.step);
});

test('another picture stands for the games of all, of a platform and of a playlist', async () => {
  await open('#/');
  await pictures('cover').first().waitFor();
  const options = page().getByRole('button', { name: 'Display options' });
  await options.click();
  await page().getByLabel('Picture', { exact: true }).selectOption({ label: 'Background' });
  await pictures('background').first().waitFor();
  await pictures('cover').first().waitFor();
  await page().waitForFunction(() => {
    const art = document.querySelector('.grid .tile .art');
    return art !== null && art.clientHeight < art.clientWidth;
  });
  await page().getByLabel('Picture', { exact: true }).selectOption({ label: 'Cover' });
  await pictures('background').first().waitFor({ state: 'detached' });
  await page().keyboard.press('Escape');
  await parts.browser.shoot('pictures');

  await open('#/?platform=SNES');
  await options.click();
  const own = page().getByLabel('Picture of SNES');
  assert.equal(await own.inputValue(), 'default');
  await own.selectOption({ label: 'Background' });
  await pictures('background').first().waitFor();
  await page().keyboard.press('Escape');
  await open('#/?q=lantern archive');
  await pictures('background').first().waitFor();
  await open('#/?platform=NES');
  await pictures('cover').first().waitFor();
  assert.equal(await pictures('background').count(), 0);
  await open('#/?platform=SNES');
  await options.click();
  await own.selectOption('default');
  await pictures('background').first().waitFor({ state: 'detached' });
  assert.deepEqual((await parts.service.ask('/api/settings')).image_group_by_platform, {});
});

test('pictures are cut to fill their box when they need not keep their shape', async () => {
  await open('#/');
  const framed = page().locator('.grid .art.framed');
  await framed.first().waitFor();
  const colours = await framed.first().locator('canvas').evaluate((canvas) => {
    const { width, height } = /** @type {HTMLCanvasElement} */ (canvas);
    const context = /** @type {HTMLCanvasElement} */ (canvas).getContext('2d');
    const pixels = context?.getImageData(0, 0, width, height).data ?? [];
    return new Set(Array.from({ length: width * height }, (_, at) => pixels.slice(at * 4, at * 4 + 4).join(' '))).size;
  });
  assert.ok(colours > 20, `its own blurred picture surrounds it, not a flat colour: ${colours} colours`);
  await set({ cover_grouping: 'none' });
  await framed.first().waitFor({ state: 'detached' });
  await set({ cover_grouping: 'shape' });
  await framed.first().waitFor();
});

test('a session is told with all that was played, and the first one offers a progress', async () => {
  await set({ progress_on_first_play: '' });
  await parts.service.ask('/api/profiles', {
    profiles: { NES: 'sh -c "exec sleep 600" {path}', SNES: 'sh -c "exec sleep 600" {path}' },
  });
  await open('#/');
  /** @param {string} id */
  const play = async (id) => {
    await parts.service.ask('/api/launch', { game_id: id });
    await page().locator('#running').getByRole('button', { name: 'Stop' }).click();
  };
  await play(HERO);
  await page().locator('.toast', { hasText: /The Lantern Archive ended after .* in all\./ }).waitFor();
  assert.equal(
    await page().locator('.toast', { hasText: 'The Lantern Archive' }).getByRole('button', { name: 'Playing' }).count(),
    0,
    'it has a progress',
  );

  /** @type {Api.LibraryPage} */
  const { games } = await parts.service.ask('/api/library');
  const fresh = games.find((game) =>
    (game.platform === 'NES' || game.platform === 'SNES') && !game.progress && !game.play_count && game.path_exists &&
    !game.hidden
  );
  assert.ok(fresh);
  const told = page().locator('.toast', { hasText: `${fresh.name} ended after` });
  await play(fresh.game_id);
  const kept = page().waitForResponse((response) => response.url().endsWith('/progress/set'));
  await told.getByRole('button', { name: 'Playing' }).click();
  await kept;
  await told.waitFor({ state: 'detached' });
  await parts.service.ask('/api/v2/library/progress/set', { game_id: fresh.game_id, progress: '' });
  await play(fresh.game_id);
  await told.waitFor();
  assert.equal(await told.getByRole('button', { name: 'Playing' }).count(), 0, 'it is offered after the first session');
  await set({ session_recap_enabled: false });
});

test('the drawn name of a game stands beside the written one, and moves nothing when it comes', async () => {
  /** @type {import('playwright-core').Route[]} */
  const held = [];
  const isLogo = (/** @type {URL} */ { search }) => search.includes('kind=clear_logo');
  await page().route(isLogo, (route) => void held.push(route));
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/game/${HERO}`);
  const heading = page().getByRole('heading', { name: 'The Lantern Archive', level: 1 });
  const logo = page().locator('.lead .logo');
  await heading.waitFor();
  await page().locator('.tab-panel .shot-strip img').first().waitFor();
  assert.equal(await logo.evaluate((it) => getComputedStyle(it).opacity), '0');
  const places = () =>
    page().evaluate(() =>
      ['.lead h1', '.lead .acts', '.lead .told', '.tab-bar'].map((part) =>
        JSON.stringify(document.querySelector(part)?.getBoundingClientRect())
      )
    );
  await page().waitForFunction(() =>
    document.getAnimations().every(({ playState, timeline }) =>
      playState !== 'running' || timeline !== document.timeline
    )
  );
  const before = await places();
  for (const route of held) await route.continue();
  await page().locator('.lead .logo.shown').waitFor();
  assert.deepEqual(await places(), before);
  const [words, drawn] = await Promise.all([heading.boundingBox(), logo.boundingBox()]);
  assert.ok(words && drawn && drawn.width > 200 && drawn.height > 80, JSON.stringify({ words, drawn }));
  const written = await heading.evaluate((it) => {
    const range = document.createRange();
    range.selectNodeContents(it);
    return range.getBoundingClientRect().right;
  });
  assert.ok(written <= drawn.x, `the words end at ${written}, the logo begins at ${drawn.x}`);
  await page().setViewportSize({ width: 1000, height: 800 });
  await logo.waitFor({ state: 'hidden' });
  await page().unrouteAll({ behavior: 'ignoreErrors' });
  await page().setViewportSize({ width: 1600, height: 1000 });
});
