/**
 * The settings of the settings screen, as the server describes them. Pure.
 */

/**
 * The settings to show, in order: those of features that this server has, each control once.
 *
 * @param {Api.OpenApi} schema
 * @returns {App.SettingRow[]}
 */
export function shownSettings(schema) {
  const isServed = (/** @type {string | undefined} */ route) => !route || Object.hasOwn(schema.paths, route);
  return schema['x-settings'].filter((row) => !row.edited_with && isServed(row.feature));
}
