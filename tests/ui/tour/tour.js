/**
 * A tour for eyes: every screen with the demo library, written as pictures into `target/screens`. Not a test; `run --screens` calls it.
 * `run --readme` takes the pictures of the README instead. `run --screens --whole` takes every screen in three schemes at five sizes, with a
 * library of 600 games; `--whole=light-1280x800,dark-400x800` takes some of these looks.
 */

import { Browser } from '../support/browser.js';
import { DEMO_ENV, furnish, furnishUnplayed, writeDemo } from '../support/demo.js';
import { addNewcomerHome, machineEnv } from '../support/machine.js';
import { onPhone, openScreen, PLAIN, SCREENS } from '../support/screens.js';
import { Scratch, Service } from '../support/service.js';
import { README } from './readme.js';
import { addPlayer, AWAKE, inFront, letGamesRun, MACHINE_SIGHTS, SIGHTS } from './sights.js';

/** Every size in dark; the other schemes in the smallest. */
const ALL_LOOKS =
  /** @type {const} */ ([['dark', 1280, 800], ['dark', 1920, 1080], ['dark', 3840, 2160], ['light', 1280, 800], [
    'contrast',
    1280,
    800,
  ]]);

/** A television shows only what is made for it. */
const TELEVISION = 3840;

/** Windows narrower than this are phones. */
const PHONE = 600;

const isReadme = process.argv[2] === '--readme';
const whole = process.argv.find((argument) => /^--whole(?:=|$)/.test(argument));

/** Names on the command line choose screens; none chooses all. */
const wanted = isReadme ? [] : process.argv.slice(2).filter((argument) => !argument.startsWith('--'));

const looks = wantedLooks();

/** Games and sessions of a library like a real one. */
const WHOLE = Object.freeze({ count: 600, sessions: 900 });

/** Whose folder the paths in pictures are below. */
const USER = 'anna';

/** Backgrounds fill the largest screen of a desk. */
const BACKGROUND = Object.freeze(/** @type {const} */ ([1920, 1080]));

/** @returns {readonly (readonly [scheme: string, width: number, height: number])[]} */
function wantedLooks() {
  if (!whole) return isReadme ? ALL_LOOKS.filter(([, width]) => width === 1280) : ALL_LOOKS;
  const every = ['dark', 'light', 'contrast'].flatMap((scheme) =>
    /** @type {const} */ ([[400, 800], [800, 600], [1280, 800], [1920, 1080], [3840, 2160]])
      .map(([width, height]) => /** @type {const} */ ([scheme, width, height]))
  );
  const names = whole.split('=')[1]?.split(',');
  return every.filter(([scheme, width, height]) => names?.includes(`${scheme}-${width}x${height}`) ?? true);
}

/**
 * @param {string} name
 * @param {string} scheme
 */
function isWanted(name, scheme) {
  if (isReadme) return README.some(([screen, look]) => screen === name && look === scheme);
  return wanted.length === 0 || wanted.some((word) => name.startsWith(word));
}

/**
 * Takes the pictures that are wanted of some screens, with a library and a program of their own.
 *
 * @param {readonly import('./sights.js').Sight[]} screens
 * @param {{prepare?: (scratch: Scratch) => void, env?: (scratch: Scratch) => Record<string, string>}} [world]
 */
async function take(screens, { prepare, env } = {}) {
  const chosen = screens.filter(({ name }) => looks.some(([scheme]) => isWanted(name, scheme)));
  if (chosen.length === 0) return;
  const scratch = new Scratch(USER);
  writeDemo(scratch, { ...(whole ? WHOLE : {}), background: BACKGROUND });
  prepare?.(scratch);
  const service = await Service.start(`${scratch.root}/data`, { ...DEMO_ENV, ...(env ?? addPlayer)(scratch) });
  /** @type {Browser | null} */
  let browser = null;
  let last = '';
  try {
    // A machine of its own has only the emulators that it shows.
    await (prepare ? furnishUnplayed(service) : furnish(service));
    if (!prepare) await letGamesRun(service);
    browser = await Browser.open();
    for (const [scheme, width, height] of looks) {
      await browser.page.setViewportSize({ width, height });
      const shown = chosen.filter(({ name, view }) =>
        isWanted(name, scheme) && (whole || width < TELEVISION || view === 'big')
      );
      for (const screen of shown) {
        const settings = JSON.stringify({ ...PLAIN, ...AWAKE, ...screen.settings, ui_scheme: scheme });
        if (settings !== last) await service.ask('/api/settings', JSON.parse(settings));
        last = settings;
        try {
          await openScreen({ browser, service }, inFront(width < PHONE ? onPhone(screen) : screen));
        } catch (error) {
          process.exitCode = 1;
          console.error(`${screen.name}: ${error instanceof Error ? error.message.split('\n')[0] : error}`);
        }
        await (isReadme ? browser.shootSmall(screen.name) : browser.shoot(`${screen.name}-${scheme}`));
        await screen.after?.(service);
      }
    }
    for (const error of browser.errors) console.error(error);
    if (browser.errors.length > 0) process.exitCode = 1;
  } finally {
    await browser?.close();
    await service.stop();
    scratch.remove();
  }
}

await take([...SCREENS, ...SIGHTS]);
await take(MACHINE_SIGHTS, { prepare: addNewcomerHome, env: machineEnv });
