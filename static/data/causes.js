/**
 * Causes for which a game cannot be started, in words. Pure.
 */

/** Causes with words of their own. */
export const CAUSES = Object.freeze([
  'PATH_MISSING',
  'PATH_WRONG_TYPE',
  'ARCHIVE_INVALID',
  'ARCHIVE_MEMBER_INVALID',
  'PLATFORM_UNKNOWN',
  'ADAPTER_UNKNOWN',
  'EMULATOR_UNKNOWN',
  'TEMPLATE_INVALID',
  'AMBIGUOUS_PLATFORM',
  'NATIVE_EXE_MISSING',
  'EMULATOR_REQUIRED',
  'ARGV_INVALID',
  'FLATPAK_NOT_INSTALLED',
  'FLATPAK_FS_DENIED',
  'RETROARCH_CORE_MISSING',
  'MISSING_BIOS',
  'FIRMWARE_MISSING',
  'BIOS_SHA1_DRIFT',
  'SAVE_GAP',
  'MEDIA_GAP',
  'DOCUMENT_GAP',
]);

/** Causes that keep nothing from starting and stand apart. */
export const GAPS = Object.freeze(['SAVE_GAP', 'MEDIA_GAP', 'DOCUMENT_GAP']);

/**
 * A cause in words: our own for a known code, the server's sentence for another.
 *
 * @param {App.Context} ctx
 * @param {{code: string, message: string}} cause
 * @param {string} subject what it is about, in words
 * @returns {string}
 */
export function causeText(ctx, { code, message }, subject) {
  if (!CAUSES.includes(code)) return message;
  const key = `cause.${code}`;
  // Some causes read well without knowing what they are about.
  return subject
    ? ctx.t(key, { subject })
    : ctx.i18n.has(`${key}.plain`)
    ? ctx.t(`${key}.plain`)
    : ctx.t(key, { subject: '' }).trim();
}

/**
 * @param {string} id a package id
 * @param {readonly Api.Definition[]} definitions
 * @returns {string} the name of the emulator, or the id of one nobody knows
 */
export function emulatorName(id, definitions) {
  const known = definitions.find((definition) => definition.emulator_id === id);
  return known ? known.name.replace(/ \(.*$/, '') : id;
}
