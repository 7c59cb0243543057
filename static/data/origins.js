/** The sources of values: what they are called. Pure. */

/** Names of providers, the same in every language. */
const PROVIDERS = Object.freeze(
  /** @type {Record<string, string>} */ ({ metadb: 'LaunchBox Games Database', gamedb: 'IGDB', scraper: 'ScreenScraper',
    artgrid: 'SteamGridDB', store_a: 'Steam', store_d: 'GOG', ach: 'RetroAchievements' }),
);

/** Sources that have words of their own. */
const PLAIN = Object.freeze(['person', 'file', 'import']);

/**
 * Where a value comes from, in words.
 *
 * @param {{t: (key: string) => string}} ctx
 * @param {{by: string, reference: string}} origin
 * @returns {string}
 */
export function originText({ t }, { by, reference }) {
  if (!by) return t('origin.by.unknown');
  if (!PLAIN.includes(by)) return PROVIDERS[by.replaceAll('-', '_')] ?? by;
  return [t(`origin.by.${by}`), by === 'import' ? reference : ''].filter(Boolean).join(': ');
}
