import assert from 'node:assert/strict';
import { test } from 'node:test';

import { writeLibrary } from '../support/library.js';
import { scene } from '../support/scene.js';

const GAMES = 600;
const parts = scene({ width: 1920, height: 1080, prepare: (scratch) => writeLibrary(scratch, GAMES) });

const settings = () => parts.service.ask('/api/settings');

/** @returns {Promise<Api.LibraryPage>} */
const library = () => parts.service.ask('/api/library');

/** @param {string} hash */
async function open(hash) {
  const { page } = parts.browser;
  await page.goto('about:blank');
  await page.goto(`${parts.service.address}${hash}`);
  await page.locator('.tile').first().waitFor();
  await page.locator('.loading-line.done').waitFor({ state: 'attached' });
}

/** Games the page says it shows. */
const count = async () =>
  Number(
    /[\d,]+/.exec((await parts.browser.page.locator('.library-head .count').textContent()) ?? '')?.[0].replaceAll(',',
      ''),
  );

/** @param {(game: Api.Game) => boolean} takes */
const expected = async (takes) => (await library()).games.filter((game) => !game.hidden && takes(game)).length;

/** @param {number} wanted */
async function waitCount(wanted) {
  await parts.browser.page.waitForFunction(
    (number) => document.querySelector('.library-head .count')?.textContent?.startsWith(`${number} `),
    wanted,
  )
    .catch(async () => assert.equal(await count(), wanted));
}

/** Takes all notices away: three are shown at a time, and the others wait. */
async function dismiss() {
  const cross = parts.browser.page.locator('#toasts').getByRole('button', { name: 'Dismiss' });
  while ((await cross.count()) > 0) await cross.first().click();
}

/** Waits until the server has the last choice. */
const saved = (/** @type {string} */ key) =>
  parts.browser.page.waitForResponse((response) =>
    response.url().endsWith('/api/settings') && (response.request().postData() ?? '').includes(key)
  );

test('filters narrow the library, show as chips and come back with the address', async () => {
  const { page } = parts.browser;
  await open('#/');
  await page.getByRole('button', { name: 'Filters panel' }).click();
  const panel = page.getByRole('complementary', { name: 'Filters' });
  await panel.getByRole('button', { name: '7 more' }).click();
  await panel.getByLabel(/^SNES/).check();
  await waitCount(await expected((game) => game.platform === 'SNES'));
  await panel.getByLabel(/^NES/).check();
  await panel.getByLabel(/^Puzzle/).check();
  await waitCount(await expected((game) => ['SNES', 'NES'].includes(game.platform ?? '') && game.genre === 'Puzzle'));
  await parts.browser.shoot('filters');
  const address = await page.evaluate(() => location.hash);
  await page.getByRole('button', { name: 'Remove filter SNES' }).click();
  await waitCount(await expected((game) => game.platform === 'NES' && game.genre === 'Puzzle'));
  await page.getByRole('button', { name: 'Clear filters' }).first().click();
  await waitCount(await expected(() => true));
  await page.evaluate((hash) => {
    location.hash = hash;
  }, address);
  await waitCount(await expected((game) => ['SNES', 'NES'].includes(game.platform ?? '') && game.genre === 'Puzzle'));
  await panel.getByLabel(/^SNES/).waitFor();
  assert.equal(await panel.getByLabel(/^SNES/).isChecked(), true);
});

test('the filters come together with their counts, and what is chosen is ticked', async () => {
  const { page } = parts.browser;
  await parts.service.ask('/api/settings', { ui_filters_open: true });
  await page.addInitScript(() => {
    const seen = /** @type {string[]} */ ([]);
    Object.assign(window, { seen });
    new MutationObserver(() => {
      const panel = document.querySelector('.filters');
      const [section] = panel?.querySelectorAll('details') ?? [];
      if (section)
        seen.push(
          `${section.querySelectorAll('input:checked').length} of ${section.querySelectorAll('input').length}${
            panel?.querySelector('.wait') ? ' so far' : ''
          }`,
        );
    }).observe(document, { childList: true, subtree: true });
  });
  await open('#/?platform=SNES|NES');
  await page.locator('.filters .count').filter({ hasText: /\d/ }).first().waitFor();
  const seen = await page.evaluate(() => /** @type {{seen: string[]}} */ (/** @type {unknown} */ (window)).seen);
  assert.ok(seen.length > 0);
  assert.ok(seen.every((state) => state.startsWith('2 of ') && state !== '2 of 2'), `without what is chosen: ${seen}`);
  assert.ok(seen.every((state) => !state.endsWith(' so far')), `before the counts: ${seen}`);
  assert.equal(await page.locator('.filters .wait').count(), 0);
});

test('the rows of the home screen are turned by the mouse', async () => {
  const { page } = parts.browser;
  await page.goto('about:blank');
  await page.goto(`${parts.service.address}#/home`);
  await page.locator('.home-strip .tile').first().waitFor();
  const row = page.locator('.home-row').filter({ has: page.locator('.home-steps:not([hidden])') }).first();
  const at = () => row.locator('.home-strip').evaluate((strip) => strip.scrollLeft);
  assert.equal(await at(), 0);
  await row.locator('[data-step="before"].spent').waitFor();
  await row.locator('[data-step="after"]').click();
  await row.locator('[data-step="before"]:not(.spent)').waitFor();
  assert.ok(await at() > 0);
  // To the end, however many steps that takes.
  while ((await row.locator('[data-step="after"].spent').count()) === 0) {
    const before = await at();
    await row.locator('[data-step="after"]').evaluate((step) => /** @type {HTMLElement} */ (step).click());
    await page.waitForFunction(
      ([strip, left]) =>
        /** @type {Element} */ (strip).scrollLeft > Number(left) || document.querySelector('[data-step="after"].spent'),
      /** @type {const} */ ([await row.locator('.home-strip').elementHandle(), before]),
    );
  }
  await row.locator('[data-step="before"]').click();
  await row.locator('[data-step="after"]:not(.spent)').waitFor();
});

test('the counts beside the values are what choosing them shows', async () => {
  const { page } = parts.browser;
  await open('#/?platform=SNES');
  const panel = page.getByRole('complementary', { name: 'Filters' });
  const line = panel.locator('li', { hasText: /^Racing/ });
  await line.waitFor();
  const promised = Number(await line.locator('.count').textContent());
  assert.equal(promised, await expected((game) => game.platform === 'SNES' && game.genre === 'Racing'));
  await line.getByRole('checkbox').check();
  await waitCount(promised);
  await page.getByRole('button', { name: 'Close filters' }).click();
  await panel.waitFor({ state: 'detached' });
});

test('filters become a preset and a playlist that fills itself', async () => {
  const { page } = parts.browser;
  await open('#/?platform=PSP&favorite=yes&rating=3');
  await page.getByRole('button', { name: 'Filters panel' }).click();
  await page.getByRole('button', { name: 'Save filters' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save filters' });
  await dialog.getByText('Not kept: Rating.').waitFor();
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.getByText('A name is needed.').waitFor();
  await dialog.getByLabel('Name *').fill('Pocket');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.deepEqual((await library()).filter_presets, [{ name: 'Pocket', rules: { platform: 'PSP', favorite: true },
    bigscreen_quick: false }]);
  const preset = page.getByRole('link', { name: 'Pocket', exact: true });
  await preset.click();
  await waitCount(await expected((game) => game.platform === 'PSP' && game.favorite === true));
  await page.getByRole('button', { name: 'Save filters' }).click();
  await dialog.getByLabel('Save as').selectOption('playlist');
  await dialog.getByLabel('Name *').fill('Pocket list');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  const list = page.getByRole('link', { name: /^Pocket list/ });
  await list.click();
  await waitCount(await expected((game) => game.platform === 'PSP' && game.favorite === true));
  assert.equal(Number(await list.locator('.count').textContent()), await count());
  await preset.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Delete preset' }).click();
  await preset.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await preset.waitFor();
  await page.getByRole('button', { name: 'Close filters' }).click();
});

test('columns are chosen, resized and kept', async () => {
  const { page } = parts.browser;
  await open('#/');
  await page.getByRole('button', { name: 'Show as a list' }).click();
  await page.getByRole('button', { name: 'Display options' }).click();
  const options = page.getByRole('dialog', { name: 'Display options' });
  const kept = saved('list_columns');
  await options.getByRole('checkbox', { name: 'Developer' }).check();
  await options.getByRole('checkbox', { name: 'Age' }).uncheck();
  await kept;
  await page.keyboard.press('Escape');
  await options.waitFor({ state: 'detached' });
  const edge = page.getByRole('separator', { name: 'Width of Platform' });
  /** @type {{x: number, y: number, width: number} | null} */
  let before = null;
  while (!before) before = await edge.boundingBox();
  const resized = saved('ui_column_widths');
  await page.mouse.move(before.x + before.width / 2, before.y + 10);
  await page.mouse.down();
  await page.mouse.move(before.x + before.width / 2 + 80, before.y + 10, { steps: 4 });
  await page.mouse.up();
  await resized;
  // What is chosen slowly is sent in two parts, and the first of them may be the one that was waited for.
  await parts.service.until('/api/settings',
    (/** @type {Api.Settings} */ stored) =>
      String(stored['list_columns']) === 'name,platform,genre,progress,last_played,play_count,developer' &&
      String(stored['ui_column_widths']) === 'platform:230');
  await page.locator('.columns-head').getByRole('button', { name: 'Developer' }).click();
  await page.waitForFunction(() =>
    document.querySelector('.columns-head [aria-pressed="true"]')?.textContent === 'Developer'
  );
  await page.reload();
  await page.locator('.grid.list .tile').first().waitFor();
  // The headings are drawn with the first games, and anew with what is known of them later.
  await page.waitForFunction(
    (names) =>
      [...document.querySelectorAll('.columns-head button')].map((button) => button.textContent).join() === names,
    'Name,Platform,Genre,Progress,Last played,Times played,Developer',
  );
  await page.waitForFunction(() =>
    Math.round(document.querySelectorAll('.columns-head .cell')[1]?.getBoundingClientRect().width ?? 0) === 230
  );
  await parts.browser.shoot('list-columns');
  await page.locator('.columns-head').getByRole('button', { name: 'Name' }).click();
});

test('what is pressed stays what it is while the library is drawn again', async () => {
  const { page } = parts.browser;
  await open('#/?platform=SNES');
  /** @type {Api.LibraryPage} */
  const { games } = await library();
  const other = games.find((game) => game.platform === 'NES' && !game.hidden);
  await page.evaluate(() => {
    const places = ['.chips .chip', '.columns-head button', '.columns-head .edge',
      '#sidebar [data-place="view:favorites"]'].map((place) => document.querySelector(place));
    Object.assign(window, { held: () => places.map((place) => place?.isConnected ?? null) });
  });
  // A change elsewhere and another look both draw the library again.
  await parts.service.ask('/api/game', { game_id: other?.game_id, game: { name: other?.name, genre: 'Fishing' } });
  await parts.service.until('/api/library',
    (/** @type {Api.LibraryPage} */ now) => now.games.some((game) => game.genre === 'Fishing'));
  await page.getByRole('button', { name: 'Filters panel' }).click();
  await page.getByRole('complementary', { name: 'Filters' }).waitFor();
  assert.deepEqual(
    await page.evaluate(() => /** @type {{held: () => unknown}} */ (/** @type {unknown} */ (window)).held()),
    [true, true, true, true],
  );
  await page.getByRole('button', { name: 'Filters panel' }).click();
  await page.getByRole('complementary', { name: 'Filters' }).waitFor({ state: 'detached' });
});

test('groups part the library and stay in the settings', async () => {
  const { page } = parts.browser;
  await open('#/');
  await page.getByRole('button', { name: 'Show as tiles' }).click();
  await page.getByRole('button', { name: 'Display options' }).click();
  const kept = saved('ui_group');
  await page.getByLabel('Group by').selectOption('platform');
  await kept;
  await page.keyboard.press('Escape');
  const first = page.locator('.group-head').first();
  await first.waitFor();
  const games = (await library()).games.filter((game) => !game.hidden);
  const arcade = games.filter((game) => game.platform === 'Arcade').length;
  assert.equal(await first.textContent(), `Arcade${arcade}`);
  await page.locator(`.tile[data-index="${arcade}"]`).waitFor({ state: 'attached' });
  assert.match((await page.locator(`.tile[data-index="${arcade}"] .sub`).textContent()) ?? '', /^Dreamcast/);
  await parts.browser.shoot('groups');
  assert.equal((await settings()).ui_group, 'platform');
  await page.getByRole('button', { name: 'Display options' }).click();
  await page.getByLabel('Group by').selectOption('');
  await page.keyboard.press('Escape');
  await first.waitFor({ state: 'detached' });
});

test('the letters lead through the names', async () => {
  const { page } = parts.browser;
  await open('#/');
  await page.locator('.rail [data-letter="R"]').click();
  await page.waitForFunction(() => document.activeElement?.querySelector('.name')?.textContent?.startsWith('Rusty'));
});

test('several games are chosen and changed, and an undo brings back what each was', async () => {
  const { page } = parts.browser;
  await open('#/?platform=Linux');
  const before = (await library()).games.filter((game) => game.platform === 'Linux' && !game.hidden);
  await page.locator('.tile').nth(0).click();
  await page.locator('.tile').nth(before.length - 1).click({ modifiers: ['Shift'] });
  const bar = page.getByRole('toolbar', { name: 'Actions for the selected games' });
  await bar.getByText(`${before.length} selected`).waitFor();
  await parts.browser.shoot('chosen');
  await bar.getByRole('button', { name: 'Progress' }).click();
  await page.getByRole('menuitem', { name: 'Abandoned' }).click();
  await page.locator('#toasts').getByText(`${before.length} games changed.`).last().waitFor();
  const during = (await library()).games.filter((game) => game.platform === 'Linux' && !game.hidden);
  assert.ok(during.every((game) => game.progress === 'Abandoned'));
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await page.locator('#toasts').getByText(/^Undone: \d+ games/).waitFor();
  const after = (await library()).games.filter((game) => game.platform === 'Linux' && !game.hidden);
  assert.deepEqual(after.map((game) => game.progress), before.map((game) => game.progress));
});

test('the actions for chosen games stand in one line, however much room there is', async () => {
  const { page } = parts.browser;
  const size = page.viewportSize() ?? { width: 1280, height: 800 };
  await parts.service.ask('/api/settings', { ui_filters_open: false, ui_details_open: false });
  await open('#/');
  await page.locator('.tile').nth(0).click();
  await page.locator('.tile').nth(2).click({ modifiers: ['Shift'] });
  await page.locator('.bulk-bar b').waitFor();
  for (const width of [1000, 1280, 1500, 1700, 1920, 2560]) {
    await page.setViewportSize({ width, height: 800 });
    await parts.browser.settle();
    const [lines, words, over] = await page.locator('.bulk-bar').evaluate((bar) => {
      const buttons = [...bar.querySelectorAll('button')].filter((button) => button.checkVisibility());
      return [new Set(buttons.map((button) => Math.round(button.getBoundingClientRect().bottom / 8))).size,
        buttons.filter((button) => button.querySelector('.word')?.checkVisibility()).length,
        bar.scrollWidth - bar.clientWidth];
    });
    assert.deepEqual({ lines, over }, { lines: 1, over: 0 }, `${width}`);
    if (width === 2560) assert.equal(words, 10);
  }
  await page.setViewportSize(size);
  await page.keyboard.press('Escape');
});

test('a narrow library has few buttons for chosen games, and the others in a menu', async () => {
  const { page } = parts.browser;
  await parts.service.ask('/api/settings', { ui_filters_open: true, ui_details_open: true });
  await page.setViewportSize({ width: 1280, height: 800 });
  await open('#/?platform=Linux');
  await page.locator('.tile').nth(0).click({ modifiers: ['Control'] });
  const bar = page.getByRole('toolbar', { name: 'Actions for the selected games' });
  await bar.getByText('1 selected').waitFor();
  const buttons = () =>
    bar.locator('.bulk-acts .button').evaluateAll((all) =>
      all.filter((each) => each.checkVisibility()).map((
        each,
      ) => [each.getAttribute('aria-label'), Math.round(each.getBoundingClientRect().top)])
    );
  const shown = await buttons();
  assert.deepEqual(shown.map(([name]) => name), ['Favourite', 'Progress', 'My stars', 'Tags', 'More actions',
    'Move to trash']);
  assert.equal(new Set(shown.map(([, top]) => top)).size, 1);
  await parts.browser.shoot('chosen-narrow');
  await bar.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Edit fields' }).click();
  await page.getByRole('dialog', { name: 'Edit 1 game' }).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.setViewportSize({ width: 1920, height: 1080 });
  await parts.service.ask('/api/settings', { ui_filters_open: false });
});

test('tags and fields change in dialogs', async () => {
  const { page } = parts.browser;
  const bar = page.getByRole('toolbar', { name: 'Actions for the selected games' });
  await open('#/?platform=Linux');
  await page.locator('.tile').nth(0).click();
  await bar.waitFor({ state: 'hidden' });
  await page.locator('.tile').nth(1).click({ modifiers: ['Control'] });
  await page.locator('.tile').nth(3).hover();
  await page.locator('.tile').nth(3).locator('.choose').click();
  await bar.getByText('2 selected').waitFor();
  await bar.getByRole('button', { name: 'Tags' }).click();
  await page.getByLabel('Add tags').fill('rainy day, short');
  await parts.browser.shoot('bulk-tags');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.locator('#toasts').getByText('2 games changed.').last().waitFor();
  await bar.getByRole('button', { name: 'Edit fields' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit 2 games' });
  await dialog.getByLabel('Genre', { exact: true }).fill('Board');
  await parts.browser.shoot('bulk-fields');
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await dialog.waitFor({ state: 'detached' });
  /** @type {Api.LibraryPage} */
  const { games } = await parts.service.until('/api/library',
    (/** @type {Api.LibraryPage} */ now) => now.games.filter((game) => game.genre === 'Board').length === 2);
  const changed = games.filter((game) => game.genre === 'Board');
  assert.ok(
    changed.every((game) =>
      game.tags?.includes('rainy day') && game.tags.includes('short') && game.platform === 'Linux'
    ),
  );
});

test('a playlist is made, filled by menu and by drag, sorted its own way, renamed and deleted', async () => {
  const { page } = parts.browser;
  await open('#/?platform=Linux');
  await page.getByRole('button', { name: 'New playlist' }).click();
  const dialog = page.getByRole('dialog', { name: 'New playlist' });
  await dialog.getByLabel('Name *').fill('Sunday');
  await dialog.getByLabel('Notes').fill('with tea');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.waitFor({ state: 'detached' });
  const link = page.getByRole('link', { name: /^Sunday/ });
  await page.locator('.tile').nth(2).click({ modifiers: ['Control'] });
  await page.locator('.tile').nth(0).click({ modifiers: ['Control'] });
  const bar = page.getByRole('toolbar', { name: 'Actions for the selected games' });
  await bar.getByRole('button', { name: 'Add to playlist' }).click();
  await page.getByRole('menuitem', { name: 'Sunday' }).click();
  await page.locator('#toasts').getByText('2 games added to Sunday.').last().waitFor();
  await page.keyboard.press('Escape');
  const dragged = await page.locator('.tile').nth(4).locator('.name').textContent();
  await page.locator('.tile').nth(4).dragTo(link);
  await page.locator('#toasts').getByText('1 game added to Sunday.').last().waitFor();
  await link.click();
  await waitCount(3);
  assert.equal(await page.locator('.tile[data-index="2"] .name').textContent(), dragged);
  await page.locator('.tile').nth(1).click({ modifiers: ['Control'] });
  await bar.getByRole('button', { name: 'Add to playlist' }).click();
  await page.getByRole('menuitem', { name: 'Remove from Sunday' }).click();
  await waitCount(2);
  await dismiss();
  await link.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Edit playlist' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit playlist' });
  await edit.getByLabel('Name *').fill('Monday');
  await edit.getByRole('button', { name: 'Save', exact: true }).click();
  await edit.waitFor({ state: 'detached' });
  await page.getByRole('heading', { level: 1, name: 'Monday' }).waitFor();
  const [stored] = ((await library()).playlists ?? []).filter((playlist) => playlist.type === 'manual');
  assert.deepEqual([stored?.name, stored?.notes, stored?.members.length], ['Monday', 'with tea', 2]);
  const renamed = page.getByRole('link', { name: /^Monday/ });
  await renamed.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Delete playlist' }).click();
  await page.getByRole('alertdialog', { name: 'Delete Monday?' }).getByRole('button', { name: 'Delete playlist' })
    .click();
  await renamed.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await renamed.waitFor();
  await page.waitForFunction(() =>
    [...document.querySelectorAll('[data-playlist="Monday"] .count')].some((count) => count.textContent === '2')
  );
});

test('the games of a playlist are put in order by menu and by dragging, and an undo gives one its place back', async () => {
  const { page } = parts.browser;
  const ids = (await library()).games.filter((game) => game.platform === 'NES' && !game.hidden).slice(0, 4)
    .map((game) => game.game_id);
  const [a, b, c, d] = ids;
  await parts.service.ask('/api/playlists', { name: 'Ordered', type: 'manual', members: ids });
  await open('#/?playlist=Ordered');
  await waitCount(4);
  /** @param {readonly (string | undefined)[]} wanted */
  const order = async (wanted) => {
    await parts.service.until('/api/library',
      (/** @type {Api.LibraryPage} */ now) =>
        now.playlists?.find(({ name }) => name === 'Ordered')?.members.join() === wanted.join());
    const names = wanted.map((id) => games.find((game) => game.game_id === id)?.name);
    await page.waitForFunction(
      (expected) =>
        [0, 1, 2, 3].map((index) => document.querySelector(`.tile[data-index="${index}"] .name`)?.textContent)
          .join() ===
          expected,
      names.join(),
    );
  };
  const { games } = await library();
  const tile = (/** @type {number} */ index) => page.locator(`.tile[data-index="${index}"]`);
  /** @type {(index: number, item: string) => Promise<void>} */
  const choose = async (index, item) => {
    await tile(index).click({ button: 'right' });
    await page.getByRole('menuitem', { name: item }).click();
  };
  await choose(1, 'Move up');
  await order([b, a, c, d]);
  await choose(0, 'Move down');
  await order([a, b, c, d]);
  await choose(2, 'Move down');
  await order([a, b, d, c]);
  await choose(3, 'Move to the top');
  await order([c, a, b, d]);
  await tile(0).click({ button: 'right' });
  await page.getByRole('menu').waitFor();
  assert.equal(await page.getByRole('menuitem', { name: 'Move up' }).count(), 0);
  await page.keyboard.press('Escape');
  const box = await tile(3).boundingBox();
  assert.ok(box);
  await tile(0).dragTo(tile(3), { targetPosition: { x: box.width - 10, y: box.height / 2 } });
  await order([a, b, d, c]);
  await tile(3).dragTo(tile(1), { targetPosition: { x: 10, y: box.height / 2 } });
  await order([a, c, b, d]);
  await choose(1, 'Add to playlist');
  await page.getByRole('menuitem', { name: 'Remove from Ordered' }).click();
  await waitCount(3);
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await order([a, c, b, d]);
  await page.evaluate(() => {
    location.hash = '#/?playlist=Ordered&sort=name';
  });
  await tile(0).click({ button: 'right' });
  await page.getByRole('menu').waitFor();
  assert.equal(await page.getByRole('menuitem', { name: 'Move down' }).count(), 0);
  await page.keyboard.press('Escape');
});

test('games go to the trash together and come back', async () => {
  const { page } = parts.browser;
  await open('#/?platform=Windows');
  const before = (await library()).games.map((game) => game.game_id);
  const all = await count();
  await page.locator('.tile').nth(0).click({ modifiers: ['Control'] });
  await page.locator('.tile').nth(3).click({ modifiers: ['Shift'] });
  const bar = page.getByRole('toolbar', { name: 'Actions for the selected games' });
  await bar.getByRole('button', { name: 'Move to trash' }).click();
  const question = page.getByRole('alertdialog', { name: 'Move 4 games to the trash?' });
  await question.waitFor();
  assert.equal(await parts.browser.focused(), 'Cancel');
  await question.getByRole('button', { name: 'Move 4 games' }).click();
  await waitCount(all - 4);
  await bar.waitFor({ state: 'hidden' });
  assert.equal((await library()).games.length, before.length - 4);
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await waitCount(all);
  assert.deepEqual((await library()).games.map((game) => game.game_id), before);
});

test('home shows rows of games, and the details form shows one beside the list', async () => {
  const { page } = parts.browser;
  await page.getByRole('link', { name: 'Home' }).click();
  await page.getByRole('heading', { name: 'Continue playing' }).waitFor();
  await page.locator('.home-strip .tile').first().waitFor();
  assert.equal(await page.locator('.home-row').count(), 6);
  await parts.browser.shoot('home');
  await page.locator('.home-row', { hasText: 'Highly rated' }).getByRole('link', { name: 'Show all' }).click();
  await waitCount(await expected((game) => Number(game.rating) >= 4));
  await page.getByRole('button', { name: 'Show with details' }).click();
  await page.locator('.library.split .details h2').waitFor();
  await page.locator('.tile').nth(3).click();
  assert.equal(await page.locator('.details h2').textContent(),
    await page.locator('.tile').nth(3).locator('.name').textContent());
  await parts.browser.shoot('details-form');
  await page.getByRole('button', { name: 'Show as tiles' }).click();
});

test('a finger that rests chooses, and taps go on choosing', async () => {
  const { page } = parts.browser;
  await open('#/');
  const bar = page.getByRole('toolbar', { name: 'Actions for the selected games' });
  const touch = async (/** @type {number} */ index, /** @type {boolean} */ rests) => {
    await page.locator(`.tile[data-index="${index}"] .art`).evaluate((art, isLong) =>
      new Promise((resolve) => {
        const say = (/** @type {string} */ type) =>
          art.dispatchEvent(
            new PointerEvent(type, { bubbles: true, pointerType: 'touch', isPrimary: true, button: 0 }),
          );
        const lift = () => {
          say('pointerup');
          art.dispatchEvent(new MouseEvent('click', { bubbles: true }));
          resolve(undefined);
        };
        say('pointerdown');
        if (!isLong) lift();
        else new MutationObserver((_, observer) => {
            observer.disconnect();
            lift();
          }).observe(/** @type {Element} */ (art.closest('.grid')), { attributes: true, attributeFilter: ['class'] });
      }), rests);
  };
  await touch(1, true);
  await bar.getByText('1 selected').waitFor();
  await touch(2, false);
  await bar.getByText('2 selected').waitFor();
  await bar.getByRole('button', { name: 'Deselect all' }).click();
  await bar.waitFor({ state: 'hidden' });
});
