import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { scene } from '../support/scene.js';
import { lookInThemes } from '../support/themes.js';

const parts = scene({
  prepare: (scratch) => {
    const script = scratch.file('roms/Slow Boat.sh', '#!/bin/bash\nexit 0\n', 0o755);
    const common = { platform: 'Linux', genre: 'Adventure', tags: [], notes: [], screenshots: [], save_paths: [] };
    const games = [
      { ...common, game_id: `game-${'1'.padStart(24, '0')}`, name: 'Slow Boat', path: script },
      { ...common, game_id: `game-${'2'.padStart(24, '0')}`, name: 'Slow Boat again', path: script },
      { ...common, game_id: `game-${'3'.padStart(24, '0')}`, name: 'Lost Key', path: `${scratch.root}/roms/gone.sh` },
      { ...common, game_id: `game-${'4'.padStart(24, '0')}`, name: 'Quiet Orbit', platform: 'Homebrew Console',
        path: scratch.file('roms/Quiet Orbit.nes', 'NES') },
      { ...common, game_id: `game-${'9'.padStart(24, '0')}`, name: 'Paper Train, The (USA)',
        path: scratch.file('roms/Paper Train, The (USA).sh', '#!/bin/bash\nexit 0\n', 0o755) },
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
});

const { until } = keysOf(parts);

const page = () => parts.browser.page;

/** @param {string} hash */
async function open(hash) {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}${hash}`);
}

test('the findings lead to their fixes', async () => {
  await open('#/health');
  await page().getByRole('heading', { level: 1, name: 'Health' }).waitFor();
  await page().getByRole('button', { name: /^File missing/ }).click();
  await page().waitForFunction(() => document.querySelectorAll('.rows li').length === 1);
  await page().waitForURL(/kind=Missing\+game$/);
  await page().getByRole('button', { name: 'Edit: Lost Key' }).click();
  await page().getByRole('dialog').getByRole('tab', { name: 'Launch', selected: true }).waitFor();
  await page().getByRole('dialog').getByRole('textbox', { name: 'File *' }).fill(
    parts.scratch.file('roms/found.sh', '#!/bin/bash\n', 0o755),
  );
  await page().getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page().getByRole('button', { name: /^File missing/ }).waitFor({ state: 'detached' });
  await until(() => page().getByRole('link', { name: 'Set up an emulator' }).getAttribute('href'),
    (now) => now === '#/health/launch');
});

test('a finding opens the page of its game by keys, and back returns', async () => {
  await open('#/health');
  await page().getByRole('button', { name: 'Open page: Quiet Orbit' }).first().focus();
  await page().keyboard.press('Enter');
  await page().getByRole('heading', { level: 1, name: 'Quiet Orbit' }).waitFor();
  await page().keyboard.press('Escape');
  await page().getByRole('heading', { level: 1, name: 'Health' }).waitFor();
});

test('the screens have no serious finding in any theme', async () => {
  for (const [hash, ready, name]
    of /** @type {const} */ ([['#/health', '.rows li', 'health'], ['#/settings/diagnostics', '.diagnostics pre',
      'diagnostics'], ['#/settings/documents', '.extras', 'platform-documents']])) {
    await open(hash);
    await page().locator(ready).first().waitFor();
    await parts.browser.settle();
    await lookInThemes(parts, name);
  }
});

test('duplicates are merged after a question that names them', async () => {
  await open('#/health');
  await page().getByRole('button', { name: 'Merge duplicates' }).focus();
  await page().keyboard.press('Enter');
  const dialog = page().getByRole('alertdialog', { name: 'Merge 1 duplicate?' });
  await dialog.getByText('Slow Boat again').waitFor();
  await parts.browser.shoot('health-merge-dark');
  await dialog.getByRole('button', { name: 'Merge duplicates' }).click();
  await page().locator('.toast').getByText('1 duplicate was merged.').waitFor();
  await page().getByRole('button', { name: 'Merge duplicates' }).waitFor({ state: 'detached' });
  await until(
    async () =>
      /** @type {{total_count: number}} */ (await parts.service.ask('/api/library?offset=0&limit=1')).total_count,
    (now) => now === 4,
  );
});

test('report and log are shown, without the token, and can be saved', async () => {
  await open('#/settings/diagnostics');
  await page().getByText('"python": "none (native)"').waitFor();
  await until(() => page().locator('.diagnostics pre').count(), (now) => now === 2);
  const texts = await page().locator('.diagnostics pre').allTextContents();
  for (const text of texts) assert.ok(!text.includes(parts.service.token));
  const [download] = await Promise.all([page().waitForEvent('download'),
    page().getByRole('button', { name: 'Save: Report' }).press('Enter')]);
  assert.equal(download.suggestedFilename(), 'service-report.json');
});

test('documents of a platform are kept in the settings', async () => {
  await open('#/settings/documents');
  await page().getByLabel('Platform', { exact: true }).selectOption('Homebrew Console');
  await page().getByRole('button', { name: 'Add document' }).click();
  await page().getByRole('dialog').getByLabel('File').fill(parts.scratch.file('docs/pads.txt', 'A jumps'));
  await page().keyboard.press('Enter');
  await page().getByRole('button', { name: 'Read pads' }).click();
  await page().getByText('A jumps').waitFor();
  await page().keyboard.press('Escape');
  await until(
    async () =>
      Object.keys(/** @type {{documents: object}} */ (await parts.service.ask('/api/platform/documents')).documents)
        .join(),
    (now) => now === 'Homebrew Console',
  );
});

test('titles that are names of files are cleaned and brought back', async () => {
  const id = `game-${'9'.padStart(24, '0')}`;
  const title = async () => {
    const { games } = /** @type {{games: {name: string}[]}} */ (await parts.service.ask(
      `/api/library/delta?ids=${id}`,
    ));
    return games[0]?.name;
  };
  await open('#/health');
  await page().getByText('1 title is the name of a file').waitFor();
  await page().getByRole('button', { name: 'Clean titles' }).click();
  const dialog = page().getByRole('alertdialog', { name: 'Clean 1 title?' });
  await dialog.getByText('The Paper Train', { exact: true }).waitFor();
  await parts.browser.shoot('clean-titles');
  await dialog.getByRole('button', { name: 'Clean titles' }).click();
  await page().locator('.toast', { hasText: '1 title was cleaned.' }).waitFor();
  assert.equal(await title(), 'The Paper Train');
  await page().locator('.callout[data-key="titles"]').waitFor({ state: 'detached' });
  await page().getByRole('button', { name: 'Undo' }).click();
  await page().locator('.toast', { hasText: 'Undone: 1 title' }).waitFor();
  assert.equal(await title(), 'Paper Train, The (USA)');
});
