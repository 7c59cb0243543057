/** How large a screen and a test are: sizes of the window, and numbers of things. */

/** Sizes of the window at which a screen is looked at, the usual one last. */
export const SIZES = Object.freeze(
  /** @type {(readonly [width: number, height: number])[]} */ ([[640, 800], [1920, 1080], [1280, 800]]),
);

/**
 * A number of things: the whole one with `UI_FULL=1`, else a part that shows the same in less time.
 *
 * @param {number} whole
 * @param {number} part
 */
export const amount = (whole, part) => process.env['UI_FULL'] === '1' ? whole : part;
