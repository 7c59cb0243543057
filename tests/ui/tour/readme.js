/**
 * The pictures of the README: the one at its top and twelve more screens of the demo library, written to `docs/screens`
 * as WebP. `run --readme` takes them anew.
 */

/** Screens with their schemes, in the order of the README. */
export const README = /** @type {const} */ ([
  ['library', 'dark'],
  ['library-details', 'dark'],
  ['home', 'dark'],
  ['game', 'dark'],
  ['big-hybrid', 'dark'],
  ['big-systems', 'dark'],
  ['palette', 'dark'],
  ['insights', 'dark'],
  ['insights-stars', 'dark'],
  ['library-groups', 'light'],
  ['game-moments', 'dark'],
  ['fill', 'dark'],
  ['health-score', 'dark'],
]);
