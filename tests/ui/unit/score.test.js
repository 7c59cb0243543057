import assert from 'node:assert/strict';
import { test } from 'node:test';

import { toneOf } from '../../../static/parts/health/score.js';

test('a score has the colour of its value, and red only says failed', () => {
  assert.deepEqual([100, 99, 50, 49, 0].map(toneOf), ['good', 'fair', 'fair', 'bad', 'bad']);
});
