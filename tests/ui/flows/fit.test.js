import assert from 'node:assert/strict';

import { testWithLooks } from '../support/looks.js';
import { gameRecord } from '../support/names.js';
import { poster } from '../support/picture.js';
import { scene } from '../support/scene.js';

/** A name of 110 letters, with letters that reach below the line. */
const LONG =
  'Gypsy Quest: The Extraordinarily Long and Winding Journey of a Young Prince through Nine Kingdoms, Part 2 (Jpg)';
const NAMES = ['Łódź Rally', LONG, 'Lynx Ranch', 'Zebra Crossing', 'مدينة الذهب', 'Mango', 'Pygmy'];

/** Handheld, small, usual and largest screens. */
const SIZES = Object.freeze(/** @type {const} */ ([[400, 800], [800, 600], [1280, 800], [3840, 2160]]));

const parts = scene({ prepare: (scratch) => {
  const games = Array.from({ length: 80 }, (_, index) => ({
    ...gameRecord(index, scratch.file(`roms/${index}.rom`, '')),
    platform: index === 79 ? 'SNES' : 'NES',
    hidden: false,
    name: NAMES[index] ?? `Quiet Game ${index}`,
    // Wide pictures, which get a frame in their colour; every third game has none.
    ...(index < NAMES.length || index % 3 === 0
      ? {}
      : { cover: scratch.file(`data/media/covers/${index}.png`, poster(index, 320, 180)) }),
  }));
  scratch.file('data/library.json',
    JSON.stringify({ schema_version: 6, games, profiles: { NES: 'echo {path}' }, history: [], settings: {},
      playlists: [], queue: [], notifications: [], ui_state: {}, active_sessions: [], trash: [] }), 0o600);
} });
const test = testWithLooks(parts);

const page = () => parts.browser.page;

/**
 * @param {string} hash
 * @param {readonly [number, number]} [size]
 */
async function open(hash, size) {
  if (size) await page().setViewportSize({ width: size[0], height: size[1] });
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}${hash}`);
}

/** How far the ring and the lift of the focused picture reach over the box that clips it, by side, in pixels. */
const overhang = (/** @type {string} */ picture, /** @type {string} */ clip) =>
  page().evaluate(([inner, outer]) => {
    const art = /** @type {HTMLElement} */ (document.querySelector(String(inner)));
    const box = /** @type {HTMLElement} */ (document.querySelector(String(outer)));
    const [here, there] = [art.getBoundingClientRect(), box.getBoundingClientRect()];
    const style = getComputedStyle(art);
    const scale = here.width / art.offsetWidth;
    const ring = (parseFloat(style.outlineWidth) + parseFloat(style.outlineOffset)) * scale;
    return Math.max(there.top - (here.top - ring), here.bottom + ring - there.bottom, there.left - (here.left - ring));
  }, [picture, clip]);

test('the focused game is whole, and the first place of the rail is not faded', async () => {
  await parts.service.ask('/api/settings', { bigscreen_mode: 'stage', screensaver_seconds: 0,
    attract_mode_seconds: 0 });
  for (const size of SIZES) {
    await open('#/big', size);
    await page().locator('.big-card[aria-selected="true"]:focus').waitFor();
    await parts.browser.settle();
    assert.ok(await overhang('.big-card:focus .art', '.big-flow') <= 0.5, `the stage at ${size.join('x')}`);
    const faded = await page().evaluate(() => {
      const rail = /** @type {HTMLElement} */ (document.querySelector('.big-rail'));
      const first = /** @type {HTMLElement} */ (rail.querySelector('.big-place'));
      const clear = /black (?:calc\()?([\d.]+)px|rgb\(0, 0, 0\) ([\d.]+)px/.exec(getComputedStyle(rail).maskImage);
      return Number(clear?.[1] ?? clear?.[2]) -
        (first.getBoundingClientRect().left - rail.getBoundingClientRect().left);
    });
    assert.ok(faded <= 0, `the rail at ${size.join('x')}: ${faded}`);
    await open('#/');
    await page().locator('.tile').first().waitFor();
    await page().locator('.tile').first().focus();
    await page().keyboard.press('ArrowRight');
    await page().keyboard.press('ArrowLeft');
    await page().locator('.tile:focus-visible').waitFor();
    await parts.browser.settle();
    assert.ok(await overhang('.tile:focus-visible .art', '.grid') <= 0.5, `the grid at ${size.join('x')}`);
  }
});

test('a title is shown down to the feet of its letters', async () => {
  for (const layout of ['stage', 'coverflow', 'hybrid']) {
    await parts.service.ask('/api/settings', { bigscreen_mode: layout });
    for (const size of SIZES) {
      await open('#/big?q=gypsy', size);
      await page().waitForFunction((name) => document.querySelector('.big-info h2')?.textContent === name, LONG);
      const cut = await page().evaluate(() => {
        const title = /** @type {HTMLElement} */ (document.querySelector('.big-info h2'));
        const style = getComputedStyle(title);
        const pen = /** @type {CanvasRenderingContext2D} */ (document.createElement('canvas').getContext('2d'));
        pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
        const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down, actualBoundingBoxDescent: feet } = pen
          .measureText('gjpqy');
        // The line holds the letters in its middle; below it is the padding, and then what hides the rest. The line
        // that is left out begins right after it.
        const below = (parseFloat(style.lineHeight) - up - down) / 2 + down + parseFloat(style.paddingBlockEnd);
        const { actualBoundingBoxAscent: tops } = pen.measureText('HMT');
        const above = (parseFloat(style.lineHeight) - up - down) / 2 + up - tops;
        return Math.max(feet - below, parseFloat(style.paddingBlockEnd) - above);
      });
      assert.ok(cut <= 0.5, `${layout} at ${size.join('x')}: ${cut} pixels are cut off, or show of the next line`);
    }
  }
});

test('a long name fits the screen that shows games when nobody is there', async () => {
  await parts.service.ask('/api/settings', { bigscreen_mode: 'stage', attract_mode_seconds: 30 });
  await page().clock.install();
  for (const size of SIZES) {
    await open('#/big?q=gypsy', size);
    await page().clock.runFor(2000);
    await page().waitForFunction((name) => document.querySelector('.big-info h2')?.textContent === name, LONG);
    await page().clock.runFor(61_000);
    const layer = page().locator('dialog.big-idle:not(.dark)');
    await layer.getByRole('heading', { name: 'Gypsy' }).waitFor();
    const out = await layer.evaluate((dialog) => {
      const hint = dialog.querySelector('.hint-line')?.getBoundingClientRect();
      const words = dialog.querySelector('.words')?.getBoundingClientRect();
      const inside = [...dialog.querySelectorAll('.art, .words, h2, .big-line')].map((element) =>
        element.getBoundingClientRect()
      ).filter(({ left, top, right, bottom }) => left < 0 || top < 0 || right > innerWidth || bottom > innerHeight);
      return { scrolls: dialog.scrollHeight > dialog.clientHeight || dialog.scrollWidth > dialog.clientWidth,
        outside: inside.length, covers: (words?.bottom ?? 0) > (hint?.top ?? Infinity) };
    });
    assert.deepEqual(out, { scrolls: false, outside: 0, covers: false }, size.join('x'));
    await page().keyboard.press('x');
    await layer.waitFor({ state: 'detached' });
  }
  await page().clock.resume();
  await parts.service.ask('/api/settings', { attract_mode_seconds: 0 });
});

test('the page of a game fills the big screen, and leads back to the game', async () => {
  await parts.service.ask('/api/settings', { bigscreen_mode: 'stage' });
  for (const size of SIZES) {
    await open('#/big?q=gypsy', size);
    await page().waitForFunction((name) => document.querySelector('.big-info h2')?.textContent === name, LONG);
    await page().locator('.big-card[aria-selected="true"]:focus').waitFor();
    await page().keyboard.press('i');
    const layer = page().locator('dialog.big-details');
    await layer.locator('button:focus').waitFor();
    await layer.locator('.prose').waitFor();
    await page().waitForFunction(() =>
      document.getAnimations().every(({ playState, timeline }) =>
        playState !== 'running' || timeline !== document.timeline
      )
    );
    const { box, wide, behind } = await layer.evaluate((dialog) => {
      const { x, y, width, height } = dialog.getBoundingClientRect();
      return { box: [x, y, width, height].map(Math.round),
        wide: [dialog, ...dialog.querySelectorAll('.content')].filter((each) => each.scrollWidth > each.clientWidth)
          .length, behind: getComputedStyle(/** @type {Element} */ (document.querySelector('.big-shelf'))).visibility };
    });
    assert.deepEqual({ box, wide, behind }, { box: [0, 0, ...size], wide: 0, behind: 'hidden' }, size.join('x'));
    assert.deepEqual(await parts.browser.findings(), [], size.join('x'));
    await page().keyboard.press('Escape');
    await page().locator('.big-card[aria-selected="true"]:focus').waitFor();
  }
});

test('the systems stand beside each other as drawn machines, and one is chosen', async () => {
  for (const size of SIZES) {
    await open('#/big', size);
    await page().locator('.big-card[aria-selected="true"]:focus').waitFor();
    await page().keyboard.press('m');
    await page().locator('.big-menu [data-act="platform"]').click();
    const layer = page().getByRole('dialog', { name: 'Platforms' });
    await layer.locator('.big-system:focus').waitFor();
    assert.equal(await layer.locator('.big-system svg use').count(), 2);
    await page().keyboard.press('ArrowRight');
    await layer.getByRole('button', { name: /^SNES/ }).and(page().locator(':focus')).waitFor();
    await page().waitForFunction(() => {
      const card = document.querySelector('.big-system:focus')?.getBoundingClientRect();
      return card && card.left >= 0 && card.right <= innerWidth && card.top > 0 && card.bottom < innerHeight;
    });
    // The row begins where its heading does.
    await page().waitForFunction(() => {
      const left = (/** @type {string} */ part) => document.querySelector(part)?.getBoundingClientRect().left ?? NaN;
      const hidden = document.querySelector('.big-system-row')?.scrollLeft ?? 0;
      return Math.abs(left('.big-systems h2') - left('.big-system') - hidden) < 2;
    });
    assert.deepEqual(await parts.browser.findings(), [], size.join('x'));
    await page().keyboard.press('Enter');
    await layer.waitFor({ state: 'detached' });
    await page().waitForFunction(() => location.hash === '#/big?platform=SNES');
    await page().getByRole('heading', { name: 'SNES', exact: true }).waitFor();
  }
});

test('a notice grows with the screen', async () => {
  /** @type {number[]} */
  const widths = [];
  for (const size of /** @type {const} */ ([[1280, 800], [3840, 2160]])) {
    await open('#/big', size);
    await page().locator('.big-card[aria-selected="true"]:focus').waitFor();
    await page().route('**/api/favorite', (route) =>
      route.fulfill({ status: 409, json: { error: 'Not now.', code: 'CONFLICT', request_id: 'a' } }));
    await page().keyboard.press('f');
    await page().locator('.toast').first().waitFor();
    widths.push((await page().locator('.toast').first().boundingBox())?.width ?? 0);
    await page().unroute('**/api/favorite');
  }
  assert.ok((widths[0] ?? 0) >= 350 && (widths[1] ?? 0) > 800, widths.join(' and '));
});

test('a tile keeps nothing of the game whose place it took', async () => {
  await open('#/', [1280, 800]);
  await page().locator('.tile .art.framed').first().waitFor();
  const kept = await page().evaluate(async () => {
    const load = (/** @type {string} */ name) => import(new URL(name, document.baseURI).href);
    const { showArt } = await load('/parts/art.js');
    const { dressTile, makeTile } = await load('/parts/tile.js');
    const { makeRow } = await load('/data/game.js');
    const shown = /** @type {HTMLImageElement} */ (document.querySelector('.tile .art.framed img')).src;
    const ctx = { client: { media: (/** @type {string} */ id) => (id === 'wide' ? shown : `/missing/${id}.png`) },
      catalog: { epoch: 0 }, preferences: { keepsShapes: true } };
    const row = (/** @type {string} */ id, /** @type {boolean} */ cover) =>
      makeRow({ id: 0, game_id: id, name: id, platform: 'NES', has_cover: cover });
    const tile = makeTile([]);
    Object.assign(tile.art.style, { inlineSize: '150px', blockSize: '200px' });
    document.body.append(tile.element);
    const options = { width: 160, kind: 'cover' };
    dressTile(ctx, tile, row('wide', true), options, true);
    while (!tile.art.classList.contains('framed')) await new Promise(requestAnimationFrame);
    dressTile(ctx, tile, row('other', true), options, false);
    const frame = tile.art.className + tile.art.style.getPropertyValue('--hue');
    // A picture that cannot be had, and a game without one in its place before that is known.
    /** @type {string[]} */
    const told = [];
    const box = document.createElement('div');
    document.body.append(box);
    showArt(ctx, box, row('gone', true), { kind: 'cover', onHue: () => told.push('gone') });
    const late = /** @type {HTMLImageElement} */ (box.firstElementChild);
    const failed = new Promise((resolve) => {
      late.addEventListener('error', resolve);
    });
    showArt(ctx, box, row('bare', false), { kind: '', onHue: () => told.push('bare') });
    await failed;
    const result = { frame, told, tile: box.querySelector('.mono b')?.textContent };
    box.remove();
    tile.element.remove();
    return result;
  });
  assert.deepEqual(kept, { frame: 'art', told: ['bare'], tile: 'BA' });
});

test('letters stand where the alphabet has them, and joined ones stay joined', async () => {
  await open('#/', [1280, 800]);
  await page().locator('.rail span').first().waitFor();
  const letters = await page().locator('.rail span').allTextContents();
  assert.deepEqual(letters.filter((letter) => /[A-Z]/i.test(letter)), ['G', 'L', 'M', 'P', 'Q', 'Z']);
  await open(`#/?q=${encodeURIComponent('مدينة')}`);
  const initials = page().locator('.tile .mono b');
  await initials.waitFor();
  assert.equal(await initials.textContent(), 'مدي');
  assert.match(await initials.evaluate((element) => getComputedStyle(element).letterSpacing), /^(?:normal|0px)$/);
});

test('a low window cuts nothing off without a sign, leaves no line empty and no figure alone', async () => {
  await open('#/settings/about', [800, 600]);
  await page().locator('.settings > nav [aria-current="page"]', { hasText: 'About' }).waitFor();
  const chosen = await page().locator('.settings > nav [aria-current="page"]').boundingBox();
  assert.ok(chosen && chosen.y >= 0 && chosen.y + chosen.height <= 600, 'the group that is shown is seen in the list');
  await page().locator('.settings > nav .search .input').hover();

  await open('#/settings/backups');
  await page().locator('.setting .text:has(p)').first().waitFor();
  const gaps = await page().locator('.setting .text:has(p)').evaluateAll((texts) =>
    texts.map((text) => {
      const [label, hint] = ['label, .label', 'p'].map((part) => text.querySelector(part)?.getBoundingClientRect());
      return (hint?.top ?? 0) - (label?.bottom ?? 0);
    })
  );
  assert.ok(gaps.every((gap) => gap < 12), `from a label to its hint: ${gaps.join(', ')}`);

  await open('#/health');
  await page().locator('.figures > :nth-child(5)').waitFor();
  const rows = await page().locator('.figures > div').evaluateAll((figures) =>
    figures.map((figure) => Math.round(figure.getBoundingClientRect().top))
  );
  assert.ok(rows.every((row) => rows.filter((other) => other === row).length > 1), `figures at ${rows.join(', ')}`);

  await open('#/');
  await page().locator('.tile').first().focus();
  await page().keyboard.press('?');
  const sheet = page().locator('.dialog .content:has(.sheet)');
  await sheet.waitFor();
  const edges = () =>
    sheet.evaluate((content) => {
      const style = getComputedStyle(content);
      return [style.getPropertyValue('--fade-above'), style.getPropertyValue('--fade-below')];
    });
  assert.deepEqual(await edges(), ['0px', '20px']);
  await sheet.evaluate((content) => content.scrollTo(0, content.scrollHeight));
  await parts.browser.settle();
  assert.deepEqual(await edges(), ['20px', '0px']);
});

test('large text leaves every button of the library in sight, beside the filters and the details', async () => {
  await parts.service.ask('/api/settings', { ui_filters_open: true });
  await open('#/', [1280, 800]);
  await page().locator('.filters details').first().waitFor();
  await page().locator('.details h2').waitFor();
  await page().evaluate(() => document.documentElement.style.setProperty('font-size', '20px'));
  await parts.browser.settle();
  const cut = await page().evaluate(() => {
    const shelf = /** @type {HTMLElement} */ (document.querySelector('.library .shelf')).getBoundingClientRect();
    const tools = [...document.querySelectorAll('.library-head .tools :is(button, select)')];
    return tools.filter((tool) => tool.getBoundingClientRect().right > shelf.right)
      .map((tool) => tool.getAttribute('aria-label'));
  });
  await parts.service.ask('/api/settings', { ui_filters_open: false });
  assert.deepEqual(cut, []);
});

/** How far the place that is shown stands above the fade of the sidebar, in pixels. */
const aboveFade = () =>
  page().locator('.places [aria-current]').evaluate((place) => {
    const list = /** @type {HTMLElement} */ (place.closest('.places'));
    return list.getBoundingClientRect().bottom - place.getBoundingClientRect().bottom -
      parseFloat(getComputedStyle(list).paddingBottom);
  });

test('the place that is shown stands above the fade of the sidebar', async () => {
  await open('#/?platform=SNES', [1280, 560]);
  await page().locator('.places [aria-current]').waitFor();
  await parts.browser.settle();
  assert.ok(await aboveFade() >= -0.5);
  const before = await page().locator('.place').count();
  const { games } = await parts.service.ask('/api/library?offset=0&limit=3');
  for (const [index, { game_id: id, name, path }] of games.entries())
    await parts.service.ask('/api/game', { game_id: id, game: { name, path, platform: `Arcade ${index}` } });
  await page().locator('.place').nth(before + 2).waitFor();
  await parts.browser.settle();
  assert.ok(await aboveFade() >= -0.5, 'also when other places come above it');
});
