/**
 * A small program in the place of an emulator that keeps states: it counts how often its state was gone on from.
 */

import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { withoutEmulators } from './search-path.js';

/** The program. It reads the state it is given and writes one with a number higher by one. A game named "long" runs until it is stopped. */
export const MAME = `#!/bin/bash
while [ $# -gt 0 ]; do
  case "$1" in
    -autosave) ;;
    -state_directory) dir=$2; shift;;
    -state) state=$2; shift;;
    -*) shift;;
    *) rom=$1;;
  esac
  shift
done
name=\${rom##*/}; folder="$dir/\${name%.*}"
count=0
if [ -n "$dir" ]; then
  [ -f "$folder/$state.sta" ] && count=$(cat "$folder/$state.sta")
  mkdir -p "$folder"
  echo $((count + 1)) > "$folder/auto.sta"
fi
[ -n "$state" ] && case "$name" in long*) exec sleep 600;; esac
exit 0
`;

/** @type {string | undefined} */
let path;

/**
 * A search path with that program and without every other emulator. Its folder stays for later runs.
 *
 * @returns {string}
 */
export function withMame() {
  if (path) return path;
  const folder = join(tmpdir(), `launcher-mame-${process.getuid?.() ?? ''}`);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'mame');
  // Flows run side by side: a program that is written anew is another version, and states of the old one are stale.
  if (!existsSync(file) || readFileSync(file, 'utf8') !== MAME) {
    const fresh = join(folder, `mame.${process.pid}`);
    writeFileSync(fresh, MAME);
    chmodSync(fresh, 0o755);
    renameSync(fresh, file);
  }
  path = `${folder}${delimiter}${withoutEmulators()}`;
  return path;
}
