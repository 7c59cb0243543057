import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';

/** What the worker said since it was last asked.
 *
 * @type {App.FromWorker[]}
 */
let said = [];
const scope = /** @type {App.WorkerScope} */ (/** @type {unknown} */ ({ postMessage: (/** @type {App.FromWorker} */ message) => { said.push(message); }, onmessage: null }));

before(async () => {
  Object.assign(globalThis, { self: scope });
  await import('../../../static/core/catalog-worker.js');
});

/** @param {App.ToWorker} message */
async function tell(message) {
  said = [];
  scope.onmessage?.(/** @type {MessageEvent<App.ToWorker>} */ ({ data: message }));
  await new Promise((resolve) => { setImmediate(resolve); });
  return said.map(({ type }) => type);
}

/**
 * @param {string} id
 * @param {Partial<Api.Game>} [more]
 */
const game = (id, more = {}) => /** @type {Api.Game} */ ({ game_id: id, name: `Game ${id}`, platform: 'NES', tags: ['short'], ...more });

/** The games of the newest order, in it. */
function order() {
  const last = said.findLast((message) => message.type === 'order');
  return last?.type === 'order' ? [...last.order] : [];
}

beforeEach(async () => {
  const games = [game('c'), game('a'), game('b')];
  await tell({ type: 'load', token: '', first: /** @type {Api.LibraryPage} */ ({ games, total_count: games.length }) });
  await tell({ type: 'query', query: { seq: 1, text: 'game', view: 'all', sort: 'name', reversed: false, group: '', playlist: '', collection: '', filters: {}, counts: false } });
  assert.deepEqual(order(), [1, 2, 0]);
});

test('games that are as they were are neither counted nor sorted again', async () => {
  assert.deepEqual(await tell({ type: 'put', games: [game('a'), game('c')] }), []);
});

test('what changed is told, with its counts and a new answer', async () => {
  const changes = [{ favorite: true }, { tags: ['long'] }, { notes: 'a word to search for' }, { alternate_names: ['Other'] }, { hidden: true }];
  for (const change of changes) assert.deepEqual(await tell({ type: 'put', games: [game('a'), game('b', change)] }), ['rows', 'facets', 'order'], JSON.stringify(change));
  assert.deepEqual(order(), [1, 0], 'a hidden game leaves');
});

test('a new name and a new game take their place in the order, and a game that went may come back', async () => {
  await tell({ type: 'put', games: [game('c', { name: 'Game 0' })] });
  assert.deepEqual(order(), [0, 1, 2]);
  await tell({ type: 'put', games: [game('d', { name: 'Game aa' })] });
  assert.deepEqual(order(), [0, 1, 3, 2]);
  await tell({ type: 'drop', ids: ['a'] });
  assert.deepEqual(order(), [0, 3, 2]);
  await tell({ type: 'put', games: [game('a')] });
  assert.deepEqual(order().length, 4);
});
