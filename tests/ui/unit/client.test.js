import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ApiError, Client, copyWidth, readAnswer, takeToken } from '../../../static/core/client.js';
import { formatHash, parseHash } from '../../../static/core/router.js';
import { clock, Format, parseTime } from '../../../static/core/format.js';

/**
 * @param {string} search
 * @param {string} hash
 * @param {string} [stored]
 */
function take(search, hash, stored = '') {
  const store = new Map(stored ? [['service-token', stored]] : []);
  let address = '';
  const token = takeToken(
    /** @type {Location} */ (/** @type {unknown} */ ({ search, hash, pathname: '/' })),
    /** @type {History} */ (/** @type {unknown} */ ({
      replaceState: (/** @type {unknown} */ _, /** @type {string} */ __, /** @type {string} */ url) => {
        address = url;
      },
    })),
    /** @type {Storage} */ (/** @type {unknown} */ ({ getItem: (/** @type {string} */ key) => store.get(key) ?? null,
      setItem: (/** @type {string} */ key, /** @type {string} */ value) => store.set(key, value) })),
  );
  return { token, address, stored: store.get('service-token') ?? '' };
}

test('the token leaves the address and stays for a reload', () => {
  assert.deepEqual(take('?token=abc', ''), { token: 'abc', address: '/', stored: 'abc' });
  assert.deepEqual(take('?x=1&token=abc', '#/settings'), { token: 'abc', address: '/?x=1#/settings', stored: 'abc' });
  assert.deepEqual(take('', '#token=a%2Fb'), { token: 'a/b', address: '/', stored: 'a/b' });
  assert.deepEqual(take('', '#/history?days=30&token=abc'), { token: 'abc', address: '/#/history?days=30',
    stored: 'abc' });
  assert.deepEqual(take('', '#/', 'old'), { token: 'old', address: '', stored: 'old' });
  assert.deepEqual(take('', ''), { token: '', address: '', stored: '' });
});

test('a new token replaces the one of an earlier start', () => {
  assert.equal(take('?token=new', '', 'old').stored, 'new');
});

test('an error answer keeps what a report needs', async () => {
  const answer = (/** @type {number} */ status, /** @type {string} */ body) =>
    readAnswer(new Response(body, { status }), '/api/x', (other) => (other ? 'not ours' : 'no answer'));
  await assert.rejects(answer(400, '{"error":"Name is required.","code":"BAD_REQUEST","request_id":"r1"}'),
    (error) =>
      error instanceof ApiError && error.message === 'Name is required.' && error.code === 'BAD_REQUEST' &&
      error.requestId === 'r1' && error.status === 400);
  await assert.rejects(answer(403, '{"error":"Unauthorized"}'),
    (error) => error instanceof ApiError && error.code === 'UNAUTHORIZED');
  await assert.rejects(answer(500, 'oops'),
    (error) => error instanceof ApiError && error.code === 'HTTP_500' && error.message === 'not ours');
  await assert.rejects(answer(200, 'oops'), (error) => error instanceof ApiError && error.code === 'NO_ANSWER');
  assert.deepEqual(await answer(200, '{"a":1}'), { a: 1 });
});

test('addresses are read and written alike', () => {
  assert.deepEqual(parseHash(''), { name: 'library', arg: '', query: {}, hash: '/' });
  assert.deepEqual(parseHash('#/game/game-1%20x'), { name: 'game', arg: 'game-1 x', query: {},
    hash: '/game/game-1%20x' });
  const hash = formatHash('/', { view: 'favorites', q: 'a & b=c', sort: '' });
  assert.deepEqual(parseHash(hash).query, { view: 'favorites', q: 'a & b=c' });
  assert.equal(parseHash('#/game/%E0%A4').arg, '%E0%A4');
});

test('times without a zone are local', () => {
  assert.equal(parseTime('2026-03-04')?.getHours(), 0);
  assert.equal(parseTime('2026-03-04T05:06:07')?.getHours(), 5);
  assert.equal(parseTime('junk'), null);
  assert.equal(parseTime(''), null);
});

test('lengths, clocks and days read naturally', () => {
  const format = new Format('en');
  assert.deepEqual([0, 59, 60, 3599, 3600, 3700, 360_000].map((seconds) => format.span(seconds)), ['0 sec', '59 sec',
    '1 min', '59 min', '1 hr', '1 hr 1 min', '100 hr']);
  assert.deepEqual([0, 7, 754, 3723].map(clock), ['0:00', '0:07', '12:34', '1:02:03']);
  const now = new Date(2026, 2, 10, 12);
  assert.deepEqual(['2026-03-10', '2026-03-09'].map((day) => format.day(day, now)), ['Today', 'Yesterday']);
  assert.match(format.day('2025-03-09', now), /2025/);
  assert.deepEqual(
    ['2026-03-10T11:58:00', '2026-03-10T09:00:00', '2026-03-09T23:00:00', '2026-02-01T00:00:00', '2020-01-01'].map((
      stamp,
    ) => format.ago(stamp, now)),
    ['2 minutes ago', '3 hours ago', 'yesterday', '5 weeks ago', '6 years ago'],
  );
  assert.equal(format.ago('2026-03-11T00:00:00', now), '1 minute ago');
  assert.deepEqual(
    ['2026-03-10T11:59:31', '2026-03-10T11:59:29', '2026-03-09T23:00:00', ''].map((stamp) => format.since(stamp, now)),
    ['1 minute ago', '1 minute ago', 'Yesterday', ''],
  );
  assert.deepEqual([0, 999, 1500, 4_123_456].map((bytes) => format.bytes(bytes)), ['0 bytes', '999 bytes', '1.5 kB',
    '4.1 MB']);
});

test('a picture is asked for at the width it is shown, never narrower', () => {
  const client = new Client('abc', () => '');
  const width = (/** @type {number} */ shown, /** @type {number} */ ratio) => copyWidth(shown, ratio) ?? 0;
  assert.deepEqual(
    [[36, 1], [160, 1], [160.9, 1], [161, 1], [168, 1.5], [168, 2], [320, 2], [321, 2], [48, 3]].map(([shown, ratio]) =>
      width(shown ?? 0, ratio ?? 0)
    ),
    [160, 160, 160, 320, 320, 640, 640, 0, 160],
  );
  assert.equal(client.media('a b', 'cover', 3), '/api/media?game_id=a+b&kind=cover&v=3&token=abc');
  assert.equal(client.media('a', 'cover', 3, { width: 146 }), '/api/media?game_id=a&kind=cover&v=3&w=160&token=abc');
  assert.equal(client.media('a', 'screenshot', 3, { index: 0, width: 900 }),
    '/api/media?game_id=a&kind=screenshot&v=3&index=0&token=abc');
});

test('while the kiosk is on, the address of a picture names the tab', () => {
  const client = new Client('abc', () => '', 'tab1');
  assert.equal(client.badge('7', true), '/api/ach/badge?name=7&locked=1&token=abc');
  client.namesTab = true;
  assert.equal(client.badge('7', true), '/api/ach/badge?name=7&locked=1&token=abc&session=tab1');
  assert.equal(client.savesPicture('a', 'v'),
    '/api/v2/saves/devices/picture?game_id=a&version=v&token=abc&session=tab1');
});
