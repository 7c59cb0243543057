import assert from 'node:assert/strict';

import { SCHEMES } from '../../../static/data/preferences.js';
import { DEMO_ENV, furnish, writeDemo } from '../support/demo.js';
import { testWithLooks } from '../support/looks.js';
import { scene } from '../support/scene.js';
import { PLAIN, reachScreen, SCREENS, touch } from '../support/screens.js';

const parts = scene({ prepare: writeDemo, furnish, env: DEMO_ENV });
const test = testWithLooks(parts);

const THEMES = SCHEMES.filter((name) => name !== 'auto');

for (const screen of SCREENS) {
  test(`${screen.name} has no serious finding in any theme`, async () => {
    const { page } = parts.browser;
    await parts.service.ask('/api/settings', { ...PLAIN, ...screen.settings, ui_scheme: THEMES[0] });
    await reachScreen(parts, screen);
    // Before anybody touches it: what answers a key or a press may move.
    await parts.browser.assertSteady();
    await touch(parts, screen);
    for (const scheme of THEMES) {
      // Where the screen is: a change of the theme reaches what is open.
      await parts.service.ask('/api/settings', { ui_scheme: scheme });
      await page.waitForFunction((name) => document.documentElement.dataset['scheme'] === name, scheme);
      await parts.browser.settle();
      assert.deepEqual(await parts.browser.findings(), [], scheme);
      assert.equal(await page.evaluate(() => document.querySelectorAll('h1').length), 1,
        `one heading of the first order, ${scheme}`);
    }
  });
}
