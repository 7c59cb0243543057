import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Pad } from '../support/gamepad.js';
import { keysOf } from '../support/keys.js';
import { scene } from '../support/scene.js';
import { strings } from '../support/sources.js';

const parts = scene();
const { until } = keysOf(parts);

/**
 * The one controller of this file, which every page opened from now on knows.
 *
 * @type {Promise<Pad> | undefined}
 */
let pads;
const controller = () => {
  pads ??= Pad.install(parts.browser.page);
  return pads;
};

/** @returns {Promise<Api.Settings>} */
const stored = () => parts.service.ask('/api/settings');

test('every setting the server describes has a name in every language', async () => {
  /** @type {Api.OpenApi} */
  const schema = await parts.service.ask('/api/openapi.json');
  const rows = schema['x-settings'] ?? [];
  assert.ok(rows.length > 50, `${rows.length} rows`);
  const names = strings('en');
  for (const row of rows) {
    assert.ok(`setting.${row.key}` in names, row.key);
    assert.ok(`settings.group.${row.group}` in names, row.group);
  }
});

test('no label stands for a setting that does not exist', async () => {
  /** @type {Api.OpenApi} */
  const schema = await parts.service.ask('/api/openapi.json');
  const keys = new Set((schema['x-settings'] ?? []).map((row) => row.key));
  const labels = Object.keys(strings('en')).filter((key) => /^setting\.[a-z_]+$/.test(key)).map((key) => key.slice(8));
  assert.deepEqual(labels.filter((key) => !keys.has(key)), []);
});

test('a field is saved by itself and a refused value keeps its sentence', async () => {
  const { page } = parts.browser;
  await page.goto(`${parts.service.address}#/settings/sessions`);
  await page.getByLabel('Minutes of play until Playing').fill('45');
  await page.keyboard.press('Tab');
  await page.locator('.setting.is-saved', { hasText: 'Minutes of play' }).waitFor();
  await until(stored, (saved) => saved['progress_automation_play_minutes'] === 45);
  await page.getByLabel('Minutes of play until Playing').fill('100001');
  await page.keyboard.press('Tab');
  await page.getByText('Progress automation play minutes must be between 0 and 100000.').waitFor();
  await parts.browser.shoot('settings-refused');
});

test('a switch, a choice and a list are saved', async () => {
  const { page } = parts.browser;
  await page.getByRole('switch', { name: 'Keep a session history' }).setChecked(false, { force: true });
  await page.locator('.setting.is-saved', { hasText: 'Keep a session history' }).waitFor();
  await page.goto(`${parts.service.url}/#/settings/library`);
  await page.getByLabel('Watched folders').fill(`${parts.scratch.root}/no-such-folder`);
  await page.keyboard.press('Tab');
  await page.getByText(/Watch folder does not exist/).waitFor();
  const folder = parts.scratch.folder('watched');
  await page.getByLabel('Watched folders').fill(folder);
  await page.keyboard.press('Tab');
  await page.locator('.setting.is-saved', { hasText: 'Watched folders' }).waitFor();
  await until(stored,
    (saved) =>
      saved['track_session_history'] === false && JSON.stringify(saved['watch_folders']) === JSON.stringify([folder]));
});

test('the search finds settings across groups', async () => {
  const { page } = parts.browser;
  await page.getByRole('searchbox', { name: 'Search settings' }).fill('backup');
  await page.getByRole('heading', { name: 'Search results' }).waitFor();
  await until(() => page.locator('.setting').count(), (now) => now >= 3);
  await page.getByRole('searchbox', { name: 'Search settings' }).fill('zzzz');
  await page.getByRole('main').getByText('No setting matches.').waitFor();
});

const sections = () => parts.browser.page.getByRole('group', { name: 'Sidebar sections' });
const names = () => sections().locator('li').allTextContents();
const headings = () => parts.browser.page.locator('#sidebar .places h2').allTextContents();

test('the sections of the sidebar have names, and are hidden and moved by mouse', async () => {
  const { page } = parts.browser;
  await page.goto(`${parts.service.url}/#/settings/appearance`);
  await until(names, (now) => now.join() === 'Views,Platforms,Playlists,Collections,Filters');
  await until(headings, (now) => now.join() === 'Playlists,Collections');
  await sections().getByRole('button', { name: 'Move up: Collections' }).click();
  await until(headings, (now) => now.join() === 'Collections,Playlists');
  await until(stored, (saved) =>
    JSON.stringify(saved['sidebar_sections']) ===
      JSON.stringify(['search', 'view', 'platforms', 'collections', 'playlists', 'filters']));
  await sections().getByRole('checkbox', { name: 'Playlists' }).uncheck();
  await until(headings, (now) => now.join() === 'Collections');
  await until(stored, (saved) => JSON.stringify(saved['hidden_sidebar_sections']) === JSON.stringify(['playlists']));
  await sections().locator('li', { hasText: 'Playlists' }).dragTo(sections().locator('li', { hasText: 'Views' }));
  await until(names, (now) => now.join() === 'Playlists,Views,Platforms,Collections,Filters');
  await until(stored,
    (saved) => String(saved['sidebar_sections']) === 'search,playlists,view,platforms,collections,filters');
});

test('the sections of the sidebar are hidden and moved by keys', async () => {
  const { page } = parts.browser;
  await page.reload();
  await until(names, (now) => now.join() === 'Playlists,Views,Platforms,Collections,Filters');
  await sections().getByRole('checkbox', { name: 'Playlists' }).press('Space');
  await until(stored, (saved) => String(saved['hidden_sidebar_sections']) === '');
  await page.keyboard.press('Alt+ArrowDown');
  await until(names, (now) => now.join() === 'Views,Playlists,Platforms,Collections,Filters');
  await until(() => parts.browser.focused(), (now) => now.includes('Playlists'));
  await sections().getByRole('button', { name: 'Move down: Playlists' }).press('Enter');
  await until(names, (now) => now.join() === 'Views,Platforms,Playlists,Collections,Filters');
  await until(stored,
    (saved) => String(saved['sidebar_sections']) === 'search,view,platforms,playlists,collections,filters');
  await until(headings, (now) => now.join() === 'Playlists,Collections');
  // The button that led to the end of the list can do no more: its neighbour has the focus.
  await sections().getByRole('button', { name: 'Move up: Platforms' }).press('Enter');
  await until(() => parts.browser.focused(), (now) => now === 'Move down: Platforms');
  await page.keyboard.press('Enter');
  await until(stored,
    (saved) => String(saved['sidebar_sections']) === 'search,view,platforms,playlists,collections,filters');
});

test('the sections of the sidebar are hidden and moved with a controller', async () => {
  const { page } = parts.browser;
  const pad = await controller();
  await page.goto('about:blank');
  await page.goto(`${parts.service.address}#/settings/appearance`);
  await sections().waitFor();
  await pad.connect();
  const at = (/** @type {string} */ name) => until(() => parts.browser.focused(), (now) => now.includes(name));
  await sections().getByRole('checkbox', { name: 'Platforms' }).focus();
  await pad.press('play');
  await until(stored, (saved) => String(saved['hidden_sidebar_sections']) === 'platforms');
  await pad.press('right');
  await at('Move up: Platforms');
  await pad.press('right');
  await at('Move down: Platforms');
  await pad.press('play');
  await until(stored,
    (saved) => String(saved['sidebar_sections']) === 'search,view,playlists,platforms,collections,filters');
  await at('Move down: Platforms');
  await pad.disconnect();
});

test('the columns of the list are chosen and put in order', async () => {
  const { page } = parts.browser;
  await page.goto(`${parts.service.url}/#/settings/appearance`);
  const columns = page.getByRole('group', { name: 'List columns' });
  await until(async () => (await columns.locator('li').allTextContents()).slice(0, 7),
    (now) => now.join() === 'Platform,Genre,Age,Progress,Last played,Times played,Developer');
  await columns.getByRole('button', { name: 'Move up: Progress' }).click();
  await until(stored,
    (saved) => String(saved['list_columns']) === 'name,platform,genre,progress,esrb,last_played,play_count');
  await columns.getByRole('checkbox', { name: 'Year' }).check();
  await until(stored,
    (saved) => String(saved['list_columns']) === 'name,platform,genre,progress,esrb,last_played,play_count,year');
  await columns.getByRole('checkbox', { name: 'Platform' }).uncheck();
  await until(stored,
    (saved) => String(saved['list_columns']) === 'name,genre,progress,esrb,last_played,play_count,year');
});

test('the order of the videos is kept', async () => {
  const { page } = parts.browser;
  await page.goto(`${parts.service.url}/#/settings/media`);
  const videos = page.getByRole('group', { name: 'Preferred videos' });
  await videos.getByRole('button', { name: 'Move up: Trailer' }).click();
  await until(stored,
    (saved) => String(saved['video_priority']) === 'video_snap,video_trailer,video_theme,video_recording');
  await videos.getByRole('checkbox', { name: 'Trailer' }).uncheck();
  await until(stored, (saved) => String(saved['video_priority']) === 'video_snap,video_theme,video_recording');
});

const regions = () => parts.browser.page.getByRole('group', { name: 'Preferred regions' });
const preferred = (/** @type {string} */ list) =>
  until(stored, (saved) =>
    JSON.stringify(saved['region_priority']) ===
      JSON.stringify(list.split(',').map((region) => (region === '*' ? '' : region))));

test('regions are chosen, ordered and taken away by mouse; any other can be written', async () => {
  const { page } = parts.browser;
  const file = parts.scratch.file('regions/Amber Harbour.nes', 'NES');
  await parts.service.ask('/api/import', { folder: `${parts.scratch.root}/regions` });
  const { games } = /** @type {Api.LibraryPage} */ (await parts.service.ask('/api/library?offset=0&limit=10'));
  const game = games.find(({ path }) => path === file);
  await parts.service.ask('/api/game', { game_id: game?.game_id,
    game: { name: game?.name, region: 'Poland, Europe' } });
  await page.goto('about:blank');
  await page.goto(`${parts.service.address}#/settings/media`);
  await until(() => regions().locator('li').allTextContents(),
    (now) => now.join() === 'North America,World,Europe,Japan,(anything else)');
  await regions().locator('optgroup[label="In your library"] option', { hasText: 'Poland' }).waitFor({
    state: 'attached',
  });
  await regions().getByLabel('Region to add').selectOption('Poland');
  await regions().getByRole('button', { name: 'Add' }).click();
  await preferred('North America,World,Europe,Japan,Poland,*');
  await regions().locator('li', { hasText: 'Japan' }).dragTo(regions().locator('li', { hasText: 'North America' }));
  await preferred('Japan,North America,World,Europe,Poland,*');
  await regions().getByRole('button', { name: 'Remove from list: World' }).click();
  await preferred('Japan,North America,Europe,Poland,*');
  await until(() => parts.browser.focused(), (now) => now.includes('Remove from list: Europe'));
  await regions().getByLabel('Region to add').selectOption('Another region…');
  await regions().getByLabel('Name of the region').fill('Atlantis');
  await page.keyboard.press('Enter');
  await preferred('Japan,North America,Europe,Poland,Atlantis,*');
  await parts.browser.shoot('settings-regions');
  assert.deepEqual(await parts.browser.findings(), []);
  await parts.service.ask('/api/game/delete', { game_id: game?.game_id, delete_media: false });
});

test('regions are ordered and taken away by keys, and the last one stays', async () => {
  const { page } = parts.browser;
  await parts.service.ask('/api/settings', { region_priority: ['Atlantis', 'Europe', ''] });
  await page.goto('about:blank');
  await page.goto(`${parts.service.address}#/settings/media`);
  await regions().getByRole('button', { name: 'Move down: Atlantis' }).press('Enter');
  await preferred('Europe,Atlantis,*');
  await until(() => parts.browser.focused(), (now) => now === 'Move down: Atlantis');
  await page.keyboard.press('Alt+ArrowUp');
  await preferred('Atlantis,Europe,*');
  await regions().getByRole('button', { name: 'Remove from list: (anything else)' }).press('Enter');
  await preferred('Atlantis,Europe');
  await until(() => parts.browser.focused(), (now) => now.includes('Remove from list: Europe'));
  await page.keyboard.press('Enter');
  await preferred('Atlantis');
  await until(() => parts.browser.focused(), (now) => now.includes('Atlantis'));
  assert.equal(await regions().getByRole('button', { name: 'Remove from list: Atlantis' }).isDisabled(), true);
  // What stands for all others can be had back.
  await regions().getByLabel('Region to add').selectOption('(anything else)');
  await regions().getByRole('button', { name: 'Add' }).press('Enter');
  await preferred('Atlantis,*');
});

test('regions are chosen and ordered with a controller', async () => {
  const { page } = parts.browser;
  await parts.service.ask('/api/settings', { region_priority: ['Europe', ''] });
  const pad = await controller();
  await page.goto('about:blank');
  await page.goto(`${parts.service.address}#/settings/media`);
  await regions().getByLabel('Region to add').waitFor();
  await pad.connect();
  const at = (/** @type {string} */ name) => until(() => parts.browser.focused(), (now) => now.includes(name));
  await regions().getByLabel('Region to add').focus();
  await pad.press('play');
  await page.getByRole('dialog', { name: 'Region to add' }).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Japan' }).focus();
  await pad.press('play');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await at('Region to add');
  await pad.press('right');
  await at('Add');
  await pad.press('play');
  await preferred('Europe,Japan,*');
  await regions().getByRole('button', { name: 'Move up: Japan' }).focus();
  await pad.press('play');
  await preferred('Japan,Europe,*');
  await pad.disconnect();
});

test('a preset of the compositor is chosen among those of the program and own ones', async () => {
  const { page } = parts.browser;
  await page.goto(`${parts.service.url}/#/settings/launching`);
  const preset = page.getByLabel('Compositor preset', { exact: true });
  await preset.selectOption({ label: 'Borderless window' });
  await until(stored, (saved) => saved['compositor_preset'] === 'borderless');
  const own = page.getByRole('group', { name: 'Custom compositor presets' });
  await own.getByRole('button', { name: 'Add a preset' }).click();
  await until(() => parts.browser.focused(), (now) => now.includes('Name of the preset'));
  await page.keyboard.type('Couch');
  await own.getByLabel('Window width').fill('1920');
  await own.getByLabel('Window height').fill('1080');
  await own.getByLabel('Scaling').selectOption({ label: 'FSR' });
  await own.getByLabel('Sharpness, 0 to 5').fill('4');
  await own.getByLabel('More arguments').fill("--expose-wayland 'two words'");
  await page.keyboard.press('Tab');
  await until(stored, (saved) => JSON.stringify(saved['compositor_custom_presets']).includes('two words'));
  /** @type {{compositor_custom_presets: Record<string, unknown>[]}} */
  const { compositor_custom_presets: presets } = await parts.service.ask('/api/settings');
  assert.deepEqual(presets, [{ name: 'Couch', width: 1920, height: 1080, fsr_sharpness: 4, integer: false,
    stretch: false, fsr: true, extra_args: ['--expose-wayland', 'two words'] }]);
  await parts.browser.shoot('settings-presets');
  assert.deepEqual(await parts.browser.findings(), []);
  await preset.locator('option', { hasText: 'Couch' }).waitFor({ state: 'attached' });
  await preset.selectOption('Couch');
  await until(stored, (saved) => saved['compositor_preset'] === 'Couch');
  await page.reload();
  await until(() => own.getByLabel('More arguments').inputValue(), (now) => now === "--expose-wayland 'two words'");
  await preset.selectOption({ label: 'None' });
  await until(stored, (saved) => saved['compositor_preset'] === '');
  await own.getByRole('button', { name: 'Remove Couch' }).press('Enter');
  await until(stored, (saved) => JSON.stringify(saved['compositor_custom_presets']) === '[]');
  await until(() => parts.browser.focused(), (now) => now === 'Add a preset');
});

test('a preset is kept whole when the answer to its first field comes after the others were filled in', async () => {
  const { page } = parts.browser;
  let release = () => {};
  const held = new Promise((resolve) => {
    release = () => resolve(undefined);
  });
  let sent = 0;
  await page.goto('about:blank');
  await page.goto(`${parts.service.address}#/settings/launching`);
  await page.route('**/api/settings', async (route) => {
    const response = await route.fetch();
    if (route.request().method() === 'POST') {
      sent += 1;
      await held;
    }
    await route.fulfill({ response });
  });
  const own = page.getByRole('group', { name: 'Custom compositor presets' });
  await own.getByRole('button', { name: 'Add a preset' }).click();
  await until(() => parts.browser.focused(), (now) => now.includes('Name of the preset'));
  await page.keyboard.type('Sofa');
  await own.getByLabel('Window width').fill('1280');
  await until(async () => sent, (now) => now === 1);
  await own.getByLabel('Window height').fill('720');
  await own.getByLabel('More arguments').fill('--late');
  await page.keyboard.press('Tab');
  release();
  await until(stored, (saved) => JSON.stringify(saved['compositor_custom_presets']).includes('--late'));
  /** @type {{compositor_custom_presets: Record<string, unknown>[]}} */
  const { compositor_custom_presets: [preset] } = await parts.service.ask('/api/settings');
  assert.deepEqual([preset?.['name'], preset?.['width'], preset?.['height'], preset?.['extra_args']], ['Sofa', 1280,
    720, ['--late']]);
  assert.equal(await own.getByLabel('Window width').inputValue(), '1280');
  await page.unrouteAll({ behavior: 'wait' });
  await own.getByRole('button', { name: 'Remove Sofa' }).press('Enter');
  await until(stored, (saved) => JSON.stringify(saved['compositor_custom_presets']) === '[]');
});

test('what was set while the settings were read is shown, though the older answer comes last', async () => {
  const { page } = parts.browser;
  let release = () => {};
  const held = new Promise((resolve) => {
    release = () => resolve(undefined);
  });
  let reads = 0;
  await page.goto(`${parts.service.address}#/history`);
  await page.locator('.page h1').waitFor();
  await page.route('**/api/settings', async (route) => {
    const response = await route.fetch();
    reads += 1;
    if (reads === 1) await held;
    await route.fulfill({ response });
  });
  await page.evaluate(() => {
    location.hash = '#/settings/appearance';
  });
  await until(async () => reads, (now) => now === 1);
  await parts.service.ask('/api/settings', { ui_scheme: 'light' });
  await page.waitForFunction(() => document.documentElement.dataset['scheme'] === 'light');
  release();
  await page.locator('#setting-ui_scheme').waitFor();
  assert.equal(await page.locator('#setting-ui_scheme').inputValue(), 'light');
  await page.unrouteAll({ behavior: 'wait' });
  await parts.service.ask('/api/settings', { ui_scheme: 'dark' });
});

test('that a setting was saved is told, though the change was heard of before its answer came', async () => {
  const { page } = parts.browser;
  let release = () => {};
  const held = new Promise((resolve) => {
    release = () => resolve(undefined);
  });
  await page.goto(`${parts.service.address}#/settings/sessions`);
  const name = 'Minutes of play until Playing';
  const row = page.locator('.setting', { hasText: name });
  await row.evaluate((element) => element.classList.add('first'));
  await page.route('**/api/settings', async (route) => {
    const response = await route.fetch();
    if (route.request().method() === 'POST') await held;
    await route.fulfill({ response });
  });
  await page.getByLabel(name).fill('50');
  await page.keyboard.press('Tab');
  await page.locator('.setting.first').waitFor({ state: 'detached' });
  release();
  await page.locator('.setting.is-saved', { hasText: name }).waitFor();
  assert.equal(await page.getByLabel(name).inputValue(), '50');
  await page.unrouteAll({ behavior: 'wait' });
});

/** Lets the service refuse what is sent to the settings, until it is ended. */
async function refuseSettings() {
  const { page } = parts.browser;
  await page.route('**/api/settings', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ status: 503, contentType: 'application/json',
        body: JSON.stringify({ error: 'The disk is full.', code: 'DISK_FULL' }) })
      : route.continue());
  return () => page.unrouteAll({ behavior: 'wait' });
}

test('a choice that was not saved shows what is kept, says so at its place, and can be tried again', async () => {
  const { page } = parts.browser;
  await parts.service.ask('/api/settings', { track_session_history: true });
  await page.goto('about:blank');
  await page.goto(`${parts.service.address}#/settings/sessions`);
  const choice = page.getByRole('switch', { name: 'Keep a session history' });
  await choice.waitFor();
  const end = await refuseSettings();
  await choice.press(' ');
  const row = page.locator('.setting', { hasText: 'Keep a session history' });
  await row.getByText('Not saved. The disk is full.').waitFor();
  assert.equal(await choice.isChecked(), true);
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'switch');
  assert.equal(await page.locator('.toast').count(), 0);
  await parts.browser.shoot('settings-unsaved');
  assert.deepEqual(await parts.browser.findings(), []);
  await end();
  await row.getByRole('button', { name: 'Try again' }).press('Enter');
  await page.locator('.setting.is-saved', { hasText: 'Keep a session history' }).waitFor();
  assert.equal(await choice.isChecked(), false);
  assert.equal((await stored())['track_session_history'], false);
  assert.equal(await row.getByRole('button', { name: 'Try again' }).count(), 0);
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'switch');
});

test('what was typed and not saved stays typed, and can be tried again', async () => {
  const { page } = parts.browser;
  const field = page.getByLabel('Minutes of play until Playing');
  const end = await refuseSettings();
  await field.fill('77');
  await field.press('Tab');
  const row = page.locator('.setting', { hasText: 'Minutes of play until Playing' });
  await row.getByText('Not saved. The disk is full.').waitFor();
  assert.deepEqual([await field.inputValue(), await field.getAttribute('aria-invalid')], ['77', 'true']);
  await end();
  await row.getByRole('button', { name: 'Try again' }).click();
  await page.locator('.setting.is-saved', { hasText: 'Minutes of play until Playing' }).waitFor();
  assert.equal(await field.getAttribute('aria-invalid'), null);
  assert.equal((await stored())['progress_automation_play_minutes'], 77);
});

test('a change from elsewhere is shown at the control with the focus, and in a text once it is left', async () => {
  const { page } = parts.browser;
  const choice = page.getByRole('switch', { name: 'Keep a session history' });
  await choice.focus();
  const isOn = await choice.isChecked();
  await parts.service.ask('/api/settings', { track_session_history: !isOn });
  await until(() => choice.isChecked(), (now) => now === !isOn);
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'switch');
  const field = page.getByLabel('Minutes of play until Playing');
  await field.focus();
  await parts.service.ask('/api/settings', { progress_automation_play_minutes: 88, track_session_history: isOn });
  await until(() => choice.isChecked(), (now) => now === isOn);
  assert.equal(await field.inputValue(), '77');
  await field.press('Shift+Tab');
  await until(() => field.inputValue(), (now) => now === '88');
});

test('a launch command is added', async () => {
  const { page } = parts.browser;
  await page.goto(`${parts.service.url}/#/settings/commands`);
  await page.getByRole('button', { name: 'Add a row' }).click();
  await page.getByLabel('Platform').last().fill('Test Machine');
  await page.getByLabel('Command with {path}').last().fill('/bin/true {path}');
  await page.keyboard.press('Tab');
  await until(async () => /** @type {Api.Profiles} */ (await parts.service.ask('/api/profiles')).profiles,
    (now) => now['Test Machine'] === '/bin/true {path}');
  // On a phone a command has a line of its own.
  await page.setViewportSize({ width: 400, height: 800 });
  await parts.browser.shoot('settings-commands');
  const box = await page.getByLabel('Command with {path}').last().boundingBox();
  assert.ok(box && box.width > 260, JSON.stringify(box));
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('changes that follow one another quickly are kept in their order', async () => {
  const { page } = parts.browser;
  let release = () => {};
  const held = new Promise((resolve) => {
    release = () => resolve(undefined);
  });
  let sent = 0;
  await page.route('**/api/profiles', async (route) => {
    if (route.request().method() === 'POST') {
      sent += 1;
      if (sent === 1) await held;
    }
    await route.continue();
  });
  await page.getByRole('button', { name: 'Add a row' }).click();
  await page.getByLabel('Platform').last().fill('Late Machine');
  await page.getByLabel('Command with {path}').last().fill('/bin/late {path}');
  await page.keyboard.press('Tab');
  // What is in flight had its time to arrive when the server has answered something that was asked later.
  await stored();
  release();
  await until(async () => /** @type {Api.Profiles} */ (await parts.service.ask('/api/profiles')).profiles,
    (now) => now['Late Machine'] === '/bin/late {path}');
  await until(async () => sent, (now) => now === 2);
  await page.unroute('**/api/profiles');
});

test('the language changes at once and everywhere', async () => {
  const { page } = parts.browser;
  for (const locale of ['de', 'es', 'fr', 'pt', 'en']) {
    await page.goto(`${parts.service.url}/#/settings/general`);
    const names = strings(locale);
    await page.locator('#setting-locale').selectOption(locale);
    await page.getByRole('heading', { level: 1, name: names['settings.group.general'] ?? '' }).waitFor();
    await page.getByRole('link', { name: names['view.favorites'] ?? '' }).waitFor();
    await page.waitForFunction((wanted) => document.documentElement.lang === wanted, locale);
    await page.goto(`${parts.service.url}/#/`);
    await page.getByRole('heading', { name: names['empty.library.title'] ?? '' }).waitFor();
    assert.equal(
      await page.evaluate(() =>
        /\b[a-z]+\.[a-z]+\.?[a-zA-Z]*\b/.test(
          document.querySelector('.main')?.textContent?.replace(/\.\s|\.$/g, ' ') ?? '',
        )
      ),
      false,
      'a raw key is shown',
    );
    await parts.browser.shoot(`empty-${locale}`);
  }
});

test('of two languages chosen one after the other the later one stays, whichever arrives first', async () => {
  const { page } = parts.browser;
  await page.goto(`${parts.service.url}/#/settings/general`);
  let release = () => {};
  const held = new Promise((resolve) => {
    release = () => resolve(undefined);
  });
  await page.route('**/locales/de.json', async (route) => {
    await held;
    await route.continue();
  });
  const asked = page.waitForRequest('**/locales/de.json');
  await page.locator('#setting-locale').selectOption('de');
  await asked;
  await page.locator('#setting-locale').selectOption('es');
  await until(stored, (saved) => saved['locale'] === 'es');
  const came = page.waitForResponse('**/locales/de.json');
  release();
  await came;
  await page.getByRole('heading', { level: 1, name: strings('es')['settings.group.general'] ?? '' }).waitFor();
  await parts.browser.settle();
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'es');
  await page.unroute('**/locales/de.json');
  await page.locator('#setting-locale').selectOption('en');
  await page.getByRole('heading', { level: 1, name: strings('en')['settings.group.general'] ?? '' }).waitFor();
});

test('a history that is switched off says so', async () => {
  const { page } = parts.browser;
  await page.goto(`${parts.service.url}/#/history`);
  await page.getByRole('heading', { name: 'The history is switched off' }).waitFor();
  await parts.browser.shoot('history-off');
});
