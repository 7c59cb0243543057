/**
 * Whether the window is as narrow as a phone. There the places stand in a bar at the foot, and what stands beside the
 * screen elsewhere lies over it: `styles/phone.css` uses the same width.
 */

const PHONE = '(max-width: 599px)';

/** Whether the window is as narrow as a phone now. */
export function isPhone() {
  return matchMedia(PHONE).matches;
}

/** Whether fingers are all there is to point with, so that a field with the focus brings up a keyboard. */
export function isTouched() {
  return matchMedia('(hover: none) and (pointer: coarse)').matches;
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
