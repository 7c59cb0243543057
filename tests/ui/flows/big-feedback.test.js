import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Pad } from '../support/gamepad.js';
import { gameFolder, scene } from '../support/scene.js';

const parts = scene({ prepare: (scratch) => void gameFolder(scratch) });
const page = () => parts.browser.page;
/** @type {Pad} */
let pad;

/**
 * What the page leaves for the tests: the tones it made in hertz, and how long it shook the controller.
 *
 * @typedef {{tones: number[], shakes: number[], fakePads: import('../support/gamepad.js').FakePads}} FeedbackWindow
 */

const waitTitle = (/** @type {string} */ name) =>
  page().waitForFunction(
    (text) =>
      document.querySelector('.big-info h2')?.textContent === text &&
      document.activeElement?.getAttribute('aria-selected') === 'true',
    name,
  );

const open = async () => {
  await page().goto('about:blank');
  await page().goto(`${parts.service.address}#/big`);
  await waitTitle('Amber Harbour');
};

/** What was heard and felt since this was last asked. */
const answers = () =>
  page().evaluate(() => {
    const { tones, shakes } = /** @type {FeedbackWindow} */ (/** @type {unknown} */ (window));
    return { tones: tones.splice(0), shakes: shakes.splice(0) };
  });

/** Waits until so many tones were made. */
const waitTones = (/** @type {number} */ count) =>
  page().waitForFunction(
    (most) => /** @type {FeedbackWindow} */ (/** @type {unknown} */ (window)).tones.length >= most,
    count,
  );

test('nothing is heard or felt unless the settings ask for it', async () => {
  pad = await Pad.install(page());
  await page().addInitScript(() => {
    const notes = { tones: /** @type {number[]} */ ([]), shakes: /** @type {number[]} */ ([]) };
    Object.assign(window, notes);
    window.OscillatorNode = class extends OscillatorNode {
      /**
       * @param {BaseAudioContext} audio
       * @param {OscillatorOptions} [options]
       */
      constructor(audio, options) {
        super(audio, options);
        notes.tones.push(options?.frequency ?? 0);
      }
    };
  });
  await parts.service.ask('/api/import', { folder: `${parts.scratch.root}/games` });
  await parts.service.ask('/api/settings', { screensaver_seconds: 0, attract_mode_seconds: 0 });
  await open();
  await page().keyboard.press('ArrowRight');
  await waitTitle('Broken Wheel');
  await pad.connect();
  await pad.press('menu');
  await page().locator('dialog.big-dialog').waitFor();
  await pad.press('back');
  await page().locator('dialog.big-dialog').waitFor({ state: 'detached' });
  assert.deepEqual(await answers(), { tones: [], shakes: [] });
});

test('each press has its tone, and the controller shakes when something was chosen', async () => {
  await parts.service.ask('/api/settings', { bigscreen_sound_volume: 40, bigscreen_rumble: true });
  await open();
  await page().keyboard.press('ArrowRight');
  await waitTitle('Broken Wheel');
  await waitTones(1);
  assert.deepEqual(await answers(), { tones: [620], shakes: [] });
  await pad.connect();
  await page().evaluate(() => {
    const { fakePads, shakes } = /** @type {FeedbackWindow} */ (/** @type {unknown} */ (window));
    Object.assign(/** @type {object} */ (fakePads.pads[0]), { vibrationActuator: {
      playEffect: (/** @type {string} */ _kind, /** @type {{duration: number}} */ { duration }) => {
        shakes.push(duration);
        return Promise.resolve('complete');
      },
    } });
  });
  await pad.press('menu');
  await page().locator('dialog.big-dialog').waitFor();
  await waitTones(2);
  assert.deepEqual(await answers(), { tones: [520, 780], shakes: [120] });
  await pad.press('back');
  await page().locator('dialog.big-dialog').waitFor({ state: 'detached' });
  await waitTones(2);
  assert.deepEqual(await answers(), { tones: [440, 330], shakes: [] });
  // By the controller alone: a key and a button with the same meaning shortly after one another are one press.
  await pad.press('up');
  await page().waitForFunction(() => !document.activeElement?.closest('.big-shelf'));
  for (let step = 0; step < 4; step += 1) await pad.press('up');
  // How many of the presses still move the focus is not the point here: the last one finds nothing above.
  await page().waitForFunction(() => {
    const { tones, shakes } = /** @type {FeedbackWindow} */ (/** @type {unknown} */ (window));
    return tones.includes(190) && shakes.includes(60);
  });
});
