import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DEMO_ENV, furnish, writeDemo } from '../support/demo.js';
import { scene } from '../support/scene.js';
import { PLAIN } from '../support/screens.js';

const parts = scene({ touch: true, prepare: writeDemo, furnish, env: DEMO_ENV });
const page = () => parts.browser.page;
const title = () => page().locator('.big-info h2').textContent();

/** @param {string | null} before */
const waitOther = (before) =>
  page().waitForFunction((name) => document.querySelector('.big-info h2')?.textContent !== name, before);

/**
 * Draws a finger over the screen and lets it rest before it leaves, so that nothing goes on by itself.
 *
 * @param {[number, number]} from
 * @param {[number, number]} to
 */
async function swipe([fromX, fromY], [toX, toY]) {
  const session = await page().context().newCDPSession(page());
  const steps = 12;
  let time = Date.now() / 1000;
  const touch = (/** @type {'touchStart' | 'touchMove' | 'touchEnd'} */ type, /** @type {number | null} */ part,
    wait = 0.02) => {
    time += wait;
    return session.send('Input.dispatchTouchEvent', { type, timestamp: time,
      touchPoints: part === null ? [] : [{ x: fromX + (toX - fromX) * part, y: fromY + (toY - fromY) * part }] });
  };
  await touch('touchStart', 0);
  for (let step = 1; step <= steps; step += 1) await touch('touchMove', step / steps);
  await touch('touchMove', 1, 0.3);
  await touch('touchEnd', null, 0.3);
  await session.detach();
}

/** @param {string} layout */
async function open(layout) {
  await parts.service.ask('/api/settings', { ...PLAIN, bigscreen_mode: layout });
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/big`);
  await page().locator('.big-shelf [aria-selected="true"]:focus').waitFor();
}

/** @param {string} selector */
async function middle(selector) {
  const box = await page().locator(selector).boundingBox();
  assert.ok(box, selector);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2, width: box.width, height: box.height };
}

for (const layout of ['stage', 'coverflow']) {
  test(`${layout}: a finger draws the row, and a tap chooses and opens`, async () => {
    await open(layout);
    const first = await title();
    const { x, y } = await middle('.big-flow');
    await swipe([x + 150, y], [x - 150, y]);
    await waitOther(first);
    const second = await title();
    await swipe([x - 300, y], [x + 300, y]);
    await waitOther(second);
    const here = await title();
    const card = await middle('.big-card[data-at="1"]');
    await page().touchscreen.tap(card.x, card.y);
    await waitOther(here);
    await page().getByRole('button', { name: 'Details' }).tap();
    await page().locator('dialog.big-details').waitFor();
    await page().getByRole('button', { name: 'Close', exact: true }).tap();
    await page().locator('dialog.big-details').waitFor({ state: 'detached' });
  });
}

test('hybrid: a finger scrolls the grid and taps a game', async () => {
  await open('hybrid');
  const before = await title();
  const { x, y, height } = await middle('.big-grid');
  await swipe([x, y + height / 4], [x, y - height / 4]);
  await page().waitForFunction(() => Number(document.querySelector('.big-grid')?.scrollTop) > 40);
  assert.equal(await title(), before, 'scrolling chooses nothing');
  const chosen = await page().evaluate(() => {
    const grid = /** @type {Element} */ (document.querySelector('.big-grid')).getBoundingClientRect();
    const seen = [...document.querySelectorAll('.big-tile:not([aria-selected="true"])')].map((tile) =>
      tile.getBoundingClientRect()
    ).find((box) => box.top > grid.top && box.bottom < grid.bottom);
    return seen ? { x: seen.x + seen.width / 2, y: seen.y + seen.height / 2 } : null;
  });
  assert.ok(chosen);
  await page().touchscreen.tap(chosen.x, chosen.y);
  await waitOther(before);
  await page().locator('.big-tile[aria-selected="true"]:focus').waitFor();
});

test('a finger reaches the rail, the menu and the keyboard on the screen', async () => {
  await open('stage');
  await page().locator('.big-rail').getByRole('button', { name: 'SNES' }).tap();
  await page().getByRole('heading', { level: 1, name: 'SNES' }).waitFor();
  await page().getByRole('button', { name: 'Search' }).first().tap();
  const keyboard = page().getByRole('dialog', { name: 'Search' });
  await keyboard.waitFor();
  for (const key of ['l', 'a']) await keyboard.getByRole('button', { name: key, exact: true }).tap();
  await keyboard.getByRole('button', { name: 'Done' }).tap();
  await page().waitForFunction(() => location.hash.includes('q=la'));
  await page().getByRole('button', { name: 'Menu' }).tap();
  await page().getByRole('dialog', { name: 'Menu' }).waitFor();
  await page().getByRole('button', { name: 'Close', exact: true }).tap();
  const small = await page().evaluate(() =>
    [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('.big button'))].map((control) => ({ control,
      box: control.getBoundingClientRect() })
    )
      .filter(({ box }) => box.width > 0 && (box.width < 44 || box.height < 44)).map(({ control }) =>
        control.outerHTML.slice(0, 80)
      )
  );
  assert.deepEqual(small, [], 'too small for a finger');
});
