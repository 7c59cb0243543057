import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { poster } from '../support/picture.js';
import { scene } from '../support/scene.js';

const GAME = { id: 77, name: 'Comet Rangers', verified: true, types: [], release_date: 763_948_800 };

/** A stand-in for the artwork provider: one game with one cover. */
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://here');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const list = (/** @type {unknown[]} */ data) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(
      JSON.stringify({ success: true, page: 0, total: data.length, limit: 50, data }),
    );
  if (pathname === '/cdn/cover.png')
    response.writeHead(200, { 'Content-Type': 'image/png' }).end(poster(7, 600, 900));
  else if (pathname === '/api/v2/games/id/77')
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ success: true, data: GAME }));
  else if (pathname.startsWith('/api/v2/search/autocomplete/'))
    list([GAME]);
  else if (pathname === '/api/v2/grids/game/77' && searchParams.get('dimensions')?.includes('600x900')) {
    list([{ id: 1, score: 3, style: 'alternate', width: 600, height: 900, nsfw: false, humor: false, epilepsy: false,
      mime: 'image/png', language: 'en', url: `http://127.0.0.1:${port}/cdn/cover.png`, thumb: '', upvotes: 3,
      downvotes: 0, author: { name: 'pix' } }]);
  } else list([]);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
after(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());

const parts = scene({
  prepare: (scratch) => {
    scratch.file('games/snes/Comet Rangers.sfc', 'SFC');
  },
  env: { SERVICE_ARTGRID_BASE: `http://127.0.0.1:${port}/api/v2`, ARTGRID_API_KEY: '0123456789abcdef0123456789abcdef' },
  furnish: (service) => service.ask('/api/import', { folder: `${parts.scratch.root}/games` }),
});

const { until } = keysOf(parts);

const page = () => parts.browser.page;

/** @returns {Promise<boolean>} */
const hasFix = async () => (await parts.service.ask('/api/v2/artgrid/hygiene/report')).batches.length > 0;

/**
 * Waits until pictures are there, in their order, by their width of a hundredth of their height: a smaller copy comes
 * in its own time.
 *
 * @param {string} selector
 * @param {...number} widths
 */
async function waitPictures(selector, ...widths) {
  await page().waitForFunction(([images, expected]) =>
    String([...document.querySelectorAll(images)].map((image) => {
      const { naturalWidth, naturalHeight } = /** @type {HTMLImageElement} */ (image);
      return Math.round((100 * naturalWidth) / naturalHeight);
    })) === expected, /** @type {const} */ ([selector, String(widths)]));
}

/** @returns {Promise<boolean>} */
const hasCover = async () => (await parts.service.ask('/api/library?offset=0&limit=1')).games[0].has_cover;

test('what is there and what a fix would make stand side by side, and so do before and after', async () => {
  const { service, scratch, browser } = parts;
  const { games } = await service.ask('/api/library');
  const small = scratch.file('data/media/small.png', poster(3, 120, 160));
  const [game] = games;
  const { game_id: id, name, path } = game;
  const give = (/** @type {string} */ cover) => service.ask('/api/game', { game_id: id, game: { name, path, cover } });
  const unlock = () => service.ask('/api/v2/game/locks', { game_id: id, unlock: ['cover'] });
  await give(small);
  await page().goto('about:blank');
  await page().goto(`${service.address}#/health/artwork`);
  // What the user chose is locked, and a fix leaves it alone.
  const row = page().locator('.hygiene .findings li');
  await row.getByText('Locked').waitFor({ state: 'attached' });
  assert.equal(await row.getByRole('button').count(), 0);
  await unlock();
  await page().reload();
  await page().getByRole('button', { name: 'Compare: Comet Rangers' }).click();
  const dialog = page().getByRole('dialog', { name: 'Comet Rangers' });
  await dialog.getByText('Replacement').waitFor();
  await waitPictures('dialog .pair img', 75, 67);
  assert.equal(await hasFix(), false, 'looking changes nothing');
  await dialog.getByRole('button', { name: 'Replace' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page().getByText('1 picture was replaced').waitFor();
  await waitPictures('.fix-done .pair img', 75, 67);
  await page().locator('.pairs').getByRole('link', { name: 'Comet Rangers' }).waitFor();
  await browser.settle();
  assert.deepEqual(await browser.findings(), []);
  await page().getByRole('button', { name: 'Hide pictures' }).press('Enter');
  await page().locator('.fix-done .pair').waitFor({ state: 'detached' });
  await page().getByRole('button', { name: 'Show pictures' }).press('Enter');
  await waitPictures('.fix-done .pair img', 75, 67);
  await page().getByRole('button', { name: 'Undo' }).press('Enter');
  await page().locator('.fix-done').waitFor({ state: 'detached' });
  await until(async () => (await service.ask('/api/library')).games[0].cover, (cover) => cover === small);
  await give('');
  await unlock();
});

test('a missing cover is replaced and taken back with the pointer', async () => {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/health/artwork`);
  await page().locator('.hygiene .findings li').getByText('Comet Rangers').waitFor();
  await page().getByRole('button', { name: 'Replace all' }).click();
  await page().getByText('1 picture was replaced').waitFor();
  await until(hasCover, Boolean);
  await page().getByRole('button', { name: 'Undo' }).click();
  await page().getByRole('region', { name: 'Notices' }).getByText('Undone: 1 picture').waitFor();
  await until(hasCover, (has) => !has);
  await page().getByRole('button', { name: 'Replace: Comet Rangers' }).click();
  await until(hasCover, Boolean);
});
