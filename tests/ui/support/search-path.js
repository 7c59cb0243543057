/**
 * The programs of this machine without emulators: what a flow starts plays what the flow brings.
 */

import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { ROOT } from './sources.js';

/** @type {string | undefined} */
let folder;

/**
 * A folder of links to every program of the search path that no table of emulators names. It stays for later runs.
 *
 * @returns {string}
 */
export function withoutEmulators() {
  if (folder) return folder;
  const links = join(tmpdir(), `launcher-programs-${process.getuid?.() ?? ''}`);
  mkdirSync(links, { recursive: true });
  const known = new Set([...emulators(), ...readdirSync(links)]);
  for (const from of (process.env['PATH'] ?? '/usr/bin:/bin').split(delimiter)) {
    for (const name of list(from)) {
      if (known.has(name)) continue;
      known.add(name);
      try {
        symlinkSync(join(from, name), join(links, name));
      } catch (error) {
        // Another run made it at the same time.
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      }
    }
  }
  folder = links;
  return links;
}

/** @returns {string[]} the programs that the tables of the repository name */
function emulators() {
  const tables = ['definitions', 'src/definitions'].map((table) => join(ROOT, table));
  const texts = tables.flatMap((table) => list(table).map((name) => readFileSync(join(table, name), 'utf8')));
  return texts.flatMap((text) =>
    [...text.matchAll(/^(?: {2}programs|native_exe): (.+)$/gm)].flatMap((match) => match[1]?.split(' ') ?? [])
  );
}

/**
 * @param {string} path
 * @returns {string[]} the names in a folder; none where there is no folder
 */
function list(path) {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
