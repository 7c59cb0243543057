/** The client for TypeScript and the page of the API are those of the OpenAPI document. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { CLIENT, generateClient, methodName } from '../support/api-client.js';
import { PAGE, generateDocs } from '../support/api-docs.js';

test('clients/typescript is generated from the document: node support/api-types.js', () => {
  assert.equal(readFileSync(CLIENT, 'utf8'), generateClient());
});

test('docs/api.md is generated from the document: node support/api-types.js', () => {
  assert.equal(readFileSync(PAGE, 'utf8'), generateDocs());
});

test('an operation is a method in one word', () => {
  assert.equal(methodName('get_v2_jobs_items'), 'getV2JobsItems');
  assert.equal(methodName('post_import_loose_arcade'), 'postImportLooseArcade');
});
