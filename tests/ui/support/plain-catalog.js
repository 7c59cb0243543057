/**
 * The answers of the catalog worker in their plainest form: an array of games that is gone through for each question.
 * Tests compare the worker with it.
 */

import { compileFilters, FilterCounts, valuesOf } from '../../../static/data/filters.js';
import { makeRow } from '../../../static/data/game.js';
import { inView, letterOf, sortKey, VIEWS } from '../../../static/data/ordering.js';
import { asksHidden, fold, initials, parseQuery } from '../../../static/data/search.js';

/** @typedef {{slot: number, row: App.Row, game: Api.Game}} Entry */

/** Fields of a game in searches, by key. @type {Record<string, (game: Api.Game) => string[]>} */
const FIELDS = {
  title: (game) => [game.name, game.sort_title ?? '', ...(game.alternate_names ?? [])],
  platform: (game) => [game.platform ?? ''],
  genre: (game) => [game.genre ?? ''],
  developer: (game) => [game.developer ?? ''],
  publisher: (game) => [game.publisher ?? ''],
  series: (game) => [game.series ?? ''],
  region: (game) => [game.region ?? ''],
  notes: (game) => [String(game.notes ?? '')],
  source: (game) => [game.source ?? ''],
  play: (game) => [game.play_mode ?? ''],
  status: (game) => [String(game['status'] ?? '')],
  progress: (game) => [game.progress ?? ''],
  controller: (game) => [game.controller_support ?? ''],
  tags: (game) => game.tags ?? [],
  rating: (game) => [String(game.rating ?? '')],
};

/** Members of a game that answer yes or no. */
const FLAGS = ['favorite', 'hidden', 'broken', 'portable', 'installed'];

/**
 * @param {Api.Game} game
 * @param {string} field
 * @param {string} value
 */
const holds = (game, field, value) => (FIELDS[field]?.(game) ?? []).some((text) => fold(text).includes(value));

/**
 * @param {Api.Game} game
 * @param {string} value
 */
const hasInitials = (game, value) => /^[a-z0-9]{2,8}$/.test(value) && initials(game.name).includes(value);

/**
 * @param {Api.Game} game
 * @param {App.Term} term
 */
function hasTerm(game, { key, value }) {
  if (key === '')
    return hasInitials(game, value) ||
      Object.keys(FIELDS).some((field) => field !== 'rating' && holds(game, field, value));
  if (key === 'installed')
    return (game.store_installed !== false && (game.path_exists || game.store_installed) ? 'yes' : 'no').includes(
      value,
    );
  if (FLAGS.includes(key)) return (game[key] ? 'yes' : 'no').includes(value);
  return holds(game, key, value);
}

/**
 * @param {Api.Game} game
 * @param {string} text
 */
export const answers = (game, text) => parseQuery(text).every((term) => hasTerm(game, term) !== term.negated);

/** What orders compare, by sort. @type {Record<string, (row: App.Row) => string | number>} */
const SORTED = {
  added_at: (row) => row.added,
  last_played: (row) => row.last,
  recent_activity: (row) => (row.last > row.added ? row.last : row.added),
  playtime_seconds: (row) => row.seconds,
  play_count: (row) => row.plays,
  rating: (row) => row.rating,
  user_rating: (row) => row.stars,
  year: (row) => row.year,
  platform: (row) => fold(row.platform),
  developer: (row) => fold(row.developer),
  tags: (row) => fold(row.tags.join(' ')),
};

/** Sorts that begin with the largest. */
const FALLING = ['added_at', 'last_played', 'recent_activity', 'playtime_seconds', 'play_count', 'rating',
  'user_rating', 'year'];

/** Groups, by key. @type {Record<string, (row: App.Row) => string>} */
const GROUPED = {
  letter: (row) => letterOf(sortKey(row.sort)),
  platform: (row) => row.platform,
  genre: (row) => (row.genre.split(',')[0] ?? '').trim(),
  developer: (row) => row.developer,
  user_rating: (row) => (row.stars > 0 ? String(row.stars) : ''),
};

/** Games in an array. */
export class PlainCatalog {
  /** @type {(Entry | null)[]} */
  #entries = [];

  /** @param {readonly Api.Game[]} games */
  put(games) {
    for (const game of games) {
      const at = this.#entries.findIndex((entry) => entry?.game.game_id === game.game_id);
      const slot = at < 0 ? this.#entries.length : at;
      this.#entries[slot] = { slot, row: makeRow(game), game };
    }
  }

  /** @param {readonly string[]} ids */
  drop(ids) {
    this.#entries = this.#entries.map((entry) => (entry && ids.includes(entry.game.game_id) ? null : entry));
  }

  get entries() {
    return this.#entries.filter((entry) => entry !== null);
  }

  /** @param {string} sort */
  #sorted(sort) {
    const byName = this.entries.sort((a, b) => {
      const [left, right] = [sortKey(a.row.sort), sortKey(b.row.sort)];
      return left < right ? -1 : left > right ? 1 : a.slot - b.slot;
    });
    const of = SORTED[sort];
    if (!of) return byName;
    return byName.sort((a, b) => {
      const [left, right] = [of(a.row), of(b.row)];
      if (left === right) return 0;
      if (left === '' || left === 0) return 1;
      if (right === '' || right === 0) return -1;
      return (left < right ? -1 : 1) * (FALLING.includes(sort) ? -1 : 1);
    });
  }

  /** @param {string} key @param {string} value */
  #isKnown(key, value) {
    return this.entries.some(({ row }) => valuesOf(row, key).includes(value));
  }

  /** @param {App.CatalogQuery} query */
  #inScope({ text, view, filters, sort }) {
    const withHidden = asksHidden(parseQuery(text)) || filters['hidden'] !== undefined;
    return this.#sorted(sort).filter(({ row, game }) => inView(row, view, withHidden) && answers(game, text));
  }

  /** @param {App.CatalogQuery} query */
  query(query) {
    const tests = compileFilters(query.filters, (key, value) => this.#isKnown(key, value));
    let found = this.#inScope(query).filter(({ row }) => tests.every(({ passes }) => passes(row)));
    const words = parseQuery(query.text).filter(({ key, negated }) => key === '' && !negated).map(({ value }) => value);
    if (query.reversed) found.reverse();
    else if (words.length > 0 && query.sort === 'name')
      found.sort((a, b) => closeness(a.row, words) - closeness(b.row, words));
    const of = GROUPED[query.group];
    /** @type {App.Group[]} */
    let groups = [];
    if (of) {
      const falling = query.group === 'user_rating' ? -1 : 1;
      const keys = [...new Set(found.map(({ row }) => of(row)))].sort((a, b) => {
        if (a === '' || b === '') return a === b ? 0 : a === '' ? 1 : -1;
        const [left, right] = [fold(a), fold(b)];
        return (left < right ? -1 : left > right ? 1 : 0) * falling;
      });
      groups = keys.map((key) => ({ key, count: found.filter(({ row }) => of(row) === key).length }));
      found = keys.flatMap((key) => found.filter(({ row }) => of(row) === key));
    }
    return { order: found.map(({ slot }) => slot), groups };
  }

  /** @param {App.CatalogQuery} query */
  counts(query) {
    const tests = compileFilters(query.filters, (key, value) => this.#isKnown(key, value));
    const counts = new FilterCounts();
    for (const { row } of this.#inScope(query)) {
      const failed = tests.filter(({ passes }) => !passes(row));
      if (failed.length <= 1) counts.add(row, failed[0]?.key ?? null);
    }
    return counts.result(query.filters);
  }

  /** How many games are there, and how many in each view. */
  views() {
    const counts = VIEWS.map((view) => [view, this.entries.filter(({ row }) => inView(row, view)).length]);
    return { total: this.entries.length, views: Object.fromEntries(counts) };
  }
}

/**
 * @param {App.Row} row
 * @param {readonly string[]} words
 */
function closeness({ name }, words) {
  const plain = fold(name);
  if (plain.startsWith(words.join(' '))) return 0;
  if (words.every((word) => plain.startsWith(word) || plain.includes(` ${word}`))) return 1;
  return words.every((word) => plain.includes(word)) ? 2 : 3;
}
