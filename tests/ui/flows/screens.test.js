import assert from 'node:assert/strict';
import { test } from 'node:test';

import { SCHEMES } from '../../../static/core/preferences.js';
import { scene } from '../support/scene.js';
import { writeLibrary } from '../support/library.js';

const parts = scene({ prepare: (scratch) => writeLibrary(scratch, 600, { history: 60 }) });

/** @type {{name: string, hash: string, ready: string, view?: string, act?: (page: import('playwright-core').Page) => Promise<void>}[]} */
const SCREENS = [
  { name: 'library', hash: '#/', ready: '.tile img.shown' },
  { name: 'list', hash: '#/', ready: '.grid.list .tile img.shown', view: 'list' },
  { name: 'filtered', hash: '#/?view=favorites&q=harbour', ready: '.chip' },
  { name: 'nothing-found', hash: '#/?q=zzzzzz', ready: '.empty' },
  { name: 'game', hash: '#/game/game-00000000000000000000000c', ready: '.game-page .columns .facts' },
  { name: 'history', hash: '#/history', ready: '.entry' },
  { name: 'settings', hash: '#/settings/sessions', ready: '.setting' },
  { name: 'settings-bigscreen', hash: '#/settings/bigscreen', ready: '.setting' },
  { name: 'commands', hash: '#/settings/commands', ready: '.lines' },
  { name: 'edit', hash: '#/', ready: '.tile', act: async (page) => { await page.locator('.tile').first().focus(); await page.keyboard.press('F3'); await page.locator('dialog.editor').waitFor(); } },
  { name: 'import', hash: '#/', ready: '.tile', act: async (page) => { await page.getByRole('button', { name: 'Add games' }).click(); await page.locator('dialog').waitFor(); } },
  { name: 'menu', hash: '#/', ready: '.tile', act: async (page) => { await page.locator('.tile').nth(2).click({ button: 'right' }); await page.getByRole('menu').waitFor(); } },
];

for (const scheme of SCHEMES.filter((name) => name !== 'auto')) {
  for (const screen of SCREENS) {
    test(`${screen.name} in the ${scheme} theme has no serious finding`, async () => {
      const { page } = parts.browser;
      await parts.service.ask('/api/settings', { ui_scheme: scheme, library_view: screen.view ?? 'grid' });
      for (const [width, height] of /** @type {const} */ ([[1920, 1080], [1280, 800]])) {
        await page.setViewportSize({ width, height });
        await page.goto('about:blank');
        await page.goto(`${parts.service.address}${screen.hash}`);
        await page.locator(screen.ready).first().waitFor();
        assert.equal(await page.evaluate(() => document.documentElement.dataset['scheme']), scheme);
        await screen.act?.(page);
        await parts.browser.settle();
        await parts.browser.shoot(`${screen.name}-${scheme}`);
      }
      assert.deepEqual(await parts.browser.findings(), []);
      await parts.browser.assertSteady();
    });
  }
}

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

test('controls are large enough to hit', async () => {
  const { page } = parts.browser;
  await page.setViewportSize({ width: 1280, height: 800 });
  for (const hash of ['#/', '#/jobs', '#/webhooks', '#/play', '#/backups', '#/saves', '#/history', '#/settings/appearance', '#/game/game-00000000000000000000000c']) {
    await page.goto('about:blank');
    await page.goto(`${parts.service.address}${hash}`);
    await parts.browser.settle();
    const small = await page.evaluate(() => [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('button, a[href], select, input, textarea'))]
      .map((control) => ({ control, box: (control.closest('label') ?? control).getBoundingClientRect() }))
      .filter(({ control, box }) => box.width > 0 && (box.width < 24 || box.height < 24) && !control.classList.contains('skip'))
      .map(({ control, box }) => `${control.outerHTML.slice(0, 90)} ${Math.round(box.width)}x${Math.round(box.height)}`));
    assert.deepEqual(small, [], hash);
  }
});
