import assert from 'node:assert/strict';
import { test } from 'node:test';

import { byHour, byMonth, byWeekday, overTime, timeScale, weeks } from '../../../static/data/statistics.js';

test('a scale of time has at most four lines, in steps that people count in, and ends at or above the largest', () => {
  assert.deepEqual(timeScale(0), [60]);
  assert.deepEqual(timeScale(1), [60]);
  assert.deepEqual(timeScale(240), [60, 120, 180, 240]);
  assert.deepEqual(timeScale(241), [300]);
  assert.deepEqual(timeScale(5400), [1800, 3600, 5400]);
  assert.deepEqual(timeScale(5401), [1800, 3600, 5400, 7200]);
  assert.deepEqual(timeScale(7201), [3600, 7200, 10_800]);
  for (const largest of [1, 59, 3599, 86_400, 1_440_000, 1_440_001, 31_536_000]) {
    const lines = timeScale(largest);
    assert.ok(lines.length >= 1 && lines.length <= 4, `${largest}: ${lines.length}`);
    assert.ok((lines.at(-1) ?? 0) >= largest, String(largest));
  }
});

test('days stand in columns of weeks that begin on Monday', () => {
  // 29 February 2024 was a Thursday.
  const found = weeks(['2024-02-29', '2024-03-01', '2024-03-02', '2024-03-03', '2024-03-04'].map((date) => ({ date })));
  assert.deepEqual(found.map(({ week, weekday, isFirst }) => [week, weekday, isFirst]), [[0, 3, false], [0, 4, true], [
    0,
    5,
    false,
  ], [0, 6, false], [1, 0, false]]);
  assert.deepEqual(weeks([]), []);
});

test('seconds are summed by weekday and by month', () => {
  const cells = [{ date: '2024-02-29', seconds: 5 }, { date: '2024-03-01', seconds: 7 }, { date: '2024-03-07',
    seconds: 11 }];
  assert.deepEqual(byWeekday(cells), [0, 0, 0, 16, 7, 0, 0]);
  assert.deepEqual(byMonth(cells), [{ month: '2024-02', seconds: 5 }, { month: '2024-03', seconds: 18 }]);
});

test('a session counts in each hour it was played in, and on after midnight', () => {
  const hours = byHour([{ started: '2024-03-01T23:30:00', seconds: 5400 }, { started: '2024-03-02T09:00:00',
    seconds: 60 }, { started: '2024-03-02', seconds: 999 }, { started: 'yesterday', seconds: 999 }]);
  assert.deepEqual([hours[23], hours[0], hours[9]], [1800, 3600, 60]);
  assert.equal(hours.reduce((sum, each) => sum + each, 0), 5460);
  assert.equal(byHour([{ started: '2024-03-01T10:15:00', seconds: 900_000 }]).reduce((sum, each) => sum + each, 0),
    86_400);
});

test('the five largest kinds stand on their own, the rest and those without a name together', () => {
  const months = ['2024-01', '2024-02'];
  const session = (/** @type {string} */ date, /** @type {number} */ seconds, /** @type {string[]} */ ...kinds) => ({
    date,
    seconds,
    kinds,
  });
  const found = overTime([
    ...['a', 'b', 'c', 'd', 'e', 'f'].map((name, at) => session('2024-01-05', 100 - at, name)),
    session('2024-02-05', 3, ''),
    session('2024-02-06', 4, 'a', 'f'),
    session('2023-12-31', 999, 'f'),
  ], months);
  assert.deepEqual(found.map(({ name }) => name), ['a', 'b', 'f', 'c', 'd', '']);
  assert.deepEqual(found[0]?.seconds, [100, 4]);
  assert.deepEqual(found[2]?.seconds, [95, 4]);
  assert.deepEqual(found.at(-1)?.seconds, [96, 3]);
  assert.deepEqual(overTime([session('2024-01-01', 5, 'a')], months), [{ name: 'a', seconds: [5, 0] }]);
  assert.deepEqual(overTime([], months), []);
});
