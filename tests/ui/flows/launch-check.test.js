import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { addEmulators, machineEnv, program } from '../support/machine.js';
import { scene } from '../support/scene.js';
import { SIZES } from '../support/sizes.js';
import { lookInThemes } from '../support/themes.js';

/** More games of one cause than one page shows. */
const MANY = 60;

const parts = scene({
  prepare: (scratch) => {
    addEmulators(scratch);
    program(scratch, 'xdg-open', `#!/bin/bash\necho "$*" >> "${scratch.root}/opened"\n`);
    const common = { tags: [], notes: [], screenshots: [], save_paths: [] };
    let at = 0;
    const game = (/** @type {string} */ name, /** @type {string} */ platform, /** @type {string} */ file,
      more = {}) => {
      at += 1;
      return { ...common, game_id: `game-${String(at).padStart(24, '0')}`, name, platform,
        path: file.startsWith('/') ? file : scratch.file(`home/roms/${file}`, 'x'), ...more };
    };
    const games = [
      game('Lost Key', 'Wii', '/gone/key.wbfs'),
      game('Quiet Orbit', 'Homebrew Console', 'orbit.nes'),
      game('Fern Rally', 'Wii', 'fern.wbfs'),
      game('Odd Command', 'Wii', 'odd.wbfs', { launch: 'dolphin-emu {disc}' }),
      ...Array.from({ length: MANY },
        (_, index) => game(`Pocket ${String(index).padStart(2, '0')}`, 'PSP', `pocket-${index}.cso`)),
    ];
    scratch.file('data/library.json',
      JSON.stringify({ schema_version: 6, games, profiles: {}, history: [], settings: {}, playlists: [], queue: [],
        notifications: [], ui_state: {}, active_sessions: [], trash: [] }), 0o600);
  },
  env: machineEnv,
});

const { press, until, focus, tabTo } = keysOf(parts);

const page = () => parts.browser.page;
const cause = (/** @type {string} */ code) => page().locator(`[data-cause="${code}"]`);
const figures = () => page().locator('.audit .figures dd').allTextContents();

/** @param {string} hash */
async function open(hash) {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}${hash}`);
}

test('before the first check the page says what it does', async () => {
  await open('#/health');
  await page().getByRole('tab', { name: 'Launch check' }).click();
  await page().waitForURL(/#\/health\/launch$/);
  await page().getByRole('heading', { name: 'Will every game start?' }).waitFor();
  await parts.browser.shoot('launch-check-none');
  assert.deepEqual(await parts.browser.findings(), []);
});

test('a check groups the games by what is in their way', async () => {
  await page().getByRole('button', { name: 'Check all games' }).click();
  await cause('NATIVE_EXE_MISSING').getByRole('heading', { name: 'PPSSPP is not installed' }).waitFor();
  await cause('NATIVE_EXE_MISSING').getByText(`${MANY} games`).waitFor();
  await cause('PATH_MISSING').getByText('1 game').waitFor();
  await cause('TEMPLATE_INVALID').getByText('1 game').waitFor();
  await until(figures, (now) => now[0] === String(MANY + 3));
  await cause('TEMPLATE_INVALID').getByRole('button', { name: /^What is wrong/ }).click();
  await page().getByRole('dialog', { name: 'What is wrong' }).getByText('Nothing is known to fill in for {disc}.')
    .waitFor();
  await press('Escape');
});

test('the games of a cause come in pages', async () => {
  const group = cause('NATIVE_EXE_MISSING');
  await group.getByRole('button', { name: /^Games/ }).click();
  await page().waitForFunction(() =>
    document.querySelectorAll('[data-cause="NATIVE_EXE_MISSING"] .rows li').length === 50
  );
  // Pressed twice at once it shows nothing twice. A pointer could meet a row that has come under it by its second press.
  await group.getByRole('button', { name: 'Show more' }).evaluate((button) => {
    const { click } = HTMLElement.prototype;
    click.call(button);
    click.call(button);
  });
  await page().waitForFunction(() =>
    document.querySelectorAll('[data-cause="NATIVE_EXE_MISSING"] .rows li').length > 50
  );
  await parts.browser.settle();
  assert.equal(await group.locator('.rows li').count(), MANY);
  await group.getByRole('button', { name: /^Games/ }).click();
  await group.locator('.rows').waitFor({ state: 'detached' });
});

test('what stands apart stays open while its games are looked at and the check goes on', async () => {
  const fold = page().locator('.gaps');
  await fold.locator('summary').click();
  const gap = fold.locator('[data-cause]').first();
  const code = await gap.getAttribute('data-cause');
  await gap.getByRole('button', { name: /^Games/ }).focus();
  await press('Enter');
  await gap.locator('.rows li').first().waitFor();
  await focus(/^Games/);
  assert.equal(await fold.evaluate((details) => /** @type {HTMLDetailsElement} */ (details).open), true);
  const looked = page().waitForResponse('**/api/v2/launch/audit/refresh');
  await gap.getByRole('button', { name: /^Check these again/ }).focus();
  await press('Enter');
  await looked;
  await parts.browser.settle();
  assert.equal(await fold.evaluate((details) => /** @type {HTMLDetailsElement} */ (details).open), true);
  await fold.locator(`[data-cause="${code}"] .rows li`).first().waitFor();
});

test('the launch check has no serious finding in any theme', async () => {
  for (const [width, height] of SIZES) {
    await page().setViewportSize({ width, height });
    await open('#/health/launch');
    await cause('PATH_MISSING').getByRole('button', { name: /^Games/ }).click();
    await cause('PATH_MISSING').locator('.rows li').waitFor();
    await parts.browser.settle();
    assert.deepEqual(await parts.browser.findings(), [], `${width}`);
    assert.equal(await page().evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  }
  await lookInThemes(parts, 'launch-check');
});

test('an emulator is chosen for the games of a cause by mouse', async () => {
  await open('#/health/launch');
  await cause('EMULATOR_REQUIRED').getByRole('button', { name: /^Choose an emulator/ }).click();
  const dialog = page().getByRole('dialog', { name: 'Choose an emulator' });
  await dialog.getByText('RetroArch (NES)').click();
  await parts.browser.shoot('launch-check-choose');
  assert.deepEqual(await parts.browser.findings(), []);
  await dialog.getByRole('button', { name: 'Choose', exact: true }).click();
  await cause('EMULATOR_REQUIRED').waitFor({ state: 'detached' });
  await cause('NATIVE_EXE_MISSING').filter({ hasText: 'RetroArch' }).waitFor();
});

test('an emulator is installed and its games are looked at again by keyboard only', async () => {
  await open('#/health/launch');
  await cause('NATIVE_EXE_MISSING').first().waitFor();
  await tabTo(/^Install PPSSPP: PPSSPP is not installed$/);
  await press('Enter');
  await page().locator('.toast.good', { hasText: 'Emulator installation is done.' }).waitFor();
  await cause('FLATPAK_FS_DENIED').getByText(`${MANY} games`).waitFor();
  await page().waitForFunction(() =>
    ![...document.querySelectorAll('[data-cause="NATIVE_EXE_MISSING"] h3')].some((item) =>
      item.textContent?.includes('PPSSPP')
    )
  );
});

test('a package is let into a folder, and the permission is taken back', async () => {
  const permissions =
    '#!/bin/bash\ncase "$*" in\n  "info --show-permissions"*) echo "[Context]"; cat "$PACKAGES/seen" 2>/dev/null; exit 0 ;;\n  override*nofilesystem*) : > "$PACKAGES/seen"; exit 0 ;;\n  override*) echo "filesystems=$HOME/roms:ro;" > "$PACKAGES/seen"; exit 0 ;;\n  "info org.ppsspp.PPSSPP") exit 0 ;;\nesac\nexit 1\n';
  program(parts.scratch, 'flatpak', permissions.replace('cat "', '/usr/bin/cat "'));
  await open('#/health/launch');
  await page().getByRole('button', { name: 'Check all again' }).click();
  const denied = cause('FLATPAK_FS_DENIED');
  await denied.getByRole('heading', { name: 'PPSSPP cannot access the folder of the games' }).waitFor();
  await denied.getByRole('button', { name: /^Allow access/ }).click();
  const question = page().getByRole('alertdialog', { name: 'Let PPSSPP read the folder?' });
  await question.getByText(/override --user/).waitFor();
  await question.getByRole('button', { name: 'Allow access' }).click();
  await denied.waitFor({ state: 'detached' });
  await page().locator('.toast', { hasText: 'PPSSPP may read' }).getByRole('button', { name: 'Undo' }).waitFor();
});

test('games that came since the check are told', async () => {
  await parts.service.ask('/api/game', {
    game: { name: 'New one', platform: 'Wii', path: parts.scratch.file('home/roms/new.wbfs', 'x') },
  });
  await open('#/health/launch');
  await page().getByText('Games came or went since this check.').waitFor();
  await page().getByLabel('Open archives and compare BIOS files too (slower)').check();
  await page().getByRole('button', { name: 'Check all again' }).click();
  await page().getByText('Games came or went since this check.').waitFor({ state: 'detached' });
});

test('the page of a game says what is in the way and cures it', async () => {
  rmSync(`${parts.scratch.root}/bin/dolphin-emu`);
  // A command that the user could have written stays when a package is installed.
  await parts.service.ask('/api/profiles', { profiles: {} });
  const { games } = /** @type {Api.LibraryPage} */ (await parts.service.ask('/api/library?offset=0&limit=100'));
  const fern = games.find(({ name }) => name === 'Fern Rally');
  await open(`#/game/${fern?.game_id}`);
  await page().locator('.callout', { hasText: 'Dolphin is not installed' }).waitFor();
  await page().getByRole('button', { name: 'Play anyway' }).waitFor();
  await parts.browser.shoot('game-needs-emulator');
  assert.deepEqual(await parts.browser.findings(), []);
  addEmulators(parts.scratch);
  rmSync(`${parts.scratch.root}/bin/dolphin-emu`);
  await page().getByRole('button', { name: 'Install Dolphin' }).focus();
  await press('Enter');
  await page().locator('.toast.good', { hasText: 'Emulator installation is done.' }).waitFor();
  // The package is there and cannot access the folder: the next remedy follows.
  await page().getByRole('button', { name: 'Allow access' }).waitFor();
});
