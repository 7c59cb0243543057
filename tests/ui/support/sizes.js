/** How large a screen and a test are: sizes of the window, and numbers of things. */

/**
 * Sizes of the window at which a screen is looked at in a theme, the usual one last. Themes change colors and the
 * strength of lines, so every size is looked at in one of them only.
 *
 * @param {string} scheme
 * @returns {(readonly [width: number, height: number])[]}
 */
export const sizesIn = (scheme) => [
  ...(scheme === 'light' ? [] : [/** @type {const} */ ([640, 800])]),
  ...(scheme === 'dark' ? [/** @type {const} */ ([1920, 1080])] : []),
  [1280, 800],
];

/**
 * A number of things: the whole one with `UI_FULL=1`, else a part that shows the same in less time.
 *
 * @param {number} whole
 * @param {number} part
 */
export const amount = (whole, part) => process.env['UI_FULL'] === '1' ? whole : part;
