import assert from 'node:assert/strict';
import { test } from 'node:test';

import { writeLibrary } from '../support/library.js';
import { scene } from '../support/scene.js';

const parts = scene({ prepare: (scratch) => writeLibrary(scratch, 40, { history: 20 }) });

const page = () => parts.browser.page;

/** What the page leaves for the test to read. */
/** @typedef {{measured: Set<Element>}} HomeWindow */

test('rows that were drawn anew are the only ones that are measured', async () => {
  await page().addInitScript(() => {
    const measured = new Set();
    Object.assign(window, { measured });
    const Native = ResizeObserver;
    window.ResizeObserver = class extends Native {
      /** @type {Set<Element>} */
      #mine = new Set();

      /** @override @param {Element} element @param {ResizeObserverOptions} [options] */
      observe(element, options) {
        this.#mine.add(element);
        if (element.matches('.home-strip')) measured.add(element);
        super.observe(element, options);
      }

      /** @override */
      disconnect() {
        for (const element of this.#mine) measured.delete(element);
        super.disconnect();
      }
    };
  });
  /** @type {import('playwright-core').Route[]} */
  const asked = [];
  await page().route('**/api/discovery', (route) => {
    asked.push(route);
  });
  const answerTo = async (/** @type {number} */ count, /** @type {() => Promise<unknown>} */ ask) => {
    const request = page().waitForRequest('**/api/discovery');
    await ask();
    await request;
    while (asked.length < count) await page().evaluate(() => new Promise(requestAnimationFrame));
  };
  await answerTo(1, () => page().goto(`${parts.service.address}#/home`));
  await asked[0]?.fulfill({ status: 503, contentType: 'application/json',
    body: '{"error":"Out of order for a while.","code":"UNAVAILABLE","request_id":"r-4711"}' });
  await page().locator('.failure').waitFor();
  // Pressed twice before the first answer is there: it is asked twice, and both answers are drawn.
  await answerTo(2, () =>
    page().evaluate(() => {
      for (const press of [1, 2])
        for (const button of document.querySelectorAll('.failure button'))
          if (press && button.textContent === 'Try again') /** @type {HTMLElement} */ (button).click();
    }));
  await asked[1]?.continue();
  await page().locator('.home-strip').first().waitFor();
  const first = await page().locator('.home-strip').first().elementHandle();
  while (asked.length < 3) await page().evaluate(() => new Promise(requestAnimationFrame));
  await asked[2]?.continue();
  await page().waitForFunction((old) => !old?.isConnected && document.querySelector('.home-strip') !== null, first);
  const [strips, measured, gone] = await page().evaluate(() => {
    const known = /** @type {HomeWindow} */ (/** @type {unknown} */ (window)).measured;
    return [document.querySelectorAll('.home-strip').length, known.size,
      [...known].filter((strip) => !strip.isConnected).length];
  });
  assert.ok(strips && strips > 1);
  assert.deepEqual([measured, gone], [strips, 0]);
  await page().evaluate(() => {
    location.hash = '#/history';
  });
  await page().waitForFunction(() => /** @type {HomeWindow} */ (/** @type {unknown} */ (window)).measured.size === 0);
});

test('Home is the first page where the settings say so, and an address goes before it', async () => {
  const { service } = parts;
  await page().unroute('**/api/discovery');
  await page().goto('about:blank');
  await page().goto(`${service.address}#/settings/general`);
  await page().getByLabel('Start page').selectOption({ label: 'Home' });
  await page().locator('.setting.is-saved', { hasText: 'Start page' }).waitFor();
  await page().goto('about:blank');
  await page().goto(service.address);
  await page().locator('.home-strip').first().waitFor();
  assert.equal(new URL(page().url()).hash, '#/home');
  // Who goes to the library from there and loads the page again stays where they are.
  await page().locator('[data-place="view:all"]').click();
  await page().locator('.grid .tile').first().waitFor();
  await page().reload();
  await page().locator('.grid .tile').first().waitFor();
  await page().goto('about:blank');
  await page().goto(`${service.address}#/jobs`);
  await page().getByRole('heading', { level: 1 }).waitFor();
  assert.equal(new URL(page().url()).hash, '#/jobs');
  await service.ask('/api/settings', { start_page: 'library' });
});
