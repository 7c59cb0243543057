import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { addEmulators, machineEnv, program } from '../support/machine.js';
import { scene } from '../support/scene.js';
import { SIZES } from '../support/sizes.js';
import { lookInThemes } from '../support/themes.js';

const parts = scene({
  prepare: (scratch) => {
    addEmulators(scratch);
    program(scratch, 'duckstation-qt');
    program(scratch, 'xdg-open', `#!/bin/bash\necho "$*" >> "${scratch.root}/opened"\n`);
    const common = { tags: [], notes: [], screenshots: [], save_paths: [] };
    const games = ['Amber', 'Iron'].map((name, at) => ({ ...common, game_id: `game-${String(at).padStart(24, '0')}`,
      name, platform: 'PSP', path: scratch.file(`roms/${name}.cso`, 'x') })
    );
    scratch.file('data/library.json',
      JSON.stringify({ schema_version: 6, games, profiles: {}, history: [], settings: {}, playlists: [], queue: [],
        notifications: [], ui_state: {}, active_sessions: [], trash: [] }), 0o600);
    for (const name of ['Moon Tide', 'Fern Rally']) scratch.file(`wii/${name}.wbfs`, 'x');
  },
  env: machineEnv,
});

const { press, type, until, focus, counted, tabTo, pick } = keysOf(parts);

const page = () => parts.browser.page;
const card = (/** @type {string} */ id) => page().locator(`[data-emulator="${id}"]`);
const section = (/** @type {string} */ name) => page().getByRole('region', { name, exact: true });

/** @param {string} hash */
async function open(hash) {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}${hash}`);
}

/** Opens a screen and waits until nothing of it is read anew by itself, as is done once when the live stream begins. @param {string} hash */
async function openQuiet(hash) {
  const stream = page().waitForResponse((response) => response.url().endsWith('/api/events'));
  await open(hash);
  await stream;
  await parts.browser.settle();
}

test('what is here stands apart from what would help and from the rest', async () => {
  await open('#/emulators');
  await section('Recommended for your games').locator('[data-emulator="org.ppsspp.PPSSPP"]').getByText('2 games')
    .waitFor();
  await section('On this computer').locator('[data-emulator="org.DolphinEmu.dolphin-emu"]').getByText(
    'Installed as a program',
  ).waitFor();
  await counted(section('On this computer').locator('[data-emulator]'), 3);
  await counted(section('Others').locator('[data-emulator]'), 10);
  await card('org.duckstation.DuckStation').getByText('PSX BIOS (scph1001.bin) is missing').waitFor();
});

test('a missing file is shown where it belongs', async () => {
  await card('org.duckstation.DuckStation').getByRole('button', { name: /^Show the folder/ }).click();
  await page().locator('#status', { hasText: 'is shown in the file manager.' }).waitFor({ state: 'attached' });
});

test('an emulator is installed by mouse with a job, and a refusal is told', async () => {
  await card('org.ppsspp.PPSSPP').getByRole('button', { name: 'Install: PPSSPP' }).click();
  await page().locator('.toast.good', { hasText: 'Emulator installation is done.' }).waitFor();
  await section('On this computer').locator('[data-emulator="org.ppsspp.PPSSPP"]').getByText(
    'Installed as a sandboxed package',
  ).waitFor();
  await until(async () => /** @type {Api.Profiles} */ (await parts.service.ask('/api/profiles')).profiles,
    (now) => Boolean(now['PSP']));
  await card('org.ppsspp.PPSSPP').getByRole('button', { name: 'Update: PPSSPP' }).click();
  await page().locator('.toast.good', { hasText: 'Emulator update is done.' }).waitFor();
  parts.scratch.file('packages/refuse-app.xemu.xemu', '');
  await card('app.xemu.xemu').getByRole('button', { name: 'Install: xemu' }).click();
  await page().locator('.toast.error', { hasText: 'no space left' }).waitFor();
  await card('app.xemu.xemu').getByText('Not installed').waitFor();
});

const FLYCAST = 'org.flycast.Flycast';

/** The emulators that only the extended pack has and that are not here. */
const more = () => page().locator('details[data-key="more"]');

test('a further emulator is installed by mouse and stands with those that are here', async () => {
  await open('#/emulators');
  await card('org.ppsspp.PPSSPP').waitFor();
  assert.equal(await card(FLYCAST).isVisible(), false, 'the further ones are folded away');
  await more().locator('summary').first().click();
  await card(FLYCAST).getByRole('button', { name: 'Install: Flycast' }).click();
  await page().locator('.toast.good', { hasText: 'Emulator installation is done.' }).waitFor();
  await section('On this computer').locator(`[data-emulator="${FLYCAST}"]`).getByText(
    'Installed as a sandboxed package',
  ).waitFor();
  assert.equal(await more().getAttribute('open'), '', 'what was opened stays open');
  await card('org.libretro.RetroArch').locator('.more-tags summary').click();
  await card('org.libretro.RetroArch').getByText('WonderSwan', { exact: true }).waitFor();
  await parts.browser.shoot('emulators-more');
});

test('the further emulators are opened and one is installed by keyboard only', async () => {
  await open('#/emulators');
  await card('org.ppsspp.PPSSPP').waitFor();
  await tabTo(/more emulators$/);
  await press('Enter');
  await card('io.mgba.mGBA').waitFor();
  await tabTo(/^Install: mGBA$/);
  await press('Enter');
  await section('On this computer').locator('[data-emulator="io.mgba.mGBA"]').waitFor();
});

test('an emulator is opened and a folder added by keyboard only', async () => {
  await open('#/emulators');
  await card('org.DolphinEmu.dolphin-emu').waitFor();
  await tabTo(/^Open: Dolphin$/);
  await press('Enter');
  await page().locator('#status', { hasText: 'Dolphin was started.' }).waitFor({ state: 'attached' });
  await focus(/^Open: Dolphin$/);
  const form = page().getByRole('form', { name: 'Add folder' });
  await tabTo(/^Games folder/);
  await type('/no/such');
  await press('Enter');
  await form.getByText('Scan folder does not exist.').waitFor();
  await focus(/^Games folder/);
  await press('Control+A');
  await type(`${parts.scratch.root}/wii`);
  await press('Tab');
  await pick('Dolphin (Wii)');
  await press('Tab');
  await press('Space');
  await press('Enter');
  await page().locator('[data-folder]').waitFor();
  await page().locator('.toast', { hasText: '2 games added' }).waitFor();
  const configs = async () =>
    /** @type {{configs: Api.ScanConfig[]}} */ (await parts.service.ask('/api/emulators/scan-configs')).configs;
  await until(configs, (now) => now.length === 1);
  assert.deepEqual(await configs(), [{ folder: `${parts.scratch.root}/wii`, emulator_id: 'dolphin-wii',
    auto_update: true }]);
});

test('a folder is scanned again, forgotten, and comes back', async () => {
  const row = page().locator('[data-folder]');
  const scanned = page().waitForResponse((response) => response.url().endsWith('/api/emulators/scan'));
  await row.getByRole('button', { name: /^Scan now/ }).click();
  assert.deepEqual(await (await scanned).json(), { added: 0, found: 2 });
  await row.getByRole('button', { name: /^Forget this folder/ }).click();
  await page().getByText('No folder belongs to an emulator yet.').waitFor();
  await page().locator('.toast', { hasText: 'is not scanned any more' }).getByRole('button', { name: 'Undo' }).press(
    'Enter',
  );
  await row.waitFor();
});

test('without the package tool the page says what to do', async () => {
  rmSync(`${parts.scratch.root}/bin/flatpak`);
  await openQuiet('#/emulators');
  await page().getByText('Flatpak is not installed').waitFor();
  assert.equal(await page().getByRole('button', { name: /^Install/ }).count(), 0);
  await parts.browser.shoot('emulators-no-tool');
  addEmulators(parts.scratch);
  await page().getByRole('button', { name: 'Check again' }).click();
  await page().getByRole('button', { name: 'Install: xemu' }).waitFor();
});

test('a list that cannot be read is told, with the way to try again', async () => {
  await page().route('**/api/emulators?*',
    (route) => route.fulfill({ status: 503, body: '{"error": "Busy.", "code": "BUSY", "request_id": "r1"}' }));
  await openQuiet('#/emulators');
  await page().getByRole('alert').getByText('BUSY · r1').waitFor();
  await page().unroute('**/api/emulators?*');
  await page().getByRole('alert').getByRole('button', { name: 'Try again' }).click();
  await card('app.xemu.xemu').waitFor();
});

test('a BIOS file that is not the expected one is told, and the definitions say how they stand', async () => {
  parts.scratch.file('home/.local/share/duckstation/bios/scph1001.bin', 'not a BIOS');
  parts.scratch.file('data/emulator_defs/broken.yaml', 'adapter_id: [');
  await open('#/emulators');
  await card('org.duckstation.DuckStation').getByText('it is not the expected file').waitFor();
  await page().getByText('Emulator definitions', { exact: true }).press('Enter');
  await page().getByText('As they came with the program').waitFor();
  await page().getByText('broken.yaml').waitFor();
  await page().getByRole('button', { name: 'Look for updates' }).waitFor();
  assert.deepEqual(await parts.browser.findings(), []);
});

test('the emulators have no serious finding in any theme', async () => {
  for (const [width, height] of SIZES) {
    await page().setViewportSize({ width, height });
    await open('#/emulators');
    await page().locator('.scans .rows').waitFor();
    await parts.browser.settle();
    await parts.browser.assertSteady(`${width}`);
    assert.deepEqual(await parts.browser.findings(), [], `${width}`);
    assert.equal(await page().evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  }
  await lookInThemes(parts, 'emulators');
});
