import assert from 'node:assert/strict';

import { DEMO_ENV, furnish, writeDemo } from '../support/demo.js';
import { testWithLooks } from '../support/looks.js';
import { scene } from '../support/scene.js';
import { PLAIN, reachScreen, SCREENS, touch } from '../support/screens.js';
import { lookInThemes } from '../support/themes.js';

const parts = scene({ prepare: writeDemo, furnish, env: DEMO_ENV });
const test = testWithLooks(parts);

for (const screen of SCREENS) {
  test(`${screen.name} has no serious finding in any theme`, async () => {
    await parts.service.ask('/api/settings', { ...PLAIN, ...screen.settings });
    await reachScreen(parts, screen);
    // Before anybody touches it: what answers a key or a press may move.
    await parts.browser.assertSteady();
    await touch(parts, screen);
    await lookInThemes(parts);
    assert.equal(await parts.browser.page.evaluate(() => document.querySelectorAll('h1').length), 1,
      'one heading of the first order');
  });
}
