/**
 * Arithmetic of the windowed grid: which tiles stand where, and which are needed for what is on screen. Pure.
 */

/** Most tiles that may exist at once. */
export const TILE_LIMIT = 320;

/**
 * Columns and sizes that fill the width with tiles at least as wide as wished.
 *
 * @param {{width: number, tile: number, gap: number, ratio: number, caption: number}} wish `ratio` is height / width of the artwork,
 *   `caption` the height of the text under it; all in pixels
 * @returns {App.GridShape}
 */
export function gridShape({ width, tile, gap, ratio, caption }) {
  const columns = Math.max(1, Math.floor((width + gap) / (tile + gap)));
  const tileWidth = Math.max(1, Math.floor((width - gap * (columns - 1)) / columns));
  const artHeight = Math.round(tileWidth * ratio);
  return { columns, tileWidth, artHeight, rowHeight: artHeight + caption + gap, columnStep: tileWidth + gap };
}

/**
 * Height of everything.
 *
 * @param {App.GridShape} shape
 * @param {number} count
 * @returns {number}
 */
export function contentHeight(shape, count) {
  return Math.ceil(count / shape.columns) * shape.rowHeight;
}

/**
 * First and one-past-last index to keep as elements: what is on screen, and up to a screen more on each side as far as the tile limit allows.
 *
 * @param {App.GridShape} shape
 * @param {number} count
 * @param {number} top scroll position inside the grid
 * @param {number} height of the visible part
 * @param {boolean} [isFlying] whether the list is scrolled so fast that tiles around the screen would be gone before they are seen
 * @returns {{first: number, last: number}}
 */
export function visibleRange(shape, count, top, height, isFlying = false) {
  const rows = Math.ceil(count / shape.columns);
  const firstRow = Math.max(0, Math.min(rows - 1, Math.floor(top / shape.rowHeight)));
  const lastRow = Math.min(rows, Math.ceil((top + height) / shape.rowHeight));
  const onScreen = Math.max(1, lastRow - firstRow);
  const spare = Math.max(0, Math.floor((TILE_LIMIT / shape.columns - onScreen) / 2));
  const around = isFlying ? 0 : Math.min(onScreen, spare);
  const first = Math.max(0, firstRow - around) * shape.columns;
  return { first, last: Math.max(first, Math.min(count, (lastRow + around) * shape.columns)) };
}

/**
 * The scroll position that shows a whole tile, moving as little as possible.
 *
 * @param {App.GridShape} shape
 * @param {number} index
 * @param {number} top
 * @param {number} height
 * @param {number} margin kept free above and below
 * @returns {number}
 */
export function scrollToShow(shape, index, top, height, margin) {
  const start = Math.floor(index / shape.columns) * shape.rowHeight;
  const end = start + shape.rowHeight;
  if (start - margin < top) return Math.max(0, start - margin);
  if (end + margin > top + height) return end + margin - height;
  return top;
}

/**
 * Where a key moves the focus in a grid, or -1 when it is no movement.
 *
 * @param {string} key name of the key event
 * @param {number} index
 * @param {{columns: number, count: number, pageRows: number, rtl?: boolean}} grid
 * @returns {number}
 */
export function moveIndex(key, index, { columns, count, pageRows, rtl = false }) {
  if (count === 0) return -1;
  const last = count - 1;
  const step = rtl ? -1 : 1;
  const clamp = (/** @type {number} */ to) => Math.max(0, Math.min(last, to));
  switch (key) {
    case 'ArrowRight': return clamp(index + step);
    case 'ArrowLeft': return clamp(index - step);
    case 'ArrowDown': return index + columns <= last ? index + columns : lastRowTarget(index, columns, last);
    case 'ArrowUp': return index - columns >= 0 ? index - columns : index;
    case 'PageDown': return index + columns * pageRows <= last ? index + columns * pageRows : last;
    case 'PageUp': return index - columns * pageRows >= 0 ? index - columns * pageRows : index % columns;
    case 'Home': return 0;
    case 'End': return last;
    default: return -1;
  }
}

/**
 * Down from the last but one row over a gap in the last row goes to its last tile.
 *
 * @param {number} index
 * @param {number} columns
 * @param {number} last
 */
function lastRowTarget(index, columns, last) {
  return Math.floor(index / columns) < Math.floor(last / columns) ? last : index;
}
