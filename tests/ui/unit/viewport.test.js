import assert from 'node:assert/strict';
import { test } from 'node:test';

import { contentHeight, gridShape, moveIndex, scrollToShow, TILE_LIMIT, visibleRange } from '../../../static/core/viewport.js';

const WISH = { width: 1000, tile: 150, gap: 20, ratio: 4 / 3, caption: 48 };

test('tiles fill the width and are never narrower than wished', () => {
  for (let width = 200; width <= 4000; width += 37) {
    const shape = gridShape({ ...WISH, width });
    const used = shape.columns * shape.tileWidth + (shape.columns - 1) * WISH.gap;
    assert.ok(shape.tileWidth >= 150, `${width}`);
    assert.ok(used <= width && used > width - shape.columns, `${width}`);
  }
  assert.equal(gridShape({ ...WISH, width: 40 }).columns, 1);
});

test('the range covers what is on screen and stays under the limit', () => {
  for (const tile of [80, 110, 150, 300]) {
    for (const width of [400, 1000, 1900, 3800]) {
      const shape = gridShape({ ...WISH, width, tile });
      for (const height of [400, 1000, 2000]) {
        const full = contentHeight(shape, 50_000);
        for (const top of [0, 1, full / 3, full - height, full]) {
          const { first, last } = visibleRange(shape, 50_000, top, height);
          const rowFrom = Math.floor(top / shape.rowHeight) * shape.columns;
          const rowTo = Math.min(50_000, Math.ceil((top + height) / shape.rowHeight) * shape.columns);
          assert.ok(first <= Math.min(rowFrom, 49_999) && last >= rowTo, `${tile} ${width} ${height} ${top}`);
          const onScreen = rowTo - rowFrom;
          assert.ok(last - first <= Math.max(TILE_LIMIT + shape.columns, onScreen), `${last - first} tiles`);
        }
      }
    }
  }
});

test('an empty list has no tiles', () => {
  const shape = gridShape(WISH);
  const { first, last } = visibleRange(shape, 0, 0, 800);
  assert.equal(last - first, 0);
  assert.equal(contentHeight(shape, 0), 0);
});

test('scrolling shows a whole tile and moves as little as possible', () => {
  const shape = gridShape(WISH);
  const { rowHeight, columns } = shape;
  assert.equal(scrollToShow(shape, columns, 0, rowHeight * 3, 0), 0);
  assert.equal(scrollToShow(shape, columns * 3, 0, rowHeight * 3, 0), rowHeight);
  assert.equal(scrollToShow(shape, columns * 2, rowHeight * 5, rowHeight * 3, 10), rowHeight * 2 - 10);
  assert.equal(scrollToShow(shape, 0, 500, 800, 10), 0);
});

test('keys move the focus and stop at the edges', () => {
  const grid = { columns: 4, count: 10, pageRows: 2 };
  const table = /** @type {const} */ ([
    ['ArrowRight', 0, 1], ['ArrowRight', 9, 9], ['ArrowLeft', 0, 0], ['ArrowLeft', 5, 4], ['ArrowDown', 1, 5], ['ArrowDown', 7, 9], ['ArrowDown', 9, 9], ['ArrowUp', 5, 1],
    ['ArrowUp', 2, 2], ['PageDown', 0, 8], ['PageDown', 3, 9], ['PageUp', 9, 1], ['PageUp', 3, 3], ['Home', 7, 0], ['End', 2, 9], ['a', 3, -1],
  ]);
  for (const [key, from, to] of table) assert.equal(moveIndex(key, from, grid), to, `${key} from ${from}`);
  assert.equal(moveIndex('ArrowRight', 5, { ...grid, rtl: true }), 4);
  assert.equal(moveIndex('Home', 0, { ...grid, count: 0 }), -1);
});
