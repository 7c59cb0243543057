import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';

import { hands } from '../support/hands.js';
import { keysOf } from '../support/keys.js';
import { testWithLooks } from '../support/looks.js';
import { Receiver } from '../support/receiver.js';
import { scene } from '../support/scene.js';

/** @param {number} number */
const id = (number) => `game-${String(number).padStart(24, '0')}`;

const parts = scene({
  prepare: (scratch) => {
    const script = scratch.file('roms/Slow Boat.sh', '#!/bin/bash\nexit 0\n', 0o755);
    const common = { platform: 'Linux', genre: 'Adventure', tags: [], notes: [], screenshots: [], save_paths: [] };
    const games = [
      { ...common, game_id: id(1), name: 'Slow Boat', path: script },
      { ...common, game_id: id(2), name: 'Slow Boat again', path: script },
      { ...common, game_id: id(3), name: 'Lost Key', path: `${scratch.root}/roms/gone.sh` },
      { ...common, game_id: id(4), name: 'Quiet Orbit', platform: 'Homebrew Console',
        path: scratch.file('roms/Quiet Orbit.nes', 'NES') },
    ];
    mkdirSync(`${scratch.root}/data`, { recursive: true });
    writeFileSync(`${scratch.root}/data/library.json`, JSON.stringify({
      schema_version: 6,
      games,
      profiles: {},
      history: [],
      settings: {},
      playlists: [],
      queue: [],
      notifications: [],
      ui_state: {},
      active_sessions: [],
      trash: [],
    }), { mode: 0o600 });
  },
  env: { SERVICE_ALLOW_HTTP_WEBHOOKS: '1' },
});
const test = testWithLooks(parts);
const { pick } = keysOf(parts);
const { press, type, write, focus, tab, back, heard, goTo, until, open } = hands(parts);

const page = () => parts.browser.page;
/** @returns {Promise<Api.Settings>} */
const settings = () => parts.service.ask('/api/settings');

async function start() {
  await open();
  await page().locator('.tile').first().waitFor();
}

test('settings are opened, searched, saved and refused in words', async () => {
  await start();
  await press('Control+,');
  await page().getByRole('heading', { level: 1, name: 'General' }).waitFor();
  await tab(/^Search settings$/);
  await type('minutes of play');
  await heard(/^\d+ settings?$/);
  await tab(/^Minutes of play until Playing$/);
  await write('45');
  await press('Tab');
  await heard(/^Minutes of play until Playing: saved$/);
  await until(settings, (now) => now['progress_automation_play_minutes'] === 45);
  await back(/^Minutes of play until Playing$/);
  await write('100001');
  await press('Tab');
  await heard(/must be between 0 and 100000/);
  await back(/^Search settings$/);
  await write('session history');
  await tab(/^Keep a session history$/);
  await press('Space');
  await heard(/^Keep a session history: saved$/);
  await until(settings, (now) => now['track_session_history'] === false);
});

test('a group of settings is chosen and stays focused, and Escape leads back to the library', async () => {
  await start();
  await press('Control+,');
  await page().getByRole('heading', { level: 1, name: 'General' }).waitFor();
  await tab(/^Launch commands$/);
  await press('Enter');
  await page().getByRole('heading', { level: 1, name: 'Launch commands' }).waitFor();
  await focus(/^Launch commands$/);
  await tab(/^Add a row$/);
  await press('Enter');
  await focus(/^Platform/);
  await type('Test Machine');
  await press('Tab');
  await type('/bin/true {path}');
  await press('Tab');
  await heard(/: saved$/);
  await until(async () => /** @type {Api.Profiles} */ (await parts.service.ask('/api/profiles')).profiles,
    (now) => now['Test Machine'] === '/bin/true {path}');
  await press('Escape');
  await page().getByRole('listbox', { name: 'Games' }).waitFor();
});

test('documents of a platform are kept in the settings', async () => {
  await start();
  await press('Control+,');
  await tab(/^Platform documents$/);
  await press('Enter');
  await page().locator('.extras').waitFor();
  await tab(/^Platform$/);
  await pick('Homebrew Console');
  await page().getByRole('heading', { name: 'Documents of Homebrew Console' }).waitFor();
  await tab(/^Add document$/);
  await press('Enter');
  await focus(/^File/);
  await type(parts.scratch.file('docs/pads.txt', 'A jumps'));
  await press('Enter');
  await heard(/: saved$/);
  await focus(/^Add document$/);
  await tab(/^Read pads$/);
  await press('Enter');
  await page().getByText('A jumps').waitFor();
  await press('Escape');
  await focus(/^Read pads$/);
  await tab(/^Remove pads$/);
  await press('Enter');
  await focus(/^Cancel$/);
  await tab(/^Remove$/);
  await press('Enter');
  await heard(/^pads is removed\.$/);
  await focus(/^Add document$/);
});

test('report and log are read and saved', async () => {
  await start();
  await press('Control+,');
  await tab(/^Diagnostics$/);
  await press('Enter');
  await page().getByText('"python": "none (native)"').waitFor();
  await tab(/^Save: Report$/);
  const [download] = await Promise.all([page().waitForEvent('download'), press('Enter')]);
  assert.equal(download.suggestedFilename(), 'service-report.json');
  await tab(/^Report$/);
});

test('findings of the health screen are filtered, fixed and merged', async () => {
  await start();
  await goTo('Health');
  await heard(/findings$/);
  await tab(/^File missing/);
  await press('Enter');
  await page().waitForFunction(() => document.querySelectorAll('.rows li').length === 1);
  await focus(/^File missing/);
  await tab(/^Edit: Lost Key$/);
  await press('Enter');
  await page().getByRole('dialog').getByRole('tab', { name: 'Launch', selected: true }).waitFor();
  await focus(/^File/);
  await write(parts.scratch.file('roms/found.sh', '#!/bin/bash\n', 0o755));
  await press('Enter');
  await page().getByRole('button', { name: /^File missing/ }).waitFor({ state: 'detached' });
  await heard(/findings$/);
  await focus(/^Edit: /);
  await back(/^Everything/);
  await tab(/^Merge duplicates$/);
  await press('Enter');
  await page().getByRole('alertdialog', { name: 'Merge 1 duplicate?' }).getByText('Slow Boat again').waitFor();
  await focus(/^Cancel$/);
  await tab(/^Merge duplicates$/);
  await press('Enter');
  await heard(/^1 duplicate was merged\.$/);
  await page().getByRole('button', { name: 'Merge duplicates' }).waitFor({ state: 'detached' });
  await focus(/^Set up an emulator$/);
  await until(
    async () => /** @type {Api.LibraryPage} */ (await parts.service.ask('/api/library?offset=0&limit=1')).total_count,
    (now) => now === 3,
  );
});

test('the details pane is opened, worked in and left', async () => {
  await start();
  await press('Control+f', 'Enter');
  await page().locator('.tile:focus').waitFor();
  await press('Home');
  const pane = page().getByRole('complementary', { name: 'Details' });
  if (!(await pane.isVisible())) await press('Control+g');
  await pane.waitFor();
  await tab(/^Add to favourites$/);
  await press('Space');
  await heard(/added to favourites$/);
  await focus(/^Add to favourites$/);
  await tab(/^Progress$/);
  await press('ArrowDown');
  await until(
    async () =>
      /** @type {Api.LibraryPage} */ (await parts.service.ask('/api/library')).games.some((game) =>
        game.favorite && game.progress === 'Playing'
      ),
    Boolean,
  );
  await back(/^Close details$/);
  await press('Enter');
  await pane.waitFor({ state: 'detached' });
  await page().locator('.tile:focus').waitFor();
});

test('view, order, groups and columns are chosen', async () => {
  await start();
  await press('Control+f', 'Enter');
  await page().locator('.tile:focus').waitFor();
  await back(/^Show as a list$/);
  await press('Enter');
  await page().locator('.grid.list').waitFor();
  await focus(/^Show as a list$/);
  await tab(/^Display options$/);
  await press('Enter');
  await focus(/^Group by$/);
  await press('ArrowDown');
  await page().locator('.group-head').first().waitFor();
  await press('Tab');
  await focus(/^Picture$/);
  await press('ArrowDown');
  await until(settings, (now) => now['image_group'] === 'background');
  await press('Escape');
  await focus(/^Display options$/);
  await back(/^Sort by$/);
  await press('ArrowDown');
  await until(settings, (now) => String(now['list_sort'] ?? '') !== '');
  await focus(/^Sort by$/);
});

test('notices are read, dismissed and cleared', async () => {
  const receiver = await Receiver.start(500);
  const kept = async () => /** @type {Api.NoticeList} */ (await parts.service.ask('/api/notifications'));
  await parts.service.ask('/api/webhooks', {
    webhooks: [{ url: receiver.url, events: ['queue.advanced'], attempts: 1 }],
  });
  await start();
  await parts.service.ask('/api/queue', { action: 'advance' });
  await heard(/Webhook delivery failed/);
  await page().getByRole('button', { name: 'Notices, 1 unread' }).waitFor();
  await press('Control+f');
  await back(/^Notices, 1 unread$/);
  await press('Enter');
  const drawer = page().getByRole('dialog', { name: 'Notices' });
  await drawer.locator('.notice').getByText('Webhook delivery failed').waitFor();
  await until(kept, (now) => now.unread === 0 && now.notifications.length === 1);
  await parts.browser.shoot('notices-keys');
  assert.deepEqual(await parts.browser.findings(), []);
  await tab(/^Dismiss: Webhook delivery failed$/);
  await press('Enter');
  await drawer.getByText('No notices').waitFor();
  await until(kept, (now) => now.notifications.length === 0);
  await page().waitForFunction(() => document.querySelector('dialog')?.contains(document.activeElement) ?? false);
  await press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await focus(/^Notices$/);
  await parts.service.ask('/api/queue', { action: 'advance' });
  await focus(/^Notices, 1 unread$/);
  await press('Enter');
  await drawer.locator('.notice').waitFor();
  await tab(/^Clear all$/);
  await press('Enter');
  await drawer.getByText('No notices').waitFor();
  await until(kept, (now) => now.notifications.length === 0);
  await press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await focus(/^Notices$/);
  await parts.service.ask('/api/webhooks', { webhooks: [] });
  await receiver.stop();
});

test('the sheet shows the keys of the screen it is opened on, as they are now', async () => {
  await start();
  await press('Control+f', 'Enter');
  await page().locator('.tile:focus').waitFor();
  await press('?');
  const sheet = page().getByRole('dialog', { name: 'Keyboard' });
  await sheet.getByText('Jump to a name').waitFor();
  await sheet.getByText('In the sidebar').waitFor();
  await sheet.getByText('Latest message').waitFor();
  await parts.browser.shoot('sheet-library');
  assert.deepEqual(await parts.browser.findings(), []);
  await press('Escape');
  await page().locator('.tile:focus').waitFor();
  await press('o');
  await page().locator('.game-page .stars').waitFor();
  await press('?');
  await sheet.getByText('Add the note that is written').waitFor();
  assert.equal(await sheet.getByText('Jump to a name').count(), 0);
  await press('Escape');
  await sheet.waitFor({ state: 'detached' });
  await goTo('Play queue');
  await press('?');
  await sheet.getByText('Move the entry up').waitFor();
  assert.equal(await sheet.getByText('Add the note that is written').count(), 0);
  await press('Escape');
  await sheet.waitFor({ state: 'detached' });
});
