import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { Pad } from '../support/gamepad.js';
import { keysOf } from '../support/keys.js';
import { MetadataServer } from '../support/metadata-server.js';
import { scene } from '../support/scene.js';
import { lookInThemes } from '../support/themes.js';

const SNES = 'Super Nintendo Entertainment System';

const server = await MetadataServer.start([
  { id: 900_017, name: 'Comet Rangers II', platform: SNES,
    images: [['Box - Front', 'Europe', 'europe.png'], ['Box - Front', 'Japan', 'japan.png'], ['Box - Front', '',
      'world.png'], ['Clear Logo', '', 'logo.png']] },
]);
after(() => server.stop());

const parts = scene({
  prepare: (scratch) => {
    scratch.file('games/snes/Comet Rangers II (USA).sfc', 'SFC');
  },
  env: server.env,
});

const { press, focus, until } = keysOf(parts);

const page = () => parts.browser.page;

/** @returns {Promise<Api.Game>} */
const game = async () => (await parts.service.ask('/api/library?offset=0&limit=1')).games[0];

const dialog = () => page().getByRole('dialog', { name: 'Choose a picture' });

/** Opens the pictures of the game. */
async function openMedia() {
  await page().goto('about:blank');
  const { game_id: id } = await game();
  await page().goto(`${parts.service.address}#/game/${id}?tab=media`);
  await page().getByRole('button', { name: 'Choose a picture' }).waitFor();
}

test('without the database the dialog leads to where it is downloaded', async () => {
  await parts.service.ask('/api/import', { folder: `${parts.scratch.root}/games` });
  await openMedia();
  await page().getByRole('button', { name: 'Choose a picture' }).click();
  await dialog().getByText('The games database has not been downloaded yet').waitFor();
  await dialog().getByRole('link', { name: 'Pictures and facts' }).click();
  await page().getByRole('button', { name: 'Download' }).click();
  await until(() => parts.service.ask('/api/metadata/status'), (now) => now.ready);
});

test('a cover is chosen with the pointer, among those of other regions', async () => {
  await openMedia();
  await page().getByRole('button', { name: 'Choose a picture' }).click();
  const list = dialog().getByRole('list', { name: 'Pictures' });
  await list.locator('img.shown').nth(2).waitFor();
  await dialog().getByText('Game data and pictures come from the LaunchBox Games Database.').waitFor();
  await dialog().getByRole('button', { name: /Japan/ }).click();
  await dialog().waitFor({ state: 'detached' });
  await page().locator('.artwork li').waitFor();
  const { cover } = await game();
  assert.match(String(cover), /cover-[0-9a-f]{8}\.png$/);
  const { fields } = await parts.service.ask(`/api/v2/game/origins?game_id=${(await game()).game_id}`);
  assert.equal(fields.find((/** @type {Reply.FieldOrigin} */ { field }) => field === 'cover').locked, true);
});

test('another kind is chosen by keys, and a picture that cannot be loaded is told', async () => {
  await openMedia();
  server.failPicture('logo.png', 'page');
  await page().getByRole('button', { name: 'Choose a picture' }).focus();
  await press('Enter');
  await dialog().getByRole('combobox', { name: 'Kind of picture' }).and(page().locator(':focus')).waitFor();
  await page().keyboard.type('Logo');
  await dialog().getByRole('button', { name: /Clear Logo/ }).waitFor();
  await press('Tab');
  await focus(/Clear Logo/);
  await press('Enter');
  await dialog().getByText('failed to download selected media: the server sent a web page').waitFor();
  server.failPicture('logo.png', null);
  await focus(/Clear Logo/);
  await press('Enter');
  await dialog().waitFor({ state: 'detached' });
  assert.match(String((await game())['clear_logo']), /clear_logo-[0-9a-f]{8}\.png$/);
});

test('a cover is chosen by controller', async () => {
  const pad = await Pad.install(page());
  await openMedia();
  await page().getByRole('button', { name: 'Choose a picture' }).click();
  await dialog().getByRole('button', { name: /Europe/ }).waitFor();
  await pad.connect();
  await dialog().getByRole('combobox', { name: 'Kind of picture' }).focus();
  await pad.press('down');
  await until(() => page().evaluate(() => document.activeElement?.getAttribute('data-focus') ?? ''),
    (now) => now.startsWith('choice-'));
  const before = (await game()).cover;
  await pad.press('play');
  await dialog().waitFor({ state: 'detached' });
  await until(async () => (await game()).cover, (now) => now !== before);
});

test('choosing a picture has no serious finding in any theme', async () => {
  await openMedia();
  await page().getByRole('button', { name: 'Choose a picture' }).click();
  await dialog().locator('img.shown').nth(2).waitFor();
  await parts.browser.settle();
  await lookInThemes(parts, 'picture-pick');
});
