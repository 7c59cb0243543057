/**
 * Games of ten systems, two hundred with `UI_FULL=1`, none called what it is, get covers and facts by one press, without any account.
 */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { byContent, OpenServer } from '../support/open-server.js';
import { scene } from '../support/scene.js';
import { amount } from '../support/sizes.js';

/** Games of each system. */
const EACH = amount(20, 4);

/** Systems whose games are cartridges: folder, set, ending. */
const CARTRIDGES = /** @type {const} */ ([
  ['NES', 'Nintendo - Nintendo Entertainment System', 'nes'],
  ['SNES', 'Nintendo - Super Nintendo Entertainment System', 'sfc'],
  ['Game Boy', 'Nintendo - Game Boy', 'gb'],
  ['Game Boy Color', 'Nintendo - Game Boy Color', 'gbc'],
  ['Game Boy Advance', 'Nintendo - Game Boy Advance', 'gba'],
  ['Master System', 'Sega - Master System - Mark III', 'sms'],
  ['Sega Genesis', 'Sega - Mega Drive - Genesis', 'md'],
  ['Game Gear', 'Sega - Game Gear', 'gg'],
]);

const numbers = Array.from({ length: EACH }, (_, number) => String(number).padStart(2, '0'));
const content = (/** @type {string} */ set, /** @type {string} */ number) => `${set} ${number};`.repeat(40);

const server = await OpenServer.start([
  ...CARTRIDGES.flatMap(([folder, set]) =>
    numbers.map((number) => byContent(set, `Comet ${number} of ${folder} & Co (USA)`, content(set, number)))
  ),
  ...numbers.map((number) => ({ set: 'Sony - PlayStation', name: `Orbit ${number} (USA)`,
    code: `rom ( serial "SLUS-009${number}" )` })
  ),
  ...numbers.map((number) => ({ set: 'MAME', name: `Arcade Comet ${number} (set 1)`,
    code: `rom ( crc 000000${number} )`, arcade: `arc${number}` })
  ),
]);
after(() => server.stop());

const parts = scene({
  prepare: (scratch) => {
    for (const number of numbers) {
      for (const [folder, set, ending] of CARTRIDGES)
        scratch.file(`games/${folder}/dump ${number}.${ending}`, content(set, number));
      const boot = `BOOT = cdrom:\\SLUS_009.${number};1\r\n`;
      scratch.file(`games/PlayStation/dump ${number}.iso`, `${'\0'.repeat(50_000)}${boot}`);
      scratch.file(`games/MAME/arc${number}.zip`, '');
    }
  },
  // The games database answers that it is not there.
  env: { ...server.env, SERVICE_METADB_BASE: server.base },
  furnish: (service) => service.ask('/api/import', { folder: `${parts.scratch.root}/games` }),
});

const { until } = keysOf(parts);

test('one press fills the games of ten systems without an account', async () => {
  const { page } = parts.browser;
  const count = 10 * EACH;
  await page.goto(`${parts.service.address}#/fill`);
  await page.getByRole('button', { name: 'Fill everything' }).click();
  const bare = async () => {
    const /** @type {{games: Api.Game[]}} */ { games } = await parts.service.ask(`/api/library?limit=${count}`);
    return games.filter((game) => !game.has_cover).map(({ name, platform }) => `${name} of ${platform}`);
  };
  for (const [folder] of [...CARTRIDGES, ['MAME'], ['PlayStation']].sort())
    await until(bare, (left) => !left.some((name) => name.endsWith(` of ${folder}`)));
  assert.deepEqual(await bare(), []);
  const /** @type {{games: Api.Game[]}} */ { games } = await parts.service.ask(`/api/library?limit=${count}`);
  for (const game of games)
    assert.deepEqual([game.developer, game.genre, game.year], ['Northlight', 'Shooter', '1994'], game.name);
  assert.equal(new Set(games.map(({ platform }) => platform)).size, 10);
  await page.goto(`${parts.service.address}#/`);
  await page.locator('.tile img.shown').first().waitFor();
});
