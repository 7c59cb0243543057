import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { phraseTexts } from '../../../static/parts/library/collections.js';
import { chipText } from '../../../static/parts/library/said.js';
import { I18n } from '../../../static/core/i18n.js';
import { ROOT, strings } from '../support/sources.js';

const i18n = new I18n();
await i18n.use('en', async (locale) => strings(locale));
const ctx =
  /** @type {App.Context} */ (/** @type {unknown} */ ({ i18n, t: i18n.t,
    catalog: { facets: { platforms: [['SNES', 2], ['Game Boy', 1]], genres: ['Role-Playing', 'Visual Novel'] } } }));

/** @param {string} key @param {unknown} value */
const chip = (key, value) => ({ key, label: `label of ${key}`, value, display: '', i18n: `sayit.chip.${key}` });

test('a condition of a phrase is said in words', () => {
  for (const [key, value, expected] of /** @type {const} */ ([
    ['favorite', true, 'Favourite'],
    ['favorite', false, 'Favourite: no'],
    ['installed', 'installed', 'Installed'],
    ['installed', 'uninstalled', 'Installed: no'],
    ['unplayed', true, 'Unplayed'],
    ['genre_any', ['puzzl', 'rac'], 'Genre: Puzzle, Racing'],
    ['genre_any', ['rpg', 'role-playing', 'role playing'], 'Genre: Role-Playing'],
    ['genre', 'jrpg', 'Genre: JRPG'],
    ['platform', 'snes', 'Platform: SNES'],
    ['platform', 'vectrex', 'Platform: vectrex'],
    ['platform_any', ['game boy', 'nes'], 'Platform: Game Boy, nes'],
    ['genre', 'puzzl', 'Genre: Puzzle'],
    ['genre', 'visual novel', 'Genre: Visual Novel'],
    ['progress', 'Unplayed', 'Progress: Unplayed'],
    ['progress', 'Beaten', 'Progress: Beaten'],
    ['year_range', { min: 1990, max: 1999 }, 'Year: 1990–1999'],
    ['year_range', { min: 1994, max: 1994 }, 'Year: 1994'],
    ['year_range', { max: 2000 }, 'Year: –2000'],
    ['ttb_max', 5, 'Hours to beat, at most: 5'],
    ['something_new', 7, 'label of something_new: 7'],
  ])) assert.equal(chipText(ctx, chip(key, value)), expected);
});

test('words that are no condition are named', () => {
  const phrase = { text: '', chips: [chip('coop', true)], unparsed: ['dragon', 'fire'], match_count: 0,
    matched_game_ids: [] };
  assert.deepEqual(phraseTexts(ctx, phrase), ['Co-op', 'Searched as words: dragon fire']);
  assert.deepEqual(phraseTexts(ctx, { ...phrase, chips: [], plain_query: 'the dragon' }), [
    'Searched as words: the dragon',
  ]);
  assert.deepEqual(phraseTexts(ctx, { ...phrase, unparsed: [] }), ['Co-op']);
});

test('every condition the server knows has words', () => {
  const source = readFileSync(join(ROOT, 'src', 'query', 'phrase', 'condition.rs'), 'utf8');
  const start = source.indexOf('fn form(');
  const form = source.slice(start, source.indexOf('fn label(', start));
  const keys = [...form.matchAll(/(?:Rule|Clause)\("(\w+)"/g)].map((match) => match[1] ?? '').filter((key) =>
    key !== 'flag'
  );
  const flags = [...source.matchAll(/Self::\w+ => "([a-z_]+)",/g)].map((match) => `flag_${match[1]}`);
  assert.ok(keys.length > 40 && flags.length >= 5, `${keys.length} ${flags.length}`);
  const known = strings('en');
  assert.deepEqual([...keys, ...flags].filter((key) => !(`sayit.chip.${key}` in known)), []);
  assert.deepEqual(
    Object.keys(known).filter((key) => key.startsWith('sayit.chip.') && ![...keys, ...flags].includes(key.slice(11))),
    [],
  );
});
