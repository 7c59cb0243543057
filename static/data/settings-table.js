/**
 * The table of settings that the server describes, without those of features this program has not: a switch that moves
 * nothing is a lie. Pure.
 */

/** Settings of a feature of their own, by a route of it. What the server does not answer, it does not have. */
const FEATURES = Object.freeze(/** @type {Record<string, readonly string[]>} */ ({
  '/api/native/window': ['tray_enabled', 'minimize_to_tray'],
  '/api/v2/insights/summary': ['show_insights'],
  '/api/v2/artgrid/search': ['artgrid_enabled'],
  '/api/v2/memories/import': ['memories_import_enabled', 'memories_import_roots'],
  '/api/v2/resume': ['quick_resume_enabled', 'state_retention'],
  '/api/v2/moments': ['moments_autocapture'],
  '/api/v2/arcade/kiosk/status': ['museum_kiosk_enabled'],
  '/api/recorder/status': ['recorder_auto_attach', 'recorder_recording_path', 'recorder_replay_enabled',
    'recorder_ws_url', 'recorder_ws_timeout', 'recorder_ws_password'],
  '/api/v2/library/sync/publish': ['library_sync_enabled'],
  '/api/v2/household/share': ['household_stats_sharing'],
}));

/** Edited together with another setting. */
const TWINS = Object.freeze(['hidden_sidebar_sections']);

/**
 * The settings to show, in order.
 *
 * @param {Api.OpenApi} schema
 * @returns {App.SettingRow[]}
 */
export function shownSettings(schema) {
  const idle = new Set(
    Object.entries(FEATURES).flatMap(([route, keys]) => (Object.hasOwn(schema.paths, route) ? [] : keys)),
  );
  return schema['x-settings'].filter(({ key }) => !idle.has(key) && !TWINS.includes(key));
}
