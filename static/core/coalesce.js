/**
 * Work that many ask for at once and that needs to be done once.
 */

/**
 * Makes a function that runs the work; calls that come while it runs are answered together by one more run.
 *
 * @param {() => Promise<void>} work
 * @returns {() => Promise<void>} settles when no run is owed any more
 */
export function coalesce(work) {
  /** @type {Promise<void> | null} */
  let running = null;
  let isOwed = false;
  const run = async () => {
    try {
      while (isOwed) {
        isOwed = false;
        await work();
      }
    } finally {
      running = null;
    }
  };
  return () => {
    isOwed = true;
    running ??= run();
    return running;
  };
}
