import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { addEmulators, machineEnv, program } from '../support/machine.js';
import { scene } from '../support/scene.js';

/** Answers what a package may see only when nothing holds it. */
const SLOW_TOOL = `#!/bin/bash
case "$*" in
  "info --show-permissions"*) while [ -e "$PACKAGES/hold" ]; do /usr/bin/sleep 0.05; done; echo "[Context]"; echo "filesystems=host;" ;;
  "info org.ppsspp.PPSSPP") exit 0 ;;
  *) exit 1 ;;
esac
`;

const parts = scene({
  prepare: (scratch) => {
    addEmulators(scratch);
    program(scratch, 'flatpak', SLOW_TOOL);
    program(scratch, 'retroarch');
    program(scratch, 'duckstation-qt');
    program(scratch, 'xdg-open', `#!/bin/bash\necho "$*" >> "${scratch.root}/opened"\n`);
    scratch.file('home/.config/retroarch/cores/my_own_libretro.so', '');
    const common = { tags: [], notes: [], screenshots: [], save_paths: [] };
    const games = [['Quiet Orbit', 'Nintendo 64', 'z64'], ['Iron Comet', 'Nintendo 64', 'z64'], ['Twin Suns',
      'PlayStation', 'chd'], [
      'Pocket Rally',
      'PSP',
      'cso',
    ]].map(([name, platform, end], at) => ({
      ...common,
      game_id: `game-${String(at + 1).padStart(24, '0')}`,
      name,
      platform,
      path: scratch.file(`home/roms/${name}.${end}`, 'x'),
    }));
    scratch.file('data/library.json',
      JSON.stringify({ schema_version: 6, games, profiles: {}, history: [], settings: {}, playlists: [], queue: [],
        notifications: [], ui_state: {}, active_sessions: [], trash: [] }), 0o600);
  },
  env: machineEnv,
});
const { press, until, focus, counted, tabTo } = keysOf(parts);

const page = () => parts.browser.page;
const cause = (/** @type {string} */ code) => page().locator(`[data-cause="${code}"]`);
/** The folders that were shown so far; the file manager comes up a moment after the page says so. */
const opened = () => (existsSync(shown()) ? readFileSync(shown(), 'utf8').trim().split('\n') : []);
const shown = () => `${parts.scratch.root}/opened`;

test('a check that hangs is cancelled, and the next one ends', async () => {
  const hold = parts.scratch.file('packages/hold', '');
  await page().goto(`${parts.service.address}#/health/launch`);
  await page().getByRole('button', { name: 'Check all games' }).click();
  const job = page().locator('.audit .job');
  await job.getByRole('progressbar').waitFor();
  await job.getByRole('button', { name: /^Cancel: / }).click();
  await page().locator('.toast', { hasText: /was cancelled\.$/ }).waitFor();
  await job.waitFor({ state: 'detached' });
  await page().getByRole('heading', { name: 'Will every game start?' }).waitFor();
  await parts.browser.shoot('launch-check-cancelled');
  rmSync(hold);
  await page().getByRole('button', { name: 'Check all games' }).click();
  await cause('RETROARCH_CORE_MISSING').waitFor();
});

test('a core is chosen for all games of a cause by keys', async () => {
  await cause('RETROARCH_CORE_MISSING').getByText('2 games').waitFor();
  await tabTo(/^Choose a core: /);
  await press('Enter');
  const dialog = page().getByRole('dialog', { name: 'Choose a core' });
  await dialog.getByText('2 games are played with it from now on.').waitFor();
  await dialog.getByText('my own', { exact: true }).waitFor();
  await parts.browser.shoot('launch-check-core');
  assert.deepEqual(await parts.browser.findings(), []);
  await press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await focus(/^Choose a core: /);
  await press('Enter');
  await dialog.waitFor();
  await press('Enter');
  await page().locator('.toast.good', { hasText: '2 games changed.' }).waitFor();
  await cause('RETROARCH_CORE_MISSING').waitFor({ state: 'detached' });
  /** @type {Api.Preflight} */
  const verdict = await parts.service.ask('/api/v2/launch/preflight', { game_id: `game-${'1'.padStart(24, '0')}` });
  assert.deepEqual(verdict.checks.filter((check) => check.code === 'RETROARCH_CORE_MISSING'), []);
});

test('the folder a missing file belongs in is shown, for a cause and for a game', async () => {
  const folder = parts.scratch.folder('home/.local/share/duckstation/bios');
  await cause('MISSING_BIOS').getByRole('button', { name: /^Show the folder/ }).click();
  await page().locator('#status', { hasText: 'is shown in the file manager.' }).waitFor({ state: 'attached' });
  await until(async () => opened().length, (now) => now === 1);
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/game/game-${'3'.padStart(24, '0')}`);
  await page().getByRole('button', { name: /^Show the folder/ }).first().click();
  await until(async () => opened().length, (now) => now === 2);
  assert.deepEqual(opened(), [folder, folder]);
});

test('the causes of one check are counted right after their cures', async () => {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/health/launch`);
  await cause('MISSING_BIOS').waitFor();
  parts.scratch.file('home/.local/share/duckstation/bios/scph1001.bin', 'a file');
  await cause('MISSING_BIOS').getByRole('button', { name: /^Check these again/ }).click();
  await cause('MISSING_BIOS').waitFor({ state: 'detached' });
  await counted(page().locator('.causes > .bad'), 0);
});
