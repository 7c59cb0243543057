import assert from 'node:assert/strict';
import { test } from 'node:test';

import { changesBack, pagesOf } from '../../../static/data/batches.js';
import { Bus } from '../../../static/core/bus.js';
import { clampWidth, COLUMN_LIMIT, readColumns, readWidths, trackColumns, WIDTH,
  writeWidths } from '../../../static/data/columns.js';
import { compileFilters, compileRules, FilterCounts, FILTERS, filtersOf, readFilters, rulesOf, ruleTest, searchFor,
  toggleFilter, valuesOf, writeFilters } from '../../../static/data/filters.js';
import { makeRow } from '../../../static/data/game.js';
import { groupOrder, GROUPS, lettersOf } from '../../../static/data/grouping.js';
import { Lists } from '../../../static/data/lists.js';
import { letterOf, sortKey } from '../../../static/data/ordering.js';
import { parseHash, formatHash } from '../../../static/core/router.js';
import { Selection } from '../../../static/core/selection.js';
import { indexOf, namesOf, tableOf } from '../support/tables.js';

/**
 * @param {Partial<Api.Game>} game
 * @returns {App.Row}
 */
function row(game) {
  return makeRow({ id: 0, game_id: `game-${game.name}`, name: 'A', path_exists: true, ...game });
}

const ROWS = [
  row({ name: 'Zelda', platform: 'NES', genre: 'Action, Adventure', year: '1986', progress: 'Beaten', user_rating: 4,
    rating: 4.5, tags: ['co-op'], favorite: true, developer: 'Nintendo' }),
  row({ name: 'Abyss', platform: 'SNES', genre: 'Action RPG', year: '199x', path_exists: false }),
  row({ name: '7 Days', platform: '', genre: '', year: '1994', progress: 'Playing', hidden: true }),
];

/** @param {App.Filters} filters */
function passing(filters) {
  const known = (/** @type {string} */ key, /** @type {string} */ value) =>
    ROWS.some((each) => valuesOf(each, key).includes(value));
  const tests = compileFilters(filters, known);
  return ROWS.filter((each) => tests.every(({ passes }) => passes(each))).map((each) => each.name);
}

test('filters go into the address and come back, whatever their values hold', () => {
  const filters = { platform: ['NES', '', 'A|B', '-', '50%', '%7C'], rating: ['4'], favorite: ['no'] };
  const hash = formatHash('/', writeFilters(filters));
  assert.deepEqual(readFilters(parseHash(hash).query), filters);
  assert.deepEqual(readFilters({ platform: '-', q: 'x', unknown: 'y' }), { platform: [''] });
  assert.deepEqual(Object.values(writeFilters({})).filter(Boolean), []);
});

test('a value is added and taken away; a least value replaces the other', () => {
  assert.deepEqual(toggleFilter({ genre: ['A'] }, 'genre', 'B'), { genre: ['A', 'B'] });
  assert.deepEqual(toggleFilter({ genre: ['A', 'B'] }, 'genre', 'A'), { genre: ['B'] });
  assert.deepEqual(toggleFilter({ genre: ['A'] }, 'genre', 'A'), {});
  assert.deepEqual(toggleFilter({ rating: ['4'] }, 'rating', '3'), { rating: ['3'] });
  assert.deepEqual(toggleFilter({ favorite: ['yes'] }, 'favorite', 'no'), { favorite: ['no'] });
});

test('a game passes with one of the values of each filter', () => {
  assert.deepEqual(passing({ platform: ['NES', ''] }), ['Zelda', '7 Days']);
  assert.deepEqual(passing({ genre: ['Action'] }), ['Zelda']);
  assert.deepEqual(passing({ genre: [''] }), ['7 Days']);
  assert.deepEqual(passing({ rating: ['4'] }), ['Zelda']);
  assert.deepEqual(passing({ rating: ['5'] }), []);
  assert.deepEqual(passing({ stars: ['3'], favorite: ['yes'], tags: ['co-op'] }), ['Zelda']);
  assert.deepEqual(passing({ decade: ['1990'] }), ['7 Days']);
  assert.deepEqual(passing({ decade: [''] }), ['Abyss']);
  assert.deepEqual(passing({ installed: ['no'] }), ['Abyss']);
  assert.deepEqual(passing({ media: ['yes'], hidden: ['no'] }), ['Zelda', 'Abyss']);
});

test('a value no game has is looked for inside the others, where rules do so', () => {
  assert.deepEqual(passing({ genre: ['act'] }), ['Zelda', 'Abyss']);
  assert.deepEqual(passing({ developer: ['NINT'] }), ['Zelda']);
  assert.deepEqual(passing({ platform: ['NE'] }), []);
});

test('counts say what another value would bring', () => {
  const filters = { platform: ['NES'] };
  const tests = compileFilters(filters, () => true);
  const counts = new FilterCounts();
  for (const each of ROWS) {
    const failed = tests.filter(({ passes }) => !passes(each));
    if (failed.length <= 1) counts.add(each, failed[0]?.key ?? null);
  }
  const result = counts.result({ platform: ['NES', 'Gone'] });
  assert.deepEqual(result['platform'], [['Gone', 0], ['', 1], ['NES', 1], ['SNES', 1]]);
  assert.deepEqual(result['genre'], [['Action', 1], ['Adventure', 1]]);
  assert.deepEqual(Object.keys(result), [...FILTERS]);
});

/** @type {App.LibraryQuery} */
const QUERY = { text: '', view: 'all', filters: {}, playlist: '', collection: '', sort: 'name', reversed: false,
  group: '' };

test('what the library shows becomes rules, and rules become what it shows', () => {
  const rules = { view: 'playing', query: 'two words', platform: 'NES', favorite: true, installed: 'uninstalled',
    progress: 'Unplayed', has_saves: false };
  const { view, phrase, filters } = filtersOf(rules);
  assert.deepEqual(rulesOf({ ...QUERY, view, text: searchFor(phrase), filters }, 'preset'), { rules, lost: [] });
  assert.deepEqual(filtersOf({ installed: 'all', favorite: 'true', view: 7 }), { view: 'all', phrase: '',
    filters: { favorite: ['yes'] } });
});

test('filters no rule can say are named', () => {
  const filters = { platform: ['NES', 'SNES'], rating: ['4'], saves: ['yes'], genre: ['Action'] };
  assert.deepEqual(rulesOf({ ...QUERY, filters, text: 'a b', playlist: 'P', collection: 'C' }, 'playlist'), {
    rules: { genre: 'Action' },
    lost: ['playlist', 'collection', 'query', 'platform', 'rating', 'saves'],
  });
});

test('a filter playlist takes what its rules say', () => {
  const takes = (/** @type {Record<string, unknown>} */ rules, /** @type {Partial<Api.Game>} */ game) => {
    const record = { id: 0, game_id: 'g', name: 'A', path_exists: true, ...game };
    const { table, index } = indexOf([record]);
    return ruleTest(table, index, compileRules(rules, () => false))(0);
  };
  assert.ok(takes({ query: 'of zel', favorite: 'true' }, { name: 'Legend of Zelda', favorite: true }));
  assert.ok(!takes({ query: 'zelda of' }, { name: 'Legend of Zelda' }));
  assert.ok(!takes({ query: 'europe' }, { name: 'X', region: 'Europe' }));
  assert.ok(takes({ query: 'loz' }, { name: 'Legend of Zelda' }));
  assert.ok(!takes({ platform: 'NES' }, { platform: 'NES', hidden: true }));
  assert.ok(takes({ hidden: 'true' }, { hidden: true }));
});

test('groups keep the order inside and stand in theirs', () => {
  const table = tableOf(ROWS);
  const { letters } = namesOf(table);
  const order = new Uint32Array([2, 1, 0]);
  const grouped = (/** @type {string} */ group) => groupOrder(order, group, table, letters);
  assert.deepEqual(grouped('platform').groups, [{ key: 'NES', count: 1 }, { key: 'SNES', count: 1 }, { key: '',
    count: 1 }]);
  assert.deepEqual([...grouped('platform').order], [0, 1, 2]);
  assert.deepEqual(grouped('progress').groups.map(({ key }) => key), ['', 'Playing', 'Beaten']);
  assert.deepEqual(grouped('year').groups.map(({ key }) => key), ['1994', '1986', '']);
  assert.deepEqual(grouped('letter').groups.map(({ key }) => key), ['#', 'A', 'Z']);
  for (const group of GROUPS.filter(Boolean))
    assert.equal(grouped(group).groups.reduce((sum, { count }) => sum + count, 0), 3, group);
  assert.deepEqual(lettersOf(order, letters), [{ letter: '#', index: 0 }, { letter: 'A', index: 1 }, { letter: 'Z',
    index: 2 }]);
  assert.equal(letterOf('étude'.normalize('NFC')), 'É');
});

test('Korean names stand under the consonant that people write alone', () => {
  const letters = ['가을', '까치', '달빛 정원', '빨강', '쑥', '짝꿍', '하늘'].map((name) => letterOf(sortKey(name)));
  assert.deepEqual(letters, ['ㄱ', 'ㄲ', 'ㄷ', 'ㅃ', 'ㅆ', 'ㅉ', 'ㅎ']);
  assert.equal(letterOf(sortKey('ㅎㅎ')), 'ㅎ');
});

test('what cannot be chosen now is not, and what was chosen can be let go', () => {
  let isLocked = false;
  const selection = new Selection(() => !isLocked);
  selection.toggle('a');
  selection.toggle('b');
  isLocked = true;
  selection.toggle('c');
  selection.range(0, 3, String, Number);
  assert.deepEqual(selection.ids, ['a', 'b']);
  selection.toggle('a');
  assert.deepEqual(selection.ids, ['b']);
  selection.replace(['d']);
  assert.equal(selection.size, 0);
});

test('games are chosen one by one, in ranges and again', () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const selection = new Selection();
  const range = (/** @type {number} */ from, /** @type {number} */ to) =>
    selection.range(from, to, (at) => ids[at] ?? '', (id) => ids.indexOf(id));
  range(1, 3);
  assert.deepEqual(selection.ids, ['b', 'c', 'd']);
  range(3, 2);
  assert.deepEqual(selection.ids, ['b', 'c']);
  range(2, 0);
  assert.deepEqual(selection.ids.sort(), ['a', 'b']);
  selection.toggle('e');
  range(4, 3);
  assert.deepEqual(selection.ids.sort(), ['a', 'b', 'd', 'e']);
  selection.toggle('a');
  assert.equal(selection.has('a'), false);
  assert.equal(selection.keep((id) => id !== 'b'), true);
  assert.equal(selection.keep(() => true), false);
  assert.deepEqual(selection.ids.sort(), ['d', 'e']);
  selection.clear();
  assert.equal(selection.size, 0);
});

test('ids travel in pages that fit, each once', () => {
  const ids = Array.from({ length: 50_000 }, (_, index) => `game-${index.toString(16).padStart(24, '0')}`);
  const pages = pagesOf(ids);
  assert.deepEqual(pages.flat(), ids);
  for (const page of pages) assert.ok(new TextEncoder().encode(JSON.stringify(page)).length <= 48_002);
  assert.ok(pages.length < 40);
  assert.deepEqual(pagesOf([]), []);
  assert.deepEqual(pagesOf(['"'.repeat(20), 'b'], 30).length, 2);
});

test('an undo brings every game back to its own values', () => {
  const rows = [row({ name: 'a', favorite: true, tags: ['x'] }), row({ name: 'b', progress: 'Playing' }),
    row({ name: 'c', favorite: true })];
  assert.deepEqual(changesBack(rows, { favorite: true }), [{ ids: ['game-b'], change: { favorite: false } }]);
  assert.deepEqual(changesBack(rows, { progress: 'Beaten' }), [{ ids: ['game-a', 'game-c'], change: { progress: '' } },
    { ids: ['game-b'], change: { progress: 'Playing' } }]);
  assert.deepEqual(changesBack(rows, { tags_add: ['y'], tags_remove: ['x'] }), [{ ids: ['game-a'],
    change: { tags: ['x'] } }, { ids: ['game-b', 'game-c'], change: { tags: [] } }]);
  assert.deepEqual(
    changesBack([row({ name: 'a', rating: 3.5, user_rating: 2 })], { rating: '', user_rating: 0 })[0]?.change,
    { rating: 3.5, user_rating: 2 },
  );
});

test('columns and widths come from the settings, whatever stands there', () => {
  assert.deepEqual(readColumns(['name', 'genre', 'nonsense', 'genre', 'year']), ['genre', 'year']);
  assert.deepEqual(readColumns({ NES: ['year'], '': ['esrb'] }), ['esrb']);
  assert.deepEqual(readColumns([]), []);
  assert.equal(readColumns(null).length, 5);
  assert.ok(readColumns(Array.from({ length: 40 }, () => 'genre')).length <= COLUMN_LIMIT);
  assert.deepEqual(readWidths(['genre:200', 'year:9999', 'x:1', 'bad', 7]), { genre: 200, year: WIDTH.max });
  assert.deepEqual(readWidths(writeWidths({ name: 301.4, year: 60 })), { name: 301, year: 60 });
  assert.equal(clampWidth(1), WIDTH.min);
  assert.deepEqual(trackColumns(['genre'], { genre: 100 }), { template: '36px minmax(200px, 1fr) 52px 100px',
    least: 20 + 36 + 200 + 52 + 100 + 3 * 16, name: 200 });
  // What somebody chose stays; the others give up what they can before anything is out of sight.
  assert.deepEqual(trackColumns(['genre', 'year'], { name: 260, year: 70 }), {
    template: '36px 260px 52px minmax(88px, max(150px, 8%)) 70px',
    least: 20 + 36 + 260 + 52 + 88 + 70 + 4 * 16,
    name: 260,
  });
  // Larger text needs wider columns, and they give up as much as before.
  assert.equal(trackColumns(['platform'], {}, 1.3).template,
    '36px minmax(200px, 1fr) 52px minmax(96px, max(195px, 8%))');
});

test('an answer about the lists never comes behind a newer one', async () => {
  /** @type {((page: object) => void)[]} */
  const waiting = [];
  const client = /** @type {import('../../../static/core/client.js').Client} */ (/** @type {unknown} */ ({
    get: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
      }),
  }));
  const lists = new Lists(client, new Bus());
  const playlist = (/** @type {string} */ name) => ({ name, type: 'manual', members: [], rules: {}, parent: '',
    notes: '' });
  const first = lists.reload();
  const second = lists.reload();
  // The newest answer is there first, where two are on their way.
  waiting[1]?.({ playlists: [playlist('Newer')] });
  waiting[0]?.({ playlists: [playlist('Older')] });
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  waiting[1]?.({ playlists: [playlist('Newer')] });
  await Promise.all([first, second]);
  assert.deepEqual(lists.playlists.map(({ name }) => name), ['Newer']);
});
