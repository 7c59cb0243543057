/**
 * The settings the big screen follows, read with the defaults of the server. Pure.
 */

/** Layouts of the big screen, as in the setting `bigscreen_mode`. */
export const LAYOUTS = Object.freeze(/** @type {const} */ (['stage', 'hybrid', 'coverflow']));

/**
 * @param {Api.Settings} settings
 * @returns {App.BigSettings}
 */
export function readBig(settings) {
  const text = (/** @type {string} */ key) => (typeof settings[key] === 'string' ? String(settings[key]) : '');
  const positive = (/** @type {string} */ key, /** @type {number} */ initial) => {
    const value = settings[key] === undefined ? initial : Number(settings[key]);
    return Number.isFinite(value) && value > 0 ? value : 0;
  };
  const mode = text('bigscreen_mode');
  const saver = positive('screensaver_seconds', 90);
  return {
    layout: LAYOUTS.find((layout) => layout === mode) ?? 'stage',
    saver,
    attract: positive('attract_mode_seconds', saver),
    startsHere: settings['bigscreen_start_at_launch'] === true || settings['compositor_guest'] === true,
    video: text('bigscreen_startup_video'),
    music: text('library_music'),
    mixes: settings['video_bgm_mix'] === true,
    mood: settings['mood_match_enabled'] === true && settings['mood_match_bigscreen'] === true,
    hint: text('controller_prompt_hint'),
    volume: Math.min(positive('bigscreen_sound_volume', 0), 100) / 100,
    rumbles: settings['bigscreen_rumble'] === true,
  };
}

/**
 * When, in seconds without any input, a game is shown and when the screen goes dark; 0 for never. What is shown to be
 * looked at is not darkened at the same moment: the dark then waits its own time more. Darkness that comes first stays.
 *
 * @param {{attract: number, saver: number}} settings
 * @returns {{attract: number, saver: number}}
 */
export function idleTimes({ attract, saver }) {
  if (attract === 0 || saver === 0) return { attract, saver };
  return saver < attract ? { attract: 0, saver } : { attract, saver: saver === attract ? attract + saver : saver };
}
