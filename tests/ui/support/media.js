/** The media kinds of the server, read from their table, for tests that run without a server. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from './sources.js';

const ROW = /(?:picture\("(\w+)"\)|MediaKind::new\("(\w+)", Content::(\w+)\))(.*)/g;

/** @returns {Reply.MediaKind[]} */
export function mediaKinds() {
  const rows = readFileSync(join(ROOT, 'src/model/media.rs'), 'utf8').matchAll(ROW);
  return [...rows].map(([, picture, other, content = 'Picture', calls = '']) => {
    const field = picture ?? other ?? '';
    const list = /list\("(\w+)"\)/.exec(calls)?.[1];
    return { field, kind: list ?? field, list: list !== undefined, whole: calls.includes('.whole()'),
      content: /** @type {Reply.MediaKind['content']} */ (content.replace(/\B[A-Z]/g, '_$&').toLowerCase()),
      shape: /** @type {Reply.MediaKind['shape']} */ (/Shape::(\w+)/.exec(calls)?.[1]?.toLowerCase() ?? null) };
  });
}
