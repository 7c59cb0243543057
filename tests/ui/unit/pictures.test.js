import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeRow } from '../../../static/data/game.js';
import { tileMarks, wordMarks } from '../../../static/data/marks.js';
import { setMedia } from '../../../static/data/media.js';
import { isWholePicture, pictureGroup, pictureKind, pictureRatio, tileKinds } from '../../../static/data/pictures.js';
import { shownSettings } from '../../../static/data/settings-table.js';
import { mediaKinds } from '../support/media.js';

setMedia(mediaKinds());

/** @param {Record<string, unknown>} [rest] */
const row = (rest = {}) => makeRow({ id: 1, game_id: 'game-1', name: 'One', path_exists: true, ...rest });
const ALL = new Set(['favorite', 'installed', 'missing_media', 'saves', 'documents', 'versions', 'storefront',
  'achievements', 'highscores', 'progress', 'rating', 'broken', 'portable', 'controller']);

test('the narrowest choice of a picture counts, and one that cannot be shown none', () => {
  const settings = { image_group: 'banner', image_group_by_platform: { NES: 'icon' },
    image_group_by_playlist: { Weekend: 'fanart' } };
  assert.equal(pictureGroup(settings, {}), 'banner');
  assert.equal(pictureGroup(settings, { platform: 'NES' }), 'icon');
  assert.equal(pictureGroup(settings, { platform: 'SNES' }), 'banner');
  assert.equal(pictureGroup(settings, { playlist: 'Weekend', platform: 'NES' }), 'fanart');
  assert.equal(pictureGroup({ image_group: 'cart_front' }, {}), 'cover');
  assert.equal(pictureGroup({}, { platform: 'constructor' }), 'cover');
});

test('a game without the picture of the group shows its cover, and without one nothing', () => {
  const groups = tileKinds().filter(({ list }) => !list).map(({ kind }) => kind);
  assert.equal(groups.length, 10);
  for (const group of groups) {
    const key = `has_${group}`;
    assert.equal(pictureKind(row({ [key]: true }), group), group);
    assert.equal(pictureKind(row({ has_cover: true }), group), 'cover');
    assert.equal(pictureKind(row(), group), '');
  }
  assert.equal(pictureKind(row({ available_screenshots: [0, 2] }), 'screenshot'), 'screenshot');
  assert.equal(pictureKind(row({ available_screenshots: [2], has_cover: true }), 'screenshot'), 'cover');
});

test('tiles take the shape of what they show', () => {
  assert.equal(pictureRatio('cover'), 4 / 3);
  assert.equal(pictureRatio('background'), 9 / 16);
  assert.equal(pictureRatio('icon'), 1);
  assert.equal(isWholePicture('clear_logo'), true);
  assert.equal(isWholePicture('background'), false);
});

test('a tile has three marks at most, the most urgent first, and those that were chosen', () => {
  const busy = row({ path_exists: false, broken: true, favorite: true, progress: 'Completed', has_saves: true });
  const marks = (/** @type {object} */ rest = {}) =>
    tileMarks(busy, { isRunning: false, shown: ALL, isLaunchShown: true, ...rest }).map(([, symbol]) => symbol);
  assert.deepEqual(marks({ isRunning: true }), ['playing', 'missing', 'plug']);
  assert.deepEqual(marks(), ['missing', 'plug', 'check']);
  assert.deepEqual(marks({ isLaunchShown: false }), ['plug', 'check', 'heart-full']);
  assert.deepEqual(marks({ shown: new Set(['favorite']) }), ['missing', 'heart-full']);
  assert.deepEqual(marks({ shown: new Set(), isLaunchShown: false }), []);
});

test('the other marks stand in words, where they say something', () => {
  const names = (/** @type {Record<string, unknown>} */ rest, shown = ALL) =>
    wordMarks(row(rest), shown).map(({ name, text }) => text ?? name);
  assert.deepEqual(names({ has_cover: true }), [], 'a file of its own is installed anyway');
  assert.deepEqual(names({ has_cover: true, owned: true, store_installed: true, source: 'Steam' }), ['installed',
    'Steam']);
  assert.deepEqual(
    names({ has_saves: true, has_documents: true, has_versions: true, has_achievements: true, has_highscores: true,
      portable: true, controller_support: 'full', broken: true }),
    ['broken', 'saves', 'documents', 'versions', 'achievements', 'highscores', 'portable', 'controller',
      'missing_media'],
  );
  assert.deepEqual(names({ has_saves: true, has_documents: true }, new Set(['documents'])), ['documents']);
});

test('settings of features that are not there are not shown', () => {
  const control = /** @type {const} */ ('switch');
  const setting = (/** @type {string} */ key, rest = {}) => ({ key, group: 'general', control, ...rest });
  const described = [
    setting('locale'),
    setting('tray_enabled', { feature: '/api/native/window' }),
    setting('hidden_sidebar_sections', { edited_with: 'sidebar_sections' }),
    setting('recorder_ws_url', { feature: '/api/recorder/status' }),
  ];
  const keys = (/** @type {Record<string, unknown>} */ paths) =>
    shownSettings({ paths, 'x-settings': described }).map(({ key }) => key);
  assert.deepEqual(keys({}), ['locale']);
  assert.deepEqual(keys({ '/api/native/window': {}, '/api/recorder/status': {} }), ['locale', 'tray_enabled',
    'recorder_ws_url']);
});
