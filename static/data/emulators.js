/**
 * Which emulators a library wants. Pure.
 */

/**
 * The emulators that are not here and would play games that nothing plays now, with how many games: for each platform
 * of the library without an installed emulator, the one that is recommended first.
 *
 * @param {readonly Api.Emulator[]} emulators
 * @param {readonly [string, number][]} platforms platforms of the library with their games
 * @returns {Map<string, number>} games by package id
 */
export function wantedEmulators(emulators, platforms) {
  /** @type {Api.Emulator['recommendations']} */
  const recommended = Object.assign({}, ...emulators.map((emulator) => emulator.recommendations));
  const isPlayed = (/** @type {string} */ platform) =>
    emulators.some((emulator) => emulator.installed && emulator.platforms.includes(platform));
  /** @type {Map<string, number>} */
  const wanted = new Map();
  for (const [platform, games] of platforms) {
    const first = recommended[platform]?.[0]?.[0];
    if (first && !isPlayed(platform)) wanted.set(first, (wanted.get(first) ?? 0) + games);
  }
  return wanted;
}
