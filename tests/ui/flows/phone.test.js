import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DEMO_ENV, furnish, HERO, writeDemo } from '../support/demo.js';
import { RESUMABLE } from '../support/keepsakes.js';
import { scene } from '../support/scene.js';
import { onPhone, PLAIN, reachScreen, SCREENS, touch } from '../support/screens.js';

const parts = scene({ width: 400, height: 800, touch: true, prepare: writeDemo, furnish, env: DEMO_ENV });
const page = () => parts.browser.page;

/** The smallest side of what a finger hits, in pixels; half of one is lost to rounding. */
const FINGER = 43.5;

/** The library with one platform chosen in the filters. */
const CHOSEN = '#/?platform=PlayStation+2';

/** Screens that are looked at: one of each kind. */
const LOOKED_AT = Object.freeze(['library', 'library-list', 'library-details', 'library-nothing', 'palette', 'home',
  'pick', 'game', 'game-documents', 'game-notes', 'game-resume', 'play', 'history', 'history-trash', 'insights',
  'health', 'jobs', 'backups', 'sources', 'household', 'settings-appearance', 'big-stage']);

/**
 * @param {string} hash
 * @param {string} ready
 */
async function open(hash, ready) {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}${hash}`);
  await page().locator(ready).first().waitFor();
  await parts.browser.settle();
}

/** What is wider than the window, and controls that a finger misses. Links in sentences are as tall as their line. */
const misfits = () =>
  page().evaluate((least) => {
    const seen = (/** @type {Element} */ element) => element.checkVisibility({ visibilityProperty: true });
    const name = (/** @type {Element} */ element) => element.outerHTML.slice(0, 90);
    /** Whether a row that scrolls by itself, and is no wider than the window, holds it. */
    const isInRow = (/** @type {Element} */ element) => {
      for (let around = element.parentElement; around && around !== document.body; around = around.parentElement) {
        const { left, right } = around.getBoundingClientRect();
        if (getComputedStyle(around).overflowX !== 'visible' && left >= -1 && right <= innerWidth + 1) return true;
      }
      return false;
    };
    const wide = [...document.querySelectorAll('body *:not(.sr-only, .skip, .sprite, .sprite *)')].filter((element) => {
      const { left, right, width } = element.getBoundingClientRect();
      return width > 0 && (right > innerWidth + 1 || left < -1) && seen(element) && !isInRow(element);
    });
    const low = [...document.querySelectorAll('button, a[href], select, input, textarea, summary, [role="tab"]')]
      .filter((control) => {
        const { width, height } = (control.closest('label') ?? control).getBoundingClientRect();
        const isInText = control.matches(
          'p a, small a, li.words a, .words a, .about a, .credit a, .hints a, h2 a, b a',
        );
        return width > 2 && height < least && seen(control) && !control.matches('.skip') && !isInText;
      });
    const sideways = [...document.querySelectorAll('.page, .game-page, .dialog .content, .settings > .scroll')].filter((
      box,
    ) => box.scrollWidth > box.clientWidth + 1);
    return { window: document.documentElement.scrollWidth <= innerWidth, wide: wide.slice(0, 5).map(name),
      low: low.slice(0, 5).map(name), sideways: sideways.map(name) };
  }, FINGER);

for (const screen of SCREENS.filter(({ name }) => LOOKED_AT.includes(name))) {
  test(`${screen.name} fits a phone, and fingers`, async () => {
    await parts.service.ask('/api/settings', { ...PLAIN, ...screen.settings });
    await reachScreen(parts, onPhone(screen));
    await parts.browser.assertSteady(screen.name);
    await touch(parts, screen);
    assert.deepEqual(await misfits(), { window: true, wide: [], low: [], sideways: [] });
    assert.deepEqual(await parts.browser.findings(), []);
  });
}

test('the bar leads to the places, by touch and by keys, and the big screen has none', async () => {
  await parts.service.ask('/api/settings', { ...PLAIN });
  await open('#/', '.tile img.shown');
  const bar = page().locator('.foot-bar');
  const names = await bar.locator('.foot-place').allTextContents();
  assert.deepEqual(names, ['Home', 'Games', 'Search', 'Play queue', 'Menu']);
  const boxes = await Promise.all((await bar.locator('.foot-place').all()).map((place) => place.boundingBox()));
  assert.ok(boxes.every((box) => box && box.height >= 44 && box.width >= 44 && box.y + box.height <= 800));
  await bar.getByRole('link', { name: 'Games', exact: true, includeHidden: false }).and(
    page().locator('[aria-current="page"]'),
  ).waitFor();
  await bar.getByRole('link', { name: 'Play queue' }).tap();
  await page().locator('.queued').first().waitFor();
  await bar.locator('[aria-current="page"]', { hasText: 'Play queue' }).waitFor();
  await page().goBack();
  await page().locator('.tile').first().waitFor();
  // By keys: it is the last part of the page.
  await bar.getByRole('link', { name: 'Home' }).focus();
  await page().keyboard.press('Enter');
  await page().locator('.home-strip .tile').first().waitFor();
  await bar.getByRole('button', { name: 'Search' }).tap();
  await page().locator('dialog.palette').waitFor();
  await page().keyboard.press('Escape');
  await page().locator('dialog.palette').waitFor({ state: 'detached' });
  await open('#/big', '.big-shelf [aria-selected="true"]:focus');
  assert.equal(await bar.isVisible(), false);
});

test('the menu is a sheet: a choice, Escape, back and a press beside it close it', async () => {
  await open('#/', '.tile img.shown');
  const menu = page().getByRole('button', { name: 'Menu', exact: true });
  const sheet = page().locator('#sidebar');
  const isOver = () => page().locator('.app:not(.sidebar-open)').waitFor();
  const show = async () => {
    await menu.tap();
    await sheet.getByRole('link', { name: /Favourites/ }).waitFor();
    assert.equal(await menu.getAttribute('aria-expanded'), 'true');
  };
  await show();
  const box = await sheet.boundingBox();
  assert.ok(box && box.x === 0 && box.width === 400 && box.y > 0, JSON.stringify(box));
  assert.deepEqual(await misfits(), { window: true, wide: [], low: [], sideways: [] });
  assert.deepEqual(await parts.browser.findings(), []);
  await page().keyboard.press('Escape');
  await isOver();
  await page().waitForFunction(() => document.activeElement?.getAttribute('aria-controls') === 'sidebar');
  await show();
  await page().goBack();
  await isOver();
  assert.equal(await page().evaluate(() => location.hash.replace('#', '') || '/'), '/');
  await show();
  await page().touchscreen.tap(200, 12);
  await isOver();
  await show();
  await sheet.getByRole('link', { name: /Favourites/ }).tap();
  await isOver();
  await page().waitForFunction(() => location.hash === '#/?view=favorites');
  // One step back is the library: the sheet left none of its own.
  await page().goBack();
  await page().waitForFunction(() => (location.hash.replace('#', '') || '/') === '/');
  await show();
  await menu.tap();
  await isOver();
});

test('filters and details are sheets, and what they chose stays when they close', async () => {
  await parts.service.ask('/api/settings', { ...PLAIN, ui_filters_open: true });
  await open('#/', '.tile img.shown');
  // The setting is one of larger windows.
  assert.equal(await page().locator('.filters').count(), 0);
  const filters = page().getByRole('button', { name: 'Filters panel' });
  const gone = (/** @type {string} */ name) => page().locator(name).waitFor({ state: 'detached' });
  await filters.tap();
  await page().locator('.filters .count').first().waitFor();
  await parts.browser.assertSteady('filters');
  const box = await page().locator('.filters').boundingBox();
  assert.ok(box && box.width === 400 && Math.round(box.y + box.height) === 800, JSON.stringify(box));
  assert.deepEqual(await misfits(), { window: true, wide: [], low: [], sideways: [] });
  assert.deepEqual(await parts.browser.findings(), []);
  await page().locator('.filters .check', { hasText: 'PlayStation 2' }).first().tap();
  await page().waitForFunction((hash) => location.hash === hash, CHOSEN);
  await page().goBack();
  await gone('.filters');
  assert.equal(await page().evaluate(() => location.hash), CHOSEN);
  await filters.tap();
  await page().locator('.filters .count').first().waitFor();
  await page().keyboard.press('Escape');
  await gone('.filters');
  await filters.tap();
  await page().locator('.filters').waitFor();
  await page().touchscreen.tap(200, 12);
  await gone('.filters');
  assert.equal(await page().evaluate(() => location.hash), CHOSEN);
  await page().locator('.tile').first().tap();
  await page().locator('.details .facts').waitFor();
  assert.deepEqual(await misfits(), { window: true, wide: [], low: [], sideways: [] });
  assert.deepEqual(await parts.browser.findings(), []);
  await page().goBack();
  await gone('.details');
  await page().locator('.tile').first().tap();
  await page().locator('.details [data-focus="page"]').tap();
  await page().locator('.game-page .tab-list').waitFor();
  await page().goBack();
  await page().waitForFunction((hash) => location.hash === hash, CHOSEN);
});

test('a message stands above the bar, and chosen games have one row of buttons', async () => {
  await parts.service.ask('/api/settings', { ...PLAIN });
  await open('#/', '.tile img.shown');
  await page().route('**/api/favorite',
    (route) => route.fulfill({ status: 409, json: { error: 'Not now.', code: 'CONFLICT', request_id: 'a' } }));
  await page().locator('.tile').first().focus();
  await page().keyboard.press('f');
  await page().locator('.toast').waitFor();
  const [toast, bar] = await Promise.all(['.toast', '.foot-bar'].map((name) => page().locator(name).boundingBox()));
  assert.ok(toast && bar && toast.y + toast.height <= bar.y, JSON.stringify([toast, bar]));
  await page().locator('.toast .icon-button').tap();
  await page().unroute('**/api/favorite');
  await page().locator('.tile').first().focus();
  await page().keyboard.press('Control+a');
  await page().locator('.bulk-acts .button').first().waitFor();
  const rows = await page().evaluate(() => {
    const tops = [...document.querySelectorAll('.bulk-acts .button')].filter((each) => each.checkVisibility()).map((
      each,
    ) => Math.round(each.getBoundingClientRect().top));
    return [...new Set(tops)].map((top) => tops.filter((each) => each === top).length);
  });
  assert.deepEqual(rows, [6]);
  assert.deepEqual(await misfits(), { window: true, wide: [], low: [], sideways: [] });
});

test('found pictures leave the keyboard of the screen closed, until their field is touched', async () => {
  await open('#/moments/inbox', '.inbox-games [role="option"]');
  const isTyping = () => page().evaluate(() => document.activeElement?.matches('.inbox input') ?? false);
  assert.equal(await isTyping(), false);
  await page().locator('.inbox-strip button').nth(1).tap();
  await page().locator('.inbox-strip [aria-current]').waitFor();
  assert.equal(await isTyping(), false);
  await page().getByRole('combobox', { name: 'Which game is this?' }).tap();
  assert.equal(await isTyping(), true);
});

test('the page of a game has its tabs on the first screen, and the named one is seen', async () => {
  await open(`#/game/${HERO}?tab=related`, '.card');
  const tab = await page().locator('[role="tab"][aria-selected="true"]').boundingBox();
  assert.ok(tab && tab.x >= 0 && tab.x + tab.width <= 400 && tab.y + tab.height < 744, JSON.stringify(tab));
  const [cover, title] = await Promise.all(
    ['.lead .art', '.game-page h1'].map((name) => page().locator(name).boundingBox()),
  );
  assert.ok(cover && title && title.x >= cover.x + cover.width && title.y < cover.y + cover.height);
  // Going on comes late, and moves nothing.
  await open(`#/game/${RESUMABLE}`, '[data-focus="anew"]');
  const tabs = await page().locator('.tab-list').boundingBox();
  assert.ok(tabs && tabs.y + tabs.height < 744, JSON.stringify(tabs));
});

test('the tabs of a game wait for what can be gone on with', async () => {
  /** @type {(() => void) | null} */
  let answer = null;
  await page().route('**/api/v2/resume/status**', async (route) => {
    await new Promise((resolve) => {
      answer = () => resolve(null);
    });
    await route.continue();
  });
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/game/${RESUMABLE}`);
  await page().locator('.game-page .play').waitFor();
  await page().waitForFunction(() => document.querySelector('.game-page .wait') !== null);
  assert.equal(await page().locator('.tab-list').count(), 0);
  const isAsked = () => answer !== null;
  while (!isAsked()) await page().evaluate(() => new Promise(requestAnimationFrame));
  /** @type {() => void} */ (/** @type {unknown} */ (answer))();
  await page().locator('.tab-list').waitFor();
  await page().locator('[data-focus="anew"]').waitFor();
  await page().unroute('**/api/v2/resume/status**');
});

test('the page of a game stands as soon as its row is here, whatever else is asked', async () => {
  /** @type {import('playwright-core').Route[]} */
  const worker = [];
  /** @type {import('playwright-core').Route[]} */
  const resume = [];
  await page().route('**/catalog-worker.js', (route) => void worker.push(route));
  await page().route('**/api/v2/resume/status**', (route) => void resume.push(route));
  const record = page().waitForResponse((response) => response.url().includes('/api/library/delta'));
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/game/${RESUMABLE}`);
  await (await record).finished();
  await page().evaluate(() => new Promise(requestAnimationFrame));
  for (const route of worker) await route.continue();
  await page().locator('.game-page .play').waitFor();
  assert.equal(await page().locator('.tab-list').count(), 0);
  for (const route of resume) await route.continue();
  await page().locator('.tab-list').waitFor();
  await page().unrouteAll({ behavior: 'ignoreErrors' });
});

test('the chosen star stands below its map', async () => {
  await parts.service.ask('/api/settings', { ...PLAIN });
  await open('#/insights/stars', '.star-list li');
  const [map, card, list] = await Promise.all(
    ['.star-map > canvas', '.star-card', '.star-list'].map((name) => page().locator(name).boundingBox()),
  );
  assert.ok(map && card && list && map.height >= 300 && card.y >= map.y + map.height && list.y >= card.y + card.height,
    JSON.stringify([map, card, list]));
  await parts.browser.shoot('stars');
  assert.deepEqual(await misfits(), { window: true, wide: [], low: [], sideways: [] });
});

test('nothing speaks of keys where there are none', async () => {
  await open('#/play', '.queued');
  assert.equal(await page().evaluate(() => matchMedia('(hover: none) and (pointer: coarse)').matches), true);
  const shown = await page().evaluate(() =>
    [...document.querySelectorAll('.kbd, .key-hint')].filter((each) => each.checkVisibility()).length
  );
  assert.equal(shown, 0);
});

test('the page can be put on the home screen', async () => {
  await open('#/', '.tile');
  const found = await page().evaluate(async () => {
    const link = /** @type {HTMLLinkElement} */ (document.querySelector('link[rel="manifest"]'));
    const response = await fetch(link.href);
    /** @type {{name: string, start_url: string, display: string, icons: {src: string, type: string}[]}} */
    const manifest = await response.json();
    const icons = await Promise.all(manifest.icons.map(async ({ src, type }) => {
      const icon = await fetch(src);
      return icon.ok && (icon.headers.get('content-type') ?? '').startsWith(type);
    }));
    return { type: response.headers.get('content-type'), name: manifest.name, start: manifest.start_url,
      display: manifest.display, icons };
  });
  assert.match(found.type ?? '', /^application\/manifest\+json/);
  assert.deepEqual({ ...found, type: '' }, { type: '', name: 'Service Launcher', start: '/', display: 'standalone',
    icons: [true, true, true, true] });
  const session = await page().context().newCDPSession(page());
  const { errors } = await session.send('Page.getAppManifest');
  assert.deepEqual(errors, []);
  await session.detach();
});
