import assert from 'node:assert/strict';
import { test } from 'node:test';

import { idleTimes, readBig } from '../../../static/data/big-settings.js';
import { feedbackOf } from '../../../static/parts/big/feedback.js';
import { PadState, REPEAT } from '../../../static/core/gamepad.js';
import { actionOf, ACTIONS, bindButton, buttonFor, buttonsOf, padKind,
  REPEATING } from '../../../static/core/pad-map.js';
import { DIRECTIONS, nextBox } from '../../../static/core/spatial.js';

/**
 * @param {number} left
 * @param {number} top
 * @param {number} [width]
 * @param {number} [height]
 * @returns {App.Box}
 */
function box(left, top, width = 100, height = 100) {
  return { left, top, right: left + width, bottom: top + height };
}

test('a grid is walked in rows and columns', () => {
  const grid = Array.from({ length: 12 }, (_, index) => box((index % 4) * 120, Math.floor(index / 4) * 130));
  const from = /** @type {App.Box} */ (grid[5]);
  const moves = Object.fromEntries(DIRECTIONS.map((direction) => [direction, nextBox(from, grid, direction)]));
  assert.deepEqual(moves, { up: 1, down: 9, left: 4, right: 6 });
  assert.equal(nextBox(box(0, 0), grid.slice(1), 'left'), -1);
  assert.equal(nextBox(box(0, 0), grid.slice(1), 'up'), -1);
});

test('what lies straight ahead wins over what is nearer aside', () => {
  // A wide field over small buttons: up from each button leads to the field, not to the button of another row.
  const field = box(0, 0, 600, 40);
  const cross = box(620, 0, 40, 40);
  assert.equal(nextBox(box(20, 60, 80, 40), [field, cross], 'up'), 0);
  assert.equal(nextBox(box(620, 60, 40, 40), [field, cross], 'up'), 1);
  // Along a row a far neighbour of the row wins over a near one of the next row.
  assert.equal(nextBox(box(0, 0), [box(900, 0), box(110, 130)], 'right'), 0);
  // Between rows one aside wins when it is a whole box nearer.
  assert.equal(nextBox(box(0, 0), [box(0, 900), box(160, 130)], 'down'), 1);
});

test('boxes that overlap a little are still neighbours, ones around are not', () => {
  assert.equal(nextBox(box(0, 0), [box(80, 0)], 'right'), 0);
  assert.equal(nextBox(box(50, 50, 20, 20), [box(0, 0, 300, 300)], 'right'), -1);
});

test('the way back leads back within a column', () => {
  const rows = [box(0, 0, 200, 40), box(0, 60, 200, 40), box(240, 0, 400, 90), box(240, 110, 400, 90)];
  /** @type {Record<string, App.Direction>} */
  const opposite = { up: 'down', down: 'up', left: 'right', right: 'left' };
  rows.forEach((from, index) => {
    for (const direction of /** @type {App.Direction[]} */ (['up', 'down'])) {
      const there = nextBox(from, rows, direction);
      const to = rows[there];
      if (!to || to.left >= from.right || to.right <= from.left) continue;
      const back = nextBox(to, rows, /** @type {App.Direction} */ (opposite[direction]));
      assert.equal(back, index, `${index} ${direction}`);
    }
  });
});

/**
 * @param {number[]} down
 * @param {number[]} [axes]
 * @returns {App.PadSnapshot}
 */
function pad(down, axes = [0, 0, 0, 0]) {
  return { id: 'pad', index: 0, axes,
    buttons: Array.from({ length: 17 },
      (_, index) => ({ pressed: down.includes(index), value: down.includes(index) ? 1 : 0 })) };
}

/** @param {[time: number, pad: App.PadSnapshot][]} frames */
function run(frames) {
  const state = new PadState();
  state.step([pad([])], -1, () => true);
  return frames.flatMap(([time, snapshot]) =>
    state.step([snapshot], time, (_, button) => button >= 12).map(({ button, isRepeat }) => [time, button, isRepeat])
  );
}

test('a press counts once, until it is let go', () => {
  assert.deepEqual(run([[0, pad([0])], [16, pad([0])], [5000, pad([0])], [5016, pad([])], [5032, pad([0])]]), [[0, 0,
    false], [5032, 0, false]]);
});

test('a held direction repeats after 350 ms, then each 120 ms, and faster when it was held for long', () => {
  const frames = Array.from({ length: 220 },
    (_, index) => /** @type {[number, App.PadSnapshot]} */ ([index * 10, pad([13])]));
  const times = run(frames).map(([time]) => Number(time));
  assert.deepEqual(times.slice(0, 4), [0, REPEAT.delay, REPEAT.delay + REPEAT.every, REPEAT.delay + 2 * REPEAT.every]);
  const late = times.filter((time) => time > REPEAT.longAfter + REPEAT.every);
  for (let at = 1; at < late.length; at += 1) assert.equal((late[at] ?? 0) - (late[at - 1] ?? 0), REPEAT.fast);
});

test('a stick rests in the dead zone, points from one half on, and does not flicker', () => {
  assert.deepEqual(
    run([[0, pad([], [0.15, 0.1])], [16, pad([], [0.45, 0])], [32, pad([], [0.5, 0])], [48, pad([], [0.4, 0.1])], [64,
      pad([], [0.3, 0])], [80, pad([], [0.55, 0.2])]]),
    [[32, 15, false], [80, 15, false]],
  );
  assert.deepEqual(run([[0, pad([], [-0.6, 0.5])], [16, pad([], [0.1, -0.9])]]), [[0, 14, false], [16, 12, false]]);
});

test('the stick and the d-pad together are one press', () => {
  assert.deepEqual(run([[0, pad([15], [1, 0])], [16, pad([15], [1, 0])]]), [[0, 15, false]]);
});

test('what is held when somebody begins to look does nothing', () => {
  const state = new PadState();
  const seen = [0, 500, 1000].flatMap((time) => state.step([pad([0, 13])], time, () => true));
  assert.deepEqual(seen, []);
  assert.equal(state.step([pad([13])], 1500, () => true).length, 0);
  assert.equal(state.step([pad([0, 13])], 1516, () => true).length, 1);
});

test('controllers are known by maker', () => {
  const table = /** @type {const} */ ([
    ['Xbox 360 Controller (STANDARD GAMEPAD Vendor: 045e Product: 028e)', 'xbox'],
    ['Wireless Controller (STANDARD GAMEPAD Vendor: 054c Product: 09cc)', 'playstation'],
    ['DualSense Edge', 'playstation'],
    ['Pro Controller (STANDARD GAMEPAD Vendor: 057e Product: 2009)', 'nintendo'],
    ['Steam Deck (Vendor: 28de Product: 1205)', 'xbox'],
    ['USB Gamepad (Vendor: 0079 Product: 0011)', 'generic'],
    ['', 'generic'],
  ]);
  for (const [id, kind] of table) assert.equal(padKind(id), kind, id);
});

test('buttons are the usual ones, with A on the right for Nintendo, unless somebody chose others', () => {
  assert.deepEqual(buttonsOf({}, 'xbox'), { play: 0, back: 1, favorite: 2, random: 3, page_left: 4, page_right: 5,
    pause: 8, menu: 9 });
  assert.equal(actionOf(1, buttonsOf(null, 'nintendo')), 'play');
  assert.equal(actionOf(0, buttonsOf({ play: 0, back: 1 }, 'nintendo')), 'play');
  assert.equal(actionOf(0, buttonsOf({ play: 7 }, 'xbox')), '');
  assert.equal(actionOf(7, buttonsOf({ play: 7 }, 'xbox')), 'play');
  assert.equal(buttonFor('last', buttonsOf({ play: 7 }, 'xbox')), -1);
  assert.equal(actionOf(12, buttonsOf({}, 'generic')), 'up');
  assert.equal(actionOf(16, buttonsOf({}, 'generic')), '');
  assert.deepEqual(buttonsOf({ play: 32, back: -1, menu: 1.5, other: 3, random: '4' }, 'xbox'), buttonsOf({}, 'xbox'));
  assert.equal(buttonsOf({ menu: 31 }, 'xbox')['menu'], 31);
  // A usual button that now does something else does not do two things.
  assert.equal(buttonsOf({ menu: 0 }, 'xbox')['play'], undefined);
});

test('a new button takes nothing away: two actions change places', () => {
  const before = buttonsOf({}, 'xbox');
  assert.deepEqual(bindButton(before, 'play', 3), { buttons: { ...before, play: 3, random: 0 }, swapped: 'random' });
  assert.deepEqual(bindButton(before, 'play', 10), { buttons: { ...before, play: 10 }, swapped: '' });
  assert.deepEqual(bindButton(before, 'play', 0), { buttons: before, swapped: '' });
  for (const action of ACTIONS)
    for (let button = 0; button <= 31; button += 1) {
      const { buttons } = bindButton(before, action, button);
      assert.equal(new Set(Object.values(buttons)).size, ACTIONS.length, `${action} on ${button}`);
    }
});

test('directions repeat, presses do not', () => {
  for (const action of ['play', 'back', 'favorite', 'random', 'pause', 'menu'])
    assert.ok(!REPEATING.includes(action), action);
  for (const direction of DIRECTIONS) assert.ok(REPEATING.includes(direction));
});

test('the big screen reads its settings with the defaults of the server', () => {
  assert.deepEqual(readBig({}), { layout: 'stage', saver: 90, attract: 90, startsHere: false, video: '', music: '',
    mixes: false, mood: false, hint: '', volume: 0, rumbles: false });
  const read = readBig({ bigscreen_mode: 'coverflow', screensaver_seconds: 0, attract_mode_seconds: 0,
    compositor_guest: true, mood_match_bigscreen: true, controller_prompt_hint: 'Hi' });
  assert.deepEqual([read.layout, read.saver, read.attract, read.startsHere, read.mood, read.hint], ['coverflow', 0, 0,
    true, false, 'Hi']);
  assert.equal(readBig({ bigscreen_mode: 'other' }).layout, 'stage');
  assert.equal(readBig({ bigscreen_sound_volume: 40 }).volume, 0.4);
});

test('a press on the big screen is answered by what it did', () => {
  assert.deepEqual(
    [feedbackOf('left', true), feedbackOf('left', false), feedbackOf('page_right', true), feedbackOf('play', false),
      feedbackOf('back', true), feedbackOf('favorite', true)],
    ['move', 'edge', 'move', 'choose', 'back', null],
  );
});

test('the screen goes dark after what is shown, unless darkness comes first', () => {
  assert.deepEqual(idleTimes({ attract: 90, saver: 90 }), { attract: 90, saver: 180 });
  assert.deepEqual(idleTimes({ attract: 60, saver: 300 }), { attract: 60, saver: 300 });
  assert.deepEqual(idleTimes({ attract: 300, saver: 60 }), { attract: 0, saver: 60 });
  assert.deepEqual(idleTimes({ attract: 0, saver: 60 }), { attract: 0, saver: 60 });
  assert.deepEqual(idleTimes({ attract: 60, saver: 0 }), { attract: 60, saver: 0 });
  assert.deepEqual(idleTimes({ attract: 0, saver: 0 }), { attract: 0, saver: 0 });
});
