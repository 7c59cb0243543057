import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Pad } from '../support/gamepad.js';
import { keysOf } from '../support/keys.js';
import { writeLibrary } from '../support/library.js';
import { scene } from '../support/scene.js';

const parts = scene({ prepare: (scratch) => writeLibrary(scratch, 60, { history: 300 }) });
const { until } = keysOf(parts);

const page = () => parts.browser.page;

/** @param {string} [tab] */
async function open(tab = '') {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/insights${tab}`);
}

/** @param {string} key */
const chart = (key) => page().locator(`[data-key="chart-${key}"]`);

test('charts tell their marks to the pointer, and a table says the same', async () => {
  await open();
  await chart('weekdays').waitFor();
  await chart('weekdays').locator('[data-at="2"]').hover();
  await chart('weekdays').locator('.chart-tip[data-words^="Wednesday: "]').waitFor();
  await chart('weekdays').locator('summary').click();
  const wednesday = chart('weekdays').getByRole('row', { name: /^Wednesday/ });
  await wednesday.waitFor();
  const told = await chart('weekdays').locator('.chart-tip').getAttribute('data-words');
  assert.equal(`Wednesday: ${await wednesday.locator('td').textContent()}`, told);
  // Every second that the history has is in one of the seven days.
  const { heatmap } = /** @type {Reply.InsightSummary} */ (await parts.service.ask('/api/v2/insights/summary'));
  assert.equal(await chart('year').locator('[data-at]').count(), heatmap.length);
  assert.equal(await chart('year').locator('tbody tr').count(), heatmap.filter(({ level }) => level > 0).length);
  await page().locator('.cards a.card').first().click();
  await page().locator('.game-page h1').waitFor();
  await page().goBack();
  await chart('year').waitFor();
});

test('a game that was left is put aside, and takes no place any more', async () => {
  await open('/next');
  const first = page().getByRole('button', { name: /^Put aside/ }).first();
  await first.waitFor();
  const name = ((await first.getAttribute('aria-label')) ?? '').replace(/^Put aside: /, '');
  const key = (await first.getAttribute('data-focus')) ?? '';
  await first.click();
  await page().getByText(`${name} is put aside.`, { exact: true }).first().waitFor();
  await page().locator(`[data-focus="${key}"]`).waitFor({ state: 'detached' });
  const { radar } = /** @type {Reply.RadarReply} */ (await parts.service.ask('/api/v2/insights/radar'));
  assert.ok([...radar.winnable, ...radar.park].every(({ game_id: id }) => `park-${id}` !== key));
});

test('the wall shows what was awarded and how far the others are', async () => {
  await open('/trophies');
  await page().locator('.trophies li').first().waitFor();
  const { trophies } = /** @type {Reply.Trophies} */ (await parts.service.ask('/api/v2/insights/trophies'));
  assert.equal(await page().locator('.trophies li').count(), trophies.length);
  assert.equal(await page().locator('.trophies .awarded').count(), trophies.filter(({ awarded }) => awarded).length);
  await page().locator('[data-key="first_launch"].awarded').waitFor();
  await page().locator('[data-key="collector"] small', { hasText: '60 of 100' }).waitFor();
});

test('a controller goes along a chart, and past its end to what is beside it', async () => {
  const pad = await Pad.install(page());
  await open();
  await chart('hours').waitFor();
  await pad.connect();
  const plot = chart('hours').getByRole('slider');
  await plot.focus();
  const at = async () => Number(await plot.getAttribute('aria-valuenow'));
  await pad.press('right', 'right');
  await until(at, (now) => now === 2);
  await pad.press('left');
  await until(at, (now) => now === 1);
  await until(async () => {
    await pad.press('down');
    return page().evaluate(() => document.activeElement?.getAttribute('data-focus') ?? '');
  }, (focus) => focus !== '' && focus !== 'chart-hours');
});

/** A game with sessions, and the events of its story. */
const GAME = 'game-000000000000000000000007';
const story = async () =>
  /** @type {Reply.GameStory} */ (await parts.service.ask(`/api/v2/story?game_id=${GAME}`)).events;

test('a game tells its story on its page', async () => {
  const events = await story();
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/game/${GAME}`);
  await page().getByRole('tab', { name: 'Sessions' }).click();
  await page().locator('.story li').first().waitFor();
  assert.equal(await page().locator('.story li').count(), events.length);
  assert.deepEqual(
    await page().locator('.story time').evaluateAll((times) => times.map((time) => time.getAttribute('datetime'))),
    events.map(({ at }) => at).filter(Boolean),
  );
  await page().locator('.story').getByText('First played', { exact: true }).waitFor();
  await page().locator('.story').getByText('Longest session', { exact: true }).waitFor();
});
