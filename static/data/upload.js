/**
 * Sends pictures of the user to the server, in pieces that fit into its requests.
 */

/** The largest picture in bytes that the server takes. */
export const LARGEST_PICTURE = 32 * 1024 * 1024;

/** Kinds of pictures that the server takes. */
export const PICTURE_TYPES = Object.freeze(['image/png', 'image/jpeg', 'image/webp']);

/** Bytes of one piece; in Base64 they become a third more. */
const PIECE = 45_000;

/** Bytes that become letters at once: the arguments of a call are bounded. */
const STEP = 9_000;

/**
 * @param {Pick<import('../core/client.js').Client, 'post'>} client
 * @param {Blob} file
 * @returns {Promise<string>} where the picture lies now
 */
export async function sendPicture(client, file) {
  let upload = '';
  let path = '';
  for (let offset = 0; offset < file.size; offset += PIECE) {
    const data = base64(new Uint8Array(await file.slice(offset, offset + PIECE).arrayBuffer()));
    const answer = await client.post('/api/v2/media/upload', { upload_id: upload, size: file.size, offset, data });
    upload = answer.upload_id;
    path = answer.path ?? '';
  }
  return path;
}

/** @param {Uint8Array} bytes */
function base64(bytes) {
  let letters = '';
  for (let at = 0; at < bytes.length; at += STEP) letters += String.fromCharCode(...bytes.subarray(at, at + STEP));
  return btoa(letters);
}

/**
 * What becomes of a game when pictures are added: lists grow at their front, other fields are replaced.
 *
 * @param {Api.Game} record
 * @param {readonly {kind: string, path: string}[]} pictures
 * @returns {{changes: Record<string, App.FieldValue>, before: Record<string, App.FieldValue>}} the new values, and
 *   those of the same fields until now
 */
export function pictureChanges(record, pictures) {
  /** @type {Record<string, App.FieldValue>} */
  const changes = {};
  /** @type {Record<string, App.FieldValue>} */
  const before = {};
  for (const { kind, path } of pictures) {
    const known = record[kind];
    if (!Array.isArray(known)) {
      before[kind] = typeof known === 'string' ? known : '';
      changes[kind] = path;
      continue;
    }
    before[kind] = known;
    const list = /** @type {string[]} */ (changes[kind] ?? known);
    changes[kind] = [path, ...list.filter((other) => other !== path)];
  }
  return { changes, before };
}

/**
 * What a picture most likely shows, by its shape.
 *
 * @param {{width: number, height: number}} size
 * @param {boolean} hasCover whether the game has a cover, or gets one from another picture
 * @returns {string} field of a game
 */
export function likelyKind({ width, height }, hasCover) {
  const ratio = width / height;
  if (ratio > 2.4) return 'banner';
  return !hasCover && ratio < 1.5 ? 'cover' : 'screenshots';
}
