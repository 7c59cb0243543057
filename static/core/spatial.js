/**
 * Geometry of moving by direction: which of many boxes lies next to a box. Pure; knows no elements.
 */

/** The four directions. */
export const DIRECTIONS = Object.freeze(/** @type {const} */ (['up', 'down', 'left', 'right']));

/** How far a neighbour may reach back over the box it is a neighbour of, as a part of its own size. */
const OVERLAP = 0.4;

/** Distance ahead weighs this much more than distance to the side. */
const AHEAD = 13;

/**
 * The index of the box that lies next to another one in a direction, or -1. Boxes straight ahead win over those aside:
 * always when moving along a row, and when moving between rows unless one aside is a whole box nearer.
 *
 * @param {App.Box} from
 * @param {readonly App.Box[]} boxes
 * @param {App.Direction} direction
 * @returns {number}
 */
export function nextBox(from, boxes, direction) {
  const start = turn(from, direction);
  const isRow = direction === 'left' || direction === 'right';
  let best = -1;
  /** @type {ReturnType<typeof measure> | null} */
  let least = null;
  boxes.forEach((box, index) => {
    const found = measure(start, turn(box, direction));
    if (found && (!least || isNearer(found, least, isRow))) [best, least] = [index, found];
  });
  return best;
}

/**
 * The box as if the direction were to the right.
 *
 * @param {App.Box} box
 * @param {App.Direction} direction
 * @returns {App.Box}
 */
function turn({ left, top, right, bottom }, direction) {
  switch (direction) {
    case 'right':
      return { left, top, right, bottom };
    case 'left':
      return { left: -right, top, right: -left, bottom };
    case 'down':
      return { left: top, top: left, right: bottom, bottom: right };
    default:
      return { left: -bottom, top: left, right: -top, bottom: right };
  }
}

/**
 * How far a box lies to the right of another one, or `null` when it does not.
 *
 * @param {App.Box} from
 * @param {App.Box} box
 */
function measure(from, box) {
  const reach = Math.min(from.right - from.left, box.right - box.left) * OVERLAP;
  const isAhead = box.left >= from.right - reach - 1 && (box.left + box.right) / 2 > (from.left + from.right) / 2 + 1;
  if (!isAhead) return null;
  const ahead = Math.max(0, box.left - from.right);
  const middle = (from.top + from.bottom) / 2;
  const aside = middle < box.top ? box.top - middle : middle > box.bottom ? middle - box.bottom : 0;
  const isInBeam = box.top < from.bottom - 1 && box.bottom > from.top + 1;
  return { ahead, far: Math.max(ahead + 1, box.right - from.right), isInBeam,
    score: AHEAD * ahead * ahead + aside * aside };
}

/**
 * @param {{ahead: number, far: number, isInBeam: boolean, score: number}} one
 * @param {{ahead: number, far: number, isInBeam: boolean, score: number}} other
 * @param {boolean} isRow
 */
function isNearer(one, other, isRow) {
  if (one.isInBeam !== other.isInBeam) {
    const [straight, aside] = one.isInBeam ? [one, other] : [other, one];
    const straightWins = isRow || straight.ahead < aside.far;
    return straightWins === one.isInBeam;
  }
  return one.score < other.score;
}
