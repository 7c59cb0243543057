import assert from 'node:assert/strict';
import { availableParallelism, loadavg } from 'node:os';
import { test } from 'node:test';

import { scene } from '../support/scene.js';
import { writeLibrary } from '../support/library.js';

const GAMES = 50_000;
const parts = scene({ width: 1920, height: 1080, prepare: (scratch) => writeLibrary(scratch, GAMES) });

/**
 * Where a figure stops being explained by a busy machine. The figures themselves are printed; what
 * they should be on a quiet machine stands in the calls.
 *
 * @param {number} milliseconds
 */
function limit(milliseconds) {
  return 10 * milliseconds * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());
}

/**
 * The best of several measurements: other work on the machine only ever makes one longer.
 *
 * @param {number} times
 * @param {() => Promise<number>} measure
 */
async function best(times, measure) {
  let least = Infinity;
  for (let run = 0; run < times; run += 1) least = Math.min(least, await measure());
  return least;
}

test('the first tiles come soon', async (context) => {
  const { page } = parts.browser;
  await page.goto(parts.service.address);
  await page.locator('.tile').first().waitFor();
  const time = await best(3, async () => {
    await page.reload();
    return page.evaluate(async () => {
      while (!document.querySelector('.tile .name')?.textContent) await new Promise(requestAnimationFrame);
      return performance.now();
    });
  });
  context.diagnostic(`first tiles after ${Math.round(time)} ms`);
  assert.ok(time < limit(1500), `${time} ms`);
});

test('all games arrive, each once, and the page moves nothing while they do', async (context) => {
  const { page } = parts.browser;
  /** @type {number[]} */
  const asked = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === '/api/library') asked.push(Number(searchParams.get('offset')));
  });
  await page.reload();
  const began = Date.now();
  await page.locator('.loading-line.done').waitFor({ state: 'attached', timeout: 240_000 });
  context.diagnostic(`${GAMES} games after ${Date.now() - began} ms`);
  await page.waitForFunction(
    (all) => Number(document.querySelector('.tile')?.getAttribute('aria-setsize')) > all * 0.97,
    GAMES,
  );
  const setSize = Number(await page.locator('.tile').first().getAttribute('aria-setsize'));
  assert.ok(setSize <= GAMES, `${setSize}`);
  assert.ok(asked.length <= 60, `${asked.length} pages`);
  assert.deepEqual(asked, [...new Set(asked)].sort((a, b) => a - b));
  await parts.browser.assertSteady();
  await parts.browser.shoot('large');
});

test('a game takes few bytes on the page', async (context) => {
  const session = await parts.browser.page.context().newCDPSession(parts.browser.page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  context.diagnostic(`${Math.round(usedSize / 1024)} KiB of objects`);
  // An object for each game, with its texts, would take four hundred bytes more.
  assert.ok(usedSize / GAMES < 250, `${usedSize} bytes`);
});

test('a keystroke filters soon', async (context) => {
  const { page } = parts.browser;
  const typed = ['h', 'ha', 'har', 'harb', 'harbour', 'harbour nes', 'plat:snes -ii', 'ag', ''];
  let time = 0;
  for (const text of typed) {
    time = Math.max(time, await best(4, () =>
      page.evaluate(async (query) => {
        const input = /** @type {HTMLInputElement} */ (document.querySelector('#search'));
        const type = async (/** @type {string} */ value) => {
          const began = performance.now();
          input.value = value;
          input.dispatchEvent(new Event('input', { bubbles: true }));
          while (document.querySelector('.grid')?.hasAttribute('aria-busy')) await new Promise(requestAnimationFrame);
          return performance.now() - began;
        };
        await type('amber');
        return type(query);
      }, text)));
  }
  context.diagnostic(`slowest keystroke ${Math.round(time)} ms`);
  assert.ok(time < limit(100), `${time} ms`);
});

test('scrolling keeps few tiles and no long task', async (context) => {
  const { page } = parts.browser;
  let most = 0;
  const longest = await best(5, async () => {
    const seen = await page.evaluate(async () => {
      const grid = /** @type {HTMLElement} */ (document.querySelector('.grid'));
      /** @type {number[]} */
      const tasks = [0];
      const observer = new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) tasks.push(entry.duration);
      });
      observer.observe({ type: 'longtask' });
      let tiles = 0;
      grid.scrollTop = 0;
      for (const step of [40, 120, 400, 1200, 4000, 20_000]) {
        for (let turn = 0; turn < 20; turn += 1) {
          grid.scrollTop += step;
          await new Promise(requestAnimationFrame);
          tiles = Math.max(tiles, document.querySelectorAll('.tile').length);
        }
      }
      grid.scrollTop = grid.scrollHeight;
      await new Promise((resolve) => {
        setTimeout(resolve, 400);
      });
      observer.disconnect();
      return { tiles, longest: Math.max(...tasks) };
    });
    most = Math.max(most, seen.tiles);
    return seen.longest;
  });
  context.diagnostic(`at most ${most} tiles, longest task ${Math.round(longest)} ms`);
  assert.ok(most < 400, `${most} tiles`);
  assert.ok(longest < limit(200), `${longest} ms`);
  const last = page.locator('.tile').last();
  assert.equal(await last.getAttribute('aria-setsize'),
    await page.locator('.tile').first().getAttribute('aria-setsize'));
});

test('covers of the games on screen are shown', async () => {
  const { page } = parts.browser;
  await page.waitForFunction(() => document.querySelectorAll('.tile img.shown').length > 5);
  const broken = await page.evaluate(() =>
    [...document.images].filter((image) =>
      image.complete && image.naturalWidth === 0 && image.getClientRects().length > 0
    ).length
  );
  assert.equal(broken, 0);
});

test('back returns to the place', async () => {
  const { page } = parts.browser;
  await page.evaluate(() => {
    const grid = document.querySelector('.grid');
    if (grid) grid.scrollTop = 100_000;
  });
  await page.waitForFunction(() =>
    Number(/** @type {HTMLElement} */ (document.querySelector('.tile')).dataset['index']) > 1000
  );
  const top = await page.evaluate(() => document.querySelector('.grid')?.scrollTop ?? 0);
  const box = await page.locator('.grid').boundingBox();
  await page.mouse.click((box?.x ?? 0) + 120, (box?.y ?? 0) + 300);
  await page.keyboard.press('o');
  await page.locator('.game-page h1').waitFor();
  await page.goBack();
  await page.locator('.grid').waitFor();
  await page.waitForFunction((before) => Math.abs((document.querySelector('.grid')?.scrollTop ?? 0) - before) < 400,
    top);
});
