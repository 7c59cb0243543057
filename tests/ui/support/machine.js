/**
 * A machine with stores and emulators: the files that real clients write, and small programs in place of theirs on a search path of its own.
 */

import { rmSync } from 'node:fs';

/** Keeps packages as files below `$PACKAGES`, refuses those that a file `refuse-<id>` names, and updates none while there is a file `hold`. */
const PACKAGE_TOOL = `#!/bin/bash
for last; do :; done
case "$1" in
  list) for each in "$PACKAGES"/*; do echo "\${each##*/}"; done ;;
  info) [ -e "$PACKAGES/$last" ] ;;
  remotes) echo flathub ;;
  install) [ ! -e "$PACKAGES/refuse-$last" ] || { echo "no space left" >&2; exit 1; }; : > "$PACKAGES/$last" ;;
  update) while [ -e "$PACKAGES/hold" ]; do /usr/bin/sleep 0.05; done; : > "$PACKAGES/$last.updated" ;;
esac
`;

/** A game that runs until it is stopped. */
const PLAYER = '#!/bin/bash\nexec /usr/bin/sleep 600\n';

/**
 * Puts a program on the search path of the scene.
 *
 * @param {import('./service.js').Scratch} scratch
 * @param {string} name
 * @param {string} [script]
 * @returns {string} its path
 */
export function program(scratch, name, script = '#!/bin/bash\nexit 0\n') {
  return scratch.file(`bin/${name}`, script, 0o755);
}

/**
 * Environment of a program that sees only this machine.
 *
 * @param {import('./service.js').Scratch} scratch
 * @returns {Record<string, string>}
 */
export function machineEnv(scratch) {
  return { PATH: scratch.folder('bin'), PACKAGES: scratch.folder('packages') };
}

/**
 * Three stores: one game installed and one owned in each, as their clients keep them.
 *
 * @param {import('./service.js').Scratch} scratch
 */
export function addStores(scratch) {
  program(scratch, 'xdg-open', `#!/bin/bash\necho "$*" >> "${scratch.root}/opened"\n`);
  program(scratch, 'steam', PLAYER);
  const steam = 'home/.local/share/Steam';
  scratch.file(`${steam}/steamapps/appmanifest_440.acf`,
    '"AppState"\n{\n\t"appid"\t\t"440"\n\t"name"\t\t"Harbour Lights"\n\t"installdir"\t\t"Harbour Lights"\n\t"StateFlags"\t\t"4"\n}\n');
  scratch.file(`${steam}/steamapps/libraryfolders.vdf`,
    `"libraryfolders"\n{\n\t"0"\n\t{\n\t\t"path"\t\t"${scratch.root}/${steam}"\n\t}\n}\n`);
  scratch.file(`${steam}/userdata/7/config/localconfig.vdf`,
    '"UserLocalConfigStore" { "Software" { "Valve" { "Steam" { "apps" { "440" { } "620" { } } } } } }\n');
  const heroic = 'home/.config/heroic';
  scratch.file(`${heroic}/legendaryConfig/legendary/installed.json`,
    JSON.stringify({ Fox: { app_name: 'Fox', title: 'Fox Orchard', install_path: `${scratch.root}/games/fox` } }));
  scratch.file(`${heroic}/store_cache/legendaryLibrary.json`, JSON.stringify({
    library: [{ app_name: 'Fox', title: 'Fox Orchard', runner: 'legendary' }, { app_name: 'Owl', title: 'Owl Night',
      runner: 'legendary' }],
  }));
  const lutris = [
    { id: 1, slug: 'paper-kingdom', name: 'Paper Kingdom', runner: 'linux', platform: 'Linux',
      directory: `${scratch.root}/games/paper`, installed: true },
    { id: 2, slug: 'glass-tides', name: 'Glass Tides', runner: 'wine', platform: 'Windows', directory: '',
      installed: false },
  ];
  scratch.folder('home/.local/share/lutris');
  program(scratch, 'lutris',
    `#!/bin/bash\ncase "$*" in\n  *--installed*) echo '${
      JSON.stringify(lutris.slice(0, 1))
    }' ;;\n  *--list-games*) echo '${JSON.stringify(lutris)}' ;;\n  *) exec /usr/bin/sleep 600 ;;\nesac\n`);
}

/**
 * Two emulators that are installed as programs, and the package tool, which can bring others.
 *
 * @param {import('./service.js').Scratch} scratch
 */
export function addEmulators(scratch) {
  program(scratch, 'dolphin-emu', PLAYER);
  program(scratch, 'melonDS', PLAYER);
  program(scratch, 'flatpak', PACKAGE_TOOL);
}

/**
 * The home of somebody who starts the program for the first time: three stores, two emulators that are installed, and a folder with games of four
 * machines, one of which could be of several.
 *
 * @param {import('./service.js').Scratch} scratch
 */
export function addNewcomerHome(scratch) {
  addStores(scratch);
  addEmulators(scratch);
  scratch.file('home/ROMs/wii/Fern Rally.wbfs', 'a Wii disc');
  scratch.file('home/ROMs/nds/Moon Tide.nds', 'a DS card');
  scratch.file('home/ROMs/vita/Star Pilot.vpk', 'a Vita package');
  scratch.file('home/ROMs/Twin Suns.iso', 'a disc of who knows what');
}

/** As many packages as the program works on jobs at a time. */
const WORKERS = Object.freeze(['org.ppsspp.PPSSPP', 'app.xemu.xemu', 'org.duckstation.DuckStation', 'net.pcsx2.PCSX2']);

/**
 * Keeps every worker of the program busy with updating a package, so that the next job waits for as long as a test looks at it.
 *
 * @param {import('./service.js').Scratch} scratch of a machine with the package tool
 * @param {import('./service.js').Service} service
 * @returns {Promise<() => void>} lets the packages be updated
 */
export async function holdWorkers(scratch, service) {
  const hold = scratch.file('packages/hold', '');
  for (const app of WORKERS) await service.ask('/api/emulators/update', { app_id: app });
  return () => rmSync(hold);
}
