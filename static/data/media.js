/**
 * The kinds of media a game can have, as the server lists them (`GET /api/media/kinds`). The page reads them once, at
 * its start.
 */

/** @type {readonly Reply.MediaKind[]} */
export let MEDIA = [];

/** @param {readonly Reply.MediaKind[]} kinds */
export function setMedia(kinds) {
  MEDIA = kinds;
}
