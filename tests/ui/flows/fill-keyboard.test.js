import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { Pad } from '../support/gamepad.js';
import { hands } from '../support/hands.js';
import { MetadataServer } from '../support/metadata-server.js';
import { poster } from '../support/picture.js';
import { scene } from '../support/scene.js';
import { lookInThemes } from '../support/themes.js';

const server = await MetadataServer.start([{ id: 900_017, name: 'Comet Rangers II',
  platform: 'Super Nintendo Entertainment System' }]);
after(() => server.stop());

const parts = scene({
  prepare: (scratch) => {
    for (const index of [1, 2, 3]) scratch.file(`games/snes/Comet Rangers ${index}.sfc`, `SFC ${index}`);
    for (const name of ['Paper Train', 'Slow Boat']) scratch.file(`games/nes/${name}.nes`, `NES\u001a${name}`);
  },
  env: server.env,
  furnish: (service) => service.ask('/api/import', { folder: `${parts.scratch.root}/games` }),
});

const { press, focus, enter, tab, heard, goTo, until, open } = hands(parts);

const page = () => parts.browser.page;

test('the database is loaded by keys, and a platform leads to its games', async () => {
  await open();
  await page().locator('.tile').first().waitFor();
  await goTo('Pictures and facts');
  await page().locator('.database:not(.local)').waitFor();
  await enter(/^Download$/);
  await heard(/1 game/);
  await focus(/^Look for a newer one$/);
  await tab(/NES/);
  await press('Enter');
  await page().getByRole('heading', { level: 1, name: 'SNES' }).waitFor();
});

test('the database is looked for again by controller', async () => {
  const pad = await Pad.install(page());
  await open('#/fill');
  await page().locator('.database:not(.local)').waitFor();
  await pad.connect();
  await until(async () => {
    const here = await parts.browser.focused();
    if (!/^Look for a newer one$/.test(here)) await pad.press('down');
    return here;
  }, (here) => /^Look for a newer one$/.test(here));
  const asked = server.seen.length;
  await pad.press('play');
  await until(async () => server.seen.length, (now) => now > asked);
  await page().getByRole('heading', { name: 'The games database is ready' }).waitFor();
});

test('pictures and facts have no serious finding in any theme', async () => {
  await open('#/fill');
  await page().locator('.gaps-list li').first().waitFor();
  const /** @type {{games: Api.Game[]}} */ { games } = await parts.service.ask('/api/library?offset=0&limit=9');
  const game = games.find((one) => !one.has_cover);
  assert.ok(game);
  const { path } = await parts.service.ask('/api/media/adopt', {
    path: parts.scratch.file('pictures/arrived.png', poster(4, 90, 120)),
  });
  await parts.service.ask('/api/game', { game_id: game.game_id, game: { name: game.name, cover: path } });
  await page().locator('.arrivals img.shown').first().waitFor();
  await parts.browser.settle();
  await lookInThemes(parts, 'fill');
});
