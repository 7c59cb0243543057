import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { entryOf, filesToRepeat, HOOKS, parseResults, parseUnsteady, summarize,
  withHooks } from '../support/results.js';
import { ROOT } from '../support/sources.js';

/** The most entries of the list of unsteady tests. The list may only shrink: lower this with it. */
const MOST_UNSTEADY = 0;

const result = (/** @type {boolean} */ isPassed, /** @type {string} */ name, file = '/flows/a.test.js',
  setup = '') => ({ isPassed, setup, file, name });

test('results are read from the lines of the reporter', () => {
  assert.deepEqual(parseResults('pass\t/x y/a.test.js\tone: two\nfail\t\t\n', 'wide'), [
    result(true, 'one: two', '/x y/a.test.js', 'wide'),
    result(false, '', '', 'wide'),
  ]);
  assert.deepEqual([entryOf(result(true, 'one')), entryOf(result(true, 'one', '/a', 'wide'))], ['a.test.js: one',
    'a: wide: one']);
});

test('up to six files with a failure are run again; more, or a failure without a file, are not', () => {
  const failures = [['/a', ''], ['/a', ''], ['/a', 'wide'], ['/c', ''], ['/d', ''], ['/e', ''], ['/f', ''], ['/g', '']]
    .map(([file, setup], at) => result(false, String(at), file, setup));
  assert.deepEqual(filesToRepeat(failures.slice(0, 3)), [{ setup: '', file: '/a' }, { setup: 'wide', file: '/a' }]);
  assert.equal(filesToRepeat(failures.slice(0, 7)).length, 6);
  assert.deepEqual(filesToRepeat(failures), []);
  assert.deepEqual(filesToRepeat([result(true, 'one')]), []);
  assert.deepEqual(filesToRepeat([result(false, 'one', ''), result(false, 'two')]), []);
});

test('a test that passes when run again is unsteady and named, and counts as passed', () => {
  const first = [result(true, 'one'), result(false, 'two'), result(false, 'three')];
  const second = [result(true, 'one'), result(true, 'two'), result(false, 'three')];
  const found = summarize(first, second, [], false);
  assert.deepEqual(found, { passed: 2, failed: ['a.test.js: three'], unsteady: ['a.test.js: two'],
    unlisted: ['a.test.js: two'], unneeded: [] });
});

test('strictly, an unsteady test fails unless it is in the list', () => {
  const [first, second] = [[result(false, 'two')], [result(true, 'two')]];
  assert.deepEqual(summarize(first, second, [], true).failed, ['a.test.js: two']);
  const listed = summarize(first, second, ['a.test.js: two'], true);
  assert.deepEqual(listed, { passed: 1, failed: [], unsteady: ['a.test.js: two'], unlisted: [], unneeded: [] });
});

test('a test that fails only when run again is a failure', () => {
  const found = summarize([result(true, 'one'), result(false, 'two')], [result(false, 'one'), result(true, 'two')], [],
    false);
  assert.deepEqual([found.passed, found.failed], [1, ['a.test.js: one']]);
});

test('an entry of the list that was not needed is reported', () => {
  assert.deepEqual(summarize([result(true, 'one')], [], ['a.test.js: one'], false).unneeded, ['a.test.js: one']);
});

test('the list of unsteady tests only shrinks', () => {
  const entries = parseUnsteady(readFileSync(join(ROOT, 'tests', 'ui', 'unsteady.txt'), 'utf8'));
  assert.ok(entries.length <= MOST_UNSTEADY, `${entries.length} unsteady tests, at most ${MOST_UNSTEADY} may be there`);
  assert.deepEqual(entries, [...new Set(entries)].sort());
});

test('a hook that failed once is unsteady, and failed when it fails again', () => {
  const first = [result(true, 'one'), result(false, HOOKS)];
  const again = (/** @type {import('../support/results.js').Result[]} */ results) =>
    summarize(first, withHooks(results, { setup: '', file: '/flows/a.test.js' }), [], false);
  const repaired = again([result(true, 'one')]);
  assert.deepEqual([repaired.failed, repaired.unsteady], [[], [`a.test.js: ${HOOKS}`]]);
  const ofLooks = again([result(true, 'one', '/support/looks.js')]);
  assert.deepEqual([ofLooks.failed, ofLooks.unsteady], [[], [`a.test.js: ${HOOKS}`]], 'tests of another source');
  assert.deepEqual(again(first).failed, [`a.test.js: ${HOOKS}`]);
  assert.deepEqual(again([]).failed, [`a.test.js: ${HOOKS}`]);
});
