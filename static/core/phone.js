/**
 * Whether the window is as narrow as a phone. There the places stand in a bar at the foot, and what stands beside the
 * screen elsewhere lies over it: `styles/phone.css` uses the same width.
 */

const PHONE = '(max-width: 599px)';

/** Whether the window is as narrow as a phone now. */
export function isPhone() {
  return matchMedia(PHONE).matches;
}

/**
 * Hears of a window that became as narrow as a phone, or wider than one.
 *
 * @param {() => void} run
 * @param {AbortSignal} signal
 */
export function followPhone(run, signal) {
  matchMedia(PHONE).addEventListener('change', run, { signal });
}
