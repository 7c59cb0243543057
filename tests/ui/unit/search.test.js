import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeRow } from '../../../static/data/game.js';
import { LIST_FIELDS } from '../../../static/data/list-fields.js';
import { asksHidden, fold, initials, makeDoc, parseQuery } from '../../../static/data/search.js';
import { indexOf } from '../support/tables.js';

/**
 * @param {Partial<Api.Game>} game
 * @returns {Api.Game}
 */
function game(game) {
  return { id: 0, game_id: 'game-1', name: 'Untitled', ...game };
}

const ZELDA = game({
  name: 'The Legend of Zelda',
  alternate_names: ['Hyrule Fantasy'],
  platform: 'NES',
  genre: 'Action, Adventure',
  developer: 'Nintendo',
  year: '1986',
  tags: ['co-op', 'Classic'],
  notes: [{ ts: '2024-01-01T10:00:00', text: 'second quest' }],
  favorite: true,
  path_exists: true,
  rating: 4.5,
  progress: 'Beaten',
  play_mode: 'Single player',
});
const POKEMON = game({ name: 'Pokémon Rot', platform: 'Game Boy', publisher: 'Straße AG', hidden: true, broken: true,
  path_exists: false, store_installed: false });

/**
 * @param {Api.Game} record
 * @param {string} query
 * @param {boolean} expected
 */
function check(record, query, expected) {
  const marks = indexOf([record]).index.select(parseQuery(query));
  assert.equal(marks === null || marks[0] === 1, expected, `${record.name} for ${query}`);
}

test('bare words look into all usual fields and must all be there', () => {
  for (const query of ['zelda', 'ZELDA nes', 'legend nintendo', 'hyrule', 'second quest', 'classic', 'beaten',
    '"legend of"', 'single']) check(ZELDA, query, true);
  for (const query of ['zelda snes', '"zelda legend"', '1986', '4.5']) check(ZELDA, query, false);
});

test('accents and case do not matter', () => {
  for (const query of ['pokemon', 'POKÉMON', 'rot', 'strasse']) check(POKEMON, query, query !== 'strasse');
  assert.equal(fold('ÉLAN Ünlü'), 'elan unlu');
});

test('keys and their aliases look into their own field', () => {
  for (const query of ['platform:nes', 'plat:NES', 'dev:nintendo', 'genre:"action, adv"', 'tag:co', 'tags:classic',
    'rating:4.5', 'notes:quest', 'title:hyrule', 'progress:beaten', 'playmode:single', 'playmode:"single p"'])
    check(ZELDA, query, true);
  for (const query of ['platform:snes', 'pub:nintendo', 'dev:zelda', 'rating:3']) check(ZELDA, query, false);
});

test('flags answer yes and no', () => {
  for (const query of ['favorite:yes', 'fav:y', 'hidden:no', 'installed:yes', 'broken:no', 'portable:no'])
    check(ZELDA, query, true);
  for (const query of ['hidden:yes', 'hide:yes', 'broken:yes', 'installed:no', 'fav:no']) check(POKEMON, query, true);
  check(ZELDA, 'fav:no', false);
});

test('a leading minus negates one term', () => {
  check(ZELDA, '-snes', true);
  check(ZELDA, 'zelda -nes', false);
  check(ZELDA, '-platform:nes', false);
  check(ZELDA, '-"legend of"', false);
  check(game({ name: 'Plain' }), '-', false);
});

test('initials find a title', () => {
  assert.equal(initials('The Legend of Zelda'), 'tloz');
  for (const query of ['loz', 'tloz', 'LOZ']) check(ZELDA, query, true);
  check(ZELDA, 'l-z', false);
  check(ZELDA, '-loz', false);
});

test('unknown keys and stray colons are words', () => {
  check(ZELDA, 'Zelda: legend', true);
  check(ZELDA, 'foo:zelda', true);
  check(ZELDA, ':', false);
  assert.deepEqual(parseQuery('  '), []);
  assert.deepEqual(parseQuery('""'), []);
});

test('an unclosed quote reaches to the end', () => {
  assert.deepEqual(parseQuery('"legend of'), [{ key: '', value: 'legend of', negated: false }]);
});

test('fields do not run into each other', () => {
  check(game({ name: 'Red', platform: 'Blue' }), '"red blue"', false);
  check(game({ name: 'Red\nBlue' }), '"red blue"', true);
});

test('any junk is a query', () => {
  for (const query of ['-:"', ':::', '-"', 'a:"b', '\\', '(', '-key:', '\u0000', '💾 -💾:'])
    assert.ok(Array.isArray(parseQuery(query)), query);
});

test('names that begin with the query come first', () => {
  const rank = (/** @type {string} */ name, /** @type {string} */ query) =>
    indexOf([game({ name, platform: 'zelda' })]).index.relevance(parseQuery(query))(0);
  assert.deepEqual([rank('Zelda II', 'zelda'), rank('The Zelda', 'zelda'), rank('Xzelda', 'zelda'),
    rank('Other', 'zelda')], [0, 1, 2, 3]);
  assert.equal(rank('Other', 'platform:zelda'), 3);
});

test('only a query about hidden games looks at them', () => {
  assert.equal(asksHidden(parseQuery('hidden:yes')), true);
  assert.equal(asksHidden(parseQuery('-hide:no')), true);
  assert.equal(asksHidden(parseQuery('hidden')), false);
});

test('the library is read with the keys that rows and searches look at', () => {
  /** @type {Set<string>} */
  const seen = new Set();
  const watched = new Proxy(game({}), {
    get: (target, key) => {
      seen.add(String(key));
      return Reflect.get(target, key);
    },
  });
  makeRow(watched);
  makeDoc(watched);
  const keys = [...seen].filter((key) => key !== 'id' && key !== 'game_id').sort();
  // It stands in for a key that another value makes unnecessary to look at.
  const beside = ['playtime_seconds'];
  assert.deepEqual(keys, LIST_FIELDS.split(',').filter((key) => keys.includes(key) || !beside.includes(key)));
});
