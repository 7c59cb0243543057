import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fitsBecause, isOnHead, leftOut, turnOf, wheelOf, withoutGone } from '../../../static/data/party.js';

test('players take turns', () => {
  assert.deepEqual([0, 1, 2, 3, 4].map((index) => turnOf(index, 3)), [1, 2, 3, 1, 2]);
  assert.equal(turnOf(5, 0), 1);
});

test('games that are gone leave the queue, and the place stays with its game', () => {
  const without = (/** @type {string} */ gone, /** @type {number} */ index) => {
    const left = withoutGone(['a', 'b', 'c'], index, (id) => !gone.includes(id));
    return [left.queue.join(''), left.index];
  };
  assert.deepEqual(without('', 1), ['abc', 1]);
  assert.deepEqual(without('a', 1), ['bc', 0]);
  assert.deepEqual(without('b', 1), ['ac', 1]);
  assert.deepEqual(without('c', 2), ['ab', 1]);
  assert.deepEqual(without('abc', 2), ['', 0]);
});

test('reasons come by how often they hold', () => {
  const excluded = { total: 9, hidden: 1, unusable_path: 0, too_few_players: 5, no_controller_or_platform: 2,
    over_budget: 0 };
  assert.deepEqual(leftOut(excluded).map(({ key }) => key), ['too_few_players', 'no_controller_or_platform', 'hidden']);
});

test('the wheel shows a part of a long queue, turned to its game', () => {
  const queue = Array.from({ length: 30 }, (_, at) => `g${at}`);
  assert.deepEqual(wheelOf(queue, 0), { ids: queue.slice(0, 12), at: 0, turn: -0 });
  assert.deepEqual(wheelOf(queue, 13), { ids: queue.slice(12, 24), at: 1, turn: -30 });
  assert.equal(wheelOf(queue, 29).ids.length, 6);
  assert.deepEqual(wheelOf([], 0), { ids: [], at: 0, turn: 0 });
});

test('names on the right half of the wheel are turned round, to be read', () => {
  assert.deepEqual([0, 30, 150, 180, 210, 330, -30, 390].map(isOnHead), [false, true, true, false, false, false, false,
    true]);
});

test('a game says what is known of it', () => {
  const game =
    /** @type {Api.Game} */ (/** @type {unknown} */ ({ max_players: '4', rating: 4.5, play_count: 2,
      playtime_seconds: 3600 }));
  assert.deepEqual(fitsBecause(game), { players: 4, rating: 4.5, minutes: 30 });
  assert.equal(fitsBecause({ ...game, max_players: '1-6' }).players, 6);
  assert.deepEqual(fitsBecause(undefined), { players: 0, rating: 0, minutes: 0 });
});
