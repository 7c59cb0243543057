import assert from 'node:assert/strict';
import { test } from 'node:test';

import { gridShape, makeLayout, moveIndex, placeOf, roomyTile, scrollToShow, sectionOf, TILE_LIMIT, visibleRange,
  visibleSections } from '../../../static/core/viewport.js';

const WISH = { width: 1000, tile: 150, gap: 20, ratio: 4 / 3, caption: 48 };
const HEADING = 40;

/** Groups of uneven sizes, together 50,000. */
const GROUPS = [7, 1, 12_000, 3, 24, 37_965].map((count, index) => ({ key: String(index), count }));

test('tiles fill the width and are never narrower than wished', () => {
  for (let width = 200; width <= 4000; width += 37) {
    const shape = gridShape({ ...WISH, width });
    const used = shape.columns * shape.tileWidth + (shape.columns - 1) * WISH.gap;
    assert.ok(shape.tileWidth >= 150, `${width}`);
    assert.ok(used <= width && used > width - shape.columns, `${width}`);
  }
  assert.equal(gridShape({ ...WISH, width: 40 }).columns, 1);
});

test('tiles grow with the text where eight of them still fit', () => {
  assert.equal(roomyTile(146, 190, 3000), 190);
  assert.equal(roomyTile(146, 190, 1300), 162.5);
  assert.equal(roomyTile(146, 190, 380), 146);
  assert.equal(roomyTile(300, 390, 1300), 300);
});

test('the range covers what is on screen and stays under the limit, with groups and without', () => {
  for (const groups of [undefined, GROUPS]) {
    for (const tile of [80, 110, 150, 300]) {
      for (const width of [400, 1000, 1900, 3800]) {
        const shape = gridShape({ ...WISH, width, tile });
        const layout = makeLayout(shape, 50_000, groups, HEADING);
        for (const height of [400, 1000, 2000]) {
          for (const top of [0, 1, 700, layout.height / 3, layout.height - height, layout.height]) {
            const { first, last } = visibleRange(layout, top, height);
            const shown = Array.from({ length: last - first + 2 * shape.columns }, (_, at) =>
              first - shape.columns + at).filter((index) => index >= 0 && index < 50_000);
            const onScreen = shown.filter((index) => {
              const place = placeOf(layout, index).top;
              return place + shape.rowHeight > top && place < top + height;
            });
            for (const index of onScreen)
              assert.ok(index >= first && index < last,
                `${tile} ${width} ${height} ${top}: ${index} outside ${first}..${last}`);
            assert.ok(last - first <= Math.max(TILE_LIMIT, onScreen.length) + 2 * shape.columns,
              `${last - first} tiles`);
          }
        }
      }
    }
  }
});

test('an empty list has no tiles', () => {
  const layout = makeLayout(gridShape(WISH), 0);
  const { first, last } = visibleRange(layout, 0, 800);
  assert.equal(last - first, 0);
  assert.equal(layout.height, 0);
});

test('each group begins a row below its heading', () => {
  const shape = gridShape(WISH);
  const layout = makeLayout(shape, 10, [{ count: 7 }, { count: 3 }], HEADING);
  const { columns, rowHeight } = shape;
  assert.equal(columns, 6);
  assert.deepEqual(placeOf(layout, 0), { column: 0, top: HEADING });
  assert.deepEqual(placeOf(layout, 6), { column: 0, top: HEADING + rowHeight });
  assert.deepEqual(placeOf(layout, 7), { column: 0, top: 2 * HEADING + 2 * rowHeight });
  assert.deepEqual([0, 6, 7, 9].map((index) => sectionOf(layout, index)), [0, 0, 1, 1]);
  assert.equal(layout.height, 2 * HEADING + 3 * rowHeight);
  assert.deepEqual(visibleSections(layout, 0, 100), { first: 0, last: 1 });
  assert.deepEqual(visibleSections(layout, 0, layout.height), { first: 0, last: 2 });
  assert.deepEqual(visibleSections(makeLayout(shape, 10), 0, 100), { first: 0, last: 0 });
});

test('scrolling shows a whole tile, its heading with it, and moves as little as possible', () => {
  const shape = gridShape(WISH);
  const { rowHeight, columns } = shape;
  const layout = makeLayout(shape, 50_000);
  assert.equal(scrollToShow(layout, columns, 0, rowHeight * 3, 0), 0);
  assert.equal(scrollToShow(layout, columns * 3, 0, rowHeight * 3, 0), rowHeight);
  assert.equal(scrollToShow(layout, columns * 2, rowHeight * 5, rowHeight * 3, 10), rowHeight * 2 - 10);
  assert.equal(scrollToShow(layout, 0, 500, 800, 10), 0);
  const grouped = makeLayout(shape, 12, [{ count: 6 }, { count: 6 }], HEADING);
  assert.equal(scrollToShow(grouped, 6, rowHeight * 4, 800, 0), HEADING + rowHeight);
});

test('keys move the focus and stop at the edges', () => {
  const layout = makeLayout({ columns: 4, tileWidth: 1, artHeight: 1, rowHeight: 1, columnStep: 1 }, 10);
  const table = /** @type {const} */ ([
    ['ArrowRight', 0, 1],
    ['ArrowRight', 9, 9],
    ['ArrowLeft', 0, 0],
    ['ArrowLeft', 5, 4],
    ['ArrowDown', 1, 5],
    ['ArrowDown', 7, 9],
    ['ArrowDown', 9, 9],
    ['ArrowUp', 5, 1],
    ['ArrowUp', 2, 2],
    ['PageDown', 0, 8],
    ['PageDown', 3, 9],
    ['PageUp', 9, 1],
    ['PageUp', 3, 3],
    ['Home', 7, 0],
    ['End', 2, 9],
    ['a', 3, -1],
  ]);
  for (const [key, from, to] of table)
    assert.equal(moveIndex(key, from, layout, { pageRows: 2 }), to, `${key} from ${from}`);
  assert.equal(moveIndex('ArrowRight', 5, layout, { pageRows: 2, rtl: true }), 4);
  assert.equal(moveIndex('Home', 0, makeLayout(layout.shape, 0), { pageRows: 2 }), -1);
});

test('keys cross from group to group in their column', () => {
  const layout = makeLayout({ columns: 4, tileWidth: 1, artHeight: 1, rowHeight: 1, columnStep: 1 }, 12, [{ count: 6 },
    { count: 1 }, { count: 5 }], HEADING);
  const table = /** @type {const} */ ([
    ['ArrowDown', 1, 5],
    ['ArrowDown', 2, 5],
    ['ArrowDown', 5, 6],
    ['ArrowDown', 6, 7],
    ['ArrowDown', 8, 11],
    ['ArrowUp', 10, 6],
    ['ArrowUp', 6, 4],
    ['ArrowUp', 11, 7],
    ['PageDown', 0, 11],
    ['PageUp', 11, 0],
  ]);
  for (const [key, from, to] of table)
    assert.equal(moveIndex(key, from, layout, { pageRows: key.startsWith('Page') ? 20 : 1 }), to,
      `${key} from ${from}`);
});
