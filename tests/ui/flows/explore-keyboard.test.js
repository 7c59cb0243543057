import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DEMO_ENV, furnish, writeDemo } from '../support/demo.js';
import { hands } from '../support/hands.js';
import { scene } from '../support/scene.js';

const parts = scene({ prepare: writeDemo, furnish, env: DEMO_ENV });

const { press, type, focus, heard, tab, until, open } = hands(parts);

const page = () => parts.browser.page;

test('Enter searches by meaning where no game is called so', async () => {
  await open('#/');
  await page().locator('.tile').first().waitFor();
  await press('Control+f');
  await type('unplayed puzzle from the 90s');
  await page().locator('.empty').waitFor();
  await press('Enter');
  await page().getByRole('heading', { level: 1, name: 'Games that match' }).waitFor();
  await page().locator('.chips .chip', { hasText: 'Unplayed' }).waitFor();
  await tab(/^Remove filter: Unplayed|Unplayed/);
  await press('Enter');
  await page().locator('.chips .chip', { hasText: 'Unplayed' }).waitFor({ state: 'detached' });
});

test('the sliders are moved and the wheel is turned by keys', async () => {
  await open('#/home');
  await page().locator('.home-strip .tile').first().waitFor();
  await tab(/^What shall I play/);
  await press('Enter');
  await focus(/^Time/);
  await press('ArrowLeft');
  await page().locator('.pick output', { hasText: '45 min' }).waitFor();
  await tab(/^Spin the wheel/);
  await press('Enter');
  await heard(/^The wheel says: /);
  await focus(/^Play: /);
  await press('Escape');
  await focus(/^What shall I play/);
});

test('the cards of a year are leafed through with the arrows', async () => {
  await open('#/insights/year');
  await page().locator('.year-months').waitFor();
  await tab(/^Show as cards/);
  await press('Enter');
  await focus(/^Next picture/);
  await press('ArrowRight');
  await page().locator('.year-card.whole', { hasText: 'Most played' }).waitFor();
  await press('ArrowLeft', 'End');
  // Which card is the last one depends on the day: a figure that is zero has none.
  await page().locator('.year-acts .after[aria-disabled="true"]').waitFor();
  assert.equal(await page().locator('.year-dots li:not(.seen)').count(), 0);
  await press('Escape');
  await focus(/^Show as cards/);
});

test('arrows go from star to star, and the list beside them says the same', async () => {
  await open('#/insights/stars');
  await page().locator('.star-list li').first().waitFor();
  await tab(/^Map of the games/);
  const shown = () => page().locator('.star-card .grow b').textContent();
  const before = await shown();
  await until(async () => {
    await press('ArrowRight', 'ArrowDown');
    return shown();
  }, (now) => now !== before);
  await press('+', '-', '0');
  await tab(/connection/);
  const first = (await page().locator('.star-list b').first().textContent()) ?? '';
  await until(shown, (now) => now === first);
  await press('Enter');
});

test('findings of the score are paged and their repair is looked at by keys', async () => {
  await open('#/health/score');
  await page().locator('.ring-words b').waitFor();
  await tab(/^Artwork ?\d+ findings/);
  await press('Enter');
  await page().getByText(/^1 to 25 of/).waitFor();
  await tab(/^Next page/);
  await press('Enter');
  await page().getByText(/^26 to 50 of/).waitFor();
  await focus(/^Next page/);
  await tab(/^Files ?\d+ findings/);
  await press('Enter');
  await tab(/^Repair all… Files/);
  await press('Enter');
  await page().getByRole('dialog', { name: 'Repair: Files' }).waitFor();
  await press('Escape');
  await focus(/^Repair all… Files/);
});
