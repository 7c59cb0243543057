import assert from 'node:assert/strict';
import { test } from 'node:test';

import { setMedia } from '../../../static/data/media.js';
import { findConflicts, postedChanges, saveBody } from '../../../static/parts/game/edit.js';
import { fieldOfMessage } from '../../../static/parts/game/edit-fields.js';
import { mediaKinds } from '../support/media.js';

setMedia(mediaKinds());

/** @type {Api.Game} */
const RECORD = { id: 1, game_id: 'g', name: 'N', path: '/p', hidden: true, genre: 'x', tags: ['a'],
  launch_env: { A: '1' }, custom_fields: { Shelf: 'Blue', Box: 'yes' } };

test('a refusal finds its field', () => {
  const table = /** @type {const} */ ([
    ['Name is required.', 'name'],
    ['Path is required.', 'path'],
    ['Game path must be an absolute path.', 'path'],
    ['Path must point to an existing local file.', 'path'],
    ['Game path may not contain symlinks.', 'path'],
    ['Unknown progress value.', 'progress'],
    ['Rating must be between 0 and 5.', 'rating'],
    ['Disc count must be a number.', 'disc_count'],
    ['Save paths must be a list.', 'save_paths'],
    ['Paths must be absolute.', 'save_paths'],
    ['Screenshots must be a list.', 'screenshots'],
    ['Tags are limited to 64 characters.', 'tags'],
    ['Alternate names are limited to 20 entries.', 'alternate_names'],
    ['Invalid launch environment line: 2', 'launch_env'],
    ['Tracking process name must be text.', 'tracking_process_name'],
    ['Sort title must not contain a NUL character.', 'sort_title'],
    ['Launch must be text.', 'launch'],
    ['Overlay must be inherit, on or off.', 'overlay'],
    ['Something else.', ''],
    ['Media paths must be inside an approved media folder, without symlinks.', ''],
  ]);
  for (const [message, field] of table) assert.equal(fieldOfMessage(message), field, message);
});

test('a refused media path is about the one that was changed', () => {
  const message = 'Media paths must be inside an approved media folder, without symlinks.';
  assert.equal(fieldOfMessage(message, ['name', 'banner']), 'banner');
  assert.equal(fieldOfMessage(message, ['cover', 'banner']), '');
});

test('a save carries the name and what changed, and what was seen of just that', () => {
  assert.deepEqual(saveBody(RECORD, { genre: 'y' }), { game_id: 'g', game: { name: 'N', genre: 'y' },
    expected: { name: 'N', genre: 'x' } });
  assert.deepEqual(saveBody(RECORD, { name: 'M', launch_env: 'A=2' }), { game_id: 'g',
    game: { name: 'M', launch_env: 'A=2' }, expected: { name: 'N', launch_env: { A: '1' } } });
});

test('own fields are sent whole, so that none is dropped', () => {
  assert.deepEqual(postedChanges(RECORD, { genre: 'y', 'custom:Box': 'no' }), { genre: 'y',
    custom_fields: { Shelf: 'Blue', Box: 'no' } });
  assert.deepEqual(postedChanges(RECORD, { genre: 'y' }), { genre: 'y' });
});

test('a conflict is the same field changed on both sides to different values', () => {
  const check = (/** @type {Partial<Api.Game>} */ theirs, /** @type {Record<string, App.FieldValue>} */ ours,
    /** @type {string[]} */ expected) => (
      assert.deepEqual(findConflicts(RECORD, { ...RECORD, ...theirs }, ours), expected)
    );
  check({}, { genre: 'y' }, []);
  check({ genre: 'z' }, { genre: 'y' }, ['genre']);
  check({ genre: 'y' }, { genre: 'y' }, []);
  check({ year: '1999' }, { genre: 'y' }, []);
  check({ tags: ['a', 'b'] }, { tags: ['c'] }, ['tags']);
  check({ launch_env: { A: '2' } }, { launch_env: 'A=3' }, ['launch_env']);
  check({ custom_fields: { Shelf: 'Red', Box: 'yes' } }, { 'custom:Shelf': 'Green' }, ['custom:Shelf']);
  check({ custom_fields: { Shelf: 'Red', Box: 'yes' } }, { 'custom:Box': 'no' }, []);
});
