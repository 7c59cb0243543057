import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { ROOT, sources } from '../support/sources.js';

const HERE = join(ROOT, 'tests', 'ui');

/** The rows of the table: name, source, and a flow for each way of working. */
const ROWS = readFileSync(join(HERE, 'SCREENS.md'), 'utf8').split('\n').filter((line) => line.startsWith('| ')).slice(1)
  .map((line) => line.slice(2, -2).split(' | '));

test('every row of the table has a source, a flow by mouse and a flow by keys', () => {
  const scripts = sources('.js');
  assert.ok(ROWS.length > 40, `${ROWS.length} rows`);
  for (const row of ROWS) {
    const [name, source = '', ...flows] = row;
    assert.equal(row.length, 4, name);
    assert.ok(scripts.has(source), `${name}: ${source}`);
    for (const flow of flows) {
      const cut = flow.indexOf(': ');
      const [file, title] = [flow.slice(0, cut), flow.slice(cut + 2)];
      assert.ok(readFileSync(join(HERE, 'flows', `${file}.test.js`), 'utf8').includes(`test('${title}'`),
        `${name}: ${flow}`);
    }
  }
});
