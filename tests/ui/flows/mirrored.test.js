import assert from 'node:assert/strict';

import { DEMO_ENV, furnish, writeDemo } from '../support/demo.js';
import { testWithLooks } from '../support/looks.js';
import { BRACKETS, pseudo } from '../support/pseudo.js';
import { scene } from '../support/scene.js';
import { openScreen, PLAIN, SCREENS } from '../support/screens.js';
import { strings } from '../support/sources.js';

const parts = scene({ prepare: writeDemo, furnish: prepareAll, env: DEMO_ENV });
const test = testWithLooks(parts);

/**
 * @param {import('../support/service.js').Service} service
 * @param {import('../support/browser.js').Browser} browser
 */
async function prepareAll(service, { page }) {
  await furnish(service);
  const texts = JSON.stringify(
    Object.fromEntries(Object.entries(strings('en')).map(([key, text]) => [key, pseudo(text)])),
  );
  await page.context().route('**/locales/en.json',
    (route) => route.fulfill({ contentType: 'application/json', body: texts }));
  await page.addInitScript(() => {
    document.addEventListener('readystatechange', () => {
      document.documentElement.dir = 'rtl';
    });
  });
}

/**
 * Headings and cells of columns are left out: they are cut with their columns, whose width the user chooses.
 * Texts of the locale that the user cannot read to the end: cut off by their own box or by one around it, or outside the window.
 *
 * @param {string} mark ends each text
 * @returns {string[]}
 */
function findCut(mark) {
  const cut = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!element || !node.nodeValue?.includes(mark) || element.closest('.sr-only, option, .columns-head, .cell') ||
      !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.width === 0) continue;
    const tell = (/** @type {string} */ why) =>
      cut.add(`${why}: ${node?.nodeValue?.slice(0, 50)} in ${element.tagName.toLowerCase()}.${element.className}`);
    let scrolls = false;
    // The box of a line is taller than its letters, in some fonts by much.
    const empty = Math.max(3, 0.2 * parseFloat(getComputedStyle(element).fontSize));
    for (let around = /** @type {HTMLElement | null} */ (element); around && around !== document.body;
      around = around.parentElement) {
      const style = getComputedStyle(around);
      const edge = around.getBoundingClientRect();
      // What scrolls across can be read to its end.
      if (/auto|scroll/.test(style.overflowX) && around.scrollWidth > around.clientWidth + 1) break;
      if (style.overflowX !== 'visible' && (box.left < edge.left - 1.5 || box.right > edge.right + 1.5)) tell('across');
      scrolls ||= /auto|scroll/.test(style.overflowY) && around.scrollHeight > around.clientHeight + 1;
      const isCutDown = !scrolls && (style.overflowY === 'hidden' || style.overflowY === 'clip');
      if (isCutDown && (box.top < edge.top - empty || box.bottom > edge.bottom + empty)) tell('down');
      if (style.position === 'fixed') break;
    }
  }
  return [...cut];
}

/**
 * Boxes that scroll down and hold more than their width, so that something is cut or they scroll across too. The list is as wide as its columns.
 *
 * @returns {string[]}
 */
function findWide() {
  return [...document.querySelectorAll('.scroll:not(.grid.list)')].filter((box) =>
    /auto|scroll/.test(getComputedStyle(box).overflowY) && box.scrollWidth > box.clientWidth + 1
  ).map((box) => `${box.tagName.toLowerCase()}.${box.className}`);
}

/**
 * Controls of the front layer whose middle lies under something else.
 *
 * @returns {string[]}
 */
function findCovered() {
  const layer = [...document.querySelectorAll('dialog[open], [popover]:popover-open:not(#toasts)')].at(-1) ??
    document.body;
  return [...layer.querySelectorAll('button, a[href], select, input, textarea, summary')].filter((control) => {
    const frame = control.closest('label') ?? control;
    if (!frame.checkVisibility({ visibilityProperty: true, opacityProperty: true }) ||
      getComputedStyle(frame).pointerEvents === 'none') return false;
    const box = frame.getBoundingClientRect();
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const isOutside = (/** @type {{left: number, top: number, right: number, bottom: number}} */ edge) =>
      x < edge.left || x >= edge.right || y < edge.top || y >= edge.bottom;
    if (isOutside({ left: 0, top: 0, right: innerWidth, bottom: innerHeight })) return false;
    for (let around = frame.parentElement; around; around = around.parentElement)
      if (getComputedStyle(around).overflowY !== 'visible' && isOutside(around.getBoundingClientRect())) return false;
    const hit = document.elementFromPoint(x, y);
    return hit !== null && !frame.contains(hit) && !hit.contains(frame);
  }).map((control) => control.outerHTML.slice(0, 120));
}

for (const screen of SCREENS) {
  test(`${screen.name} is whole from right to left with long words`, async () => {
    const { page } = parts.browser;
    await parts.service.ask('/api/settings', { ...PLAIN, ...screen.settings, ui_scheme: 'dark' });
    await openScreen(parts, screen);
    assert.equal(await page.evaluate(() => document.documentElement.dir), 'rtl');
    await parts.browser.shoot(`${screen.name}-mirrored`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true,
      'the page is wider than the window');
    assert.deepEqual(await page.evaluate(findCut, BRACKETS.close), []);
    assert.deepEqual(await page.evaluate(findCovered), []);
    assert.deepEqual(await page.evaluate(findWide), [], 'what scrolls down is wider than its box');
  });
}
