import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { MetadataServer } from '../support/metadata-server.js';
import { poster } from '../support/picture.js';
import { scene } from '../support/scene.js';

/**
 * Enough names of pictures that the archive is sent in many pieces.
 *
 * @type {import('../support/metadata-server.js').Entry[]}
 */
const GAMES = Array.from({ length: 4000 }, (_, index) => ({
  id: 900_001 + index,
  name: `Comet Rangers ${index}`,
  platform: 'Super Nintendo Entertainment System',
  images: [['Box - Front', 'Europe', `${randomUUID()}.jpg`], ['Banner', '', `${randomUUID()}.jpg`]],
}));

const server = await MetadataServer.start(GAMES);
after(() => server.stop());

const parts = scene({
  prepare: (scratch) => {
    for (const index of [1, 2, 3]) scratch.file(`games/snes/Comet Rangers ${index}.sfc`, `SFC ${index}`);
    scratch.file('games/nes/Paper Train.nes', 'NES\u001atrain');
  },
  env: server.env,
  furnish: (service) => service.ask('/api/import', { folder: `${parts.scratch.root}/games` }),
});

const { until } = keysOf(parts);

const page = () => parts.browser.page;
const card = () => page().locator('.database:not(.local)');
const heading = (/** @type {string} */ name) => card().getByRole('heading', { name });

async function open() {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/fill`);
  await card().waitFor();
}

/** @returns {Promise<Reply.MetadataStatus>} */
const status = () => parts.service.ask('/api/metadata/status');

test('the database is downloaded, stopped, and gone on with where it was', async () => {
  const half = Math.floor(server.size / 2);
  server.fail({ held: half });
  await open();
  await card().getByText('A single download of about 100 MB.').waitFor();
  await card().getByRole('link').waitFor();
  await card().getByRole('button', { name: 'Download' }).click();
  await heading('The database is being downloaded').waitFor();
  // A job that is stopped before it asked leaves the fault to the next one.
  await until(async () => server.isHolding, Boolean);
  await card().getByRole('button', { name: /^Cancel/ }).click();
  await heading('The database could not be loaded').waitFor();
  server.release();
  await card().getByRole('button', { name: 'Try again' }).click();
  await heading('The games database is ready').waitFor();
  await card().getByText('4,000 games').waitFor();
  await card().getByRole('button', { name: 'Look for a newer one' }).click();
  await until(status, ({ job }) => job.state === 'done');
  assert.equal((await status()).ready, true);
});

test('the head of the library leads to pictures and facts', async () => {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/`);
  await page().locator('.tile').first().waitFor();
  await page().getByRole('link', { name: 'Make it beautiful' }).click();
  await page().getByRole('heading', { level: 1, name: 'Pictures and facts' }).waitFor();
});

test('each way in which the provider fails is told, and the database from before stays', async () => {
  await open();
  for (const [fault, words] of /** @type {const} */ ([['page', /web page/], [{ status: 404 }, /404/]])) {
    server.publish(GAMES);
    server.fail(fault);
    await card().getByRole('button', { name: /^(?:Look for a newer one|Try again)$/ }).click();
    await heading('The database could not be loaded').waitFor();
    await card().getByText(words).waitFor();
    await card().getByText('The one from before is still in use.').waitFor();
    await parts.browser.settle();
    assert.deepEqual(await parts.browser.findings(), []);
  }
  // A connection that ends is nothing that the user has to know about.
  server.fail({ cut: Math.floor(server.size / 3) });
  await card().getByRole('button', { name: 'Try again' }).click();
  await heading('The games database is ready').waitFor();
});

test('bars show what is missing, and a cover that arrives is counted and shown without a reload', async () => {
  await open();
  const snes = page().locator('.gaps-list [data-platform="SNES"]');
  const bar = snes.getByRole('meter', { name: 'SNES: Covers' });
  await bar.waitFor();
  assert.equal(await bar.getAttribute('aria-valuetext'), '0 of 3');
  const /** @type {{games: Api.Game[]}} */ { games } = await parts.service.ask('/api/library?offset=0&limit=9');
  const game = games.find(({ platform }) => platform === 'SNES');
  assert.ok(game);
  const { path } = await parts.service.ask('/api/media/adopt', {
    path: parts.scratch.file('pictures/box.png', poster(5, 90, 120)),
  });
  await parts.service.ask('/api/game', { game_id: game.game_id, game: { name: game.name, cover: path } });
  await until(() => bar.getAttribute('aria-valuetext'), (text) => text === '1 of 3');
  await page().getByRole('heading', { name: '1 new cover' }).waitFor();
  await page().locator('.arrivals img.shown').waitFor();
  await page().locator('.gaps-list li').first().getByText('SNES').waitFor();
  await snes.getByRole('link').click();
  await page().getByRole('heading', { level: 1, name: 'SNES' }).waitFor();
  await page().locator('.tile img.shown').waitFor();
});
