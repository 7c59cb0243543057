import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { writeLibrary } from '../support/library.js';
import { scene } from '../support/scene.js';
import { Scratch, Service } from '../support/service.js';

const folder = new Scratch();
/** The other library on the same folder. @type {Service | null} */
let other = null;

const SHARED = { cloud_folder: folder.folder('shared'), library_sync_enabled: true, household_stats_sharing: true };

const parts = scene({ prepare: (scratch) => writeLibrary(scratch, 8), furnish: async (service) => {
  await service.ask('/api/settings', SHARED);
  other = await Service.start(`${folder.root}/data`);
  await other.ask('/api/settings', SHARED);
} });
after(async () => {
  await other?.stop();
  folder.remove();
});
const { press, type, until, focus, counted } = keysOf(parts);

const page = () => parts.browser.page;

/** @param {string} [tab] */
async function open(tab = '') {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/household${tab}`);
}

/** The other library, which runs while the tests do. */
const there = () => /** @type {Service} */ (other);

test('members are added, share their statistics and publish with the pointer', async () => {
  await open();
  await page().getByRole('button', { name: 'Add a member' }).click();
  await page().getByLabel(/^Name/).fill('Anna');
  await page().getByLabel('Colour').selectOption('Teal');
  await page().getByRole('button', { name: 'Save' }).click();
  await page().locator('[data-member="anna"]').waitFor();
  await page().getByRole('button', { name: 'Share statistics: Anna' }).click();
  await page().locator('.ranking li').filter({ hasText: 'Anna' }).waitFor();
  await page().getByRole('button', { name: 'Publish' }).click();
  await page().getByText('Everything is published', { exact: true }).waitFor();
  await there().ask('/api/v2/household/sync/pull', {});
  const { leaderboard } = /** @type {Reply.HouseholdView} */ (await there().ask('/api/v2/household'));
  assert.equal(leaderboard.entries[0]?.display_name, 'Anna');
  await page().locator('[data-focus="period-weekly"]').click();
  await page().getByRole('heading', { name: 'Nothing shared for this period' }).waitFor();
});

test('what others published comes in by keys', async () => {
  await there().ask('/api/v2/household/member', { member_id: 'ben', display_name: 'Ben', stats_shared: true });
  await there().ask('/api/v2/household/sync/publish', {});
  await open();
  await page().locator('[data-focus="pull"]').focus();
  await press('Enter');
  await page().locator('[data-member="ben"]').waitFor();
});

test('a challenge is set and won by keys', async () => {
  await open();
  await page().getByRole('tab', { name: 'Board' }).focus();
  await press('ArrowRight');
  await page().getByRole('heading', { name: 'No challenges yet' }).waitFor();
  await page().locator('[data-focus="add"]').focus();
  await press('Enter');
  await focus(/^Title/);
  await type('Beat one game');
  await page().getByLabel('Target').fill('1');
  await press('Enter');
  await page().locator('.challenge').filter({ hasText: 'Beat one game' }).waitFor();
  await page().getByRole('button', { name: /^Add a result/ }).focus();
  await press('Enter');
  await focus(/^Who/);
  await press('Enter');
  await page().getByRole('button', { name: 'Save' }).focus();
  await press('Enter');
  await page().locator('.challenge.won').waitFor();
});

test('a challenge is set with the pointer', async () => {
  await open('/challenges');
  await page().getByRole('button', { name: 'New challenge' }).click();
  await page().getByLabel(/^Title/).fill('Ten hours');
  await page().getByLabel('What counts').selectOption('Playtime in hours');
  await page().getByRole('button', { name: 'Save' }).click();
  await page().locator('.challenge').filter({ hasText: 'Ten hours' }).waitFor();
  const { challenges } = /** @type {Reply.HouseholdView} */ (await parts.service.ask('/api/v2/household'));
  assert.equal(challenges.find(({ title }) => title === 'Ten hours')?.target, 3 * 3600);
});

test('a conflict of two libraries is decided side by side, with the pointer and by keys', async () => {
  const publish = '/api/v2/library/sync/publish';
  const preview = '/api/v2/library/sync/preview';
  await parts.service.ask(publish, { protocol: 'v3' });
  const plan = /** @type {Reply.SyncPlan} */ (await there().ask(preview, {}));
  await there().ask('/api/v2/library/sync/apply', { plan });
  /** @type {{games: Api.Game[]}} */
  const { games: [first, second] } = await parts.service.ask('/api/library?offset=0&limit=2');
  for (const [service, genre] of /** @type {const} */ ([[parts.service, 'Puzzle'], [there(), 'Racing']])) {
    for (const game of [first, second])
      await service.ask('/api/game', { game_id: game?.game_id, game: { name: game?.name, genre } });
  }
  await there().ask(publish, { protocol: 'v3' });
  await open('/library');
  await counted(page().locator('.clash'), 2);
  assert.deepEqual(await parts.browser.findings(), []);
  await page().getByText('2 conflicts are not decided.', { exact: true }).waitFor();
  await page().locator('.clash').first().getByRole('button', { name: /Racing/ }).click();
  await page().getByText('1 conflict is not decided.', { exact: true }).waitFor();
  await page().locator('.clash').nth(1).getByRole('button', { name: /Puzzle/ }).focus();
  await press('Enter');
  await page().getByText('Everything is decided', { exact: true }).waitFor();
  await page().locator('[data-focus="apply"]').focus();
  await press('Enter');
  await page().getByRole('heading', { name: 'Everything is the same' }).waitFor();
  const genres = async () => {
    /** @type {{games: Api.Game[]}} */
    const { games } = await parts.service.ask('/api/library?offset=0&limit=2');
    return games.map((game) => String(game['genre'])).sort();
  };
  await until(genres, (now) => now.join() === 'Puzzle,Racing');
});
