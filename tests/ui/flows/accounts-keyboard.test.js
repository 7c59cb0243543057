import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, test } from 'node:test';

import { Pad } from '../support/gamepad.js';
import { hands } from '../support/hands.js';
import { OpenServer } from '../support/open-server.js';
import { scene } from '../support/scene.js';

/** Names with the content of their files; the files are called otherwise. */
const GAMES = new Map(
  Array.from({ length: 6 }, (_, index) => [`Comet & Co ${index} (USA)`, `content of game ${index} `.repeat(8)]),
);

const server = await OpenServer.start(GAMES);
after(() => server.stop());

/** The media service, as far as it says whether an account is good: it has no file. */
const media = createServer((request, response) => {
  const isGood = request.headers.authorization === `Basic ${Buffer.from('ana:secret-of-ana').toString('base64')}`;
  response.writeHead(isGood ? 404 : 401, { 'Content-Type': 'application/json' }).end('{}');
});
media.listen(0, '127.0.0.1');
await once(media, 'listening');
after(() => media.close());
const { port } = /** @type {import('node:net').AddressInfo} */ (media.address());

const parts = scene({
  prepare: (scratch) => {
    [...GAMES.values()].forEach((content, index) => scratch.file(`games/snes/dump ${index}.sfc`, content));
  },
  env: { ...server.env, SERVICE_MEDIASVC_BASE: `http://127.0.0.1:${port}/v1` },
  furnish: (service) => service.ask('/api/import', { folder: `${parts.scratch.root}/games` }),
});

const { press, focus, walk, enter, until, open } = hands(parts);

const page = () => parts.browser.page;
const card = (/** @type {string} */ id) => page().locator(`[data-source="${id}"]`);

test('an account is entered by keys, and the last switch is turned', async () => {
  await open('#/sources');
  await card('mediasvc').waitFor();
  await enter(/^Enter account: EmuMovies$/);
  await focus(/User name/);
  await page().keyboard.type('ana');
  await press('Tab');
  await page().keyboard.type('secret');
  await press('Enter');
  await page().getByRole('dialog').getByText('EmuMovies rejected this account. Nothing was saved.').waitFor();
  await focus(/Password/);
  await page().keyboard.press('Control+A');
  await page().keyboard.type('secret-of-ana');
  await press('Enter');
  await card('mediasvc').getByText('An account is set up').waitFor();
  assert.equal((await page().content()).includes('secret-of-ana'), false);
  const { sources } = await parts.service.ask('/api/v2/sources');
  assert.equal(JSON.stringify(sources).includes('secret-of-ana'), false);
});

/** @returns {Promise<string[] | undefined>} the sources of the year */
const order = async () => {
  /** @type {Reply.SourceOrder} */
  const { fields } = await parts.service.ask('/api/v2/metadata/source-order');
  return fields.find(({ name }) => name === 'year')?.sources;
};

test('the order of sources is changed by keys', async () => {
  await open('#/sources');
  await page().locator('.source-order').waitFor();
  await walk('Tab', /^Move down: libretro database$/);
  await press('Alt+ArrowDown');
  await until(order, (now) => now?.[1] === 'opendb');
});

test('the artwork tab is walked by keys', async () => {
  await open('#/health/artwork');
  await page().locator('.hygiene .hints').first().waitFor();
  await enter(/^Artwork$/);
  await focus(/^Artwork$/);
});

test('the open database is looked for again, and sources are ordered, by controller', async () => {
  const pad = await Pad.install(page());
  await parts.service.ask('/api/v2/opendb/sync', {});
  await until(() => parts.service.ask('/api/v2/opendb/status'), (now) => now.ready);
  await parts.service.ask('/api/v2/metadata/source-order', { fields: { year: null } });
  await open('#/sources');
  await card('opendb').waitFor();
  await pad.connect();
  await until(async () => {
    const here = await parts.browser.focused();
    if (!/^Look for a newer one/.test(here)) await pad.press('down');
    return here;
  }, (here) => /^Look for a newer one/.test(here));
  await pad.press('play');
  const newest = () => parts.service.ask('/api/v2/jobs?type=opendb.sync');
  await until(newest, (/** @type {{jobs: unknown[]}} */ { jobs }) => jobs.length === 2);
  await until(async () => {
    const here = await parts.browser.focused();
    const isBelow = /^(Keyboard|Move|LaunchBox|ScreenScraper|IGDB)/.test(here);
    if (!/^Move down: libretro database/.test(here))
      await pad.press(/^libretro database/.test(here) ? 'right' : isBelow ? 'up' : 'down');
    return here;
  }, (here) => /^Move down: libretro database/.test(here));
  await pad.press('play');
  await until(order, (now) => now?.[1] === 'opendb');
});
