import assert from 'node:assert/strict';

import { DEMO_ENV, furnish, writeDemo } from '../support/demo.js';
import { keysOf } from '../support/keys.js';
import { testWithLooks } from '../support/looks.js';
import { scene } from '../support/scene.js';
import { PLAIN } from '../support/screens.js';

const parts = scene({ prepare: writeDemo, furnish, env: DEMO_ENV });
const test = testWithLooks(parts);
const { press, until } = keysOf(parts);
const page = () => parts.browser.page;

/**
 * @param {number} width
 * @param {Record<string, unknown>} [settings]
 */
async function open(width, settings = {}) {
  await parts.service.ask('/api/settings', { ...PLAIN, library_view: 'list', ui_details_open: true,
    ui_column_widths: [], ...settings });
  await page().setViewportSize({ width, height: width > 1500 ? 1080 : 800 });
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/`);
  await page().locator('.grid.list .tile').nth(3).waitFor();
  await page().locator('.details .facts').waitFor();
  await page().locator('.columns-head .cell').nth(6).waitFor();
}

/** Where headings and the cells of a row stand: the columns that do not stand above one another, and whether the last one is seen whole. */
const places = () =>
  page().evaluate(() => {
    const box = (/** @type {Element} */ element) => element.getBoundingClientRect();
    const frame = box(/** @type {Element} */ (document.querySelector('.grid.list')));
    const heads = [...document.querySelectorAll('.columns-row .cell')].slice(1).map(box);
    const [row] = [...document.querySelectorAll('.grid.list .tile')].filter((tile) => box(tile).top > frame.top);
    const cells = [...(row?.querySelectorAll('.cell') ?? [])].map(box);
    const name = box(/** @type {Element} */ (row?.querySelector('.name')));
    const label = box(/** @type {Element} */ (document.querySelector('.columns-row .cell')));
    const last = /** @type {DOMRect} */ (cells.at(-1));
    return {
      apart: heads.flatMap((head, index) => (Math.abs(head.left - (cells[index]?.left ?? 0)) > 1 ||
          Math.abs(head.right - (cells[index]?.right ?? 0)) > 1
        ? [index]
        : [])
      ),
      widths: cells.map(({ width }) => Math.round(width)),
      name: Math.round(name.left),
      nameWidth: Math.round(name.width),
      label: Math.round(label.left),
      isLastSeen: last.right <= frame.right && last.left >= name.right,
      isWide: document.querySelector('.shelf.wide') !== null,
    };
  });

test('columns give way before anything is out of sight', async () => {
  for (const [width, isOpen] of /** @type {const} */ ([[1920, true], [1280, false]])) {
    await open(width);
    if (!isOpen) {
      await page().getByRole('button', { name: 'Close details' }).click();
      await page().locator('.details').waitFor({ state: 'detached' });
      await until(() => parts.service.ask('/api/settings'), (now) => now.ui_details_open === false);
    }
    await until(places, (now) => !now.isWide && now.isLastSeen && now.apart.length === 0 && now.nameWidth >= 180);
    await parts.browser.settle();
    await parts.browser.shoot(isOpen ? 'list-details' : 'list-alone');
    assert.deepEqual(await parts.browser.findings(), []);
  }
  await open(1920);
  await parts.browser.settle();
  await parts.browser.assertSteady();
});

test('beside the details the name stays while the other columns are looked at, by wheel, keys and headings', async () => {
  await open(1280);
  await until(places, (now) => now.isWide && !now.isLastSeen && now.apart.length === 0);
  await parts.browser.settle();
  await parts.browser.assertSteady();
  await parts.browser.shoot('list-details');
  // Nothing of a row shows between the fade and the edge.
  assert.equal(await page().locator('.stage').evaluate((stage) => getComputedStyle(stage, '::after').right), '0px');
  const before = await places();
  const stays = (/** @type {Awaited<ReturnType<typeof places>>} */ now) =>
    now.name === before.name && now.label === before.label && now.apart.length === 0;
  await page().locator('.grid.list .tile').nth(2).hover();
  await page().mouse.wheel(2000, 0);
  await until(places, (now) => now.isLastSeen && stays(now));
  assert.equal(await page().locator('.shelf.has-more').count(), 0);
  await parts.browser.shoot('list-details-aside');
  assert.deepEqual(await parts.browser.findings(), []);
  // Whatever moves under the name is covered by it.
  const covered = await page().evaluate(() => {
    const name = document.querySelectorAll('.grid.list .tile')[4]?.querySelector('.name');
    const box = name?.getBoundingClientRect();
    return box
      ? document.elementFromPoint(box.left + 4, box.top + box.height / 2)?.closest('.caption') ===
        name?.closest('.caption')
      : false;
  });
  assert.equal(covered, true);

  await page().locator('.grid.list .tile[tabindex="0"]').focus();
  await press('ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft');
  await until(places, (now) => !now.isLastSeen && stays(now));
  const ring = await page().locator('.grid.list .tile:focus').evaluate((tile) => {
    const { outlineStyle, zIndex, inlineSize } = getComputedStyle(tile, '::after');
    const cells = [...tile.children].map((cell) => Number(getComputedStyle(cell).zIndex) || 0);
    return [outlineStyle, Number(zIndex) > Math.max(...cells), Math.round(parseFloat(inlineSize)) === tile.clientWidth];
  });
  assert.deepEqual(ring, ['solid', true, true], 'the outline of the row is above the cells that stay');
  assert.equal(await page().locator('.shelf.has-before').count(), 0);
  const heading = page().locator('.columns-head .cell').last().getByRole('button');
  await heading.focus();
  await until(places, (now) => now.isLastSeen && stays(now));
  await page().locator('.columns-head .cell').nth(1).getByRole('button').focus();
  await until(places, (now) => !now.isLastSeen && stays(now));
});

test('where text runs from right to left the list moves to the other side', async () => {
  await open(1280);
  await page().evaluate(() => {
    document.documentElement.dir = 'rtl';
  });
  await page().setViewportSize({ width: 1282, height: 800 });
  const name = () =>
    page().locator('.grid.list .tile .caption').nth(2).evaluate((caption) =>
      Math.round(caption.getBoundingClientRect().right)
    );
  const isSeen = () =>
    page().evaluate(() => {
      const frame = document.querySelector('.grid.list')?.getBoundingClientRect();
      const last = [...document.querySelectorAll('.grid.list .tile .cell')].at(-1)?.getBoundingClientRect();
      return Boolean(frame && last && last.left >= frame.left);
    });
  await until(isSeen, (now) => !now);
  const before = await name();
  await page().locator('.grid.list .tile[tabindex="0"]').focus();
  await press('ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft');
  await until(isSeen, (now) => now);
  assert.equal(await name(), before);
});

test('on a very large screen no value is cut', async () => {
  await open(3840);
  await page().setViewportSize({ width: 3840, height: 2160 });
  const cut = () =>
    page().evaluate(() =>
      [...document.querySelectorAll('.grid.list .tile .cell, .columns-row .cell button > span')].filter((cell) =>
        cell.scrollWidth > cell.clientWidth
      ).map(({ textContent }) => textContent)
    );
  await until(async () => [await cut(), (await places()).apart], ([texts, apart]) =>
    texts?.length === 0 &&
    apart?.length === 0);
});
