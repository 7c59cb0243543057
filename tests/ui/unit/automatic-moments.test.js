import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Bus } from '../../../static/core/bus.js';
import { makeRow } from '../../../static/data/game.js';
import { automaticTrigger, mountAutomaticMoments } from '../../../static/parts/keepsakes/automatic.js';

/** @param {Partial<App.Row>} facts */
const row = (facts) => ({ ...makeRow({ id: 0, game_id: 'a', name: 'A' }), ...facts });

/**
 * @param {Partial<App.Row>} before
 * @param {Partial<App.Row>} after
 */
const change = (before, after) => ({ before: row(before), after: row(after) });

test('a moment is kept of the first start, of a finished game, and of hours', () => {
  /** @type {[Partial<App.Row>, Partial<App.Row>, string | null][]} */
  const cases = [
    [{}, {}, null],
    [{ plays: 0 }, { plays: 1 }, 'first_boot'],
    [{ plays: 1 }, { plays: 2 }, null],
    [{ progress: '' }, { progress: 'Playing' }, null],
    [{ progress: 'Playing' }, { progress: 'Beaten' }, 'progress'],
    [{ progress: 'Abandoned' }, { progress: 'Mastered' }, 'progress'],
    [{ progress: 'Beaten' }, { progress: 'Completed' }, null],
    [{ progress: 'Completed' }, { progress: 'Playing' }, null],
    [{ seconds: 3599 }, { seconds: 3600 }, 'milestone'],
    [{ seconds: 3600 }, { seconds: 17_999 }, null],
    [{ seconds: 17_999 }, { seconds: 400_000 }, 'milestone'],
    [{ seconds: 3600 }, { seconds: 0 }, null],
    [{ plays: 0, progress: 'Playing' }, { plays: 1, progress: 'Beaten', seconds: 4000 }, 'first_boot'],
    [{ progress: 'Playing' }, { progress: 'Beaten', seconds: 4000 }, 'progress'],
  ];
  for (const [before, after, expected] of cases)
    assert.equal(automaticTrigger(change(before, after)), expected, JSON.stringify([before, after]));
});

/**
 * A page with nothing but what moments need.
 *
 * @param {{leads?: boolean, isLocked?: boolean, items?: object[]}} [options]
 */
function pageWith({ leads = true, isLocked = false, items = [] } = {}) {
  /** @type {Record<string, unknown>[]} */
  const kept = [];
  /** @type {{gameId: string, launchId: string}[]} */
  const running = [];
  const bus = new Bus();
  const ctx = /** @type {App.Context} */ (/** @type {unknown} */ ({
    bus,
    client: {
      get: () => Promise.resolve({ items }),
      post: (/** @type {string} */ _, /** @type {Record<string, unknown>} */ body) => {
        kept.push(body);
        return Promise.resolve({});
      },
    },
    kiosk: { isLocked },
    live: { leads },
    sessions: { of: (/** @type {string} */ id) => running.find(({ gameId }) => gameId === id) },
    t: (/** @type {string} */ key) => key,
    tn: (/** @type {string} */ key, /** @type {number} */ count) => `${key} ${count}`,
  }));
  mountAutomaticMoments(ctx);
  const changes = async (/** @type {App.RowChange[]} */ ...list) => {
    bus.emit('catalog:changes', { changes: list });
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  };
  return { bus, kept, running, changes };
}

const BEATEN = change({ progress: 'Playing' }, { progress: 'Beaten' });

test('a finished game is kept once, with the picture of the screen only while it runs', async () => {
  const { kept, running, changes } = pageWith();
  await changes(BEATEN);
  running.push({ gameId: 'a', launchId: 'launch-1' });
  await changes(change({ seconds: 0 }, { seconds: 36_000 }));
  assert.deepEqual(kept, [
    { game_id: 'a', trigger: 'progress', capture: false, title: 'progress.Beaten' },
    { game_id: 'a', trigger: 'milestone', capture: true, title: 'moment.hours 10', launch_id: 'launch-1' },
  ]);
  const again = pageWith({ items: [{ trigger: 'progress', title: 'progress.Beaten' }] });
  await again.changes(BEATEN);
  assert.deepEqual(again.kept, []);
});

test('nothing is kept of many games, by a second tab, in a kiosk, or when it is switched off', async () => {
  const many = pageWith();
  const other = { before: row({ id: 'b' }), after: row({ id: 'b', progress: 'Beaten' }) };
  await many.changes(BEATEN, other);
  assert.deepEqual(many.kept, []);
  many.bus.emit('sessions', /** @type {App.Session[]} */ ([{ gameId: 'b' }]));
  await many.changes(BEATEN, other);
  assert.deepEqual(many.kept.map(({ game_id: id }) => id), ['b']);
  for (const page of [pageWith({ leads: false }), pageWith({ isLocked: true })]) {
    await page.changes(BEATEN);
    assert.deepEqual(page.kept, []);
  }
  const off = pageWith();
  off.bus.emit('settings', /** @type {Api.Settings} */ ({ moments_autocapture: false }));
  await off.changes(BEATEN);
  assert.deepEqual(off.kept, []);
});

test('the first start is kept after a while, or when the game ends before', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const started = change({ plays: 0 }, { plays: 1 });
  const { kept, changes } = pageWith();
  await changes(started);
  assert.deepEqual(kept, []);
  context.mock.timers.tick(20_000);
  await changes();
  assert.deepEqual(kept.map(({ trigger }) => trigger), ['first_boot']);
  const short = pageWith();
  await short.changes(started);
  short.bus.emit('session:event', /** @type {Api.SessionEvent} */ ({ kind: 'stopped', stable_game_id: 'a' }));
  context.mock.timers.tick(60_000);
  await short.changes();
  assert.deepEqual(short.kept.map(({ trigger }) => trigger), ['first_boot']);
});

test('an achievement that was unlocked in a session is kept under its name', async () => {
  const { bus, kept, changes } = pageWith();
  const ended = (/** @type {object[]} */ unlocked) =>
    bus.emit('job:ended',
      /** @type {Api.Job} */ (/** @type {unknown} */ ({ type: 'achievements.session',
        result: { game_id: 'a', unlocked } })));
  ended([]);
  ended([{ title: 'Landing' }, { title: 'Orbit' }]);
  await changes();
  assert.deepEqual(kept, [{ game_id: 'a', trigger: 'ach_unlock', capture: false, title: 'Landing' }]);
});
