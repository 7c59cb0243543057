import assert from 'node:assert/strict';

import { scene } from '../support/scene.js';
import { writeLibrary } from '../support/library.js';
import { testWithLooks } from '../support/looks.js';

const parts = scene({ prepare: (scratch) => writeLibrary(scratch, 600, { history: 60 }) });
const test = testWithLooks(parts);

test('a narrow window keeps everything reachable', async () => {
  const { page } = parts.browser;
  await parts.service.ask('/api/settings', { ui_scheme: 'dark' });
  await page.setViewportSize({ width: 640, height: 800 });
  await page.goto('about:blank');
  await page.goto(parts.service.address);
  await page.locator('.tile').first().waitFor();
  await parts.browser.shoot('narrow');
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  await page.getByRole('button', { name: 'Open the sidebar' }).click();
  await page.getByRole('link', { name: /Favourites/ }).waitFor();
  await parts.browser.shoot('narrow-sidebar');
  assert.deepEqual(await parts.browser.findings(), []);
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: /Favourites/ }).waitFor({ state: 'hidden' });
});

test('controls are large enough to hit, and lines as tall as their text', async () => {
  const { page } = parts.browser;
  await page.setViewportSize({ width: 1280, height: 800 });
  for (const hash of ['#/', '#/jobs', '#/webhooks', '#/play', '#/backups', '#/saves', '#/history',
    '#/settings/appearance', '#/game/game-00000000000000000000000c']) {
    await page.goto('about:blank');
    await page.goto(`${parts.service.address}${hash}`);
    await page.locator('.tile, main h1').first().waitFor();
    await parts.browser.settle();
    const small = await page.evaluate(() =>
      [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(
        'button, a[href], select, input, textarea',
      ))]
        .map((control) => ({ control, box: (control.closest('label') ?? control).getBoundingClientRect() }))
        .filter(({ control, box }) =>
          box.width > 0 && (box.width < 24 || box.height < 24) && !control.classList.contains('skip')
        )
        .map(({ control, box }) =>
          `${control.outerHTML.slice(0, 90)} ${Math.round(box.width)}x${Math.round(box.height)}`
        )
    );
    assert.deepEqual(small, [], hash);
    const low = await page.evaluate(() =>
      [...document.querySelectorAll('body *')]
        .filter((element) =>
          [...element.childNodes].some((node) => node instanceof Text && node.data.trim() !== '') &&
          element.getClientRects().length > 0
        )
        .map((element) => ({ element, style: getComputedStyle(element) }))
        .filter(({ style }) => parseFloat(style.lineHeight) < parseFloat(style.fontSize))
        .map(({ element, style }) => `${element.outerHTML.slice(0, 90)} ${style.fontSize} in ${style.lineHeight}`)
    );
    assert.deepEqual(low, [], hash);
  }
});
