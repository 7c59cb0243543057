import assert from 'node:assert/strict';

import { writeLibrary } from '../support/library.js';
import { testWithLooks } from '../support/looks.js';
import { scene } from '../support/scene.js';
import { SIZES } from '../support/sizes.js';
import { lookInThemes } from '../support/themes.js';

const parts = scene({ prepare: (scratch) => writeLibrary(scratch, 600, { history: 60 }) });
const test = testWithLooks(parts);

/** How the library looks when nothing was chosen. */
const PLAIN = Object.freeze({ library_view: 'grid', ui_group: '', ui_filters_open: false });

/** @type {{name: string, hash: string, ready: string, settings?: Record<string, unknown>, act?: (page: import('playwright-core').Page) => Promise<unknown>}[]} */
const SCREENS = [
  { name: 'lists-filters', hash: '#/?platform=SNES|NES&progress=-', ready: '.filters details',
    settings: { ui_filters_open: true } },
  { name: 'lists-groups', hash: '#/', ready: '.group-head', settings: { ui_group: 'progress' } },
  { name: 'lists-details', hash: '#/', ready: '.split .details h2', settings: { library_view: 'details' } },
  { name: 'lists-home', hash: '#/home', ready: '.home-strip .tile' },
  {
    name: 'lists-chosen',
    hash: '#/',
    ready: '.tile img.shown',
    act: async (page) => {
      await page.locator('.tile').nth(1).click({ modifiers: ['Control'] });
      await page.locator('.tile').nth(5).click({ modifiers: ['Shift'] });
      await page.locator('.bulk-bar b').waitFor();
    },
  },
  { name: 'lists-options', hash: '#/', ready: '.grid.list .tile', settings: { library_view: 'list' },
    act: async (page) => {
      await page.getByRole('button', { name: 'Display options' }).click();
      await page.locator('.popover').waitFor();
    } },
  { name: 'lists-palette', hash: '#/', ready: '.tile', act: async (page) => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type('nes');
    await page.locator('.palette-list .art').first().waitFor();
  } },
  { name: 'lists-playlist', hash: '#/?playlist=Weekend', ready: '.tile', act: async (page) => {
    await page.getByRole('link', { name: /^Weekend/ }).click({ button: 'right' });
    await page.getByRole('menu').waitFor();
  } },
  { name: 'lists-empty', hash: '#/?playlist=Nothing%20yet', ready: '.empty' },
];

test('playlists and presets to look at', async () => {
  await parts.service.ask('/api/playlists', { name: 'Weekend', type: 'manual',
    members: Array.from({ length: 12 }, (_, index) => index * 7), notes: 'for rainy days' });
  await parts.service.ask('/api/playlists', { name: 'Couch', type: 'manual', members: [1, 2], parent: 'Weekend' });
  await parts.service.ask('/api/playlists', { name: 'Nothing yet', type: 'manual', members: [] });
  await parts.service.ask('/api/playlists', { name: 'Nintendo puzzles', type: 'filter',
    rules: { genre: 'Puzzle', platform_category: 'Nintendo' } });
  await parts.service.ask('/api/filter-presets', { name: 'Unplayed SNES',
    rules: { platform: 'SNES', progress: 'Unplayed' } });
});

for (const screen of SCREENS) {
  test(`${screen.name} has no serious finding in any theme`, async () => {
    const { page } = parts.browser;
    await parts.service.ask('/api/settings', { ...PLAIN, ...screen.settings });
    for (const [width, height] of SIZES.filter(([width]) => width > 640)) {
      await page.setViewportSize({ width, height });
      await page.goto('about:blank');
      await page.goto(`${parts.service.address}${screen.hash}`);
      await page.locator(screen.ready).first().waitFor();
      await parts.browser.settle();
      await parts.browser.assertSteady(screen.name);
      await screen.act?.(page);
      await parts.browser.settle();
    }
    await lookInThemes(parts, screen.name);
  });
}

test('nothing is cut off in a narrow window, and the new controls are large enough to hit', async () => {
  const { page } = parts.browser;
  await parts.service.ask('/api/settings', { ui_scheme: 'dark', ...PLAIN });
  for (const [hash, settings]
    of /** @type {[string, Record<string, unknown>][]} */ ([['#/', { ui_filters_open: true }], ['#/', {
      library_view: 'list',
    }], ['#/', { library_view: 'details' }], ['#/home', {}], ['#/?playlist=Weekend', {}]])) {
    await parts.service.ask('/api/settings', { ...PLAIN, ...settings });
    for (const width of [640, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto('about:blank');
      await page.goto(`${parts.service.address}${hash}`);
      await page.locator('.tile').first().waitFor();
      await parts.browser.settle();
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true,
        `${hash} at ${width}`);
      const cut = await page.evaluate(() =>
        [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(
          '.library-head button, .library-head select, .filters button',
        ))]
          .filter((control) => control.getClientRects().length > 0 && !control.closest('.scroll'))
          .map((control) => ({ name: control.getAttribute('aria-label') ?? control.textContent,
            box: control.getBoundingClientRect(),
            edge: (control.closest('.shelf, .filters') ?? document.body).getBoundingClientRect() })
          )
          .filter(({ box, edge }) => box.right > edge.right + 1 || box.left < edge.left - 1).map(({ name }) => name)
      );
      assert.deepEqual(cut, [], `${hash} ${JSON.stringify(settings)} at ${width}`);
    }
    const small = await page.evaluate(() =>
      [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('button, a[href], select, input, summary'))]
        .map((control) => ({ control, box: (control.closest('label') ?? control).getBoundingClientRect() }))
        .filter(({ control, box }) =>
          box.width > 0 && (box.width < 24 || box.height < 24) && !control.classList.contains('skip')
        )
        .map(({ control, box }) =>
          `${control.outerHTML.slice(0, 90)} ${Math.round(box.width)}x${Math.round(box.height)}`
        )
    );
    assert.deepEqual(small, [], hash);
  }
});
