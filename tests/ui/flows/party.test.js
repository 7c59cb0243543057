import assert from 'node:assert/strict';
import { test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { gameRecord } from '../support/names.js';
import { scene } from '../support/scene.js';

/** Two games for four, one for one, one that is not there. */
const parts = scene({ prepare: (scratch) => {
  const games = [4, 4, 1, 4].map((players, index) => ({
    ...gameRecord(index, index === 3 ? `${scratch.root}/gone` : scratch.file(`roms/${index}.sfc`, 'x')),
    platform: 'SNES',
    hidden: false,
    name: `Party ${index}`,
    rating: 5 - index,
    max_players: players,
    play_count: 0,
    playtime_seconds: 0,
  }));
  scratch.file('data/library.json', JSON.stringify({ schema_version: 6, games, settings: {} }), 0o600);
} });
const { press, until, focus } = keysOf(parts);

const page = () => parts.browser.page;

/** @param {string} hash */
async function open(hash) {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}${hash}`);
}

const queue = () => /** @type {Promise<Reply.PartyQueue>} */ (parts.service.ask('/api/v2/party/queue'));

test('a party is chosen, its reasons shown and the next game taken with the pointer', async () => {
  await open('#/party');
  await page().getByRole('heading', { name: 'No party yet' }).waitFor();
  await page().locator('[data-focus="players-3"]').click();
  await page().getByRole('button', { name: 'Choose games' }).click();
  await page().locator('.party-outcome').getByText('2 games fit').waitFor();
  await page().locator('.party-outcome').getByText(/For fewer players 1/).waitFor();
  await page().locator('.party-now').getByRole('link', { name: 'Party 0' }).waitFor();
  await page().locator('.party-now').getByText('For up to 4 players').waitFor();
  assert.equal(await page().locator('.player').count(), 3);
  assert.match(await page().locator('.player.on').innerText(), /^Player 1/);
  await page().getByRole('button', { name: 'Next game' }).click();
  await page().locator('.party-now').getByRole('link', { name: 'Party 1' }).waitFor();
  await until(() => page().locator('.player.on').innerText(), (now) => /^Player 2/.test(now));
  assert.equal((await queue()).index, 1);
});

test('players and time are chosen by keys, and nothing fits', async () => {
  await open('#/party');
  await page().locator('[data-focus="players-8"]').focus();
  await press('Enter', 'Tab');
  await page().locator('[data-focus="minutes-30"]').focus();
  await press('Enter');
  await focus(/30/);
  await page().locator('[data-focus="build"]').focus();
  await press('Enter');
  await page().locator('.party-outcome').getByText('0 games fit').waitFor();
  await until(queue, (now) => now.queue.length === 0);
});

test('the wheel of the big screen turns to the next game', async () => {
  await parts.service.ask('/api/v2/party/queue', { players: 2, minutes: 0 });
  await open('#/big');
  await page().locator('.big-shelf [aria-selected="true"]:focus').waitFor();
  await press('m');
  await page().locator('dialog.big-menu').getByRole('button', { name: 'Party' }).focus();
  await press('Enter');
  await focus(/^Spin the wheel$/);
  await press('Enter');
  await page().locator('dialog').getByRole('heading', { name: 'Party 1' }).waitFor();
  await focus(/^Spin the wheel$/);
  await page().locator('dialog .wheel g.on').getByText('Party 1').waitFor();
  await page().locator('dialog [data-focus="party-4"]').click();
  await until(() => page().locator('dialog .player').count(), (now) => now === 4);
  assert.deepEqual(await parts.browser.findings(), []);
});

test('a game in the trash leaves the party', async () => {
  await parts.service.ask('/api/v2/party/queue', { players: 2, minutes: 0 });
  const { queue: ids } = await queue();
  await open('#/party');
  await page().locator('.party-now').getByText('1 of 2').waitFor();
  await parts.service.ask('/api/v2/library/trash', { game_id: ids[0] });
  await open('#/party');
  await page().locator('.party-now').getByText('1 of 1').waitFor();
  await page().locator('.party-now').getByRole('link', { name: 'Party 1' }).waitFor();
  assert.equal(await page().locator('.party .card').count(), 1);
});
