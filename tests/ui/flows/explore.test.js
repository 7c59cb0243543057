import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { test } from 'node:test';

import { DEMO_ENV, furnish, writeDemo } from '../support/demo.js';
import { Pad } from '../support/gamepad.js';
import { keysOf } from '../support/keys.js';
import { scene } from '../support/scene.js';

const parts = scene({ prepare: writeDemo, furnish, env: DEMO_ENV });

const { until } = keysOf(parts);

const page = () => parts.browser.page;

/** @param {string} hash */
async function open(hash) {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}${hash}`);
}

/** @type {Promise<Pad> | undefined} */
let installed;

/** The controller, which is put into the window once. */
const controller = () => installed ??= Pad.install(page());

const query = () => page().evaluate(() => new URLSearchParams(location.hash.split('?')[1] ?? '').get('say') ?? '');

test('a search is understood, and each thing of it can be taken away', async () => {
  await open('#/');
  await page().locator('.tile').first().waitFor();
  await page().getByRole('searchbox').fill('puzzle from the 90s');
  await page().locator('.chips [data-focus="say-offer"]').click();
  await page().getByRole('heading', { level: 1, name: 'Games that match' }).waitFor();
  const { match_count: count } =
    /** @type {Reply.ParsedPhrase} */ (await parts.service.ask('/api/v2/library/query/parse', {
      query: 'puzzle from the 90s',
    }));
  await until(() => page().locator('.tile').count(), (shown) => shown === count);
  await page().getByRole('button', { name: /Year: 1990–1999/ }).click();
  await until(query, (say) => say !== '' && !say.includes('1990'));
  await until(() => page().locator('.tile').count(), (shown) => shown > count);
  await page().getByRole('button', { name: /Genre/ }).click();
  await page().getByRole('heading', { level: 1, name: 'All games' }).waitFor();
  await page().getByRole('searchbox').fill('games like The Lantern Archive');
  await page().locator('.empty').getByRole('button', { name: /^Search by meaning/ }).click();
  await page().locator('.chips .chip', { hasText: 'Like The Lantern Archive' }).waitFor();
  await page().locator('.tile').first().waitFor();
});

test('two sliders and a wheel choose a game', async () => {
  await open('#/home');
  await page().getByRole('button', { name: 'What shall I play?' }).click();
  const dialog = page().getByRole('dialog', { name: 'What shall I play?' });
  await dialog.locator('.pick-cards li').first().waitFor();
  await dialog.getByLabel('Mood').fill('3');
  await dialog.getByText('Something old', { exact: true }).waitFor();
  // An answer that is late does not take away what the wheel says.
  let isLate = false;
  await page().route('**/api/v2/library/pick', async (route) => {
    const response = await route.fetch();
    await until(() => dialog.locator('[data-focus="spin"][aria-busy="true"]').count(), (count) => count === 1);
    isLate = true;
    await route.fulfill({ response });
  }, { times: 1 });
  await dialog.getByLabel('Mood').fill('4');
  await dialog.getByRole('button', { name: 'Spin the wheel' }).click();
  await dialog.getByText(/^The wheel says: /).waitFor();
  assert.equal(isLate, true);
  await dialog.locator('.won').waitFor();
  await dialog.locator('.won a').click();
  await page().locator('.game-page h1').waitFor();
});

test('the year is told in cards, by a controller too, and saved as a picture', async () => {
  const pad = await controller();
  await open('#/insights/year');
  await page().getByRole('button', { name: 'Show as cards' }).click();
  const card = page().locator('.year-card.whole');
  await card.getByText(/^Your year/).waitFor();
  await page().getByRole('button', { name: 'Next picture' }).click();
  await card.getByText('Most played').waitFor();
  await pad.connect();
  await pad.press('left');
  await card.getByText(/^Your year/).waitFor();
  const saved = page().waitForEvent('download');
  await page().locator('.year-dialog').getByRole('button', { name: 'Save as picture' }).click();
  assert.match((await saved).suggestedFilename(), /^\d{4}\.png$/);
  await pad.press('back');
  await card.waitFor({ state: 'detached' });
});

test('the constellation is flown through by pointer and controller', async () => {
  const pad = await controller();
  await open('#/insights/stars');
  await page().locator('.star-list button').nth(3).click();
  const name = (await page().locator('.star-list button').nth(3).locator('b').textContent()) ?? '';
  const shown = async () => (await page().locator('.star-card .grow b').textContent()) ?? '';
  await until(shown, (now) => now === name);
  const [map, card] = await Promise.all(
    ['.star-map', '.star-card'].map((place) => page().locator(place).boundingBox()),
  );
  assert.ok(map && card && card.x >= map.x + map.width, 'the card covers no star');
  await page().getByRole('application', { name: 'Map of the games' }).focus();
  await page().mouse.move(600, 500);
  await page().mouse.wheel(0, -300);
  await page().mouse.down();
  await page().mouse.move(640, 520);
  await page().mouse.up();
  await pad.connect();
  await pad.press('left');
  await until(shown, (now) => now !== name);
  await pad.press('play');
  await page().locator('.game-page h1').waitFor();
});

test('the score shows its parts, their findings and a repair before it is done', async () => {
  await open('#/health/score');
  await page().locator('.ring-words b').waitFor();
  const report = /** @type {Reply.HealthReport} */ (await parts.service.ask('/api/v2/library/health'));
  assert.equal(await page().locator('.ring-words b').textContent(), String(report.score));
  await page().getByRole('button', { name: /^Artwork \d+ findings/ }).click();
  await page().locator('.issues h2', { hasText: 'Artwork' }).waitFor();
  await page().getByText(/^1 to 25 of/).waitFor();
  await page().getByRole('button', { name: 'Next page' }).click();
  await page().getByText(/^26 to 50 of/).waitFor();
  await page().getByRole('button', { name: /^Files \d+ findings/ }).click();
  await page().locator('.issues').getByRole('button', { name: 'Repair all…' }).click();
  const dialog = page().getByRole('dialog', { name: 'Repair: Files' });
  await dialog.getByText(/Name the folder/).waitFor();
  await dialog.getByRole('textbox').fill('/nowhere/at/all');
  await dialog.getByRole('button', { name: 'Look there' }).click();
  await dialog.locator('.error', { hasText: /./ }).waitFor();
  const gone = [7, 26, 45].map((index) => `game-${index.toString(16).padStart(24, '0')}`);
  const { games } = await parts.service.ask(`/api/library/delta?ids=${gone.join()}`);
  for (const { path } of games) parts.scratch.file(`found/${basename(String(path))}`, 'a game');
  await dialog.getByRole('textbox').fill(`${parts.scratch.root}/found`);
  await dialog.getByRole('button', { name: 'Look there' }).click();
  await dialog.locator('.rows li').nth(2).waitFor();
  await dialog.getByRole('button', { name: 'Repair', exact: true }).click();
  await page().getByText('Repaired: Files.').first().waitFor();
  await until(async () => page().getByRole('button', { name: /^Files 0 findings 100 of 100 · 35%/ }).count(),
    (found) => found === 1);
  await page().getByRole('button', { name: 'Undo' }).click();
  await page().getByText('Repair undone.').first().waitFor();
  await page().getByRole('button', { name: /^Files \d+ findings 0 of 100 · 35%/ }).waitFor();
});
