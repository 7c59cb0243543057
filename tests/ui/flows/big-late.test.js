import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DEMO_ENV, furnish, writeDemo } from '../support/demo.js';
import { scene } from '../support/scene.js';
import { PLAIN } from '../support/screens.js';

/** How much slower than this machine the page is made to think. */
const SLOWER = 6;

/** The most that may move: a tenth of what is allowed elsewhere, because here whatever comes late is known. */
const STILL = 0.005;

const parts = scene({ prepare: writeDemo, furnish, env: DEMO_ENV });
let isPrepared = false;

const page = () => parts.browser.page;

/** What the page leaves for the tests to read. */
/** @typedef {{empties: string[]}} LateWindow */

/** Slows the page down, and notes whatever says that there are no games. */
async function prepare() {
  if (isPrepared) return;
  isPrepared = true;
  const session = await page().context().newCDPSession(page());
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  page().setDefaultTimeout(60_000);
  await page().addInitScript(() => {
    /** @type {LateWindow} */
    const notes = { empties: [] };
    Object.assign(window, notes);
    new MutationObserver(() => {
      const box = document.querySelector('#main .empty h2');
      if (box) notes.empties.push(box.textContent);
    }).observe(document, { subtree: true, childList: true });
  });
}

/**
 * Holds requests until they are let go.
 *
 * @param {RegExp} paths
 */
async function hold(paths) {
  /** @type {import('playwright-core').Route[]} */
  const held = [];
  let isOpen = false;
  await page().route(({ pathname }) => paths.test(pathname), async (route) => {
    if (isOpen) await route.continue();
    else held.push(route);
  });
  return async () => {
    isOpen = true;
    for (const route of held) await route.continue();
  };
}

/** @param {string} hash */
async function open(hash) {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}${hash}`);
}

/**
 * @param {string} name
 * @param {number} [most] that may move
 */
async function expectStill(name, most) {
  assert.deepEqual(await page().evaluate(() => /** @type {LateWindow} */ (/** @type {unknown} */ (window)).empties), [],
    `${name}: it says that there are no games`);
  await parts.browser.assertSteady(name, most);
}

for (const layout of ['stage', 'hybrid', 'coverflow']) {
  test(`${layout}: nothing moves when pictures and words come late`, async () => {
    await prepare();
    await parts.service.ask('/api/settings', { ...PLAIN, bigscreen_mode: layout });
    const release = await hold(/^\/api\/(?:media|library\/delta)$/);
    await open('#/big?q=lantern%20archive');
    await page().locator('.big-shelf [aria-selected="true"]:focus').waitFor();
    await page().getByRole('heading', { name: 'The Lantern Archive' }).waitFor();
    const places = () =>
      page().evaluate(() =>
        ['.big-rail', '.big-line', '.big-text', '.big-acts', '.big-shelf', '.big-foot'].map((part) => {
          const { x, y, width, height } = document.querySelector(part)?.getBoundingClientRect() ?? new DOMRect();
          return [part, x, y, width, height].join(' ');
        })
      );
    const before = await places();
    await release();
    await page().locator('.big-shelf img.shown').first().waitFor();
    await page().locator('.big-logo').waitFor();
    await page().waitForFunction(() => document.querySelector('.big-text')?.textContent?.startsWith('An archivist'));
    await page().locator('.big-layer.shown > *').first().waitFor({ state: 'attached' });
    assert.deepEqual(await places(), before);
    await expectStill(layout, STILL);
    await page().unrouteAll({ behavior: 'ignoreErrors' });
  });
}

for (const [name, hash, tile]
  of /** @type {const} */ ([['the big screen', '#/big', '.big-shelf [role="option"]'], ['the library', '#/',
    '.tile']])) {
  test(`${name} never says that there are no games before it has looked`, async () => {
    await prepare();
    const release = await hold(/^\/data\/catalog-worker\.js$/);
    await open(hash);
    // The screen stands and has asked; what answers has not begun yet.
    await page().locator(hash === '#/' ? '.library' : '.big').waitFor({ state: 'attached' });
    await release();
    await page().locator(tile).first().waitFor();
    await expectStill(name);
    await page().unrouteAll({ behavior: 'ignoreErrors' });
  });
}
