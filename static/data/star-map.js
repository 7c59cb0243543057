/**
 * Where the stars of a constellation stand: games that have something in common lie close. Pure, and the same for the
 * same library.
 */

/** Steps of the layout, fewer for many stars so that it takes no longer. */
const STEPS = 90;
const WORK = 14_000_000;

/**
 * @typedef {{x: number, y: number}} Place
 */

/**
 * Places between -1 and 1, by a simple model of springs: lines pull, stars push.
 *
 * @param {number} count
 * @param {readonly {s: number, t: number, w: number}[]} lines
 * @returns {Place[]}
 */
export function placeStars(count, lines) {
  // A sunflower: even, and without chance.
  const places = Array.from({ length: count }, (_, at) => {
    const [radius, angle] = [Math.sqrt((at + 0.5) / count), at * 2.399963];
    return { x: radius * Math.cos(angle), y: radius * Math.sin(angle) };
  });
  const rest = 1.1 / Math.sqrt(Math.max(1, count));
  const steps = Math.max(12, Math.min(STEPS, Math.floor(WORK / Math.max(1, count * count))));
  for (let step = 0; step < steps; step += 1) {
    const heat = 0.12 * (1 - step / steps);
    const moves = places.map(() => ({ x: 0, y: 0 }));
    for (let a = 0; a < count; a += 1) {
      for (let b = a + 1; b < count; b += 1) {
        const [one, other] = [/** @type {Place} */ (places[a]), /** @type {Place} */ (places[b])];
        const [dx, dy] = [one.x - other.x, one.y - other.y];
        const far = dx * dx + dy * dy + 1e-6;
        if (far > rest * rest * 16) continue;
        const push = (rest * rest) / far;
        const [first, second] = [/** @type {Place} */ (moves[a]), /** @type {Place} */ (moves[b])];
        first.x += dx * push;
        first.y += dy * push;
        second.x -= dx * push;
        second.y -= dy * push;
      }
    }
    for (const { s, t, w } of lines) {
      const [one, other, first, second] = [places[s], places[t], moves[s], moves[t]];
      if (!one || !other || !first || !second) continue;
      const [dx, dy] = [one.x - other.x, one.y - other.y];
      const pull = Math.min(0.5, (Math.sqrt(dx * dx + dy * dy) / rest) * 0.06 * Math.min(3, Math.max(0.5, w)));
      first.x -= dx * pull;
      first.y -= dy * pull;
      second.x += dx * pull;
      second.y += dy * pull;
    }
    places.forEach((place, at) => {
      const move = /** @type {Place} */ (moves[at]);
      const length = Math.hypot(move.x, move.y) || 1;
      const most = Math.min(length, heat) / length;
      // A light pull to the middle keeps stars without lines in sight.
      place.x = (place.x + move.x * most) * 0.997;
      place.y = (place.y + move.y * most) * 0.997;
    });
  }
  const fit = (/** @type {number[]} */ values) => {
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return values.map((value) => (most > least ? (2 * (value - least)) / (most - least) - 1 : 0));
  };
  const [across, down] = [fit(places.map(({ x }) => x)), fit(places.map(({ y }) => y))];
  return places.map((_, at) => ({ x: across[at] ?? 0, y: down[at] ?? 0 }));
}

/**
 * The nearest star in a direction, as arrows move.
 *
 * @param {readonly Place[]} places
 * @param {number} from
 * @param {'left' | 'right' | 'up' | 'down'} direction
 * @returns {number} `from` when there is none
 */
export function starBeside(places, from, direction) {
  const start = places[from];
  if (!start) return 0;
  const [ux, uy] = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] }[direction] ?? [1, 0];
  let best = from;
  let least = Infinity;
  places.forEach(({ x, y }, at) => {
    if (at === from) return;
    const [dx, dy] = [x - start.x, y - start.y];
    const along = dx * (ux ?? 0) + dy * (uy ?? 0);
    if (along <= 1e-9) return;
    const aside = Math.abs(dx * (uy ?? 0)) + Math.abs(dy * (ux ?? 0));
    const cost = along + 2.5 * aside;
    if (cost < least) [best, least] = [at, cost];
  });
  return best;
}

/** How much of a star a name may not cover, from its middle in pixels. */
const STAR = 4;

/**
 * The names that can be written: whole, and over no other name and no other star. The first one always can.
 *
 * @param {readonly {at: number, left: number, top: number, right: number, bottom: number}[]} boxes in the order of
 *   their importance; `at` is the star
 * @param {readonly Place[]} spots where the stars are drawn, in pixels
 * @param {number} width of the drawing
 * @param {number} height
 * @returns {number[]} the stars that are named
 */
export function namedStars(boxes, spots, width, height) {
  /** @type {(typeof boxes)[number][]} */
  const taken = [];
  for (const box of boxes) {
    const isWhole = box.left >= 0 && box.top >= 0 && box.right <= width && box.bottom <= height;
    const isFree = taken.every((other) =>
      box.left >= other.right || box.right <= other.left || box.top >= other.bottom || box.bottom <= other.top
    );
    const coversNone = spots.every(({ x, y }, at) =>
      at === box.at || x + STAR <= box.left || x - STAR >= box.right || y + STAR <= box.top || y - STAR >= box.bottom
    );
    if (taken.length === 0 || (isWhole && isFree && coversNone)) taken.push(box);
  }
  return taken.map(({ at }) => at);
}
