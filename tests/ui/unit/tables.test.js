import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeRow } from '../../../static/data/game.js';
import { LineStore } from '../../../static/data/line-store.js';
import { RowTable } from '../../../static/data/row-table.js';
import { SharedColumn } from '../../../static/data/shared-column.js';
import { TextBytes, TextIndex } from '../../../static/data/text-bytes.js';
import { PlainCatalog } from '../support/plain-catalog.js';
import { namesOf, tableOf } from '../support/tables.js';
import { NameOrder } from '../../../static/data/name-order.js';
import { numbers } from '../support/picture.js';

/** What the worker said since it was last asked.
 *
 * @type {App.FromWorker[]}
 */
let said = [];
const scope = /** @type {App.WorkerScope} */ (/** @type {unknown} */ ({
  postMessage: (/** @type {App.FromWorker} */ message, /** @type {Transferable[]} */ transfer = []) => {
    said.push(structuredClone(message, { transfer }));
  },
  onmessage: null,
}));
Object.assign(globalThis, { self: scope });
await import('../../../static/data/catalog-worker.js');

/** @param {App.ToWorker} message */
function tell(message) {
  scope.onmessage?.(/** @type {MessageEvent<App.ToWorker>} */ ({ data: message }));
}

/**
 * The newest message of a kind.
 *
 * @template {App.FromWorker['type']} T
 * @param {T} type
 */
function last(type) {
  return /** @type {Extract<App.FromWorker, {type: T}> | undefined} */ (said.findLast((message) =>
    message.type === type
  ));
}

const WORDS = ['Harbour', 'The', 'Zelda', 'Pokémon', 'of', 'II', '64', 'Ōkami', '銀河', 'a', 'an', 'Straße', 'nes', '…',
  'Night', 'Garden', 'garden', '7'];

/** @param {() => number} random between 0 and 1 */
function choices(random) {
  const pick = (/** @type {readonly string[]} */ list) => list[Math.floor(random() * list.length)] ?? '';
  const words = (/** @type {number} */ most) =>
    Array.from({ length: 1 + Math.floor(random() * most) }, () => pick(WORDS)).join(' ');
  const odds = (/** @type {number} */ part) => random() < part;
  /** @returns {Api.Game} a game with one of few ids, and with few values, so that they meet */
  const game = () => (/** @type {Api.Game} */ ({
    id: 0,
    game_id: `game-${Math.floor(random() * 900)}`,
    name: words(4),
    sort_title: odds(0.1) ? words(2) : '',
    alternate_names: odds(0.1) ? [words(2), words(2)] : [],
    platform: pick(['NES', 'SNES', 'Game Boy', '']),
    year: pick(['1986', '199x', '2001-05-01', '']),
    genre: pick(['Action, Adventure', 'Action', 'Puzzle', 'Puzzle,', '']),
    developer: pick(['Nintendo', 'NINTENDO', 'Straße AG', '']),
    publisher: odds(0.1) ? words(2) : '',
    series: odds(0.2) ? pick(WORDS) : '',
    region: pick(['Europe', 'USA, Japan', '']),
    source: pick(['Folder', 'Store']),
    play_mode: pick(['Single player', '']),
    status: pick(['new', '']),
    controller_support: pick(['full', '']),
    notes: odds(0.1) ? [words(3)] : [],
    tags: odds(0.3) ? [pick(WORDS), pick(WORDS)] : [],
    progress: pick(['Playing', 'Beaten', '', '']),
    rating: pick(['', '4.5', '3']),
    user_rating: Math.floor(random() * 6),
    favorite: odds(0.2),
    hidden: odds(0.05),
    broken: odds(0.1),
    path_exists: odds(0.8),
    has_cover: odds(0.5),
    play_count: odds(0.4) ? Math.floor(random() * 9) : 0,
    total_playtime_seconds: Math.floor(random() * 900),
    last_played: odds(0.3) ? `2026-0${1 + Math.floor(random() * 9)}-01T10:00:00` : '',
    added_at: `2025-0${1 + Math.floor(random() * 9)}-01T10:00:00`,
  }));
  /** @returns {App.CatalogQuery} */
  const query = () => ({
    text: pick(['', words(1), words(2), `-${words(1)}`, 'h', 'a', 'plat:nes', '-plat:nes zel', 'fav:yes', 'hidden:yes',
      'installed:n', '"of ii"', 'rating:4.5', 'tags:zelda', 'notes:night', 'dev:ninten', 'tz', 'zo6', 'mode:single',
      'play:single', 'status:new', 'controller:full', 'region:jap', 'title:okami', 'progress:play', '銀', 'xyz',
      '4.5']),
    view: pick(['all', 'all', 'favorites', 'recent', 'never', 'playing', 'completed', 'missing', 'hidden',
      'installed']),
    sort: pick(['name', 'name', 'added_at', 'last_played', 'recent_activity', 'playtime_seconds', 'play_count',
      'rating', 'user_rating', 'year', 'platform', 'developer', 'tags']),
    reversed: odds(0.2),
    group: pick(['', '', 'letter', 'platform', 'genre', 'developer', 'user_rating']),
    playlist: '',
    collection: '',
    filters: {
      ...(odds(0.3) ? { platform: ['NES', ''] } : {}),
      ...(odds(0.2) ? { genre: [pick(['Action', 'act', ''])] } : {}),
      ...(odds(0.2) ? { rating: ['4'], favorite: ['no'] } : {}),
      ...(odds(0.1) ? { hidden: ['yes'] } : {}),
      ...(odds(0.1) ? { decade: ['1980'], tags: ['nes', ''] } : {}),
    },
    counts: true,
    seq: 0,
  });
  return { game, query, list: (/** @type {number} */ count) => Array.from({ length: count }, game) };
}

test('the worker answers as a plain array of games does, whatever changes and is asked', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { game, query, list } = choices(numbers(41));
  const plain = new PlainCatalog();
  const page = new RowTable();
  const first = list(500).filter((each, at, all) => all.findIndex(({ game_id: id }) => id === each.game_id) === at);
  plain.put(first);
  tell({ type: 'load', headers: {},
    first: /** @type {Api.LibraryPage} */ ({ games: first, total_count: first.length }) });
  for (let turn = 0; turn < 120; turn += 1) {
    const changed = turn % 3 === 0 ? list(turn % 20 === 0 ? 200 : 5) : [];
    const gone = turn % 7 === 0 ? [game().game_id, game().game_id] : [];
    plain.put(changed);
    plain.drop(gone);
    tell({ type: 'put', games: changed });
    tell({ type: 'drop', ids: gone });
    const asked = { ...query(), seq: turn };
    tell({ type: 'query', query: asked });
    context.mock.timers.tick(1000);
    for (const message of said) {
      if (message.type === 'rows') page.unpack(message.rows);
      if (message.type === 'gone') { for (const id of message.ids) page.remove(id); }
    }
    const told = JSON.stringify(asked);
    const { order, groups } = plain.query(asked);
    assert.deepEqual([...last('order')?.order ?? []], order, told);
    assert.deepEqual(last('order')?.groups, groups, told);
    assert.deepEqual(last('counts')?.counts, plain.counts(asked), told);
    const { total, views } = last('facets')?.facets ?? {};
    assert.deepEqual({ total, views }, plain.views());
    assert.deepEqual(Array.from(page.slots(), (slot) => page.row(slot)), plain.entries.map(({ row }) => row));
    // The facets stay until something changes.
    said = said.filter(({ type }) => type === 'facets');
  }
});

test('a few new names are put into the order as sorting all of them would', () => {
  const { list } = choices(numbers(42));
  const rows = list(300).map((game, at) => makeRow({ ...game, game_id: `game-${at}` }));
  const names = new NameOrder();
  const table = tableOf(rows);
  rows.forEach((_, slot) => names.note(slot));
  names.update(table, 'es');
  for (const [at, game] of list(60).entries()) {
    const slot = (at * 37) % (table.length + 1);
    if (at % 5 === 0) table.remove(table.idAt(slot));
    else table.set(slot, makeRow({ ...game, game_id: table.idAt(slot) || `game-${slot}` }));
    names.note(slot);
    assert.equal(names.update(table, 'es'), true);
    const all = namesOf(table, 'es');
    assert.deepEqual(names.slots, all.slots);
    for (const each of table.slots()) assert.equal(names.letters.at(each), all.letters.at(each));
  }
  assert.equal(names.update(table, 'es'), false);
});

test('lines come back as they were set, and are found where an array finds them', () => {
  const random = numbers(43);
  const store = new LineStore();
  /** @type {string[]} */
  const lines = [];
  const line = () => Array.from({ length: Math.floor(random() * 9) }, () => 'abc '[Math.floor(random() * 4)]).join('');
  for (let turn = 0; turn < 3000; turn += 1) {
    const slot = random() < 0.7 ? lines.length : Math.floor(random() * (lines.length + 3));
    while (lines.length < slot) lines.push('');
    lines[slot] = line();
    store.set(slot, lines[slot] ?? '');
  }
  assert.equal(store.length, lines.length);
  lines.forEach((text, slot) => assert.equal(store.get(slot), text));
  assert.equal(store.get(lines.length), '');
  for (const part of ['a', 'ab', ' ', 'abc', 'c c', 'aaaa', 'abcabc', 'a\na', 'x']) {
    const marks = new Uint8Array(lines.length);
    store.mark(part, marks);
    assert.deepEqual([...marks], lines.map((text) => Number(text.includes(part))), part);
  }
});

test('a column has as many bytes for a slot as its values need', () => {
  const column = new SharedColumn();
  const values = Array.from({ length: 70_000 }, (_, at) => `value ${at}`);
  for (const [slot, bytes] of [[255, 1], [256, 2], [65_535, 2], [65_536, 4]]) {
    for (let at = column.values.length; at <= (slot ?? 0); at += 1) column.set(at, values[at] ?? '');
    assert.equal(column.codes.BYTES_PER_ELEMENT, bytes);
  }
  for (let slot = 0; slot <= 65_536; slot += 1) assert.equal(column.at(slot), values[slot]);
  column.set(200_000, values[3] ?? '');
  assert.equal(column.codes[200_000], 3);
  assert.equal(column.values.length, 65_537);
});

test('rows travel from one table to another, whatever that one has', () => {
  const { list } = choices(numbers(44));
  const from = tableOf(list(400).map((game, at) => makeRow({ ...game, game_id: `game-${at}` })));
  const to = tableOf(list(50).map((game, at) => makeRow({ ...game, game_id: `game-${at}` })));
  const slots = [3, 399, 60, 0, 61];
  to.unpack(structuredClone(from.pack(slots)));
  for (const slot of slots) assert.deepEqual(to.row(slot), from.row(slot));
  assert.equal(to.count, 53);
  assert.equal(to.row(200), undefined);
  assert.equal(to.find('game-399'), 399);
  assert.equal(to.remove('game-399'), true);
  assert.deepEqual([to.find('game-399'), to.slotOf('game-399'), to.remove('game-399')], [undefined, 399, false]);
  assert.equal(to.row(399)?.id, 'game-399');
});

test('texts as bytes come back and are found, also those that were set again', () => {
  const random = numbers(45);
  const texts = new TextBytes();
  const index = new TextIndex(texts);
  /** @type {Map<string, number>} */
  const slots = new Map();
  /** @type {string[]} */
  const all = [];
  for (let turn = 0; turn < 5000; turn += 1) {
    const slot = random() < 0.9 ? all.length : Math.floor(random() * all.length);
    const text = `${WORDS[Math.floor(random() * WORDS.length)]} ${Math.floor(random() * 1e6)} ${'x'.repeat(turn % 90)}`;
    if (slots.has(text) || (all[slot] !== undefined && turn % 2 === 0)) continue;
    if (turn % 3 === 0) texts.setBytes(slot, new TextEncoder().encode(text));
    else texts.set(slot, text);
    if (all[slot] !== undefined) {
      all[slot] = text;
      continue;
    }
    index.add(slot);
    slots.set(text, slot);
    all[slot] = text;
  }
  all.forEach((text, slot) => assert.equal(texts.get(slot), text));
  for (const [text, slot] of slots) if (all[slot] === text) assert.equal(index.find(text), slot);
  for (const text of ['', 'none', 'Harbour', 'x'.repeat(2000)]) assert.equal(index.find(text), undefined, text);
  assert.equal(texts.get(all.length), '');
});
