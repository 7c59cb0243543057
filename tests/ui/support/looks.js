/**
 * Tests whose outcome depends on the metrics of fonts. `run` gives each of them one look, in turn, so that all looks occur; `run --fonts` runs them with every look.
 */

import { test } from 'node:test';

import { CHOSEN_LOOK, lookName, LOOKS } from './fonts.js';

/**
 * As `test`, with a look.
 *
 * @param {{browser: import('./browser.js').Browser}} parts
 * @returns {(name: string, body: () => Promise<unknown>) => void}
 */
export function testWithLooks(parts) {
  let count = 0;
  return (name, body) => {
    const look = CHOSEN_LOOK ?? /** @type {import('./fonts.js').Look} */ (LOOKS[count % LOOKS.length]);
    count += 1;
    void test(CHOSEN_LOOK ? name : `${name} (${lookName(look)})`, async () => {
      await parts.browser.setLook(look);
      await body();
    });
  };
}
