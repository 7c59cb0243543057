import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FLAG, makeRow } from '../../../static/data/game.js';
import { lettersOf } from '../../../static/data/grouping.js';
import { LOCALES } from '../../../static/core/i18n.js';
import { COLUMNS, countFacets, inView, orderRows, sortKey, SORTS, VIEWS } from '../../../static/data/ordering.js';
import { namesOf, tableOf } from '../support/tables.js';

/**
 * @param {Partial<Api.Game>} game
 * @returns {App.Row}
 */
function row(game) {
  return makeRow({ id: 0, game_id: `game-${game.name}`, name: 'A', path_exists: true, ...game });
}

/**
 * @param {(App.Row | null)[]} rows
 * @param {string} sort
 */
function names(rows, sort) {
  const table = tableOf(rows);
  return [...orderRows(table, namesOf(table).slots, sort)].map((slot) => rows[slot]?.name);
}

test('names sort as people expect', () => {
  const rows = ['Zelda 10', 'zelda 2', 'The Abyss', 'Émile', 'Emil', '… And then', 'A Boy', 'An Ode'].map((name) =>
    row({ name })
  );
  assert.deepEqual(names(rows, 'name'), ['The Abyss', '… And then', 'A Boy', 'Emil', 'Émile', 'An Ode', 'zelda 2',
    'Zelda 10']);
  assert.equal(sortKey('The'), 'the');
});

test('names stand where the alphabet of the language has them', () => {
  const some = ['Oase', 'Łódź Rally', 'Zebra', 'Lodge', 'Lynx', 'Ørsted', 'Osaka', 'Nzinga', 'Ñandú', 'Nube', 'Ægir',
    'Aegis', 'Afro', 'Straße', 'Strata', 'Straw', 'Đurđa', 'Duo', 'Éclair', 'Echo', 'Œuvre', 'Ohm', 'Ångström'];
  for (const locale of LOCALES) {
    const rows = some.map((name) => row({ name }));
    const { slots: order, letters: stands } = namesOf(tableOf(rows), locale);
    const { compare } = new Intl.Collator(locale, { sensitivity: 'base' });
    assert.deepEqual([...order].map((slot) => rows[slot]?.name), some.toSorted(compare), locale);
    const letters = lettersOf(order, stands).map(({ letter }) => letter);
    assert.deepEqual(letters, locale === 'es'
      ? ['A', 'D', 'E', 'L', 'N', 'Ñ', 'O', 'S', 'Z']
      : ['A', 'D', 'E', 'L', 'N', 'O', 'S', 'Z'], locale);
  }
});

test('the sort title comes before the name', () => {
  assert.deepEqual(names([row({ name: 'B' }), row({ name: 'C', sort_title: 'A' })], 'name'), ['C', 'B']);
});

test('largest and newest come first, empty values last, ties by name', () => {
  const rows = [row({ name: 'c', play_count: 2 }), row({ name: 'a' }), row({ name: 'b', play_count: 9 }),
    row({ name: 'A2', play_count: 2 }), null];
  assert.deepEqual(names(rows, 'play_count'), ['b', 'A2', 'c', 'a']);
  assert.deepEqual(
    names([row({ name: 'x', platform: '' }), row({ name: 'y', platform: 'SNES' }), row({ name: 'z', platform: 'nes' })],
      'platform'),
    ['z', 'y', 'x'],
  );
  for (const sort of [...SORTS, ...COLUMNS]) assert.equal(names(rows, sort).length, 4, sort);
});

test('views follow the flags', () => {
  const played = row({ name: 'p', play_count: 3, last_played: '2026-01-01T10:00:00', progress: 'Paused',
    favorite: true });
  const fresh = row({ name: 'f', path_exists: false });
  const hidden = row({ name: 'h', hidden: true, favorite: true, progress: 'Mastered' });
  const shelf = row({ name: 's', path_exists: false, manual_entry: true });
  assert.deepEqual(VIEWS.filter((view) => inView(played, view)), ['all', 'favorites', 'recent', 'playing']);
  assert.deepEqual(VIEWS.filter((view) => inView(fresh, view)), ['all', 'never', 'missing']);
  assert.deepEqual(VIEWS.filter((view) => inView(hidden, view)), ['hidden']);
  assert.deepEqual(VIEWS.filter((view) => inView(shelf, view)), ['all', 'never']);
  assert.ok(inView(hidden, 'favorites', true));
  assert.ok(inView(row({ name: 'm', progress: 'Mastered' }), 'completed'));
});

test('counts leave hidden games out of the platforms', () => {
  const facets = countFacets(
    tableOf([row({ name: 'a', platform: 'SNES' }), null, row({ name: 'b', platform: 'arcade' }),
      row({ name: 'c', platform: 'SNES', hidden: true })]),
  );
  assert.equal(facets.total, 3);
  assert.equal(facets.views['all'], 2);
  assert.equal(facets.views['hidden'], 1);
  assert.deepEqual(facets.platforms, [['arcade', 1], ['SNES', 1]]);
});

test('a row keeps what lists need', () => {
  const made = makeRow({ id: 3, game_id: 'game-1', name: 'N', favorite: true, has_cover: true, store_installed: false,
    path_exists: true, rating: '', total_playtime_seconds: 70, playtime_seconds: 60, launch_confirm: true });
  assert.equal(made.flags, FLAG.favorite | FLAG.cover | FLAG.exists | FLAG.confirm);
  assert.equal(made.rating, 0);
  assert.equal(made.seconds, 70);
});

test('fifty thousand names are ranked quickly enough for the worker', () => {
  const rows = Array.from({ length: 50_000 }, (_, index) => row({ name: `Game ${(index * 7919) % 50_000}` }));
  const { slots } = namesOf(tableOf(rows));
  assert.equal(new Set(slots).size, rows.length);
  assert.equal(rows[slots[0] ?? -1]?.name, 'Game 0');
});

test('views of presets ask what is installed, owned and saved', () => {
  const here = row({ name: 'h', store_installed: true, has_saves: true, owned: true });
  const there = row({ name: 't', path_exists: false, store_installed: false, owned: true });
  assert.deepEqual(['installed', 'owned', 'saves'].map((view) => [inView(here, view), inView(there, view)]), [[true,
    false], [false, true], [true, false]]);
});

test('progress, stars and tags sort too', () => {
  const rows = [row({ name: 'a', progress: 'Beaten', user_rating: 2, tags: ['Zen'] }),
    row({ name: 'b', progress: 'Playing', user_rating: 5 }), row({ name: 'c', tags: ['art'] })];
  assert.deepEqual(names(rows, 'progress'), ['b', 'a', 'c']);
  assert.deepEqual(names(rows, 'user_rating'), ['b', 'a', 'c']);
  assert.deepEqual(names(rows, 'tags'), ['c', 'a', 'b']);
});
