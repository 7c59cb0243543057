import assert from 'node:assert/strict';
import { test } from 'node:test';

import { film, tone } from '../support/film.js';
import { poster } from '../support/picture.js';
import { gameFolder, scene } from '../support/scene.js';

const parts = scene({ width: 1920, height: 1080, prepare: (scratch) => {
  gameFolder(scratch);
  scratch.file('sound/theme.wav', tone());
} });
const page = () => parts.browser.page;

/**
 * What the page leaves for the tests: whatever it plays, and a battery made of script.
 *
 * @typedef {{played: HTMLMediaElement[], ended: string[], battery: EventTarget & {level: number, charging: boolean}}} MediaWindow
 */

/** @param {string} name */
const waitTitle = (name) =>
  page().waitForFunction(
    (text) =>
      document.querySelector('.big-info h2')?.textContent === text &&
      document.activeElement?.getAttribute('aria-selected') === 'true',
    name,
  );

const open = async () => {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/big`);
};

/**
 * Waits until what is played from an address is so loud, or stands still.
 *
 * @param {string} kind
 * @param {number | null} volume `null` for what stands still
 */
const waitSound = (kind, volume) =>
  page().waitForFunction(([part, loud]) => {
    const found = /** @type {MediaWindow} */ (/** @type {unknown} */ (window)).played.find(({ src }) =>
      src.includes(String(part))
    );
    return found !== undefined &&
      (loud === null ? found.paused : !found.paused && Math.abs(found.volume - Number(loud)) < 0.001);
  }, [kind, volume]);

test('a film is shown on entering, once, and any key ends it', async () => {
  const { service, scratch } = parts;
  await page().addInitScript(() => {
    const battery = Object.assign(new EventTarget(), { level: 0.12, charging: false });
    const notes = { played: /** @type {HTMLMediaElement[]} */ ([]), ended: /** @type {string[]} */ ([]), battery };
    Object.assign(window, notes);
    Object.defineProperty(navigator, 'getBattery', { value: () => Promise.resolve(battery) });
    const { play } = HTMLMediaElement.prototype;
    HTMLMediaElement.prototype.play = function note() {
      if (!notes.played.includes(this)) {
        notes.played.push(this);
        this.loop ||= sessionStorage.getItem('endless') !== null;
        const { src } = this;
        this.addEventListener('ended', () => notes.ended.push(src));
      }
      return play.call(this);
    };
  });
  await page().emulateMedia({ reducedMotion: 'no-preference' });
  const intro = scratch.file('films/intro.webm', await film(page(), 2500));
  await service.ask('/api/import', { folder: `${scratch.root}/games` });
  const { games } = /** @type {{games: Api.Game[]}} */ (await service.ask('/api/library'));
  const change = async (/** @type {string} */ name, /** @type {object} */ fields) => {
    const game = games.find((each) => each.name === name);
    await service.ask('/api/game', { game_id: game?.game_id, game: { name, path: game?.path, ...fields } });
  };
  const snap = scratch.file('data/media/videos/snap.webm', await film(page()));
  await change('Amber Harbour', { cover: scratch.file('data/media/posters/0.png', poster(3, 300, 400)), video: snap });
  await change('Broken Wheel', { cover: scratch.file('data/media/posters/1.png', poster(8, 300, 400)) });
  await service.ask('/api/settings', { bigscreen_startup_video: intro, bigscreen_mode: 'stage', screensaver_seconds: 0,
    attract_mode_seconds: 0 });
  // However slow this machine is, the film is not over before the key is pressed.
  await page().goto(service.address);
  await page().evaluate(() => sessionStorage.setItem('endless', 'yes'));
  await open();
  const layer = page().locator('dialog.big-film');
  await layer.waitFor();
  await page().keyboard.press('x');
  await layer.waitFor({ state: 'detached' });
  await page().evaluate(() => sessionStorage.removeItem('endless'));
  await waitTitle('Amber Harbour');
  await page().evaluate(() => {
    location.hash = '#/';
  });
  await page().locator('.library').waitFor();
  await page().evaluate(() => {
    location.hash = '#/big';
  });
  await waitTitle('Amber Harbour');
  assert.equal(await layer.count(), 0, 'once for each time the program is opened');
});

test('a film that is over gives the screen to the games', async () => {
  await open();
  await page().waitForFunction(() =>
    /** @type {MediaWindow} */ (/** @type {unknown} */ (window)).ended.some((source) =>
      source.includes('startup_video')
    )
  );
  await page().locator('dialog.big-film').waitFor({ state: 'detached' });
  await waitTitle('Amber Harbour');
  await parts.service.ask('/api/settings', { bigscreen_startup_video: '' });
});

test('the game that is looked at shows its film behind, and no other does', async () => {
  await open();
  await waitTitle('Amber Harbour');
  const video = page().locator('.big-back video');
  await page().locator('.big-back video.shown').waitFor();
  await page().keyboard.press('ArrowRight');
  await waitTitle('Broken Wheel');
  await video.waitFor({ state: 'detached' });
  await page().keyboard.press('ArrowLeft');
  await page().locator('.big-back video.shown').waitFor();
  // What is opened over the games is read in peace.
  await page().keyboard.press('m');
  await page().getByRole('dialog', { name: 'Menu' }).waitFor();
  await video.waitFor({ state: 'detached' });
  await page().keyboard.press('Escape');
  await page().emulateMedia({ reducedMotion: 'reduce' });
  await open();
  await waitTitle('Amber Harbour');
  await page().locator('.big-layer.shown').first().waitFor();
  await parts.browser.settle();
  assert.equal(await video.count(), 0, 'nothing moves for people who want that');
  await page().emulateMedia({ reducedMotion: 'no-preference' });
});

test('music plays, makes room for a film and stops for a game', async () => {
  const { service, scratch } = parts;
  await service.ask('/api/settings', { library_music: `${scratch.root}/sound/theme.wav` });
  await open();
  await waitTitle('Amber Harbour');
  // A browser lets nothing be heard before the first key.
  await page().keyboard.press('ArrowRight');
  await waitTitle('Broken Wheel');
  await waitSound('library_music', 0.6);
  await page().keyboard.press('ArrowLeft');
  await page().locator('.big-back video.shown').waitFor();
  await waitSound('library_music', 0.1);
  await service.ask('/api/settings', { video_bgm_mix: true });
  await open();
  await waitTitle('Amber Harbour');
  await page().keyboard.press('ArrowRight');
  await waitSound('library_music', 0.6);
  await page().keyboard.press('ArrowLeft');
  await page().locator('.big-back video.shown').waitFor();
  await waitSound('library_music', 0.35);
  await page().keyboard.press('/');
  await page().getByRole('dialog', { name: 'Search' }).waitFor();
  await page().keyboard.type('slow');
  await page().waitForFunction(() => location.hash.endsWith('q=slow'));
  await page().keyboard.press('Escape');
  await waitTitle('Slow Boat');
  await page().keyboard.press('Enter');
  await page().locator('dialog.big-session').waitFor();
  await waitSound('library_music', null);
  await page().locator('dialog.big-session').getByRole('button', { name: 'Stop', exact: true }).click();
  await page().locator('dialog.big-session').waitFor({ state: 'detached' });
  await waitSound('library_music', 0.6);
  await service.ask('/api/settings', { library_music: '', video_bgm_mix: false });
});

test('with the mood of the pictures the screen takes their colours', async () => {
  const { service } = parts;
  const hue = () => page().evaluate(() => document.documentElement.style.getPropertyValue('--h'));
  const colour = () =>
    page().locator('.big-acts .primary').evaluate((button) => getComputedStyle(button).backgroundColor);
  await open();
  await waitTitle('Amber Harbour');
  const plain = await colour();
  await service.ask('/api/settings', { mood_match_enabled: true, mood_match_bigscreen: true });
  await open();
  await waitTitle('Amber Harbour');
  await page().waitForFunction(() =>
    document.documentElement.classList.contains('mood') && document.documentElement.style.getPropertyValue('--h') !== ''
  );
  const first = await hue();
  await page().waitForFunction(
    (before) =>
      getComputedStyle(/** @type {Element} */ (document.querySelector('.big-acts .primary'))).backgroundColor !==
        before,
    plain,
  );
  await page().keyboard.press('ArrowRight');
  await waitTitle('Broken Wheel');
  await page().waitForFunction((before) => document.documentElement.style.getPropertyValue('--h') !== before, first);
  assert.deepEqual(await parts.browser.findings(), []);
  await service.ask('/api/settings', { mood_match_enabled: false });
  await open();
  await waitTitle('Amber Harbour');
  assert.equal(await page().evaluate(() => document.documentElement.classList.contains('mood')), false);
});

test('the corner tells the battery, and keeps quiet when it is full on a cable', async () => {
  await open();
  await waitTitle('Amber Harbour');
  await page().locator('.big-battery.low').getByText('12 %').waitFor();
  const change = (/** @type {number} */ level, /** @type {boolean} */ charging) =>
    page().evaluate(([part, isCharging]) => {
      const { battery } = /** @type {MediaWindow} */ (/** @type {unknown} */ (window));
      Object.assign(battery, { level: part, charging: isCharging });
      battery.dispatchEvent(new Event('levelchange'));
    }, /** @type {const} */ ([level, charging]));
  await change(0.8, false);
  await page().locator('.big-battery:not(.low)').getByText('80 %').waitFor();
  await change(1, true);
  await page().locator('.big-battery').waitFor({ state: 'hidden' });
});

test('without times for it nobody is shown anything', async () => {
  await page().clock.install();
  await open();
  await page().clock.runFor(2000);
  await waitTitle('Amber Harbour');
  await page().clock.runFor(3_600_000);
  assert.equal(await page().locator('dialog.big-idle').count(), 0);
  await parts.service.ask('/api/settings', { screensaver_seconds: 30 });
  await open();
  await page().clock.runFor(2000);
  await waitTitle('Amber Harbour');
  await page().clock.runFor(61_000);
  await page().locator('dialog.big-idle.dark time').waitFor();
  await page().mouse.click(200, 200);
  await page().locator('dialog.big-idle').waitFor({ state: 'detached' });
});
