import assert from 'node:assert/strict';
import { test } from 'node:test';

import { SCREENS, STAND_INS } from '../support/screens.js';
import { sources } from '../support/sources.js';

test('every view is looked at in every flow over all screens', () => {
  const views = [...sources('.js').keys()].filter((name) => name.startsWith('views/')).map((name) =>
    name.slice('views/'.length, -'.js'.length)
  );
  assert.deepEqual([...new Set([...SCREENS.map(({ view }) => view), ...STAND_INS])].sort(), views.sort());
  const names = SCREENS.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});
