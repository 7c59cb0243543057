import assert from 'node:assert/strict';

import { SCHEMES } from '../../../static/data/preferences.js';
import { DEMO_ENV, furnish, writeDemo } from '../support/demo.js';
import { testWithLooks } from '../support/looks.js';
import { scene } from '../support/scene.js';
import { PLAIN, reachScreen, SCREENS, touch } from '../support/screens.js';

const parts = scene({ prepare: writeDemo, furnish, env: DEMO_ENV });
const test = testWithLooks(parts);

for (const scheme of SCHEMES.filter((name) => name !== 'auto')) {
  for (const screen of SCREENS) {
    test(`${screen.name} in the ${scheme} theme has no serious finding`, async () => {
      await parts.service.ask('/api/settings', { ...PLAIN, ...screen.settings, ui_scheme: scheme });
      await reachScreen(parts, screen);
      // Before anybody touches it: what answers a key or a press may move.
      await parts.browser.assertSteady();
      await touch(parts, screen);
      assert.equal(await parts.browser.page.evaluate(() => document.documentElement.dataset['scheme']), scheme);
      assert.deepEqual(await parts.browser.findings(), []);
      assert.equal(await parts.browser.page.evaluate(() => document.querySelectorAll('h1').length), 1,
        'one heading of the first order');
    });
  }
}
