import assert from 'node:assert/strict';
import { test } from 'node:test';

import { EventParser } from '../../../static/core/event-stream.js';

/**
 * @param {string} text
 * @param {number} size length of the pieces
 */
function parse(text, size) {
  const parser = new EventParser();
  const events = [];
  for (let at = 0; at < text.length; at += size) events.push(...parser.feed(text.slice(at, at + size)));
  return events;
}

/** @type {[string, {name: string, data: object}[]][]} */
const TABLE = [
  [': ok\n\n', []],
  ['event: job.queued\ndata: {"job_id":"a"}\n\n', [{ name: 'job.queued', data: { job_id: 'a' } }]],
  ['event: a\ndata: {"n":1}\n\n: ping\n\nevent: b\ndata: {"n":2}\n\n', [{ name: 'a', data: { n: 1 } }, { name: 'b',
    data: { n: 2 } }]],
  ['event:a\r\ndata:{"n":1}\r\n\r\n', [{ name: 'a', data: { n: 1 } }]],
  ['data: {"text":"Ünï: ✓"}\n\n', [{ name: 'message', data: { text: 'Ünï: ✓' } }]],
  ['event: a\ndata: {\ndata: "n":1}\n\n', [{ name: 'a', data: { n: 1 } }]],
  ['event: a\ndata: no json\n\n', [{ name: 'a', data: {} }]],
  ['event: a\ndata: [1]\n\n', [{ name: 'a', data: {} }]],
  ['event: a\nid: 7\nretry: 5\nunknown\ndata: {}\n\n', [{ name: 'a', data: {} }]],
  ['event: no data\n\ndata: {"n":3}\n\n', [{ name: 'message', data: { n: 3 } }]],
  ['event: cut\ndata: {"n":1}\n', []],
];

test('events come out whole, whatever the pieces', () => {
  for (const [text, expected] of TABLE) {
    for (const size of [1, 2, 3, 7, 1000])
      assert.deepEqual(parse(text, size), expected, `${JSON.stringify(text)} in pieces of ${size}`);
  }
});
