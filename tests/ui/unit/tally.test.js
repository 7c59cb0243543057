import assert from 'node:assert/strict';
import { test } from 'node:test';

import { HOOKS } from '../support/results.js';
import tally from '../support/tally.js';

test('each test is one line with its file and name, a failed hook one of the file that it names or the one before it; suites, tests left out and other events are none', async () => {
  async function* events() {
    yield { type: 'test:start', data: { file: '/a.js', name: 'one' } };
    yield { type: 'test:pass', data: { file: '/a.js', name: 'one\n\ttwo' } };
    yield { type: 'test:pass', data: { file: '/a.js', name: 'left out', skip: 'why' } };
    yield { type: 'test:pass', data: { file: '/a.js', details: { type: 'suite' } } };
    yield { type: 'test:fail', data: { file: '/b c.js', name: 'two', details: { type: 'test' } } };
    yield { type: 'test:fail', data: { file: '/support/hook.js', name: '/support/hook.js' } };
    const cause = new Error('/flows/d.test.js: no start', { cause: new Error('why') });
    const details = { error: new Error('hook failed', { cause }) };
    yield { type: 'test:fail', data: { file: '/support/hook.js', name: '/support/hook.js', details } };
    yield { type: 'test:fail', data: {} };
  }
  const lines = [];
  for await (const line of tally(events())) lines.push(line);
  assert.deepEqual(lines, ['pass\t/a.js\tone  two\n', 'fail\t/b c.js\ttwo\n', `fail\t/b c.js\t${HOOKS}\n`,
    `fail\t/flows/d.test.js\t${HOOKS}\n`, 'fail\t\t\n']);
});
