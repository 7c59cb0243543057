import assert from 'node:assert/strict';
import { test } from 'node:test';

import { cardsOf } from '../../../static/parts/insights/year.js';
import { isPhrase, phraseParts, withoutPart } from '../../../static/data/phrase.js';
import { namedStars, placeStars, starBeside } from '../../../static/data/star-map.js';

test('a phrase is taken apart at commas outside of quotes, and loses one part', () => {
  const canonical = 'unplayed, genre:"rpg, old" genre:"role-playing", on "snes", year:1990-1999';
  assert.deepEqual(phraseParts(canonical), ['unplayed', 'genre:"rpg, old" genre:"role-playing"', 'on "snes"',
    'year:1990-1999']);
  assert.equal(withoutPart(canonical, 1), 'unplayed, on "snes", year:1990-1999');
  assert.equal(withoutPart('unplayed', 0), '');
  assert.deepEqual(phraseParts(''), []);
  assert.ok(isPhrase(' two words ') && !isPhrase(' one ') && !isPhrase(''));
});

test('stars have the same places each time, inside of the map, and lines pull', () => {
  const lines = [{ s: 0, t: 1, w: 1 }, { s: 1, t: 2, w: 1 }];
  const places = placeStars(12, lines);
  assert.deepEqual(places, placeStars(12, lines));
  assert.ok(places.every(({ x, y }) => Math.abs(x) <= 1 && Math.abs(y) <= 1));
  const far = (/** @type {number} */ a, /** @type {number} */ b) =>
    Math.hypot((places[a]?.x ?? 0) - (places[b]?.x ?? 0), (places[a]?.y ?? 0) - (places[b]?.y ?? 0));
  const others = [3, 4, 5, 6, 7, 8, 9, 10, 11].map((at) => far(0, at));
  assert.ok(far(0, 1) < Math.max(...others), 'what is connected is not the farthest');
  assert.deepEqual(placeStars(0, []), []);
  assert.deepEqual(placeStars(1, []), [{ x: 0, y: 0 }]);
});

test('arrows go to the nearest star in their direction, and stop at the edge', () => {
  const places = [{ x: 0, y: 0 }, { x: 1, y: 0.1 }, { x: 0.2, y: 0.9 }, { x: -1, y: 0 }];
  assert.equal(starBeside(places, 0, 'right'), 1);
  assert.equal(starBeside(places, 0, 'down'), 2);
  assert.equal(starBeside(places, 0, 'left'), 3);
  assert.equal(starBeside(places, 0, 'up'), 0);
  assert.equal(starBeside([], 0, 'up'), 0);
});

test('a year has no card for a figure that is zero, and at least the one of its totals', () => {
  const ctx = /** @type {App.Context} */ (/** @type {unknown} */ ({ t: String, tn: String }));
  const cards = (/** @type {number} */ sessions, /** @type {number} */ beaten, /** @type {number} */ isNew) =>
    cardsOf(ctx, /** @type {Reply.Wrapped} */ (/** @type {unknown} */ ({
      totals: { sessions, new_games: isNew },
      top: {},
      streak: { longest: 1 },
      per_month: [],
      progress: { beaten, completed: 0, mastered: 0 },
    }))).map(({ key }) => key);
  assert.deepEqual(cards(2, 1, 0), ['totals', 'months', 'end']);
  assert.deepEqual(cards(2, 0, 1), ['totals', 'months', 'new']);
  assert.deepEqual(cards(2, 0, 0), ['totals', 'months']);
  assert.deepEqual(cards(0, 0, 0), ['totals']);
});

test('a name is written where it is whole and covers no other name and no other star', () => {
  const box = (/** @type {number} */ at, /** @type {number} */ left, /** @type {number} */ top) => ({ at, left, top,
    right: left + 40, bottom: top + 18 });
  const boxes = [box(0, -10, 0), box(1, 20, 10), box(2, 100, 0), box(3, 100, 10), box(4, 175, 0), box(5, 100, 60)];
  const spots = [{ x: 10, y: 190 }, { x: 50, y: 190 }, { x: 90, y: 190 }, { x: 120, y: 190 }, { x: 150, y: 70 }, {
    x: 110,
    y: 62,
  }];
  // The first is named although it is cut off; then one that is free, and one over its own star only.
  assert.deepEqual(namedStars(boxes, spots, 200, 200), [0, 2, 5]);
  assert.deepEqual(namedStars(boxes.slice(2), [...spots, { x: 120, y: 70 }], 200, 200), [2]);
  assert.deepEqual(namedStars([], spots, 200, 200), []);
});
