/**
 * The fonts that pages are drawn with. Every flow uses one set, whatever is installed besides, so that a result does not depend on the machine: `UI_FONTS` names it (default `dejavu`), and `UI_TEXT`
 * is the size of text in percent (default 100).
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Families of each set; the first is the one that Latin text is drawn with. `tests/run` installs them. */
const SETS = Object.freeze({
  dejavu: ['DejaVu Sans', 'DejaVu Sans Mono'],
  noto: ['Noto Sans', 'Noto Sans Arabic', 'Noto Sans CJK JP', 'Noto Sans CJK KR', 'Noto Sans CJK SC', 'Noto Sans CJK TC'],
  wide: ['Comfortaa'],
});

/** The size of text in percent. */
export const TEXT_SIZE = Number(process.env['UI_TEXT'] ?? 100);

const accept = (/** @type {string} */ family) => `<acceptfont><pattern><patelt name="family"><string>${family}</string></patelt></pattern></acceptfont>`;

/**
 * Lets the browser see the fonts of the set and no others.
 *
 * @returns {Record<string, string>} environment of the browser
 */
function select() {
  const name = process.env['UI_FONTS'] ?? 'dejavu';
  const families = SETS[/** @type {keyof typeof SETS} */ (name)];
  if (!families) throw new Error(`UI_FONTS is ${name}, not one of ${Object.keys(SETS).join(', ')}`);
  const folder = mkdtempSync(join(tmpdir(), 'service-ui-fonts-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'fonts.conf');
  writeFileSync(file, `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir>/usr/share/fonts</dir><dir>/usr/local/share/fonts</dir><cachedir>/var/cache/fontconfig</cachedir><cachedir>${folder}</cachedir>
<selectfont><rejectfont><pattern><patelt name="scalable"><bool>true</bool></patelt></pattern></rejectfont><rejectfont><pattern><patelt name="scalable"><bool>false</bool></patelt></pattern></rejectfont>
${families.map(accept).join('\n')}</selectfont></fontconfig>\n`);
  const environment = { FONTCONFIG_FILE: file };
  const found = execFileSync('fc-list', ['--format', '%{family}\n'], { env: { ...process.env, ...environment }, encoding: 'utf8' });
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
