import assert from 'node:assert/strict';
import { test } from 'node:test';

import { likelyKind, pictureChanges, sendPicture } from '../../../static/data/upload.js';

test('a picture is sent in pieces that a request can hold, in order', async () => {
  const bytes = Uint8Array.from({ length: 100_001 }, (_, at) => at % 251);
  /** @type {{upload_id: string, size: number, offset: number, data: string}[]} */
  const sent = [];
  const client = {
    post: async (/** @type {string} */ path, /** @type {object} */ body) => {
      assert.equal(path, '/api/v2/media/upload');
      const piece = /** @type {typeof sent[number]} */ (body);
      assert.ok(JSON.stringify(piece).length < 65_536);
      sent.push(piece);
      const received = piece.offset + Buffer.from(piece.data, 'base64').length;
      return { upload_id: 'one', received, size: piece.size, path: received === piece.size ? '/here.png' : null };
    },
  };
  const path = await sendPicture(/** @type {Parameters<typeof sendPicture>[0]} */ (/** @type {unknown} */ (client)),
    new Blob([bytes]));
  assert.equal(path, '/here.png');
  assert.deepEqual(sent.map(({ upload_id: id, offset }) => [id, offset]), [['', 0], ['one', 45_000], ['one', 90_000]]);
  assert.deepEqual(Buffer.concat(sent.map(({ data }) => Buffer.from(data, 'base64'))), Buffer.from(bytes));
});

test('lists grow at their front and single pictures are replaced', () => {
  const record =
    /** @type {Api.Game} */ (/** @type {unknown} */ ({ cover: '/old.png', screenshots: ['/a.png', '/b.png'] }));
  const { changes, before } = pictureChanges(record, [{ kind: 'cover', path: '/new.png' }, { kind: 'screenshots',
    path: '/b.png' }, { kind: 'screenshots', path: '/c.png' }, { kind: 'banner', path: '/d.png' }]);
  assert.deepEqual(changes, { cover: '/new.png', screenshots: ['/c.png', '/b.png', '/a.png'], banner: '/d.png' });
  assert.deepEqual(before, { cover: '/old.png', screenshots: ['/a.png', '/b.png'], banner: '' });
});

test('the shape of a picture tells what it is', () => {
  const size = (/** @type {number} */ width, /** @type {number} */ height) => ({ width, height });
  assert.equal(likelyKind(size(600, 900), false), 'cover');
  assert.equal(likelyKind(size(640, 480), false), 'cover');
  assert.equal(likelyKind(size(600, 900), true), 'screenshots');
  assert.equal(likelyKind(size(1920, 1080), false), 'screenshots');
  assert.equal(likelyKind(size(920, 300), true), 'banner');
});
