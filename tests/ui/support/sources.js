/** The files of the user interface, for tests that read them. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
export const STATIC = join(ROOT, 'static');

/**
 * Files under `static/` with an ending, by path relative to it.
 *
 * @param {string} ending
 * @returns {Map<string, string>} text by path
 */
export function sources(ending) {
  const names = readdirSync(STATIC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(ending))
    .sort();
  return new Map(names.map((name) => [relative('.', name), readFileSync(join(STATIC, name), 'utf8')]));
}

/**
 * @param {string} locale
 * @returns {Record<string, string>}
 */
export function strings(locale) {
  return JSON.parse(readFileSync(join(ROOT, 'locales', `${locale}.json`), 'utf8'));
}
