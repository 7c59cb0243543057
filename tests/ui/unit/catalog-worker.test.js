import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';

import { RowTable } from '../../../static/data/row-table.js';

/** What the worker said since it was last asked.
 *
 * @type {App.FromWorker[]}
 */
let said = [];
const scope =
  /** @type {App.WorkerScope} */ (/** @type {unknown} */ ({ postMessage: (/** @type {App.FromWorker} */ message) => {
    said.push(message);
  }, onmessage: null }));

before(async () => {
  Object.assign(globalThis, { self: scope });
  await import('../../../static/data/catalog-worker.js');
});

/** @param {App.ToWorker} message */
async function tell(message) {
  said = [];
  scope.onmessage?.(/** @type {MessageEvent<App.ToWorker>} */ ({ data: message }));
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  return said.map(({ type }) => type);
}

/**
 * @param {string} id
 * @param {Partial<Api.Game>} [more]
 */
const game = (id, more = {}) => /** @type {Api.Game} */ ({ game_id: id, name: `Game ${id}`, platform: 'NES',
  tags: ['short'], ...more });

/** The games of the newest order, in it. */
function order() {
  const last = said.findLast((message) => message.type === 'order');
  return last?.type === 'order' ? [...last.order] : [];
}

beforeEach(async () => {
  const games = [game('c'), game('a'), game('b')];
  await tell({ type: 'load', headers: {},
    first: /** @type {Api.LibraryPage} */ ({ games, total_count: games.length }) });
  await tell({ type: 'query',
    query: { seq: 1, text: 'game', view: 'all', sort: 'name', reversed: false, group: '', playlist: '', collection: '',
      filters: {}, counts: false } });
  assert.deepEqual(order(), [1, 2, 0]);
});

test('games that are as they were are neither counted nor sorted again', async () => {
  assert.deepEqual(await tell({ type: 'put', games: [game('a'), game('c')] }), []);
});

test('what changed is told, with its counts and a new answer', async () => {
  const changes = [{ favorite: true }, { tags: ['long'] }, { notes: 'a word to search for' }, {
    alternate_names: ['Other'],
  }, { hidden: true }];
  for (const change of changes)
    assert.deepEqual(await tell({ type: 'put', games: [game('a'), game('b', change)] }), ['rows', 'facets', 'order'],
      JSON.stringify(change));
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

/** Answers to the pages that the worker asks for, when a test gives them. @param {(answer: (page: Partial<Api.LibraryPage>) => Promise<void>) => Promise<void>} run */
async function readingPages(run) {
  const { fetch } = globalThis;
  /** @type {((response: Response) => void)[]} */
  const waiting = [];
  globalThis.fetch = () =>
    new Promise((resolve) => {
      waiting.push(resolve);
    });
  try {
    await tell({ type: 'resync', headers: {} });
    await run(async (page) => {
      waiting.shift()?.(new Response(JSON.stringify(page)));
      while (waiting.length === 0 && !said.some(({ type }) => type === 'ready'))
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
    });
  } finally {
    globalThis.fetch = fetch;
  }
}

/** Names and favourites as the page was last told, of these games. @param {...string} ids */
const shown = (...ids) =>
  ids.map((id) => {
    const table = new RowTable();
    for (const message of said) if (message.type === 'rows') table.unpack(message.rows);
    return table.nameAt(table.slotOf(id) ?? -1);
  });

test('a page that was asked for before a game changed does not take the change back', async () => {
  await readingPages(async (answer) => {
    await tell({ type: 'put', games: [game('a', { name: 'Game 0' })] });
    assert.deepEqual([shown('a'), order()], [['Game 0'], [1, 2, 0]]);
    await answer({ games: [game('c'), game('a'), game('b', { name: 'Game z' })], total_count: 3 });
    assert.deepEqual(shown('a', 'b'), ['Game 0', 'Game z']);
    assert.deepEqual(order(), [1, 0, 2]);
  });
});

test('a page that was asked for before a game went does not bring it back, and one that came meanwhile stays', async () => {
  await readingPages(async (answer) => {
    await tell({ type: 'drop', ids: ['a'] });
    await tell({ type: 'put', games: [game('d')] });
    await answer({ games: [game('c'), game('a'), game('b')], total_count: 3 });
    assert.deepEqual(order(), [2, 0, 3]);
  });
});

test('a game that came back behind the pages that would have named it stays', async () => {
  await readingPages(async (answer) => {
    await answer({ games: [game('c')], total_count: 3 });
    await tell({ type: 'put', games: [game('a', { name: 'Game 0' })] });
    await answer({ games: [game('b')], total_count: 2 });
    assert.deepEqual(order(), [1, 2, 0]);
  });
});

test('a page that was asked for after a game changed counts', async () => {
  await readingPages(async (answer) => {
    await tell({ type: 'put', games: [game('b', { name: 'Game 1' })] });
    await answer({ games: [game('c')], total_count: 3 });
    await answer({ games: [game('a'), game('b', { name: 'Game 2' })], total_count: 3 });
    assert.deepEqual(shown('b'), ['Game 2']);
  });
});

test('games that went are told to the page, for which rows of them may be on the way', async () => {
  assert.deepEqual(await tell({ type: 'drop', ids: ['a'] }), ['gone', 'facets', 'order']);
  assert.deepEqual(await tell({ type: 'drop', ids: ['a'] }), ['gone'], 'nothing to count anew');
});

test('a game that goes while its row waits for others stays gone on the page', async () => {
  await readingPages(async (answer) => {
    await answer({ games: [game('d')], total_count: 9 });
    assert.deepEqual(await tell({ type: 'drop', ids: ['d'] }), ['rows', 'gone', 'facets', 'order']);
    await answer({ games: [], total_count: 3 });
  });
});
