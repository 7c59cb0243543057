/**
 * Who is to be named for what a source gives, in the language of the page. The server has these sentences in English
 * only, because they belong to the source and not to a screen. Pure.
 */

/** The sentences of the server, the words they have here, and who is named. */
const CREDITS = Object.freeze(/** @type {const} */ ([
  ['Game data and pictures come from the LaunchBox Games Database.', 'credit.metadb', 'LaunchBox Games Database'],
  ['Artwork comes from SteamGridDB and is the work of the authors named there.', 'credit.artists', 'SteamGridDB'],
  ['Game data and pictures come from IGDB.com.', 'credit.data', 'IGDB.com'],
  ['Game data and pictures come from ScreenScraper.fr.', 'credit.data', 'ScreenScraper.fr'],
  ['Game data and pictures come from Steam.', 'credit.data', 'Steam'],
  ['Pictures come from GOG.com.', 'credit.pictures', 'GOG.com'],
  ['Media come from EmuMovies.', 'credit.media', 'EmuMovies'],
  ['Bezels come from The Bezel Project.', 'credit.bezels', 'The Bezel Project'],
  ['Achievements come from RetroAchievements.', 'achievements.credit', ''],
  ['Game data come from the libretro database (CC BY-SA 4.0), pictures from its thumbnails.', 'credit.libretro', ''],
]));

/**
 * @param {{t: App.Context['t']}} ctx
 * @param {string} text one or more sentences of the server; one that is not known here stays as it is
 * @returns {string}
 */
export function creditText({ t }, text) {
  return CREDITS.reduce((said, [sentence, key, source]) => said.replace(sentence, () => t(key, { source })), text);
}
