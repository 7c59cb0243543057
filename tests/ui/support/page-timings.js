/**
 * What the user waits for on the page of a running program, for `cargo bench -- --weak`: prints milliseconds as JSON.
 *
 *     node support/page-timings.js ADDRESS
 */

import { Browser } from './browser.js';

/** How often each is measured; the median counts. */
const TIMES = 5;
/** Letters of the first name that are typed, one after the other, so that something is found each time. */
const LETTERS = 6;

/** @param {number[]} values */
function median(values) {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

/** Milliseconds from the navigation to the first tile with a name. @param {import('playwright-core').Page} page */
function firstTiles(page) {
  return page.evaluate(async () => {
    while (!document.querySelector('.tile .name')?.textContent) await new Promise(requestAnimationFrame);
    return performance.now();
  });
}

/**
 * Milliseconds from a text in the search to the list that answers it.
 *
 * @param {import('playwright-core').Page} page
 * @param {string} text
 */
function keystroke(page, text) {
  return page.evaluate(async (value) => {
    const input = /** @type {HTMLInputElement} */ (document.querySelector('#search'));
    const began = performance.now();
    input.value = value;
    input.dispatchEvent(new Event('input', { bubbles: true }));
    while (document.querySelector('.grid')?.getAttribute('aria-busy') !== null || !document.querySelector('.tile'))
      await new Promise(requestAnimationFrame);
    return performance.now() - began;
  }, text);
}

/** Milliseconds between the frames of 120 steps of 400 pixels. @param {import('playwright-core').Page} page */
function scrolling(page) {
  return page.evaluate(async () => {
    const grid = /** @type {HTMLElement} */ (document.querySelector('.grid'));
    /** @type {number[]} */
    const frames = [];
    let before = await new Promise(requestAnimationFrame);
    for (let turn = 0; turn < 120; turn += 1) {
      grid.scrollTop += 400;
      const now = await new Promise(requestAnimationFrame);
      frames.push(now - before);
      before = now;
    }
    return frames;
  });
}

const browser = await Browser.open({ width: 1280, height: 800 });
try {
  const { page } = browser;
  await page.goto(process.argv[2] ?? '');
  const first = [await firstTiles(page)];
  for (let turn = 1; turn < TIMES; turn += 1) {
    await page.reload();
    first.push(await firstTiles(page));
  }
  await page.locator('.loading-line.done').waitFor({ state: 'attached', timeout: 240_000 });
  const name = (await page.locator('.tile .name').first().textContent()) ?? '';
  /** @type {number[]} */
  const keys = [];
  for (let turn = 0; turn < TIMES; turn += 1) {
    for (let end = 1; end <= LETTERS; end += 1) keys.push(await keystroke(page, name.slice(0, end)));
    await keystroke(page, '');
  }
  const frames = (await scrolling(page)).sort((one, other) => one - other);
  console.log(JSON.stringify({
    first_tiles: median(first),
    keystroke: median(keys),
    frame_p95: frames[Math.floor(frames.length * 0.95)],
  }));
} finally {
  await browser.close();
}
