import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DEMO_ENV, furnish, HERO, writeDemo } from '../support/demo.js';
import { scene } from '../support/scene.js';
import { PLAIN } from '../support/screens.js';

const parts = scene({ touch: true, width: 844, height: 390, prepare: writeDemo, furnish, env: DEMO_ENV });

const page = () => parts.browser.page;

/** A phone on its side, and a window that is little more than a strip. */
const WINDOWS = Object.freeze(/** @type {const} */ ([[844, 390], [640, 400]]));

/**
 * @param {readonly [number, number]} size
 * @param {string} hash
 * @param {string} ready
 * @param {Record<string, unknown>} [settings]
 */
async function open([width, height], hash, ready, settings = {}) {
  await parts.service.ask('/api/settings', { ...PLAIN, ...settings });
  await page().setViewportSize({ width, height });
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}${hash}`);
  await page().locator(ready).first().waitFor();
  await parts.browser.settle();
}

for (const size of WINDOWS) {
  for (const layout of ['stage', 'coverflow', 'hybrid']) {
    test(`${layout} in ${size.join(' x ')}: nothing lies over anything, and a cover is seen`, async () => {
      await open(size, '#/big', '.big .big-shelf img.shown', { bigscreen_mode: layout });
      const { over, cover } = await page().evaluate(() => {
        const boxes = ['.big-top', '.big-rail', '.big-name', '.big-line', '.big-acts', '.big-shelf'].map((
          name,
        ) => /** @type {const} */ ([name,
          /** @type {Element} */ (document.querySelector(name)).getBoundingClientRect()])
        );
        const meet = (/** @type {DOMRect} */ a, /** @type {DOMRect} */ b) =>
          Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
          Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
        const active = document.querySelector('.big-shelf [aria-selected="true"] .art')?.getBoundingClientRect();
        return {
          over: boxes.flatMap(([name, box], at) =>
            boxes.slice(at + 1).filter(([, other]) => meet(box, other)).map(([other]) => `${name} ${other}`)
          ),
          cover: active ? Math.min(active.bottom, innerHeight) - Math.max(active.top, 0) : 0,
        };
      });
      assert.deepEqual(over, []);
      assert.ok(cover > 100, `${cover} px of the cover`);
      assert.deepEqual(await parts.browser.findings(), []);
    });
  }

  test(`the desktop in ${size.join(' x ')} shows what it is about`, async () => {
    await open(size, `#/game/${HERO}`, '.game-page .tab-panel');
    const panel = await page().locator('.tab-panel').boundingBox();
    assert.ok(panel && panel.y < size[1] - 60, `the tab begins at ${panel?.y}`);
    await open(size, '#/settings/library', '.setting');
    const entries = await page().evaluate(() =>
      [...document.querySelectorAll('.settings > nav a')].filter((entry) => {
        const box = entry.getBoundingClientRect();
        return box.bottom <= innerHeight && box.bottom <= (entry.closest('nav')?.getBoundingClientRect().bottom ?? 0);
      }).length
    );
    assert.ok(entries > 4, `${entries} entries of the settings`);
    await open(size, '#/', '.tile img.shown');
    assert.equal(await page().locator('.rail').isVisible(), false, 'letters without room');
  });
}
