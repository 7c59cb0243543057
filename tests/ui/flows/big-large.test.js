import assert from 'node:assert/strict';
import { test } from 'node:test';

import { scene } from '../support/scene.js';
import { writeLibrary } from '../support/library.js';

const GAMES = 50_000;

/** Most games that stand in the page at once, by layout: the two rows by their design, the grid by what a screen of 1920 x 1080 holds twice over. */
const ALIVE = Object.freeze(/** @type {Record<string, number>} */ ({ stage: 17, hybrid: 120, coverflow: 11 }));

/** Most elements of the page, with everything around the games. */
const NODES = 2500;

/** Steps of the walk, and the most covers that may be asked for while it never rests. */
const STEPS = 200;
const COVERS = 60;

const parts = scene({ width: 1920, height: 1080, prepare: (scratch) => writeLibrary(scratch, GAMES) });
const page = () => parts.browser.page;

/** What the tests need of the browser to measure. */
/** @type {import('playwright-core').CDPSession | null} */
let session = null;

/** @returns {Promise<{nodes: number, heap: number}>} elements of the page, and MiB its script keeps */
async function weigh() {
  session ??= await page().context().newCDPSession(page());
  await session.send('Performance.enable');
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  const heap = metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? NaN;
  return { nodes: await page().evaluate(() => document.querySelectorAll('*').length),
    heap: Math.round(heap / 2 ** 20) };
}

/** Waits until every game is here; the count beside the title says so. */
async function waitAll() {
  await page().waitForFunction(
    (all) => Number(document.querySelector('[aria-selected="true"]')?.getAttribute('aria-setsize')) > all * 0.97,
    GAMES,
    { timeout: 240_000 },
  );
}

for (const layout of ['stage', 'hybrid', 'coverflow']) {
  test(`${layout}: the first games come soon, and all of them weigh little`, async (context) => {
    page().setDefaultTimeout(240_000);
    await parts.service.ask('/api/settings', { bigscreen_mode: layout });
    await page().goto('about:blank');
    await page().goto(`${parts.service.address}#/big`);
    await page().locator('.big-shelf [aria-selected="true"]:focus').waitFor();
    const seen = await page().evaluate(() => performance.now());
    await waitAll();
    const { nodes, heap } = await weigh();
    const alive = await page().locator('.big-shelf [role="option"]').count();
    context.diagnostic(
      `${layout}: focus on the first game after at most ${
        Math.round(seen)
      } ms, ${alive} games alive, ${nodes} elements, ${heap} MiB of script`,
    );
    assert.ok(alive > 5 && alive <= (ALIVE[layout] ?? 0), `${alive} games alive`);
    assert.ok(nodes < NODES, `${nodes} elements`);
    await parts.browser.assertSteady(layout);
  });

  test(`${layout}: ${STEPS} steps keep the page light`, async (context) => {
    /** @type {string[]} */
    const covers = [];
    const note = (/** @type {import('playwright-core').Request} */ request) => {
      if (request.url().includes('/api/media')) covers.push(request.url());
    };
    await page().keyboard.press('Home');
    await parts.browser.settle();
    page().on('request', note);
    const walk = await page().evaluate(async (steps) => {
      /** @type {number[]} */
      const tasks = [0];
      const observer = new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) tasks.push(entry.duration);
      });
      observer.observe({ type: 'longtask' });
      let alive = 0;
      for (let step = 0; step < steps; step += 1) {
        document.activeElement?.dispatchEvent(
          new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true, cancelable: true }),
        );
        await new Promise(requestAnimationFrame);
        alive = Math.max(alive, document.querySelectorAll('.big-shelf [role="option"]').length);
      }
      observer.disconnect();
      return { longest: Math.round(Math.max(...tasks)), alive,
        at: Number(document.querySelector('.big-shelf [aria-selected="true"]')?.getAttribute('aria-posinset')),
        isFocused: document.activeElement?.getAttribute('aria-selected') === 'true' };
    }, STEPS);
    page().off('request', note);
    const { nodes, heap } = await weigh();
    context.diagnostic(
      `${layout}: longest task ${walk.longest} ms, ${covers.length} pictures asked for, ${walk.alive} games alive, ${nodes} elements, ${heap} MiB of script`,
    );
    assert.equal(walk.at, STEPS + 1);
    assert.equal(walk.isFocused, true);
    assert.ok(walk.alive <= (ALIVE[layout] ?? 0), `${walk.alive} games alive`);
    assert.ok(nodes < NODES, `${nodes} elements`);
    if (layout !== 'hybrid') assert.ok(covers.length <= COVERS + STEPS, `${covers.length} pictures`);
  });

  test(`${layout}: a letter is one press away, also at the end`, async () => {
    await page().keyboard.press('Home');
    const letter = () =>
      page().evaluate(() =>
        document.activeElement?.querySelector('.caption')?.textContent?.normalize('NFD').charAt(0).toUpperCase() ?? ''
      );
    const before = await letter();
    await page().keyboard.press(']');
    await page().waitForFunction(
      (old) =>
        document.activeElement?.querySelector('.caption')?.textContent?.normalize('NFD').charAt(0).toUpperCase() !==
          old,
      before,
    );
    await page().keyboard.press('[');
    await page().waitForFunction(() =>
      document.querySelector('.big-shelf [aria-selected="true"]:focus')?.getAttribute('aria-posinset') === '1'
    );
    await page().keyboard.press('End');
    await page().waitForFunction(() => {
      const here = document.querySelector('.big-shelf [aria-selected="true"]:focus');
      return here !== null && here.getAttribute('aria-posinset') === here.getAttribute('aria-setsize');
    });
  });
}

test('a search is typed on the screen and leads to its games', async (context) => {
  await page().keyboard.press('/');
  const keyboard = page().getByRole('dialog', { name: 'Search' });
  await keyboard.waitFor();
  let slowest = 0;
  for (const key of ['h', 'a', 'r', 'b']) {
    const time = await keyboard.getByRole('button', { name: key, exact: true }).evaluate(
      async (/** @type {HTMLElement} */ button) => {
        const found = document.querySelector('.osk-found');
        const began = performance.now();
        const answered = new Promise((resolve) => {
          if (found)
            new MutationObserver(resolve).observe(found, { childList: true, subtree: true, characterData: true });
        });
        button.click();
        await answered;
        return performance.now() - began;
      },
    );
    slowest = Math.max(slowest, time);
  }
  context.diagnostic(`slowest letter ${Math.round(slowest)} ms`);
  await page().waitForFunction(() => {
    const names = [...document.querySelectorAll('.osk-found li')].map((item) => item.textContent ?? '');
    return names.length === 8 && names.every((name) => name.includes('Harb'));
  });
  await keyboard.getByRole('button', { name: 'Done' }).click();
  await page().waitForFunction(() => location.hash === '#/big?q=harb');
  await page().waitForFunction(() =>
    document.querySelector('.big-shelf [aria-selected="true"]:focus .caption')?.textContent?.includes('Harb')
  );
  await page().keyboard.press('Escape');
  await waitAll();
});

test('the library of the desktop weighs as little', async (context) => {
  await page().goto('about:blank');
  await page().goto(parts.service.address);
  await page().locator('.tile .name').first().waitFor();
  const seen = await page().evaluate(() => performance.now());
  await page().waitForFunction(
    (all) => Number(document.querySelector('.tile')?.getAttribute('aria-setsize')) > all * 0.97,
    GAMES,
    { timeout: 240_000 },
  );
  const { nodes, heap } = await weigh();
  const alive = await page().locator('.tile').count();
  context.diagnostic(
    `library: first tiles after at most ${
      Math.round(seen)
    } ms, ${alive} tiles alive, ${nodes} elements, ${heap} MiB of script`,
  );
  assert.ok(alive < 400, `${alive} tiles`);
  assert.ok(nodes < 2 * NODES, `${nodes} elements`);
});
