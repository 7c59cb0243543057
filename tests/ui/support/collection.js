/**
 * The home of somebody who comes from other programs: games of twelve systems in folders named as those programs name them, one folder with a name of its own, lists of a front end and a store.
 */

import { addEmulators, addStores, program } from './machine.js';

/** Files by folder below `~/ROMs`: as ES-DE, RetroPie, No-Intro and Redump name them. */
const FOLDERS = Object.freeze(/** @type {Record<string, string[]>} */ ({
  'nes': ['Super Mario Bros. 3 (USA).nes', 'Super Mario Bros. 3 (Europe) (Rev 1).nes',
    'Super Mario Bros. 3 (Japan).nes', "Kirby's Adventure (USA).nes", 'Mega Man 2 (USA).nes',
    "Castlevania III - Dracula's Curse (USA).nes"],
  'snes': ['Chrono Trigger (USA).sfc', 'EarthBound (USA).sfc', 'Super Metroid (Japan, USA) (En,Ja).sfc',
    'F-Zero (USA).sfc'],
  'Nintendo - Game Boy': ['Tetris (World) (Rev 1).gb', 'Tetris (Japan).gb',
    'Wario Land - Super Mario Land 3 (World).gb'],
  'gba': ['Advance Wars (USA).gba', 'Metroid Fusion (USA).gba', 'Golden Sun (USA, Europe).gba'],
  'n64': ['Super Mario 64 (USA).z64', 'Mario Kart 64 (USA).z64'],
  'wii': ['Super Mario Galaxy (USA) (En,Fr,Es).wbfs'],
  'nds': ['Mario Kart DS (USA).nds', 'Phoenix Wright - Ace Attorney (USA).nds'],
  'Sega - Mega Drive - Genesis': ['Sonic The Hedgehog 2 (World).md', 'Streets of Rage 2 (USA).md',
    'Gunstar Heroes (USA).md'],
  'mastersystem': ['Alex Kidd in Miracle World (USA, Europe).sms', 'Phantasy Star (USA, Europe).sms'],
  'psp': ['LocoRoco (USA).iso', 'Lumines - Puzzle Fusion (USA).iso'],
  'lynx': ['California Games (USA, Europe).lnx'],
  'Sony - PlayStation': [],
  'Flash cart': ['Phantasy Star IV (USA).md', 'Shining Force II (USA).md', 'Ristar (USA, Europe).md'],
}));

/** Systems in these folders, each by its name; the folder with a name of its own has the last one, once it is chosen. */
export const SYSTEMS = Object.freeze(['NES', 'SNES', 'Game Boy', 'Game Boy Advance', 'Nintendo 64', 'Wii',
  'Nintendo DS', 'Sega Genesis', 'Master System', 'PSP', 'Atari Lynx', 'PlayStation']);

/** Games of the folders once the system of the last one is chosen. */
export const GAMES = 30;

/**
 * @param {import('./service.js').Scratch} scratch
 */
export function addCollection(scratch) {
  addStores(scratch);
  addEmulators(scratch);
  program(scratch, 'scummvm');
  for (const [folder, names] of Object.entries(FOLDERS))
    for (const name of names) scratch.file(`home/ROMs/${folder}/${name}`, `${folder}/${name}`);
  for (const disc of [1, 2]) {
    const name = `home/ROMs/Sony - PlayStation/Metal Gear Solid (USA) (Disc ${disc})`;
    scratch.file(`${name}.bin`, `disc ${disc}`);
    scratch.file(`${name}.cue`,
      `FILE "Metal Gear Solid (USA) (Disc ${disc}).bin" BINARY\n  TRACK 01 MODE2/2352\n    INDEX 01 00:00:00\n`);
  }
  for (const name of ['Super Mario Bros. 3 (USA).png', 'Mega Man 2 (USA).png', 'notes.txt'])
    scratch.file(`home/ROMs/nes/media/${name}`, 'a picture');
  const entry = (/** @type {string} */ file, /** @type {string} */ name, /** @type {string} */ more) =>
    `  <game>\n    <path>./${file}</path>\n    <name>${name}</name>\n${more}  </game>\n`;
  scratch.file('home/ES-DE/gamelists/snes/gamelist.xml',
    `<?xml version="1.0"?>\n<alternativeEmulator>\n  <label>Snes9x</label>\n</alternativeEmulator>\n<gameList>\n${
      entry('Chrono Trigger (USA).sfc', 'Chrono Trigger',
        '    <favorite>true</favorite>\n    <genre>Role Playing</genre>\n    <developer>Square</developer>\n')
    }${entry('EarthBound (USA).sfc', 'EarthBound', '    <genre>Role Playing</genre>\n')}</gameList>\n`);
  scratch.file('home/ES-DE/settings/es_settings.xml',
    `<?xml version="1.0"?>\n<string name="ROMDirectory" value="${scratch.root}/home/ROMs" />\n`);
}
