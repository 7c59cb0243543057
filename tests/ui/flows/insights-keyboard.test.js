import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hands } from '../support/hands.js';
import { writeLibrary } from '../support/library.js';
import { scene } from '../support/scene.js';

const parts = scene({ prepare: (scratch) => writeLibrary(scratch, 60, { history: 300 }) });
const { press, focus, tab, walk, goTo, until, open, enter } = hands(parts);

const page = () => parts.browser.page;

test('charts are walked with the arrows, and the table opens by Enter', async () => {
  await open();
  await page().locator('.tile').first().waitFor();
  await goTo('Statistics');
  const plot = page().getByRole('slider', { name: 'Weekdays' });
  await plot.waitFor();
  await tab(/^Weekdays$/);
  const said = () => plot.getAttribute('aria-valuetext');
  await until(said, (words) => words?.startsWith('Monday: ') === true);
  await press('ArrowRight', 'ArrowRight');
  await until(said, (words) => words?.startsWith('Wednesday: ') === true);
  await press('End', 'ArrowRight');
  await until(said, (words) => words?.startsWith('Sunday: ') === true);
  await press('Tab');
  await focus(/^Table: Weekdays$/);
  await press('Enter');
  await page().getByRole('row', { name: /^Sunday/ }).waitFor();
  assert.equal(`Sunday: ${await page().getByRole('row', { name: /^Sunday/ }).locator('td').textContent()}`,
    await said());
});

test('days of the year are walked by day and by week', async () => {
  await open('#/insights');
  const plot = page().getByRole('slider', { name: 'The last year by day' });
  await plot.waitFor();
  await tab(/^The last year by day$/);
  const at = () => plot.getAttribute('aria-valuenow');
  assert.equal(await at(), '365');
  await press('ArrowLeft');
  await until(at, (now) => now === '358');
  await press('ArrowUp');
  await until(at, (now) => now === '357');
  await press('Home');
  await until(at, (now) => now === '0');
});

test('other games are suggested by keys', async () => {
  await open('#/insights');
  await page().getByRole('tab', { name: 'Overview' }).waitFor();
  await tab(/^Overview$/);
  await walk('ArrowRight', /^Play next$/);
  const radio = () =>
    parts.service.ask('/api/v2/insights/radio').then((answer) =>
      /** @type {Reply.RadioReply} */ (answer).playlist.picks.map(({ game_id: id }) => id).join()
    );
  await page().locator('[data-focus="radio"]').waitFor();
  const before = await radio();
  await enter(/^Suggest others$/);
  const after = await until(radio, (now) => now !== before).then(radio);
  await page().locator(`[data-focus="radio-${after.split(',')[0]}"]`).waitFor();
  await focus(/^Suggest others$/);
});

test('the trophies are reached by the tabs', async () => {
  await open('#/insights');
  await page().getByRole('tab', { name: 'Overview' }).waitFor();
  await tab(/^Overview$/);
  await walk('ArrowRight', /^Trophies$/);
  await page().locator('[data-key="first_launch"].awarded').waitFor();
});

test('the story of a game is reached by its tabs', async () => {
  await open('#/game/game-000000000000000000000007');
  await page().getByRole('tab', { name: 'About' }).waitFor();
  await tab(/^About$/);
  await walk('ArrowRight', /^Sessions$/);
  await page().locator('.story').getByText('Longest session', { exact: true }).waitFor();
});
