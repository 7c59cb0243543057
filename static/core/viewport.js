/**
 * Arithmetic of the windowed grid: which tiles stand where, below which heading, and which are needed for what is on
 * screen. Pure.
 */

/** Most tiles that may exist at once. */
export const TILE_LIMIT = 320;

/** Tiles that still stand beside each other when they grow with the text. */
const ROOMY_COLUMNS = 8;

/**
 * The width to ask for a tile: titles get the room that larger text takes where many tiles still fit.
 *
 * @param {number} chosen what the user set, in pixels
 * @param {number} grown the same with the text as large as it is, in pixels
 * @param {number} width of the grid, in pixels
 * @returns {number}
 */
export function roomyTile(chosen, grown, width) {
  return Math.max(chosen, Math.min(grown, width / ROOMY_COLUMNS));
}

/**
 * Columns and sizes that fill the width with tiles at least as wide as wished.
 *
 * @param {{width: number, tile: number, gap: number, ratio: number, caption: number}} wish `ratio` is height / width of
 *   the artwork, `caption` the height of the text under it; all in pixels
 * @returns {App.GridShape}
 */
export function gridShape({ width, tile, gap, ratio, caption }) {
  const columns = Math.max(1, Math.floor((width + gap) / (tile + gap)));
  const tileWidth = Math.max(1, Math.floor((width - gap * (columns - 1)) / columns));
  const artHeight = Math.round(tileWidth * ratio);
  return { columns, tileWidth, artHeight, rowHeight: artHeight + caption + gap, columnStep: tileWidth + gap };
}

/**
 * The places of all tiles: sections one below the other, each under its heading. Without groups there is one section
 * and no heading.
 *
 * @param {App.GridShape} shape
 * @param {number} count
 * @param {readonly {count: number}[]} [groups] in order, together `count` tiles
 * @param {number} [heading] height of a heading
 * @returns {App.Layout}
 */
export function makeLayout(shape, count, groups, heading = 0) {
  const sizes = groups && groups.length > 0 ? groups.map((group) => group.count) : [count];
  const firsts = new Uint32Array(sizes.length + 1);
  const tops = new Float64Array(sizes.length + 1);
  const above = groups && groups.length > 0 ? heading : 0;
  sizes.forEach((size, section) => {
    firsts[section + 1] = (firsts[section] ?? 0) + size;
    tops[section + 1] = (tops[section] ?? 0) + above + Math.ceil(size / shape.columns) * shape.rowHeight;
  });
  return { shape, count, heading: above, firsts, tops, height: tops[sizes.length] ?? 0 };
}

/**
 * The section of a tile.
 *
 * @param {App.Layout} layout
 * @param {number} index
 * @returns {number}
 */
export function sectionOf({ firsts }, index) {
  return lastAtMost(firsts, index);
}

/**
 * Column and upper edge of a tile.
 *
 * @param {App.Layout} layout
 * @param {number} index
 * @returns {{column: number, top: number}}
 */
export function placeOf(layout, index) {
  const section = sectionOf(layout, index);
  const inside = index - (layout.firsts[section] ?? 0);
  const { columns, rowHeight } = layout.shape;
  return { column: inside % columns,
    top: (layout.tops[section] ?? 0) + layout.heading + Math.floor(inside / columns) * rowHeight };
}

/**
 * The first tile whose row ends below a height; `count` when there is none.
 *
 * @param {App.Layout} layout
 * @param {number} y
 * @returns {number}
 */
function tileAt(layout, y) {
  if (y >= layout.height) return layout.count;
  const section = lastAtMost(layout.tops, Math.max(0, y));
  const { columns, rowHeight } = layout.shape;
  const row = Math.max(0, Math.floor((y - (layout.tops[section] ?? 0) - layout.heading) / rowHeight));
  return Math.min(layout.firsts[section + 1] ?? layout.count, (layout.firsts[section] ?? 0) + row * columns);
}

/**
 * First and one-past-last index to keep as elements: what is on screen, and up to a screen more on each side as far as
 * the tile limit allows.
 *
 * @param {App.Layout} layout
 * @param {number} top scroll position inside the grid
 * @param {number} height of the visible part
 * @param {boolean} [isFlying] whether the list is scrolled so fast that tiles around the screen would be gone before
 *   they are seen
 * @returns {{first: number, last: number}}
 */
export function visibleRange(layout, top, height, isFlying = false) {
  const { columns, rowHeight } = layout.shape;
  const from = Math.min(tileAt(layout, top), Math.max(0, layout.count - 1));
  const to = Math.min(layout.count, Math.max(tileAt(layout, top + height + rowHeight - 1), from + 1));
  if (isFlying) return { first: from, last: to };
  const spare = Math.floor(Math.max(0, TILE_LIMIT - (to - from)) / 2 / columns) * columns;
  return { first: Math.max(0, from - spare, tileAt(layout, top - height)),
    last: Math.min(layout.count, to + spare, tileAt(layout, top + 2 * height + rowHeight - 1)) };
}

/**
 * The sections whose heading may be on screen.
 *
 * @param {App.Layout} layout
 * @param {number} top
 * @param {number} height
 * @returns {{first: number, last: number}}
 */
export function visibleSections(layout, top, height) {
  if (layout.heading === 0) return { first: 0, last: 0 };
  const sections = layout.firsts.length - 1;
  return { first: Math.min(sections, lastAtMost(layout.tops, Math.max(0, top))),
    last: Math.min(sections, lastAtMost(layout.tops, top + height) + 1) };
}

/**
 * The scroll position that shows a whole tile, and the heading over it when it is the first row, moving as little as
 * possible.
 *
 * @param {App.Layout} layout
 * @param {number} index
 * @param {number} top
 * @param {number} height
 * @param {number} margin kept free above and below
 * @returns {number}
 */
export function scrollToShow(layout, index, top, height, margin) {
  const place = placeOf(layout, index).top;
  const isUnderHeading = place === (layout.tops[sectionOf(layout, index)] ?? 0) + layout.heading;
  const start = isUnderHeading ? place - layout.heading : place;
  const end = place + layout.shape.rowHeight;
  if (start - margin < top) return Math.max(0, start - margin);
  if (end + margin > top + height) return end + margin - height;
  return top;
}

/**
 * Where a key moves the focus, or -1 when it is no movement.
 *
 * @param {string} key name of the key event
 * @param {number} index
 * @param {App.Layout} layout
 * @param {{pageRows: number, rtl?: boolean}} grid
 * @returns {number}
 */
export function moveIndex(key, index, layout, { pageRows, rtl = false }) {
  if (layout.count === 0) return -1;
  const last = layout.count - 1;
  const step = rtl ? -1 : 1;
  const clamp = (/** @type {number} */ to) => Math.max(0, Math.min(last, to));
  switch (key) {
    case 'ArrowRight':
      return clamp(index + step);
    case 'ArrowLeft':
      return clamp(index - step);
    case 'ArrowDown':
      return rowBelow(layout, index);
    case 'ArrowUp':
      return rowAbove(layout, index);
    case 'PageDown':
      return repeat(pageRows, index, (at) => rowBelow(layout, at), last);
    case 'PageUp':
      return repeat(pageRows, index, (at) => rowAbove(layout, at), 0);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return -1;
  }
}

/**
 * Pages on; at the end, where no row is left in the way, to the very end.
 *
 * @param {number} times
 * @param {number} index
 * @param {(at: number) => number} move
 * @param {number} end
 * @returns {number}
 */
function repeat(times, index, move, end) {
  let at = index;
  for (let turn = 0; turn < times; turn += 1) {
    const next = move(at);
    if (next === at) return end === 0 ? at : end;
    at = next;
  }
  return at;
}

/**
 * One row down in the same column; over a gap in the last row of a section to its last tile, from the last row into the
 * next section.
 *
 * @param {App.Layout} layout
 * @param {number} index
 * @returns {number}
 */
function rowBelow({ firsts, count, shape: { columns } }, index) {
  const section = lastAtMost(firsts, index);
  const [first, end] = [firsts[section] ?? 0, firsts[section + 1] ?? count];
  if (index + columns < end) return index + columns;
  const inside = index - first;
  if (Math.floor(inside / columns) < Math.floor((end - 1 - first) / columns)) return end - 1;
  return end < count ? Math.min(end + (inside % columns), (firsts[section + 2] ?? count) - 1) : index;
}

/**
 * @param {App.Layout} layout
 * @param {number} index
 * @returns {number}
 */
function rowAbove({ firsts, shape: { columns } }, index) {
  const section = lastAtMost(firsts, index);
  const first = firsts[section] ?? 0;
  if (index - columns >= first) return index - columns;
  if (section === 0) return index;
  const before = firsts[section - 1] ?? 0;
  const lastRow = before + Math.floor((first - 1 - before) / columns) * columns;
  return Math.min(lastRow + ((index - first) % columns), first - 1);
}

/**
 * The last position before the end whose value is at most `value`; values rise.
 *
 * @param {Uint32Array | Float64Array} values
 * @param {number} value
 * @returns {number}
 */
function lastAtMost(values, value) {
  let [low, high] = [0, Math.max(0, values.length - 2)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((values[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
