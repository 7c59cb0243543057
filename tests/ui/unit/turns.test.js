import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Bus } from '../../../static/core/bus.js';
import { Notices } from '../../../static/data/notices.js';
import { Queue } from '../../../static/data/queue.js';
import { Resumes } from '../../../static/data/resumes.js';

/**
 * A server whose answers come when the test says so, in any order.
 */
function lateServer() {
  /** @type {{path: string, body: object | undefined, answer: (value: unknown) => void}[]} */
  const asked = [];
  const ask = (/** @type {string} */ path, /** @type {object | undefined} */ body) =>
    new Promise((resolve) => {
      asked.push({ path, body, answer: resolve });
    });
  const client = /** @type {import('../../../static/core/client.js').Client} */ (/** @type {unknown} */ ({
    get: (/** @type {string} */ path) => ask(path, undefined),
    post: ask,
  }));
  return { asked, client };
}

/** Lets everything happen that waits for nobody. */
const rest = () =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** @param {...string} ids */
const queued = (...ids) => ({ queue: ids.map((id) => ({ game_id: id, name: id })) });

test('a queue that was read before a change is not shown after it', async () => {
  const { asked, client } = lateServer();
  const queue = new Queue(client, new Bus());
  const read = queue.refresh();
  await rest();
  const moved = queue.remove('a');
  await rest();
  assert.equal(asked.length, 2);
  asked[1]?.answer(queued('b'));
  await moved;
  asked[0]?.answer(queued('a', 'b'));
  await rest();
  assert.deepEqual(queue.list.map((entry) => entry.game_id), ['b']);
  asked[2]?.answer(queued('b'));
  await read;
  assert.deepEqual(queue.list.map((entry) => entry.game_id), ['b']);
});

test('moves that come quicker than their answers all count, and no answer shows an older order', async () => {
  const { asked, client } = lateServer();
  const bus = new Bus();
  const queue = new Queue(client, bus);
  const read = queue.refresh();
  await rest();
  asked[0]?.answer(queued('a', 'b', 'c'));
  await read;
  const order = () => queue.list.map((entry) => entry.game_id).join('');
  /** @type {string[]} */
  const shown = [];
  bus.on('queue', () => shown.push(order()));
  const moves = [queue.move(0, 1), queue.move(1, 2), queue.remove('b')];
  assert.equal(order(), 'ca');
  for (const [at, known] of [queued('b', 'a', 'c'), queued('b', 'c', 'a'), queued('c', 'a')].entries()) {
    await rest();
    asked[at + 1]?.answer(known);
  }
  await Promise.all(moves);
  assert.deepEqual(asked.slice(1).map(({ body }) => body), [
    { action: 'reorder', ordered_game_ids: ['b', 'a', 'c'] },
    { action: 'reorder', ordered_game_ids: ['b', 'c', 'a'] },
    { action: 'remove', game_ids: ['b'] },
  ]);
  assert.deepEqual(shown, ['bac', 'bca', 'ca', 'ca']);
});

test('a move that is refused shows the queue as it is kept', async () => {
  const { asked, client } = lateServer();
  const refusing =
    /** @type {import('../../../static/core/client.js').Client} */ (/** @type {unknown} */ ({ get: client.get,
      post: () => Promise.reject(new Error('refused')) }));
  const queue = new Queue(refusing, new Bus());
  const read = queue.refresh();
  await rest();
  asked[0]?.answer(queued('a', 'b'));
  await read;
  await assert.rejects(queue.move(0, 1), /refused/);
  await rest();
  asked[1]?.answer(queued('a', 'b'));
  await rest();
  assert.deepEqual(queue.list.map((entry) => entry.game_id), ['a', 'b']);
});

test('changes of the queue go one after the other, also after one that was refused', async () => {
  const { asked, client } = lateServer();
  const refusing = /** @type {import('../../../static/core/client.js').Client} */ (/** @type {unknown} */ ({
    get: client.get,
    post: (/** @type {string} */ path, /** @type {{game_ids: string[]}} */ body) => (body.game_ids[0] === 'bad'
      ? Promise.reject(new Error('refused'))
      : client.post(path, body)),
  }));
  const queue = new Queue(refusing, new Bus());
  const [first, bad, last] = [queue.remove('a'), queue.remove('bad'), queue.remove('b')];
  await rest();
  assert.equal(asked.length, 1);
  asked[0]?.answer(queued('b', 'c'));
  await first;
  await assert.rejects(bad, /refused/);
  await rest();
  asked[1]?.answer(queued('c'));
  await last;
  assert.deepEqual(queue.list.map((entry) => entry.game_id), ['c']);
});

test('a notice that was cleared while the list was read does not come back, and is told once', async () => {
  const { asked, client } = lateServer();
  const bus = new Bus();
  /** @type {string[]} */
  const told = [];
  bus.on('notice:new', ({ id }) => told.push(id));
  const notices = new Notices(client, bus);
  const notice = { id: 'n1', read: false };
  const answer = async (/** @type {number} */ at, /** @type {object[]} */ notifications) => {
    asked[at]?.answer({ notifications, unread: notifications.length });
    await rest();
  };
  void notices.refresh();
  await rest();
  await answer(0, []);
  void notices.refresh();
  await rest();
  await answer(1, [notice]);
  void notices.refresh();
  await rest();
  void notices.clear(['n1']);
  await rest();
  await answer(3, []);
  await answer(2, [notice]);
  assert.deepEqual([notices.list, told], [[], ['n1']]);
  await answer(4, []);
  assert.deepEqual([notices.list, told], [[], ['n1']]);
});

test('a kept state that was deleted while somebody asked about it does not come back', async () => {
  const { asked, client } = lateServer();
  const bus = new Bus();
  const resumes = new Resumes(client, bus);
  const there = { enabled: true, capable: true, available: true, stale: false, state: { captured_at: 'then' } };
  const first = resumes.read('a');
  await rest();
  asked[0]?.answer(there);
  await first;
  assert.equal(resumes.of('a').state, 'ready');
  /** @type {string[]} */
  const shown = [];
  bus.on('resume', ({ id }) => shown.push(resumes.of(id).state));
  const again = resumes.read('a');
  await rest();
  const gone = resumes.discard('a');
  await rest();
  asked[2]?.answer({});
  await gone;
  asked[1]?.answer(there);
  await rest();
  assert.deepEqual(shown, ['none']);
  asked[3]?.answer({ ...there, available: false, state: null });
  await again;
  assert.deepEqual([shown, resumes.of('a').state], [['none'], 'none']);
});
