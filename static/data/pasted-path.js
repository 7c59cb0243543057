/**
 * Paths as people paste them: quoted, with escaped blanks, or as the address that a file manager puts on the clipboard.
 * Pure.
 */

/** What shells put a backslash before. */
const ESCAPED = /\\([ !"#$&'()*;<=>?@[\\\]^`{|}~])/g;

/**
 * The path that a pasted text means. What is no path of this kind stays as it is.
 *
 * @param {string} text
 * @returns {string}
 */
export function pastedPath(text) {
  const written = text.trim();
  const [, quote = '', inside = written] = /^(["'])(.+)\1$/.exec(written) ?? [];
  const plain = inside.trim();
  const [, address = ''] = /^file:\/\/(?:localhost)?(\/.*)$/i.exec(plain) ?? [];
  if (address) return decoded(address);
  return quote === '' && /^[/~]/.test(plain) ? plain.replace(ESCAPED, '$1') : plain;
}

/**
 * @param {string} address
 * @returns {string}
 */
function decoded(address) {
  try {
    return decodeURIComponent(address);
  } catch {
    // A name with a percent sign that was not encoded.
    return address;
  }
}
