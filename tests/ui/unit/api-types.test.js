/** The types of replies are those of the OpenAPI document. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { TYPES, generate } from '../support/api-types.js';

test('types/replies.d.ts is generated from the document: node support/api-types.js', () => {
  assert.equal(readFileSync(TYPES, 'utf8'), generate());
});
