/**
 * A development tool that looks for tests and screens that rely on luck: `UI_JITTER=<number>` lets a flow meet a slow network, a slow processor and hesitating hands. Answers of the API come late and
 * overtake each other, what the live stream tells comes late but in order, some presses wait a moment, and the page thinks up to six times slower. What is drawn depends on the number and the name
 * of the file alone, so a failure can be met again, though never for certain: when the page asks is its own affair. Without the variable nothing of this is there.
 *
 * Flows that tell how long something takes are left alone.
 */

import { basename } from 'node:path';

import { numbers } from './picture.js';
import { Relay } from './relay.js';

/** Flows that measure time, or slow the page down themselves. */
export const TIMED = /^(?:big-large|big-late|large-library|lists-large)\./;

/** How late an answer, a message of the stream and a press may be, in milliseconds. */
const LATEST = Object.freeze({ answer: 200, piece: 100, press: 120 });

/** One press in so many waits. */
const HESITATES = 3;

/** How much slower than this machine the page may think. */
const SLOWEST = 6;

/** What the user does with keys, a pointer or fingers. */
const ACTS = Object.freeze({
  keyboard: ['press', 'down'],
  mouse: ['click', 'down', 'move', 'wheel'],
  locator: ['check', 'click', 'dblclick', 'dragTo', 'fill', 'focus', 'hover', 'press', 'selectOption', 'setChecked',
    'tap', 'uncheck'],
});

const FILE = basename(process.argv[1] ?? '');
const SEED = process.env['UI_JITTER'] ?? '';

/** Whether this file is to meet all that. */
const isOn = SEED !== '' && !TIMED.test(FILE);

/** @param {string} purpose each draws from numbers of its own, so that one more press changes no answer */
function draws(purpose) {
  return numbers(
    [...`${SEED} ${FILE} ${purpose}`].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 4294967296,
      7),
  );
}

const pressDraws = draws('press');
const answerDraws = draws('answer');
const pieceDraws = draws('piece');
const rate = isOn ? 1 + Math.floor(draws('rate')() * SLOWEST) : 1;
if (isOn) console.log(`UI_JITTER=${SEED}: ${FILE} with a processor ${rate} times slower`);

/** @param {number} ms */
const pause = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Waits now and then for as long as a hand does that has to think. */
export async function hesitate() {
  if (isOn && pressDraws() < 1 / HESITATES) await pause(pressDraws() * LATEST.press);
}

/**
 * The slow way to a program.
 *
 * @param {string} url address of the program
 * @returns {Promise<Relay | null>} what stands in between, open; `null` where nothing does
 */
export async function slowWay(url) {
  if (!isOn) return null;
  const relay = new Relay(url, { answer: (path) => (path.startsWith('/api/') ? answerDraws() * LATEST.answer : 0),
    piece: () => pieceDraws() * LATEST.piece });
  await relay.open();
  return relay;
}

let isHesitating = false;

/**
 * Slows down the pages of a window and the hands that use them.
 *
 * @param {import('playwright-core').BrowserContext} context
 * @param {import('playwright-core').Page} page its first
 */
export async function slowPages(context, page) {
  if (!isOn) return;
  const slow = async (/** @type {import('playwright-core').Page} */ one) => {
    const session = await context.newCDPSession(one);
    await session.send('Emulation.setCPUThrottlingRate', { rate });
  };
  await slow(page);
  // A page that is closed before it was slowed down needs it no more.
  context.on('page', (other) => {
    slow(other).catch(() => undefined);
  });
  if (isHesitating) return;
  isHesitating = true;
  for (const [object, names]
    of /** @type {const} */ ([[page.keyboard, ACTS.keyboard], [page.mouse, ACTS.mouse], [page.locator('html'),
      ACTS.locator]])) {
    const kind =
      /** @type {Record<string, (...given: unknown[]) => Promise<unknown>>} */ (Object.getPrototypeOf(object));
    for (const name of names) {
      const act = kind[name];
      if (!act) throw new Error(`nothing is called ${name} any more`);
      kind[name] = async function late(...given) {
        await hesitate();
        return act.apply(this, given);
      };
    }
  }
  const keyboard = /** @type {import('playwright-core').Keyboard} */ (Object.getPrototypeOf(page.keyboard));
  const { type } = keyboard;
  keyboard.type = async function typeLate(text, options) {
    for (const letter of text) {
      await hesitate();
      await type.call(this, letter, options);
    }
  };
}
