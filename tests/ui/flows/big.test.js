import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import { Pad } from '../support/gamepad.js';
import { testWithLooks } from '../support/looks.js';
import { poster } from '../support/picture.js';
import { gameFolder, scene } from '../support/scene.js';

/** Steps after which a walk that finds nothing gives up. */
const PATIENCE = 40;

const parts = scene({ width: 1920, height: 1080, prepare: (scratch) => {
  gameFolder(scratch);
  scratch.file('entered.sh', '#!/bin/bash\necho entered >> "${0%/*}/entered"\n', 0o755);
  scratch.file('films/intro.mp4', 'not a film');
  scratch.file('data/media/posters/0.png', poster(3, 300, 400));
} });
const test = testWithLooks(parts);
/** @type {Pad} */
let pad;

/** @param {string} name */
async function waitFocus(name) {
  await parts.browser.page.waitForFunction(
    (text) =>
      (/** @type {import('../support/browser.js').TestWindow} */ (/** @type {unknown} */ (window)).focusedName())
        .includes(text),
    name,
  )
    .catch(async () => assert.fail(`the focus is on "${await parts.browser.focused()}", not on "${name}"`));
}

/**
 * Presses a direction until the focus is on something.
 *
 * @param {keyof typeof import('../support/gamepad.js').BUTTON} direction
 * @param {string} name
 */
async function goTo(direction, name) {
  for (let step = 0; step < PATIENCE; step += 1) {
    if ((await parts.browser.focused()).includes(name)) return;
    await pad.press(direction);
  }
  assert.fail(`no way ${direction} to "${name}"; the focus is on "${await parts.browser.focused()}"`);
}

const page = () => parts.browser.page;
const shown = () => page().locator('.big-info h2').textContent();
const waitShown = (/** @type {string} */ name) =>
  page().waitForFunction((text) => document.querySelector('.big-info h2')?.textContent === text, name);

test('the settings open the big screen, and its commands run once', async () => {
  const { service, scratch } = parts;
  await service.ask('/api/import', { folder: `${scratch.root}/games` });
  const { games } =
    /** @type {{games: {game_id: string, name: string, path: string, platform: string}[]}} */ (await service.ask(
      '/api/library',
    ));
  const hidden = games.find(({ name }) => name === 'Broken Wheel');
  await service.ask('/api/game', { game_id: hidden?.game_id,
    game: { name: 'Broken Wheel', path: hidden?.path, hide_in_bigscreen: true } });
  const boat = games.find(({ name }) => name === 'Slow Boat');
  await service.ask('/api/game', { game_id: boat?.game_id,
    game: { name: 'Slow Boat', path: boat?.path, cover: `${scratch.root}/data/media/posters/0.png` } });
  await service.ask('/api/filter-presets', { name: 'Only NES', rules: { platform: 'NES' }, bigscreen_quick: true });
  await service.ask('/api/settings', { bigscreen_start_at_launch: true,
    bigscreen_shutdown_commands: [`'${scratch.root}/entered.sh'`],
    bigscreen_startup_video: `${scratch.root}/films/intro.mp4`, controller_prompt_hint: 'Hold to leave' });
  pad = await Pad.install(page());
  await page().goto(service.address);
  await page().locator('.big-card[aria-selected="true"]').waitFor();
  await page().waitForFunction(() => location.hash === '#/big');
  await waitFocus('Amber Harbour');
  await page().getByText('10 games').waitFor();
  assert.equal(await page().locator('.big-film').count(), 0, 'a film that cannot be played ends at once');
  await page().getByText('Hold to leave').waitFor();
  await parts.browser.settle();
  assert.equal(readFileSync(`${scratch.root}/entered`, 'utf8'), 'entered\n');
  assert.equal(await pad.calls(), 0, 'nobody asks for controllers before one is there');
});

test('a controller moves through the stage, and the hints show its buttons', async () => {
  await pad.connect();
  await page().waitForFunction(() =>
    document.querySelectorAll('.big-foot .pad-glyph').length > 5 && document.querySelector('.big-foot kbd') === null
  );
  await pad.press('right');
  await waitFocus('Frozen Orchard');
  await pad.press('left', 'left');
  await waitFocus('Velvet Circuit');
  await waitShown('Velvet Circuit');
  await pad.press('right');
  await waitFocus('Amber Harbour');
  await pad.press('last');
  await waitFocus('Frozen Orchard');
  await pad.press('first');
  await waitFocus('Amber Harbour');
  await pad.press('page_right');
  await waitFocus('Velvet Circuit');
  await pad.press('page_left');
  await waitFocus('Amber Harbour');
  await pad.tilt(1, 0);
  await waitFocus('Frozen Orchard');
  await pad.press('favorite');
  await page().locator('.big-acts [aria-pressed="true"]').waitFor();
});

test('the foot stays one line: the last hints are left out where it is narrow', async () => {
  const left = () =>
    page().waitForFunction((width) => {
      const hidden = [...document.querySelectorAll('.big-foot li:not(.own)')].map((hint) =>
        /** @type {HTMLElement} */ (hint).hidden
      );
      const count = hidden.filter(Boolean).length;
      return innerWidth === width && !hidden[0] &&
        hidden.lastIndexOf(false) < (hidden.includes(true) ? hidden.indexOf(true) : hidden.length) &&
        (width > 1000 ? count === 0 : count > 1);
    }, page().viewportSize()?.width ?? 0);
  await page().setViewportSize({ width: 900, height: 800 });
  await left();
  await page().setViewportSize({ width: 1920, height: 1080 });
  await left();
});

test('up leads to the buttons, the rail and the corner, and back', async () => {
  await goTo('up', 'Play');
  await goTo('right', 'Details');
  await pad.press('up');
  await goTo('left', 'All games');
  await goTo('right', 'Only NES');
  await pad.press('play');
  await page().getByText('4 games').waitFor();
  await page().getByRole('heading', { level: 1, name: 'Only NES' }).waitFor();
  await waitFocus('Only NES');
  await goTo('up', 'Search');
  await goTo('right', 'Menu');
  await goTo('down', 'Amber Harbour');
  await pad.press('back');
  await page().getByText('10 games').waitFor();
});

test('the menu changes order and layout', async () => {
  for (const [layout, tile]
    of /** @type {const} */ ([['Hybrid', '.big-tile'], ['Cover flow', '.coverflow .big-card'], ['Stage',
      '.on-stage .big-card']])) {
    await pad.press('menu');
    await page().getByRole('dialog', { name: 'Menu' }).waitFor();
    await goTo('down', 'Stage');
    await goTo('right', layout);
    await pad.press('play');
    await page().locator(`${tile}[aria-selected="true"]:focus`).waitFor();
  }
  await pad.press('menu');
  await goTo('down', 'Name');
  await goTo('right', 'Recent activity');
  await pad.press('play');
  await page().waitForFunction(() => location.hash.includes('sort=recent_activity'));
  await page().locator('.big-card:focus').waitFor();
  await pad.press('menu');
  await goTo('down', 'Name');
  await pad.press('play');
  await page().waitForFunction(() => location.hash === '#/big');
});

test('the search is typed with the controller', async () => {
  await goTo('up', 'Search');
  await pad.press('play');
  const keyboard = page().getByRole('dialog', { name: 'Search' });
  await keyboard.waitFor();
  await waitFocus('a');
  for (const letter of ['p', 'a']) {
    const key = keyboard.getByRole('button', { name: letter, exact: true });
    for (let step = 0; step < PATIENCE && (await parts.browser.focused()) !== letter; step += 1) {
      const [from, to] = await Promise.all([page().evaluate(() => {
        const box = document.activeElement?.getBoundingClientRect();
        return [(box?.left ?? 0) + (box?.width ?? 0) / 2, (box?.top ?? 0) + (box?.height ?? 0) / 2];
      }), key.boundingBox()]);
      const [dx, dy] = [(to?.x ?? 0) + (to?.width ?? 0) / 2 - (from[0] ?? 0),
        (to?.y ?? 0) + (to?.height ?? 0) / 2 - (from[1] ?? 0)];
      if (Math.abs(dy) > 8) await pad.press(dy > 0 ? 'down' : 'up');
      else await pad.press(dx > 0 ? 'right' : 'left');
    }
    await pad.press('play');
  }
  await keyboard.getByText('Paper Train').waitFor();
  await pad.press('favorite');
  await pad.press('menu');
  await keyboard.waitFor({ state: 'detached' });
  await page().waitForFunction(() => location.hash === '#/big?q=p');
  await pad.press('back');
  await page().waitForFunction(() => location.hash === '#/big');
});

for (const layout of ['stage', 'hybrid', 'coverflow']) {
  test(`${layout}: from the shelf to a running game and back, by controller alone`, async () => {
    await parts.service.ask('/api/settings', { bigscreen_mode: layout });
    await page().goto('about:blank');
    await page().goto(`${parts.service.address}#/big`);
    await pad.connect();
    await page().locator('.big-shelf [aria-selected="true"]:focus').waitFor();
    for (let step = 0; step < PATIENCE && !(await parts.browser.focused()).startsWith('Slow Boat'); step += 1)
      await pad.press('right');
    await waitFocus('Slow Boat');
    await pad.press('details');
    const details = page().getByRole('dialog', { name: 'Slow Boat' });
    await details.waitFor();
    await pad.press('back');
    await details.waitFor({ state: 'detached' });
    await waitFocus('Slow Boat');
    await pad.press('play');
    const overlay = page().locator('dialog.big-session');
    await overlay.waitFor();
    // The game has the controller now.
    const before = await pad.calls();
    await pad.frames();
    await pad.press('down', 'down');
    assert.equal(await pad.calls(), before, 'nobody asks for controllers while a game has them');
    await waitFocus('Back to the game');
    // The user comes back to this window.
    await page().evaluate(() => dispatchEvent(new Event('focus')));
    await pad.frames();
    await goTo('down', 'Pause');
    await pad.press('play');
    await overlay.getByText('Paused').waitFor();
    await waitFocus('Resume');
    await pad.press('back');
    await overlay.waitFor({ state: 'detached' });
    await pad.press('pause');
    await overlay.waitFor();
    await goTo('down', 'Resume');
    await pad.press('play');
    await overlay.getByText('Playing', { exact: true }).waitFor();
    await goTo('down', 'Stop');
    await pad.press('play');
    await overlay.waitFor({ state: 'detached' });
    await waitFocus('Slow Boat');
    await pad.press('right');
    await page().waitForFunction(() =>
      !(/** @type {import('../support/browser.js').TestWindow} */ (/** @type {unknown} */ (window)).focusedName())
        .startsWith('Slow Boat')
    );
  });
}

test('the controller leads back to the desktop', async () => {
  await pad.press('back');
  const question = page().getByRole('dialog', { name: 'Leave the big screen?' });
  await question.waitFor();
  await goTo('down', 'Back to the desktop');
  const [request] = await Promise.all([page().waitForRequest('**/api/bigscreen/mode'), pad.press('play')]);
  assert.deepEqual(request.postDataJSON(), { entering: false });
  await page().getByRole('listbox', { name: 'Games' }).waitFor();
  assert.equal(await page().evaluate(() => document.documentElement.classList.contains('is-big')), false);
});

test('another controller shows its own symbols; Nintendo accepts on the right', async () => {
  await parts.service.ask('/api/settings', { bigscreen_mode: 'stage', bigscreen_start_at_launch: false });
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/big`);
  await page().locator('.big-card:focus').waitFor();
  await pad.connect('Wireless Controller (STANDARD GAMEPAD Vendor: 054c Product: 09cc)');
  await page().locator('.big-foot .face-playstation-0').waitFor();
  await pad.connect('Pro Controller (STANDARD GAMEPAD Vendor: 057e Product: 2009)');
  await page().locator('.big-foot .face-nintendo-1').first().waitFor();
  await pad.press(0);
  await page().getByRole('dialog', { name: 'Leave the big screen?' }).waitFor();
  await pad.press(0);
  await pad.connect('Unknown Pad');
  await page().locator('.big-foot .face-generic-0').waitFor();
  await pad.disconnect();
  await page().locator('.big-foot kbd').first().waitFor();
});

test('a key and a button that a driver sends together are one press', async () => {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/big`);
  await waitFocus('Amber Harbour');
  await pad.connect();
  await page().evaluate(() => {
    const { fakePads } =
      /** @type {{fakePads: import('../support/gamepad.js').FakePads}} */ (/** @type {unknown} */ (window));
    addEventListener('keydown', () => fakePads.once(() => fakePads.set(15, true), () => fakePads.set(15, false)), {
      once: true,
      capture: true,
    });
  });
  await page().keyboard.press('ArrowRight');
  await page().waitForFunction(() => {
    const { fakePads } =
      /** @type {{fakePads: import('../support/gamepad.js').FakePads}} */ (/** @type {unknown} */ (window));
    return fakePads.begun.length + fakePads.seen.length === 0;
  });
  await pad.frames();
  assert.match(await parts.browser.focused(), /^Frozen Orchard/);
});

test('everything is done with the keyboard', async () => {
  const { keyboard } = page();
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/big`);
  await waitFocus('Amber Harbour');
  await keyboard.press('ArrowRight');
  await waitFocus('Frozen Orchard');
  await keyboard.press('End');
  await waitFocus('Velvet Circuit');
  await keyboard.press('PageUp');
  await waitFocus('Amber Harbour');
  await keyboard.press(']');
  await waitFocus('Frozen Orchard');
  await keyboard.press('Space');
  await page().getByRole('dialog', { name: 'Frozen Orchard' }).waitFor();
  await keyboard.press('Escape');
  await waitFocus('Frozen Orchard');
  await keyboard.press('ArrowUp');
  await waitFocus('Play');
  await keyboard.press('ArrowUp');
  await keyboard.press('ArrowUp');
  await keyboard.press('Backspace');
  await waitFocus('Frozen Orchard');
  await keyboard.press('m');
  await page().getByRole('dialog', { name: 'Menu' }).waitFor();
  await keyboard.press('ArrowDown');
  await waitFocus('What shall I play?');
  await keyboard.press('Escape');
  await page().getByRole('dialog', { name: 'Menu' }).waitFor({ state: 'detached' });
  await keyboard.press('/');
  await page().getByRole('dialog', { name: 'Search' }).waitFor();
  await keyboard.type('slow');
  await page().waitForFunction(() => location.hash === '#/big?q=slow');
  await keyboard.press('Escape');
  await waitFocus('Slow Boat');
  await keyboard.press('Enter');
  const overlay = page().locator('dialog.big-session');
  await overlay.waitFor();
  await keyboard.press('ArrowDown');
  await keyboard.press('ArrowDown');
  await waitFocus('Stop');
  await keyboard.press('Enter');
  await overlay.waitFor({ state: 'detached' });
  await waitFocus('Slow Boat');
  await keyboard.press('?');
  await page().getByRole('dialog', { name: 'Keyboard' }).getByText('Letter', { exact: true }).waitFor();
  await keyboard.press('Escape');
  await page().getByRole('dialog', { name: 'Keyboard' }).waitFor({ state: 'detached' });
  await keyboard.press('Escape');
  await page().waitForFunction(() => location.hash === '#/big');
});

test('a mouse and a finger do everything', async () => {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/big`);
  await waitFocus('Amber Harbour');
  await page().locator('.big-card[data-at="2"]').click();
  await page().waitForFunction(() => document.querySelector('.big-info h2')?.textContent?.startsWith('Glass Voyage'));
  await page().locator('.big-flow').hover();
  await page().mouse.wheel(0, 80);
  await page().waitForFunction(() =>
    document.querySelector('.big-info h2')?.textContent?.startsWith('Glass Voyage') === false
  );
  const box = await page().locator('.big-flow').boundingBox();
  const [x, y] = [(box?.x ?? 0) + 900, (box?.y ?? 0) + 120];
  const before = await shown();
  await page().mouse.move(x, y);
  await page().mouse.down();
  await page().mouse.move(x + 160, y, { steps: 8 });
  await page().mouse.up();
  await page().waitForFunction((name) => document.querySelector('.big-info h2')?.textContent !== name, before);
  await page().getByRole('button', { name: 'Details' }).click();
  await page().locator('dialog.big-details').waitFor();
  await page().getByRole('button', { name: 'Close', exact: true }).click();
  await page().getByRole('button', { name: 'Menu' }).click();
  await page().getByRole('button', { name: 'Favourites' }).last().click();
  await page().getByText('1 game', { exact: true }).waitFor();
  const small = await page().evaluate(() =>
    [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('.big button'))].map((control) => ({ control,
      box: control.getBoundingClientRect() })
    )
      .filter(({ box: size }) => size.width > 0 && (size.width < 44 || size.height < 44)).map(({ control }) =>
        control.outerHTML.slice(0, 80)
      )
  );
  assert.deepEqual(small, []);
});

test('nobody there: a game is shown, later it goes dark; any control returns', async () => {
  await page().clock.install();
  await parts.service.ask('/api/settings', { screensaver_seconds: 60, attract_mode_seconds: 30 });
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/big`);
  await page().clock.runFor(2000);
  await waitFocus('Amber Harbour');
  await pad.connect();
  await page().clock.runFor(31_000);
  const show = page().locator('dialog.big-idle');
  await show.waitFor();
  const first = await show.locator('h2').textContent();
  assert.ok(first);
  await page().keyboard.press('ArrowRight');
  await page().keyboard.press('ArrowLeft');
  assert.equal(await show.locator('h2').textContent(), first);
  await page().keyboard.press('g');
  await show.waitFor({ state: 'detached' });
  await waitShown(first);
  await page().clock.runFor(31_000);
  await show.waitFor();
  await page().clock.runFor(31_000);
  await page().locator('dialog.big-idle.dark time').waitFor();
  await page().keyboard.press('x');
  await show.waitFor({ state: 'detached' });
  // A dialog is never covered.
  await page().keyboard.press('m');
  await page().getByRole('dialog', { name: 'Menu' }).waitFor();
  await page().clock.runFor(200_000);
  assert.equal(await show.count(), 0);
  await parts.service.ask('/api/settings', { screensaver_seconds: 0, attract_mode_seconds: 0 });
});
