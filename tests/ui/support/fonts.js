/**
 * The fonts and the size of text that pages are drawn with, whatever is installed besides and chosen in the browser, so that a result does not depend on the machine.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Families of each set, for text and for text of fixed width; the first one draws Latin text. `tests/run` installs them. */
const SETS = Object.freeze({
  dejavu: { text: ['DejaVu Sans'], fixed: ['DejaVu Sans Mono'] },
  noto: {
    text: ['Noto Sans', 'Noto Sans Arabic', 'Noto Sans Devanagari', 'Noto Sans Hebrew', 'Noto Sans Thai',
      'Noto Sans CJK JP', 'Noto Sans CJK KR', 'Noto Sans CJK SC', 'Noto Sans CJK TC'],
    fixed: ['Noto Sans Mono CJK JP'],
  },
  wide: { text: ['OpenDyslexic'], fixed: ['OpenDyslexicMono'] },
});

/**
 * A set of fonts, and the size of text in percent of the usual one.
 *
 * @typedef {{fonts: keyof typeof SETS, size: number}} Look
 */

/** Every set in the usual size and in large text; neighbours differ in both. */
export const LOOKS = Object.freeze(/** @type {Look[]} */ ([
  { fonts: 'dejavu', size: 100 },
  { fonts: 'noto', size: 130 },
  { fonts: 'wide', size: 100 },
  { fonts: 'dejavu', size: 130 },
  { fonts: 'noto', size: 100 },
  { fonts: 'wide', size: 130 },
]));

/** @param {Look} look */
export const lookName = ({ fonts, size }) => `${fonts}-${size}`;

/** @returns {Look | null} what `UI_LOOK` names */
function chosen() {
  const name = process.env['UI_LOOK'];
  if (!name) return null;
  const look = LOOKS.find((each) => lookName(each) === name);
  if (!look) throw new Error(`UI_LOOK is ${name}, not one of ${LOOKS.map(lookName).join(', ')}`);
  return look;
}

/** The look that all tests of this run have, or `null` where each of the layout tests has its own. */
export const CHOSEN_LOOK = chosen();

/** The size of text in pixels that browsers have when nobody chose another. */
const USUAL_SIZE = 16;

/**
 * Draws a page with a look from now on.
 *
 * @param {import('playwright-core').Page} page
 * @param {Look} look
 * @returns {Promise<() => Promise<unknown>>} lets later pages have their own fonts again
 */
export async function applyLook(page, { fonts, size }) {
  const session = await page.context().newCDPSession(page);
  await session.send('Page.enable');
  await session.send('Page.setFontSizes', { fontSizes: { standard: Math.round(USUAL_SIZE * size / 100) } });
  const families = (/** @type {readonly string[]} */ names) => names.map((name) => `"${name}"`).join(', ');
  const rule = `:root { --font: ${families(SETS[fonts].text)}, sans-serif; --font-mono: ${
    families(SETS[fonts].fixed)
  }, monospace; }`;
  const source = `{ const sheet = new CSSStyleSheet(); sheet.replaceSync(${
    JSON.stringify(rule)
  }); document.adoptedStyleSheets = [sheet]; }`;
  const { identifier } = await session.send('Page.addScriptToEvaluateOnNewDocument', { source });
  await page.evaluate(source);
  return () => session.send('Page.removeScriptToEvaluateOnNewDocument', { identifier });
}

/**
 * Lets the browser see the fonts of the sets and no others.
 *
 * @returns {Record<string, string>} environment of the browser
 */
function select() {
  const families = [...new Set(Object.values(SETS).flatMap(({ text, fixed }) => [...text, ...fixed]))];
  const folder = mkdtempSync(join(tmpdir(), 'service-ui-fonts-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'fonts.conf');
  const accept = (/** @type {string} */ family) =>
    `<acceptfont><pattern><patelt name="family"><string>${family}</string></patelt></pattern></acceptfont>`;
  writeFileSync(file, `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir>/usr/share/fonts</dir><dir>/usr/local/share/fonts</dir><cachedir>/var/cache/fontconfig</cachedir><cachedir>${folder}</cachedir>
<selectfont><rejectfont><pattern><patelt name="scalable"><bool>true</bool></patelt></pattern></rejectfont><rejectfont><pattern><patelt name="scalable"><bool>false</bool></patelt></pattern></rejectfont>
${families.map(accept).join('\n')}</selectfont></fontconfig>\n`);
  const environment = { FONTCONFIG_FILE: file };
  const found = execFileSync('fc-list', ['--format', '%{family}\n'], { env: { ...process.env, ...environment },
    encoding: 'utf8' });
  const missing = families.filter((family) => !found.includes(family));
  if (missing.length > 0) throw new Error(`fonts are missing, see tests/run: ${missing.join(', ')}`);
  return environment;
}

/** @type {Record<string, string> | undefined} */
let environment;

/** The environment that selects the fonts. */
export function fontEnvironment() {
  environment ??= select();
  return environment;
}
