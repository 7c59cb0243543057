import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { CAUSES } from '../../../static/data/causes.js';
import { PROGRESS } from '../../../static/data/game.js';
import { DIMENSIONS } from '../../../static/parts/health/score.js';
import { FAMILIAR, MOODS } from '../../../static/parts/insights/pick.js';
import { I18n, LOCALES } from '../../../static/core/i18n.js';
import { FILTERS, QUESTIONS } from '../../../static/data/filters.js';
import { GROUPS } from '../../../static/data/grouping.js';
import { COLUMNS, SORTS, VIEWS } from '../../../static/data/ordering.js';
import { COLOURS, METRICS, PERIODS } from '../../../static/data/household.js';
import { EXCLUSIONS } from '../../../static/data/party.js';
import { TOKEN_GROUPS } from '../../../static/data/theme-tokens.js';
import { mediaKinds } from '../support/media.js';
import { ROOT, sources, strings } from '../support/sources.js';

const EN = strings('en');
const KEYS = Object.keys(EN);

/** Keys made of a name and a value: each family with the values that exist. `null` stands for names the server gives. */
/** @type {Record<string, readonly string[] | null>} */
const FAMILIES = {
  'origin.by.': ['file', 'import', 'person', 'unknown'],
  'pass.kind.': ['library.recognition', 'library.titles', 'media.bulk', 'media.local', 'metadata.apply',
    'metadata.match'],
  'view.': [...VIEWS, 'installed', 'owned', 'saves'],
  'sort.': [...SORTS, 'playlist', 'recent_activity', 'random'],
  'big.achievements.': ['all', 'matched', 'unmatched'],
  'saves.devices.': ['ahead', 'behind', 'conflict', 'failed', 'off', 'same'],
  'column.': COLUMNS,
  'filter.': [...FILTERS, 'playlist', 'collection', ...QUESTIONS.flatMap((key) => [`${key}.yes`, `${key}.no`])],
  'group.': [...GROUPS.filter(Boolean), 'none'],
  'home.': ['continue_playing', 'recently_added', 'highly_rated', 'short_sessions', 'never_played', 'random_picks']
    .flatMap((key) => [key, `${key}.text`]),
  // The server names hooks and permissions.
  'plugins.hook.': null,
  'plugins.permission.': null,
  'themes.tokens.': TOKEN_GROUPS.map(({ key }) => key),
  'household.metric.': [...METRICS, 'finished', 'achievements'],
  'household.colour.': Object.keys(COLOURS),
  'household.period.': PERIODS,
  'household.count.': ['additions', 'updates', 'deletions', 'conflicts'],
  // The server names what happens to a game.
  'household.action.': null,
  'party.out.': EXCLUSIONS,
  'themes.bar.': ['back', 'use'],
  'updates.target.': ['bundle', 'executable'],
  // The server names trophies and reasons.
  'trophy.': null,
  'radio.reason.': null,
  'radio.': ['title'],
  'radar.': ['winnable.title', 'park.title'],
  'palette.': ['games', 'places', 'actions', 'settings'],
  'pick.familiar.': FAMILIAR,
  'pick.mood.': MOODS,
  'score.issue.': null,
  'score.': DIMENSIONS.map(([name]) => name),
  'progress.': [...PROGRESS.filter(Boolean), 'none'],
  'empty.view.': VIEWS.flatMap((view) => [`${view}.title`, `${view}.text`]),
  'unreachable.': ['token.title', 'token.text', 'server.title', 'server.text'],
  'tracking.': ['default', 'process', 'original_process', 'folder', 'process_name'],
  'pair.': ['add', 'remove',
    ...['custom_field_defs', 'platform_categories', 'profiles'].flatMap((key) => [`${key}.first`, `${key}.second`])],
  'job.state.': ['queued', 'running', 'cancelling', 'done', 'partial', 'error', 'cancelled', 'interrupted'],
  'job.asked.': ['cancel', 'retry', 'resume'],
  'backup.item.': ['library', 'settings', 'media', 'plugins', 'themes', 'extension_data'],
  'saves.label.': ['manual', 'on-close', 'before-restore'],
  'job.item.': null,
  'job.type.': null,
  'webhook.event.': null,
  'webhook.field.': ['url', 'events', 'secret', 'attempts', 'timeout', 'enabled'],
  // The server names the conditions of a phrase.
  'sayit.chip.': null,
  'cause.': [...CAUSES, 'PLATFORM_UNKNOWN.plain', 'ADAPTER_UNKNOWN.plain', 'EMULATOR_UNKNOWN.plain',
    'NATIVE_EXE_MISSING.plain'],
  'setting.': null,
  'settings.group.': null,
  'settings.about.': null,
  'settings.lines.': ['texts', 'commands', 'folders'],
  'choice.': null,
  'key.': null,
  'osk.': ['shift', 'signs', 'space', 'erase', 'clear', 'done', 'open'],
  'pad.': null,
};

/** @returns {Set<string>} every key a source names outright */
function namedKeys() {
  const named = new Set();
  for (const text of sources('.js').values()) {
    for (const [literal] of text.matchAll(/'[A-Za-z][\w]*(?:\.[\w]+)+'/g)) named.add(literal.slice(1, -1));
  }
  return named;
}

/**
 * @param {string} key
 * @param {Set<string>} named
 */
function isUsed(key, named) {
  const base = key.replace(/\.(?:one|other)$/, '');
  if (named.has(key) || named.has(base)) return true;
  const parts = /^(.*)\.(?:title|text)$/.exec(key);
  if (parts?.[1] && named.has(parts[1])) return true;
  if (key.startsWith('field.') || key.startsWith('hint.'))
    return named.size > 0 && editFields().has(key.slice(key.indexOf('.') + 1));
  if (key.startsWith('edit.tab.'))
    return ['general', 'details', 'launch', 'media', 'sources', 'origins'].includes(key.slice(9));
  if (key.startsWith('keys.group.'))
    return [...sources('.js').values()].some((text) => text.includes(`group: '${key.slice(11)}'`));
  if (key.startsWith('place.'))
    return ['health', 'history', 'settings', 'keyboard', 'play', 'jobs', 'webhooks', 'backups', 'saves', 'big',
      'insights', 'moments']
      .includes(key.slice(6));
  return Object.entries(FAMILIES).some(([family, members]) =>
    key.startsWith(family) && (members === null || members.includes(key.slice(family.length)))
  );
}

/** @returns {Set<string>} field names of the edit dialog and the facts of a game */
function editFields() {
  const text = `${sources('.js').get('parts/game/edit-fields.js')}${sources('.js').get('parts/library/details.js')}`;
  const named = [...text.matchAll(/'([a-z_\d]+)'/g)].map((match) => match[1] ?? '');
  return new Set([...named, ...mediaKinds().map(({ field }) => field)]);
}

/** @param {string} text */
function places(text) {
  return [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort();
}

test('all languages have the same keys, sorted', () => {
  for (const locale of LOCALES) {
    const keys = Object.keys(strings(locale));
    assert.deepEqual(keys, [...keys].sort(), `${locale}.json is not sorted`);
    assert.deepEqual(keys, KEYS, `${locale}.json has other keys than en.json`);
  }
});

test('all languages have the same places to fill in', () => {
  for (const locale of LOCALES) {
    for (const [key, text] of Object.entries(strings(locale)))
      assert.deepEqual(places(text), places(EN[key] ?? ''), `${locale}: ${key}`);
  }
});

test('no text is empty, untrimmed or left in English where a sentence stands', () => {
  for (const locale of LOCALES) {
    for (const [key, text] of Object.entries(strings(locale))) {
      assert.ok(text.trim() === text && text !== '', `${locale}: ${key}`);
      if (locale !== 'en' && /\p{L}+ \p{L}+ \p{L}+ \p{L}+/u.test(text))
        assert.notEqual(text, EN[key], `${locale}: ${key} is still English`);
    }
  }
});

test('every key that a source names exists', () => {
  for (const [name, text] of sources('.js')) {
    for (const [, verb, key] of text.matchAll(/\b(t|tn)\('([^']+)'/g)) {
      assert.ok(key && (verb === 'tn' ? `${key}.other` in EN && `${key}.one` in EN : key in EN), `${name} uses ${key}`);
    }
    for (const [, key] of text.matchAll(/label: '(keys\.[^']+)'/g)) assert.ok(key && key in EN, `${name} uses ${key}`);
  }
});

test('every member of a family of keys exists', () => {
  for (const [family, members] of Object.entries(FAMILIES)) {
    for (const member of members ?? []) assert.ok(`${family}${member}` in EN, `${family}${member}`);
  }
});

test('every key is used', () => {
  const named = namedKeys();
  assert.deepEqual(KEYS.filter((key) => !isUsed(key, named)), []);
});

test('plural forms come in pairs', () => {
  for (const key of KEYS.filter((name) => name.endsWith('.one'))) assert.ok(key.replace(/one$/, 'other') in EN, key);
  for (const key of KEYS.filter((name) => name.endsWith('.other'))) assert.ok(key.replace(/other$/, 'one') in EN, key);
});

test('a number chooses its plural form in the chosen language', async () => {
  const i18n = new I18n();
  const load = async (/** @type {string} */ locale) => strings(locale);
  await i18n.use('de', load);
  assert.equal(i18n.tn('library.count', 1), '1 Spiel');
  assert.equal(i18n.tn('library.count', 12345), '12.345 Spiele');
  await i18n.use('fr', load);
  assert.equal(i18n.tn('library.count', 0), '0 jeu');
  await i18n.use('xx', load);
  assert.equal(i18n.locale, 'en');
  assert.equal(i18n.t('remove.title', { name: 'A {name}' }), 'Remove A {name}?');
  assert.equal(i18n.t('no.such.key'), 'no.such.key');
});

test('the languages of the page are the languages of the server', () => {
  const html = readFileSync(join(ROOT, 'static', 'index.html'), 'utf8');
  assert.match(html, /<html lang="en"/);
  assert.deepEqual([...LOCALES].sort(), ['de', 'en', 'es', 'fr', 'pt']);
});

test('every value that a setting offers has words of its own', () => {
  const document =
    /** @type {Api.OpenApi} */ (JSON.parse(readFileSync(join(ROOT, 'tests/golden/openapi.json'), 'utf8')));
  const spellings = (/** @type {string} */ key,
    /** @type {string} */ choice) => [`choice.${key}.${choice}`, `choice.${choice}`, `progress.${choice}`,
    `sort.${choice}`, `column.${choice}`];
  for (const { key, choices = [], edited_with: other } of document['x-settings']) {
    for (const choice of other ? [] : choices.filter(Boolean))
      assert.ok(spellings(key, choice).some((name) => KEYS.includes(name)), `${key}: ${choice}`);
  }
});

test('no group of settings has the name of a screen that stands beside it', () => {
  for (const locale of LOCALES) {
    const texts = Object.entries(strings(locale));
    const screens = new Map(texts.filter(([key]) => key.startsWith('place.') && key !== 'place.big')
      .map(([key, text]) => [text, key]));
    assert.deepEqual(
      texts.filter(([key, text]) => key.startsWith('settings.group.') && screens.has(text)).map(([key]) => key),
      [],
      locale,
    );
  }
});
