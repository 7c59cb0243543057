/** The whole screen for the page. */

/**
 * Fills the screen, or gives it back. A browser only does so right after a key or a click; after a controller it may
 * refuse.
 */
export async function toggleFullScreen() {
  try {
    if (document.fullscreenElement) await document.exitFullscreen();
    else await document.documentElement.requestFullscreen();
  } catch {
    // The window stays as it is; the browser's own key for it works in any case.
  }
}
