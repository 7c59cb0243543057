import assert from 'node:assert/strict';
import { test } from 'node:test';

import { coalesce, gather } from '../../../static/core/coalesce.js';
import { Pending } from '../../../static/core/pending.js';

/** Work whose ends the test decides on, in the order it was begun. */
function held() {
  /** @type {{words: string, end: (error?: Error) => void}[]} */
  const open = [];
  const begin = (/** @type {string} */ words) => /** @type {Promise<void>} */ (new Promise((resolve, reject) => {
    open.push({ words, end: (error) => (error ? reject(error) : resolve()) });
  }));
  return { open, begin };
}

const turn = () =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

test('pending values are sent one after the other, the last word counts, and what was replaced is not sent', async () => {
  const { open, begin } = held();
  const pending = new Pending();
  const kept = ['3', '2', '1'].map((stars) => pending.add('a', stars, () => begin(`a ${stars}`)));
  kept.push(pending.add('b', 'Beaten', () => begin('b Beaten')));
  assert.equal(pending.get('a', '5'), '1');
  await turn();
  assert.deepEqual(open.map(({ words }) => words), ['a 1'], 'the first ones were replaced before they were sent');
  open[0]?.end(new Error('refused'));
  await assert.rejects(Promise.all(kept), /refused/u);
  assert.equal(pending.get('a', '5'), '5', 'a refused value is not shown any more');
  assert.equal(pending.get('b', ''), 'Beaten');
  await turn();
  open[1]?.end();
  await kept[3];
  assert.deepEqual([open.map(({ words }) => words), pending.get('b', '')], [['a 1', 'b Beaten'], '']);
});

test('questions by id go one at a time, and those that come meanwhile go together', async () => {
  const { open, begin } = held();
  const ask = gather(async (/** @type {string[]} */ ids) => {
    await begin(ids.join());
    return ids.length;
  });
  const first = [ask(['a']), ask(['b', 'a'])];
  await turn();
  const second = [ask(['c']), ask(['d'])];
  await turn();
  assert.deepEqual(open.map(({ words }) => words), ['a,b']);
  open[0]?.end();
  assert.deepEqual(await Promise.all(first), [2, 2]);
  await turn();
  open[1]?.end(new Error('gone'));
  for (const each of second) await assert.rejects(each, /gone/u);
  const third = ask(['e']);
  await turn();
  open[2]?.end();
  assert.deepEqual([await third, open.map(({ words }) => words)], [1, ['a,b', 'c,d', 'e']]);
});

test('work that is asked for while it runs is done once more', async () => {
  const { open, begin } = held();
  const work = coalesce(() => begin('work'));
  const all = [work(), work(), work()];
  open[0]?.end();
  await turn();
  open[1]?.end();
  await Promise.all(all);
  assert.equal(open.length, 2);
});
