/**
 * Answers that overtake each other, as on a slow network.
 */

/** How long an answer waits to be overtaken, in milliseconds. A page that asks one thing after the other lets it wait in vain. */
const LATEST = 2000;

/**
 * Lets the answer to a question come after the answer to a later one, when the page asks that before it has the first.
 *
 * @param {import('playwright-core').Page} page
 * @param {string} path of the API
 * @param {(url: URL) => boolean} [isLater] which questions are the later ones; all but the first where it is not given
 * @returns {Promise<() => Promise<void>>} ends it, and waits until every answer is on its way
 */
export async function answerFirstLast(page, path, isLater) {
  let asked = 0;
  let overtake = () => {};
  const overtaken = new Promise((resolve) => {
    overtake = () => resolve(undefined);
  });
  await page.route(({ pathname }) => pathname === path, async (route) => {
    asked += 1;
    const isFirst = isLater ? !isLater(new URL(route.request().url())) : asked === 1;
    // The server answers now; only the page hears of it late.
    const response = await route.fetch();
    if (isFirst)
      await Promise.race([overtaken, new Promise((resolve) => {
        setTimeout(resolve, LATEST);
      })]);
    await route.fulfill({ response });
    if (isFirst) return;
    // A frame, so that what was overtaken comes after the page has drawn what overtook it.
    await page.evaluate(() =>
      new Promise((resolve) => {
        requestAnimationFrame(() => setTimeout(resolve, 50));
      })
    );
    overtake();
  });
  return () => page.unrouteAll({ behavior: 'wait' });
}

/**
 * Lets the answer to the next change come after the page was told of it by the live stream.
 *
 * @param {import('playwright-core').Page} page
 * @param {string} path of the API
 * @param {() => Promise<unknown>} told waits until the page shows what it was told
 */
export async function answerAfter(page, path, told) {
  await page.route(({ pathname }) => pathname === path, async (route) => {
    const response = await route.fetch();
    await told();
    await route.fulfill({ response });
  }, { times: 1 });
}
