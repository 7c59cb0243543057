import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Bus } from '../../../static/core/bus.js';
import { Preferences, readSections, writeSections } from '../../../static/data/preferences.js';

/** A page never goes here. */
globalThis.addEventListener ??= () => undefined;

/**
 * Choices of a page, and a server whose answers the test gives.
 */
function page() {
  /** @type {((settings: Api.Settings) => void)[]} */
  const asked = [];
  /** @type {{body: Api.Settings, end: (error?: Error) => void}[]} */
  const sent = [];
  const bus = new Bus();
  const client = {
    get: () =>
      new Promise((resolve) => {
        asked.push(resolve);
      }),
    post: (/** @type {string} */ _, /** @type {Api.Settings} */ body) =>
      new Promise((resolve, reject) => {
        sent.push({ body, end: (error) => (error ? reject(error) : resolve(body)) });
      }),
  };
  const preferences = new Preferences(
    /** @type {import('../../../static/core/client.js').Client} */ (/** @type {unknown} */ (client)),
    bus,
  );
  /** @type {unknown[]} */
  const failures = [];
  bus.on('failure', (error) => {
    failures.push(error);
  });
  let shown = 0;
  bus.on('settings', () => {
    shown += 1;
  });
  return { bus, preferences, asked, sent, failures, shown: () => shown };
}

const turn = () =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** @param {import('node:test').TestContext} context */
function ownClock(context) {
  context.mock.timers.enable({ apis: ['setTimeout'] });
}

test('what is set elsewhere is taken over, and nothing is drawn when it is the same', async () => {
  const { bus, preferences, asked, shown } = page();
  preferences.take({ ui_scheme: 'dark', locale: 'en' });
  bus.emit('sections', { names: ['queue'] });
  await turn();
  assert.equal(asked.length, 0);
  bus.emit('sections', { names: ['settings'] });
  bus.emit('sections', { names: ['settings'] });
  await turn();
  asked[0]?.({ ui_scheme: 'light', locale: 'en' });
  await turn();
  assert.deepEqual([preferences.scheme, shown()], ['light', 2]);
  asked[1]?.({ ui_scheme: 'light', locale: 'en' });
  await turn();
  assert.deepEqual([asked.length, shown()], [2, 2]);
});

test('the sidebar shows every section it knows in the stored order, and what it does not know stays stored', () => {
  const shown = (/** @type {Api.Settings} */ settings) =>
    readSections(settings).map(({ name, isShown }) => (isShown ? name : `-${name}`)).join(' ');
  assert.equal(shown({}), 'view platforms playlists collections filters');
  assert.equal(shown({ sidebar_sections: ['search', 'view', 'platforms', 'playlists', 'filters'] }),
    'view platforms playlists collections filters');
  assert.equal(
    shown({ sidebar_sections: ['filters', 'platforms', 'filters'], hidden_sidebar_sections: ['platforms', 'radar'] }),
    'view filters -platforms playlists collections',
  );
  const stored = { sidebar_sections: ['search', 'view', 'radio'], hidden_sidebar_sections: ['radar', 'view'] };
  const sections = readSections(stored).reverse();
  assert.deepEqual(writeSections(stored, sections), {
    sidebar_sections: ['search', 'radio', 'filters', 'collections', 'playlists', 'platforms', 'view'],
    hidden_sidebar_sections: ['radar', 'view'],
  });
  assert.deepEqual(readSections(writeSections(stored, sections)), sections);
});

test('a choice that is on its way is not taken back by what was set before it', async (context) => {
  ownClock(context);
  const { bus, preferences, asked, sent } = page();
  preferences.take({ ui_tile_width: 146, ui_scheme: 'dark' });
  preferences.set({ ui_tile_width: 200 });
  bus.emit('sections', { names: ['settings'] });
  await turn();
  asked[0]?.({ ui_tile_width: 120, ui_scheme: 'light' });
  await turn();
  assert.deepEqual([preferences.tileWidth, preferences.scheme], [200, 'light'], 'still to be sent');

  context.mock.timers.tick(600);
  await turn();
  assert.deepEqual(sent.map(({ body }) => body), [{ ui_tile_width: 200 }]);
  bus.emit('sections', { names: ['settings'] });
  await turn();
  asked[1]?.({ ui_tile_width: 120, ui_scheme: 'dark' });
  await turn();
  assert.deepEqual([preferences.tileWidth, preferences.scheme], [200, 'dark'], 'sent, and not answered');

  bus.emit('sections', { names: ['settings'] });
  await turn();
  sent[0]?.end();
  await turn();
  asked[2]?.({ ui_tile_width: 120, ui_scheme: 'dark' });
  await turn();
  assert.deepEqual([preferences.tileWidth, asked.length], [200, 4],
    'an answer that was asked for before the choice was kept is asked for again');
  asked[3]?.({ ui_tile_width: 110, ui_scheme: 'dark' });
  await turn();
  assert.equal(preferences.tileWidth, 110, 'once the choice is kept, a later one of another window counts');
});

test('choices go one after the other, so that an older one never comes last', async (context) => {
  ownClock(context);
  const { preferences, sent } = page();
  preferences.take({ ui_tile_width: 150 });
  preferences.set({ ui_tile_width: 200 });
  context.mock.timers.tick(600);
  await turn();
  preferences.set({ ui_tile_width: 250 });
  context.mock.timers.tick(600);
  await turn();
  assert.equal(sent.length, 1);
  sent[0]?.end();
  await turn();
  assert.deepEqual(sent.map(({ body }) => body['ui_tile_width']), [200, 250]);
});

test('a refused choice is told once and lasts until the settings are heard of again', async (context) => {
  ownClock(context);
  const { bus, preferences, asked, sent, failures } = page();
  preferences.take({ ui_group: '' });
  preferences.set({ ui_group: 'year' });
  context.mock.timers.tick(600);
  await turn();
  sent[0]?.end(new Error('refused'));
  await turn();
  assert.deepEqual([preferences.group, failures.length], ['year', 1]);
  bus.emit('live:behind', { missed: true });
  await turn();
  asked[0]?.({ ui_group: '' });
  await turn();
  assert.equal(preferences.group, '');
});

test('a change that is told before the first settings are here is not missed', async () => {
  const { bus, preferences, asked } = page();
  bus.emit('sections', { names: ['settings'] });
  await turn();
  assert.equal(asked.length, 0);
  preferences.take({ ui_scheme: 'dark' });
  await turn();
  asked[0]?.({ ui_scheme: 'light' });
  await turn();
  assert.deepEqual([preferences.scheme, asked.length], ['light', 1]);
});
