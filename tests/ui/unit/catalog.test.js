import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Bus } from '../../../static/core/bus.js';
import { Catalog } from '../../../static/data/catalog.js';

/** @typedef {import('../../../static/core/client.js').Client} Client */

/** Until then changes are gathered, in milliseconds. */
const GATHERED = 1000;

/** What the worker was told. */
/** @type {App.ToWorker[]} */
let told = [];

/** The worker that was made last. */
/** @type {FakeWorker | null} */
let worker = null;

/** Stands for the worker of the browser. */
class FakeWorker {
  /** @type {((message: {data: unknown}) => void) | null} */
  onmessage = null;

  constructor() {
    worker = this;
  }

  /** @param {App.ToWorker} message */
  postMessage(message) {
    told.push(message);
  }
}

/**
 * A catalog whose first page comes when `arrive` is called.
 *
 * @param {Promise<void>} [slow] what answers about single games wait for
 */
function loading(slow = Promise.resolve()) {
  told = [];
  Object.assign(globalThis, { Worker: FakeWorker });
  /** @type {{arrive: (page: Partial<Api.LibraryPage>) => void, fail: (error: Error) => void}} */
  const first = { arrive: () => undefined, fail: () => undefined };
  const client = {
    token: '',
    get: (/** @type {string} */ path, /** @type {{ids?: string}} */ query) => (path === '/api/library'
      ? new Promise((resolve, reject) => {
        Object.assign(first, { arrive: resolve, fail: reject });
      })
      : slow.then(() => ({
        games: (query.ids ?? '').split(',').map((id) => ({ game_id: id, name: `Newer ${id}` })),
      }))),
  };
  const bus = new Bus();
  const catalog = new Catalog(/** @type {Client} */ (/** @type {unknown} */ (client)), bus);
  const change = (/** @type {Partial<Api.LibraryChange>} */ data) =>
    bus.emit('live:event', { name: 'library.changed', data: { all: false, ...data } });
  return { catalog, first, change };
}

/** @param {string} type */
async function waitTold(type) {
  while (!told.some((message) => message.type === type))
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
}

test('what is told while the first page is on its way counts more than the page', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { catalog, first, change } = loading();
  const loaded = catalog.load();
  change({ game_ids: ['a'] });
  context.mock.timers.tick(GATHERED);
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  assert.deepEqual(told, [], 'the page comes first');
  first.arrive({ games: [], total_count: 2 });
  await loaded;
  context.mock.timers.tick(GATHERED);
  await waitTold('put');
  assert.deepEqual(told.map(({ type }) => type), ['load', 'put']);
});

test('whoever needs every game waits until all of them are read', async () => {
  const { catalog, first } = loading();
  const loaded = catalog.load();
  first.arrive({ games: [], total_count: 2 });
  await loaded;
  let isRead = false;
  const whole = catalog.whole().then(() => {
    isRead = true;
  });
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  assert.equal(isRead, false);
  worker?.onmessage?.({ data: { type: 'ready', total: 2 } });
  await whole;
  await catalog.whole();
});

test('what was told is not lost when the first page does not come', async () => {
  const { catalog, first, change } = loading();
  const loaded = catalog.load();
  change({ game_ids: ['a'] });
  first.fail(new Error('no answer'));
  await assert.rejects(loaded);
  await waitTold('put');
});

test('an answer that was asked for before a game went does not bring it back, unless the game came back', async () => {
  let arrive = () => {};
  const { catalog, change } = loading(
    new Promise((resolve) => {
      arrive = resolve;
    }),
  );
  const asked = catalog.refresh(['a', 'b', 'c']);
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  change({ removed: ['a', 'b'] });
  change({ game_ids: ['b'] });
  arrive();
  assert.deepEqual((await asked).map((game) => game.game_id), ['b', 'c']);
  const names = told.flatMap((message) => (message.type === 'put' ? message.games : [])).map(({ name }) => name);
  assert.deepEqual(names, ['Newer b', 'Newer c']);
  assert.deepEqual((await catalog.refresh(['a'])).map((game) => game.game_id), ['a'], 'what is asked for later counts');
});

test('a game that goes before its row is here goes all the same', async () => {
  const { catalog, first, change } = loading();
  const loaded = catalog.load();
  change({ removed: ['a'] });
  first.arrive({ games: [/** @type {Api.Game} */ ({ game_id: 'a', name: 'A' })], total_count: 1 });
  await loaded;
  assert.deepEqual(told.map((message) => (message.type === 'drop' ? message.ids : message.type)), ['load', ['a']]);
});
