/**
 * What most flows need: a scratch folder, the program, a window, and an end that fails when the page misbehaved.
 */

import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import { Browser } from './browser.js';
import { Scratch, Service } from './service.js';

/**
 * Sets up before the tests of a file and takes down after them.
 *
 * @param {{prepare?: (scratch: Scratch) => void, env?: Record<string, string> | ((scratch: Scratch) => Record<string, string>), width?: number, height?: number, touch?: boolean,
 *   furnish?: (service: Service, browser: Browser) => Promise<unknown>}} [options] `env` is added to the environment of the program; `furnish` is what is done once it runs
 */
export function scene({ prepare, furnish, env, ...size } = {}) {
  const parts = { scratch: new Scratch(), service: /** @type {Service} */ (/** @type {unknown} */ (null)),
    browser: /** @type {Browser} */ (/** @type {unknown} */ (null)) };
  before(() =>
    naming(async () => {
      prepare?.(parts.scratch);
      parts.service = await Service.start(`${parts.scratch.root}/data`,
        typeof env === 'function' ? env(parts.scratch) : env);
      parts.browser = await Browser.open(size);
      await furnish?.(parts.service, parts.browser);
    })
  );
  after(() =>
    naming(async () => {
      await parts.browser?.close();
      await parts.service?.stop();
      const said = parts.service?.complaints() ?? '';
      parts.scratch.remove();
      // What failed while it was set up has said so already.
      if (!parts.browser) return;
      assert.deepEqual(parts.browser.errors, [], `errors in the console; the service said ${said || 'nothing'}`);
      const own = new URL(parts.service.url).host;
      assert.deepEqual([...parts.browser.hosts].filter((host) => host !== own), [], 'requests to another host');
    })
  );
  return parts;
}

/**
 * Runs a hook. Its error names the file of the tests, which the runner does not tell of a hook in another file.
 *
 * @param {() => Promise<void>} hook
 */
async function naming(hook) {
  try {
    await hook();
  } catch (error) {
    const text = error instanceof Error ? error.stack || error.message : String(error);
    throw new Error(`${process.argv[1]}: ${text}`, { cause: error });
  }
}

/** A folder of games that can be imported, with two scripts that run until they are stopped and one that fails. */
/**
 * @param {Scratch} scratch
 * @returns {string} path of the folder
 */
export function gameFolder(scratch) {
  const script = '#!/bin/bash\nexec sleep 600\n';
  scratch.file('games/linux/Slow Boat.sh', script, 0o755);
  scratch.file('games/linux/Paper Train.sh', script, 0o755);
  scratch.file('games/linux/Broken Wheel.sh', '#!/bin/bash\nexit 3\n', 0o755);
  for (const name of ['Amber Harbour', 'Iron Garden (Europe)', 'Glass Voyage (USA)', 'Velvet Circuit'])
    scratch.file(`games/nes/${name}.nes`, `NES\u001a${name}`);
  for (const name of ['Frozen Orchard', 'Neon Caravan', 'Pokéball Straße'])
    scratch.file(`games/snes/nested/${name}.sfc`, `SFC ${name}`);
  for (const disc of [1, 2]) {
    scratch.file(`games/psx/Twin Suns (Disc ${disc}).bin`, `disc ${disc}`);
    scratch.file(`games/psx/Twin Suns (Disc ${disc}).cue`,
      `FILE "Twin Suns (Disc ${disc}).bin" BINARY\n  TRACK 01 MODE2/2352\n`);
  }
  scratch.file('games/readme.txt', 'not a game');
  return `${scratch.root}/games`;
}

/** Games in that folder: 3 scripts, 4 + 3 cartridges, one of two discs. */
export const FOLDER_GAMES = 11;
