import assert from 'node:assert/strict';
import { test } from 'node:test';

import tally from '../support/tally.js';

test('each test is one line, with its file; suites and other events are none', async () => {
  async function* events() {
    yield { type: 'test:start', data: { file: '/a.js' } };
    yield { type: 'test:pass', data: { file: '/a.js' } };
    yield { type: 'test:pass', data: { file: '/a.js', details: { type: 'suite' } } };
    yield { type: 'test:fail', data: { file: '/b c.js', details: { type: 'test' } } };
    yield { type: 'test:fail', data: {} };
  }
  const lines = [];
  for await (const line of tally(events())) lines.push(line);
  assert.deepEqual(lines, ['pass /a.js\n', 'fail /b c.js\n', 'fail \n']);
});
