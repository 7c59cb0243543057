import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mkdirSync, writeFileSync } from 'node:fs';

import { poster } from '../support/picture.js';
import { scene } from '../support/scene.js';

const ID = `game-${'1'.padStart(24, '0')}`;

const parts = scene({
  prepare: (scratch) => {
    const path = scratch.file('roms/Slow Boat.sh', '#!/bin/bash\nexit 0\n', 0o755);
    const other = scratch.file('roms/Paper Train.sh', '#!/bin/bash\nexit 0\n', 0o755);
    const common = { platform: 'Linux', genre: 'Adventure', tags: [], notes: [], screenshots: [], save_paths: [] };
    mkdirSync(`${scratch.root}/data`, { recursive: true });
    writeFileSync(`${scratch.root}/data/library.json`, JSON.stringify({
      schema_version: 6,
      games: [{ ...common, game_id: ID, name: 'Slow Boat', path, tags: ['short'] }, { ...common,
        game_id: `game-${'2'.padStart(24, '0')}`, name: 'Paper Train', path: other, tags: ['trains', 'cosy'] }],
      profiles: {},
      history: [],
      settings: { custom_field_defs: [{ name: 'Shelf', options: ['Blue', 'Red'] }] },
      playlists: [],
      queue: [],
      notifications: [],
      ui_state: {},
      active_sessions: [],
      trash: [],
    }), { mode: 0o600 });
  },
});

const page = () => parts.browser.page;

async function open() {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/game/${ID}`);
  await page().locator('.game-page .stars').waitFor();
  await page().keyboard.press('F3');
  await page().locator('dialog.editor').waitFor();
}

async function record() {
  /** @type {{games: Api.Game[]}} */
  const { games } = await parts.service.ask(`/api/library/delta?ids=${ID}`);
  assert.ok(games[0]);
  return games[0];
}

/**
 * @param {() => Promise<unknown>} act resolves after the save was sent
 * @param {string} path
 */
async function sentBy(act, path = '/api/game') {
  const [request] = await Promise.all([
    page().waitForRequest((one) => one.url().endsWith(path) && one.method() === 'POST'),
    act(),
  ]);
  return /** @type {{game: object}} */ (request.postDataJSON());
}

test('only what changed is sent, from every tab, with the keyboard', async () => {
  await open();
  await page().getByLabel('Sort as').fill('Boat, Slow');
  await page().getByRole('dialog').getByRole('tab', { name: 'General' }).focus();
  await page().keyboard.press('ArrowRight');
  await page().getByRole('dialog').getByRole('tab', { name: 'Details', selected: true }).waitFor();
  await page().getByRole('combobox', { name: 'Tags' }).focus();
  await page().keyboard.type('cosy');
  await page().keyboard.press('Enter');
  await page().keyboard.type('rivers,');
  await page().getByLabel('Other names').fill('River Song\nSlow River');
  await page().getByLabel('Shelf').fill('Blue');
  await parts.browser.shoot('edit-details-dark');
  await page().getByRole('dialog').getByRole('tab', { name: 'Launch' }).click();
  await page().getByLabel('Environment').fill('MODE=calm');
  await page().getByLabel('Ask before start').check();
  const sent = await sentBy(() => page().getByRole('button', { name: 'Save' }).press('Enter'));
  assert.deepEqual(sent.game, {
    name: 'Slow Boat',
    sort_title: 'Boat, Slow',
    alternate_names: ['River Song', 'Slow River'],
    custom_fields: { Shelf: 'Blue' },
    launch_env: 'MODE=calm',
    launch_confirm: true,
  });
  await page().locator('dialog.editor').waitFor({ state: 'detached' });
  const saved = await record();
  assert.deepEqual([saved.sort_title, saved.tags, saved['custom_fields'], saved.launch_env, saved.launch_confirm], [
    'Boat, Slow',
    ['short', 'cosy', 'rivers'],
    { Shelf: 'Blue' },
    { MODE: 'calm' },
    true,
  ]);
});

test('a key that is pressed again before the dialog is there opens no second one', async () => {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/game/${ID}`);
  await page().locator('.game-page .stars').waitFor();
  let release = () => {};
  const pressed = new Promise((resolve) => {
    release = () => resolve(undefined);
  });
  await page().route('**/api/tags', async (route) => {
    await pressed;
    await route.continue();
  });
  const asked = page().waitForRequest('**/api/tags');
  await page().keyboard.press('F3');
  await asked;
  await page().keyboard.press('F3');
  // What takes a while says so.
  await page().locator('.preparing').waitFor();
  assert.equal(await page().locator('#status').textContent(), 'Loading');
  await parts.browser.shoot('edit-preparing');
  release();
  await page().locator('dialog.editor').first().waitFor();
  assert.equal(await page().locator('.preparing').count(), 0);
  await page().unrouteAll({ behavior: 'wait' });
  await parts.browser.settle();
  assert.equal(await page().locator('dialog.editor').count(), 1);
  await page().keyboard.press('Escape');
  await page().locator('dialog.editor').waitFor({ state: 'detached' });
  await page().keyboard.press('F3');
  await page().locator('dialog.editor').waitFor();
});

test('tags of the library are suggested, and Backspace takes one off', async () => {
  await open();
  assert.equal(await page().locator('datalist option[value="Unspecified"]').count(), 0);
  await page().getByRole('dialog').getByRole('tab', { name: 'Details' }).click();
  const suggested = await page().locator('.tag-box + datalist option').evaluateAll((options) =>
    options.map((option) => /** @type {HTMLOptionElement} */ (option).value)
  );
  assert.deepEqual(suggested, ['trains']);
  await page().getByRole('combobox', { name: 'Tags' }).focus();
  await page().keyboard.press('Backspace');
  await page().getByRole('button', { name: 'Remove rivers' }).waitFor({ state: 'detached' });
  await page().getByRole('button', { name: 'Remove cosy' }).click();
  const sent = await sentBy(() => page().getByRole('button', { name: 'Save' }).click(), '/api/tags');
  assert.deepEqual(sent, { ids: [ID], tags: ['short'] });
});

test('a picture from anywhere on the computer becomes the cover, and a wrong one is told', async () => {
  const away = parts.scratch.file('pictures/box.png', poster(5, 60, 80));
  await open();
  await page().getByRole('dialog').getByRole('tab', { name: 'Media', exact: true }).click();
  const cover = page().getByRole('dialog').getByRole('tabpanel').getByLabel('Cover', { exact: true });
  await cover.fill('/nowhere/at/all.png');
  await page().getByRole('button', { name: 'Save' }).click();
  await page().locator('.field .error').filter({ hasText: 'There is no picture at this path that can be read.' })
    .waitFor();
  await cover.fill(away);
  await page().getByRole('button', { name: 'Save' }).click();
  await page().locator('dialog.editor').waitFor({ state: 'detached' });
  const { cover: kept } = await record();
  assert.match(String(kept), /\/data\/media\/own\/[0-9a-f]{32}\.png$/);
  await page().waitForFunction(() =>
    [...document.querySelectorAll('.game-page img')].some((image) =>
      /** @type {HTMLImageElement} */ (image).naturalWidth > 0
    )
  );
});

test('a refused field shows the sentence of the server beside it, on its tab', async () => {
  const table = /** @type {const} */ ([
    ['Launch', 'File', 'nowhere.rom', 'Game path must be an absolute path.'],
    ['Launch', 'File', '/nowhere/at/all.rom', 'Path must point to an existing local file.'],
    ['Launch', 'Environment', 'not a line', 'Invalid launch environment line: 1'],
    ['Launch', 'Save files', 'not/absolute', 'Paths must be absolute.'],
    ['General', 'Rating', '9', 'Rating must be between 0 and 5.'],
    ['General', 'Name', '', 'Name is required.'],
    ['Media', 'Banner', '/etc/passwd', 'Only PNG, JPEG and WebP pictures can be used.'],
    ['Details', 'Other names', Array.from({ length: 21 }, (_, index) => `n${index}`).join('\n'),
      'Alternate names are limited to 20 entries.'],
  ]);
  for (const [tab, label, value, message] of table) {
    await open();
    await page().getByRole('dialog').getByRole('tab', { name: tab, exact: true }).click();
    const field = page().getByRole('dialog').getByRole('tabpanel').getByLabel(label, {
      exact: label !== 'File' && label !== 'Name',
    }).first();
    await field.fill(value);
    await page().getByRole('dialog').getByRole('tab', { name: 'Identifiers' }).click();
    await page().getByRole('button', { name: 'Save' }).click();
    await page().locator('.field .error').filter({ hasText: message }).waitFor();
    await page().getByRole('dialog').getByRole('tab', { name: tab, exact: true, selected: true }).waitFor();
    assert.equal(await field.getAttribute('aria-invalid'), 'true', label);
    assert.equal(await field.evaluate((control) => control === document.activeElement), true, label);
    assert.equal(await field.inputValue(), value);
  }
  await parts.browser.shoot('edit-refused-dark');
  assert.deepEqual(await parts.browser.findings(), []);
});

test('a change made elsewhere meanwhile is shown, and nothing is lost', async () => {
  await parts.service.ask('/api/game', { game_id: ID, game: { name: 'Slow Boat', genre: 'Adventure', year: '2001' } });
  await open();
  await page().getByLabel('Genre').fill('Puzzle');
  await parts.service.ask('/api/game', { game_id: ID, game: { name: 'Slower Boat', genre: 'Racing', year: '2002' } });
  await page().getByRole('button', { name: 'Save' }).click();
  await page().getByText('Changed elsewhere to: Racing').waitFor();
  await parts.browser.shoot('edit-conflict-dark');
  assert.equal((await record()).genre, 'Racing');
  assert.equal(await page().getByLabel('Genre').inputValue(), 'Puzzle');
  assert.equal(await page().getByLabel('Year').inputValue(), '2002');
  const sent = await sentBy(() => page().getByRole('button', { name: 'Save' }).click());
  assert.deepEqual(sent.game, { name: 'Slower Boat', genre: 'Puzzle' });
  await page().locator('dialog.editor').waitFor({ state: 'detached' });
  const saved = await record();
  assert.deepEqual([saved.name, saved.genre, saved.year], ['Slower Boat', 'Puzzle', '2002']);
});

test('the other value can be taken over', async () => {
  await open();
  await page().getByLabel('Genre').fill('Sports');
  await parts.service.ask('/api/game', { game_id: ID, game: { name: 'Slower Boat', genre: 'Strategy' } });
  await page().getByRole('button', { name: 'Save' }).click();
  await page().getByRole('button', { name: 'Use this' }).click();
  assert.equal(await page().getByLabel('Genre').inputValue(), 'Strategy');
  await page().getByRole('button', { name: 'Cancel' }).click();
  await page().locator('dialog.editor').waitFor({ state: 'detached' });
});

/**
 * Changes the game elsewhere while a save of the dialog is under way: after it looked, before the server hears of it.
 *
 * @param {object} fields
 */
async function overtakeNextSave(fields) {
  await page().route('**/api/game', async (route) => {
    await parts.service.ask('/api/game', { game_id: ID, game: { name: 'Slower Boat', ...fields } });
    await route.continue();
  }, { times: 1 });
}

test('a change in the very moment of the save is heard of: mine is kept when I say so', async () => {
  await open();
  await page().getByLabel('Genre').fill('Fishing');
  await overtakeNextSave({ genre: 'Sailing', year: '2011' });
  await page().getByRole('button', { name: 'Save' }).click();
  await page().getByText('Changed elsewhere to: Sailing').waitFor();
  assert.deepEqual([(await record()).genre, await page().getByLabel('Genre').inputValue(),
    await page().getByLabel('Year').inputValue()], ['Sailing', 'Fishing', '2011']);
  await page().getByRole('button', { name: 'Save' }).press('Enter');
  await page().locator('dialog.editor').waitFor({ state: 'detached' });
  assert.deepEqual([(await record()).genre, (await record()).year], ['Fishing', '2011']);
});

test('theirs can be taken in that moment too', async () => {
  await open();
  await page().getByLabel('Genre').fill('Diving');
  await overtakeNextSave({ genre: 'Rowing' });
  await page().getByRole('button', { name: 'Save' }).click();
  await page().getByRole('button', { name: 'Use this' }).press('Enter');
  assert.equal(await page().getByLabel('Genre').inputValue(), 'Rowing');
  await page().getByRole('button', { name: 'Save' }).click();
  await page().locator('dialog.editor').waitFor({ state: 'detached' });
  assert.equal((await record()).genre, 'Rowing');
});

test('a new name from elsewhere in that moment stays, without a question', async () => {
  await open();
  await page().getByLabel('Genre').fill('Floating');
  await overtakeNextSave({ name: 'Slowest Boat' });
  await page().getByRole('button', { name: 'Save' }).click();
  await page().locator('dialog.editor').waitFor({ state: 'detached' });
  assert.deepEqual([(await record()).name, (await record()).genre], ['Slowest Boat', 'Floating']);
});

test('unsaved words are asked about before they are thrown away', async () => {
  await open();
  await page().getByLabel('Genre').fill('Sports');
  await page().keyboard.press('Escape');
  await page().getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).press('Enter');
  assert.equal(await page().getByLabel('Genre').inputValue(), 'Sports');
  await page().keyboard.press('Escape');
  await page().getByRole('button', { name: 'Discard changes' }).click();
  await page().locator('dialog.editor').waitFor({ state: 'detached' });
});

test('the browser asks before unsaved words go with the page, and only then', async () => {
  await open();
  await page().getByLabel('Genre').pressSequentially('s');
  /** @type {string[]} */
  const asked = [];
  const take = (/** @type {import('playwright-core').Dialog} */ dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  };
  page().on('dialog', take);
  await page().reload();
  await page().locator('.game-page .stars').waitFor();
  await page().keyboard.press('F3');
  await page().getByLabel('Genre').press('End');
  await page().reload();
  await page().locator('.game-page .stars').waitFor();
  page().off('dialog', take);
  assert.deepEqual(asked, ['beforeunload']);
});

test('a notice covers no button of the dialog', async () => {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/game/${ID}`);
  await page().locator('.game-page .stars').waitFor();
  await page().route('**/api/favorite',
    (route) => route.fulfill({ status: 409, json: { error: 'Not now.', code: 'CONFLICT', request_id: 'a' } }));
  await page().keyboard.press('f');
  await page().locator('.toast').waitFor();
  await page().unrouteAll({ behavior: 'wait' });
  await page().keyboard.press('F3');
  await page().locator('dialog.editor .toast').waitFor();
  for (const [width, height] of /** @type {const} */ ([[400, 800], [1280, 800]])) {
    await page().setViewportSize({ width, height });
    await page().waitForFunction(() => {
      const [notice, footer] = ['.toasts', 'dialog.editor footer'].map((name) =>
        /** @type {Element} */ (document.querySelector(name)).getBoundingClientRect()
      );
      return notice && footer && (notice.bottom <= footer.top || notice.left >= footer.right);
    });
    await parts.browser.shoot('edit-notice');
  }
});

test('Escape pressed again and again throws no words away', async () => {
  await open();
  await page().getByLabel('Genre').fill('Sports');
  for (let turn = 0; turn < 4; turn += 1) {
    await page().keyboard.press('Escape');
    await page().getByRole('alertdialog').waitFor();
    await page().keyboard.press('Escape');
    await page().getByRole('alertdialog').waitFor({ state: 'detached' });
  }
  assert.equal(await page().getByLabel('Genre').inputValue(), 'Sports');
  assert.equal(await page().locator('dialog.editor[open]').count(), 1);
});

test('keys and back while a save is under way ask no question', async () => {
  await open();
  await page().getByLabel('Genre').fill('Rafting');
  let release = () => {};
  const held = new Promise((resolve) => {
    release = () => resolve(undefined);
  });
  await page().route('**/api/game', async (route) => {
    await held;
    await route.continue();
  }, { times: 1 });
  await sentBy(() => page().getByRole('button', { name: 'Save' }).click());
  await page().keyboard.press('Escape');
  await page().goBack();
  assert.deepEqual([await page().getByRole('alertdialog').count(), await page().locator('dialog.editor').count()], [0,
    1]);
  release();
  await page().locator('dialog').first().waitFor({ state: 'detached' });
  assert.equal((await record()).genre, 'Rafting');
});

test('a question that was asked before a save ended is over with its dialog', async () => {
  await open();
  await page().getByLabel('Genre').fill('Angling');
  await page().evaluate(() => {
    // The cross is pressed first, then the form is sent.
    const form = document.querySelector('dialog.editor form');
    /** @type {HTMLElement | null} */ (form?.querySelector('header .icon-button') ?? null)?.click();
    form?.dispatchEvent(new SubmitEvent('submit', { cancelable: true }));
  });
  await page().locator('dialog').first().waitFor({ state: 'detached' });
  await page().waitForFunction(() => document.querySelectorAll('dialog').length === 0);
  assert.equal((await record()).genre, 'Angling');
});

/** Opens the page of the game with Health as the screen before it. */
async function openAfterHealth() {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/health`);
  await page().locator('main h1').waitFor();
  await page().evaluate((id) => {
    location.hash = `#/game/${id}`;
  }, ID);
  await page().locator('.game-page .stars').waitFor();
}

test('back closes the dialog and stays on the screen; a question keeps unsaved words', async () => {
  await openAfterHealth();
  const edit = async () => {
    await page().keyboard.press('F3');
    await page().locator('dialog.editor').waitFor();
  };
  const hash = () => page().evaluate(() => location.hash);
  const closed = () => page().locator('dialog').first().waitFor({ state: 'detached' });
  await edit();
  await page().goBack();
  await closed();
  assert.equal(await hash(), `#/game/${ID}`);
  await edit();
  await page().getByLabel('Genre').fill('Sports');
  for (let turn = 0; turn < 2; turn += 1) {
    await page().goBack();
    await page().getByRole('alertdialog').waitFor();
    await page().goBack();
    await page().getByRole('alertdialog').waitFor({ state: 'detached' });
  }
  assert.equal(await page().getByLabel('Genre').inputValue(), 'Sports');
  // Another address keeps them too.
  await page().evaluate(() => {
    location.hash = '#/jobs';
  });
  await page().getByRole('alertdialog').waitFor();
  assert.equal(await hash(), `#/game/${ID}`);
  await page().getByRole('button', { name: 'Discard changes' }).click();
  await closed();
  assert.equal(await page().locator('.game-page').count(), 1);
  await page().evaluate(() => {
    location.hash = '#/jobs';
  });
  await page().locator('.game-page').waitFor({ state: 'detached' });
  await page().goBack();
  await page().locator('.game-page .stars').waitFor();
});

test('dialogs that were closed leave no step of their own to go back over', async () => {
  await openAfterHealth();
  for (let turn = 0; turn < 2; turn += 1) {
    await page().keyboard.press('F3');
    await page().locator('dialog.editor').waitFor();
    await page().keyboard.press('Escape');
    await page().locator('dialog.editor').waitFor({ state: 'detached' });
  }
  await page().goBack();
  await page().waitForFunction(() => location.hash === '#/health');
  await page().locator('.game-page').waitFor({ state: 'detached' });
});
