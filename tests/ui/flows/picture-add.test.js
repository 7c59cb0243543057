import assert from 'node:assert/strict';
import { test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { poster } from '../support/picture.js';
import { gameFolder, scene } from '../support/scene.js';
import { lookInThemes } from '../support/themes.js';

const parts = scene({ prepare: gameFolder });

const { press, focus, until } = keysOf(parts);

const page = () => parts.browser.page;
const NAME = 'Glass Voyage';

/** @returns {Promise<Api.Game>} */
const game = async () => {
  const { games } = await parts.service.ask('/api/library');
  return games.find((/** @type {Api.Game} */ { name }) => name === NAME);
};

const dialog = () => page().getByRole('dialog', { name: `Add pictures to ${NAME}` });
const notice = (/** @type {string} */ text) => page().locator('.toast').filter({ hasText: text });

/**
 * What a drag or the clipboard carries.
 *
 * @param {{name: string, type: string, bytes: Buffer}[]} files
 */
const carry = (files) =>
  page().evaluateHandle((list) => {
    const data = new DataTransfer();
    for (const { name, type, text } of list)
      data.items.add(new File([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], name, { type }));
    return data;
  }, files.map(({ name, type, bytes }) => ({ name, type, text: bytes.toString('base64') })));

const picture = (/** @type {number} */ seed, width = 300, height = 400) => ({ name: `picture ${seed}.png`,
  type: 'image/png', bytes: poster(seed, width, height) });

/**
 * @param {import('playwright-core').Locator} place
 * @param {ReturnType<typeof picture>[]} files
 */
async function drop(place, files) {
  const dataTransfer = await carry(files);
  await place.dispatchEvent('dragover', { dataTransfer });
  await page().locator('.takes-picture').first().waitFor();
  await place.dispatchEvent('drop', { dataTransfer });
}

async function openMedia() {
  const { game_id: id } = await game();
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/game/${id}?tab=media`);
  await page().getByRole('button', { name: 'Add pictures' }).waitFor();
}

test('a picture that is dropped on a tile becomes the cover, and is taken back', async () => {
  await parts.service.ask('/api/import', { folder: `${parts.scratch.root}/games` });
  await page().goto(parts.service.address);
  const tile = page().locator('.tile').filter({ hasText: NAME });
  await drop(tile, [picture(1)]);
  await tile.locator('img.shown').waitFor();
  const cover = String((await game()).cover);
  assert.match(cover, /media\/own\/[0-9a-f]{32}\.png$/);
  const { fields } = await parts.service.ask(`/api/v2/game/origins?game_id=${(await game()).game_id}`);
  assert.equal(fields.find((/** @type {Reply.FieldOrigin} */ { field }) => field === 'cover').locked, true);
  await notice('Picture added').getByRole('button', { name: 'Undo' }).click();
  await until(async () => (await game()).cover, (now) => !now);
});

test('what is no picture changes nothing and is told', async () => {
  const tile = page().locator('.tile').filter({ hasText: NAME });
  await drop(tile, [{ name: 'page.png', type: 'image/png', bytes: Buffer.from('<html>') }]);
  await notice('Only PNG, JPEG and WebP pictures can be used.').waitFor();
  await drop(tile, [{ name: 'list.txt', type: 'text/plain', bytes: Buffer.from('words') }]);
  await notice('Only PNG, JPEG and WebP pictures up to 32 MB can be used.').waitFor();
  assert.ok(!(await game()).cover);
});

test('several pictures are chosen by keys, and a person says what they are', async () => {
  await openMedia();
  await page().getByRole('button', { name: 'Add pictures' }).focus();
  const chosen = page().waitForEvent('filechooser');
  // The browser is asked to hand over its dialog of files, and keys reach the page another way: an answer of the page
  // shows that it was asked before the key comes.
  await page().evaluate(() => undefined);
  await press('Enter');
  await (await chosen).setFiles(
    [picture(2), picture(3, 640, 360), picture(4, 640, 360)].map(({ name, type, bytes }) => ({
      name,
      mimeType: type,
      buffer: bytes,
    })),
  );
  await dialog().getByRole('combobox').first().and(page().locator(':focus')).waitFor();
  assert.deepEqual(
    await dialog().getByRole('combobox').evaluateAll((list) =>
      list.map((each) => /** @type {HTMLSelectElement} */ (each).value)
    ),
    ['cover', 'screenshots', 'screenshots'],
  );
  await press('Tab', 'Tab');
  await page().keyboard.type('Title');
  await press('Tab');
  await focus(/^Add$/);
  await press('Enter');
  await dialog().waitFor({ state: 'detached' });
  await notice('3 pictures added').waitFor();
  const record = await game();
  assert.ok(record.cover && record['title_screen']);
  assert.equal(/** @type {string[]} */ (record['screenshots']).length, 1);
  await page().locator('.shots img').first().waitFor();
});

test('a picture is pasted on the page of the game', async () => {
  const clipboard = await carry([picture(5, 640, 360)]);
  await page().evaluate(
    (clipboardData) =>
      document.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })),
    clipboard,
  );
  await dialog().getByRole('button', { name: 'Add', exact: true }).click();
  await dialog().waitFor({ state: 'detached' });
  await until(async () => /** @type {string[]} */ ((await game())['screenshots']).length, (now) => now === 2);
});

test('adding pictures has no serious finding in any theme', async () => {
  await openMedia();
  await drop(page().locator('.gallery'), [picture(6), picture(7, 640, 360)]);
  await dialog().locator('canvas').nth(1).waitFor();
  await parts.browser.settle();
  await lookInThemes(parts, 'picture-add');
  await press('Escape');
});

test('a file that is dropped anywhere else does not leave the page, and games are added from folders', async () => {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/jobs`);
  await page().locator('.page h1').waitFor();
  const place = page().locator('.page h1');
  const isKept = (/** @type {string} */ name) =>
    place.evaluate((element, type) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['x'], type === 'image/png' ? 'a.png' : 'a.iso', { type }));
      const init = { dataTransfer, bubbles: true, cancelable: true };
      return ['dragover', 'drop'].map((event) => !element.dispatchEvent(new DragEvent(event, init)));
    }, name);
  assert.deepEqual(await isKept('image/png'), [true, true]);
  assert.equal(await page().locator('.toast').count(), 0);
  assert.deepEqual(await isKept(''), [true, true]);
  await page().locator('.toast', { hasText: 'Games are added from folders.' }).getByRole('button', {
    name: 'Add games',
  }).click();
  await page().getByRole('dialog', { name: 'Add games' }).waitFor();
});
