import assert from 'node:assert/strict';

import { Pad } from '../support/gamepad.js';
import { keysOf } from '../support/keys.js';
import { scene } from '../support/scene.js';
import { writeLibrary } from '../support/library.js';
import { testWithLooks } from '../support/looks.js';
import { walkRegions } from '../support/walk.js';

const parts = scene({ prepare: (scratch) => writeLibrary(scratch, 60, { history: 12 }) });
const test = testWithLooks(parts);
const { until } = keysOf(parts);
/** @type {Pad} */
let pad;

const GAME = 'game-00000000000000000000000c';

/** Screens, what shows that they are there, and the fewest parts the user would tell apart. */
const SCREENS = /** @type {const} */ ([
  ['library', '#/', '.tile', 4],
  ['home', '#/home', '.tile, .home a', 4],
  ['game', `#/game/${GAME}`, '.game-page .facts', 5],
  ['game media', `#/game/${GAME}?tab=media`, '.game-page [role="tabpanel"]', 5],
  ['jobs', '#/jobs', '.page h1', 4],
  ['play queue', '#/play', '.page h1', 4],
  ['history', '#/history', '.entry', 4],
  ['journal', '#/history/journal', '.page h1', 4],
  ['trash', '#/history/trash', '.page h1', 4],
  ['health', '#/health', '.page h1', 4],
  ['saves', '#/saves', '.page h1', 4],
  ['backups', '#/backups', '.page h1', 4],
  ['webhooks', '#/webhooks', '.page h1', 4],
  ['settings', '#/settings', '.setting', 5],
  ['settings for controllers', '#/settings/bigscreen', '.pad-map', 5],
  ['stores', '#/stores', '.page h1', 4],
  ['emulators', '#/emulators', '.page h1', 4],
  ['setup', '#/setup', '.setup-sources .step-acts', 4],
  ['plugins', '#/plugins', '.plugins .empty', 4],
  ['themes', '#/themes', '.swatches li:nth-child(9)', 5],
  ['party', '#/party', '.party-setup', 4],
  ['household', '#/household', '.household .empty', 4],
]);

/** @param {string} hash */
async function open(hash) {
  const { page } = parts.browser;
  pad ??= await Pad.install(page);
  await page.goto('about:blank');
  await page.goto(`${parts.service.address}${hash}`);
}

for (const [name, hash, ready, least] of SCREENS) {
  test(`${name}: every control is reached by controller, and the way back`, async () => {
    await open(hash);
    await parts.browser.page.locator(ready).first().waitFor();
    await parts.browser.settle();
    await pad.connect();
    await pad.press('down');
    const regions = await walkRegions(parts.browser.page, pad);
    assert.ok(regions >= least, `${regions} regions`);
  });
}

test('a screen that was gone to by controller is steered at once', async () => {
  const { page } = parts.browser;
  await open('#/');
  await page.locator('.tile').first().waitFor();
  await pad.connect();
  for (const [name, hash, ready] of SCREENS.slice(1)) {
    await page.evaluate((place) => {
      location.hash = place;
    }, hash);
    await page.locator(ready).first().waitFor();
    await until(async () => {
      await pad.press('down');
      return page.evaluate(() =>
        document.activeElement?.id !== 'main' && document.querySelector('#main')?.contains(document.activeElement)
      );
    }, Boolean).catch(() => assert.fail(`${name}: the focus stays on the screen itself`));
  }
});

test('a direction that is pressed before a screen has controls does not leave it', async () => {
  const { page } = parts.browser;
  await open('#/');
  await page.locator('.tile').first().waitFor();
  await pad.connect();
  /** @type {import('playwright-core').Route[]} */
  const held = [];
  await page.route('**/api/emulators?*', (route) => void held.push(route));
  await page.evaluate(() => {
    location.hash = '#/emulators';
  });
  await page.locator('.page h1').waitFor();
  await until(async () => held.length > 0, Boolean);
  await pad.press('down');
  assert.equal(await page.evaluate(() => document.querySelector('#sidebar')?.contains(document.activeElement)), false);
  for (const route of held) await route.continue();
  await page.unroute('**/api/emulators?*');
  await page.locator('.page :is(a, button, input, select, summary):visible').first().waitFor();
  await pad.press('down');
  assert.equal(
    await page.evaluate(() => document.activeElement?.matches('.page :is(a, button, input, select, summary)')),
    true,
  );
});

for (const size of [8, 16, 40]) {
  test(`home: up and down keep to the column of the games where headings are ${size} pixels tall`, async () => {
    const { page } = parts.browser;
    await open('#/home');
    await page.evaluate((height) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(`.home-head * { font-size: ${height}px !important; line-height: 1 !important; }`);
      document.adoptedStyleSheets.push(sheet);
    }, size);
    await page.locator('.home-row').nth(3).waitFor();
    await parts.browser.settle();
    await pad.connect();
    await page.locator('.home-strip').first().locator('.tile').nth(1).focus();
    const place = () =>
      page.evaluate(() => {
        const tile = /** @type {Element} */ (document.activeElement);
        return [[...document.querySelectorAll('.home-strip')].indexOf(/** @type {Element} */ (tile.parentElement)),
          Math.round(tile.getBoundingClientRect().left)];
      });
    const rows = [...Array(await page.locator('.home-strip').count()).keys()];
    const [, column] = await place();
    for (const [direction, order]
      of /** @type {const} */ ([['down', rows.slice(1)], ['up', rows.slice(0, -1).reverse()]])) {
      for (const row of order) {
        await pad.press(direction);
        assert.deepEqual(await place(), [row, column], `${direction} to row ${row}`);
      }
    }
  });
}

test('home: the link of a row is above its last game, and leads back to it', async () => {
  const { page } = parts.browser;
  await open('#/home');
  const row = page.locator('.home-row').nth(1);
  await row.waitFor();
  await parts.browser.settle();
  await pad.connect();
  await row.locator('.tile').last().focus();
  await pad.press('up');
  await row.locator('.home-head a:focus').waitFor();
  await pad.press('down');
  await row.locator('.tile:last-child:focus').waitFor();
});
