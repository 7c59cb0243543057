import assert from 'node:assert/strict';

import { testWithLooks } from '../support/looks.js';
import { scene } from '../support/scene.js';
import { SIZES } from '../support/sizes.js';
import { writeLibrary } from '../support/library.js';
import { lookInThemes } from '../support/themes.js';

const parts = scene({ prepare: (scratch) => writeLibrary(scratch, 60), env: { SERVICE_ALLOW_HTTP_WEBHOOKS: '1' } });
const test = testWithLooks(parts);

test('the screens of work have no serious finding in any theme', async () => {
  const { page } = parts.browser;
  await parts.service.ask('/api/v2/library/export', { format: 'json', scope: 'all' });
  const { games } = await parts.service.ask('/api/library?offset=0&limit=4');
  await parts.service.ask('/api/queue', { action: 'enqueue',
    game_ids: games.map((/** @type {Api.Game} */ game) => game.game_id) });
  await parts.service.ask('/api/webhooks', { webhooks: [
    { url: 'http://127.0.0.1:9/home', events: ['session.started', 'session.stopped', 'backup.created'] },
    { url: 'http://127.0.0.1:9/chat', events: ['library.changed'], enabled: false },
  ] });
  for (const screen of ['jobs', 'webhooks', 'play']) {
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      await page.goto('about:blank');
      await page.goto(`${parts.service.address}#/${screen}`);
      await page.locator('.job, .hook, .queued').first().waitFor();
      await parts.browser.settle();
      await parts.browser.assertSteady(screen);
      assert.deepEqual(await parts.browser.findings(), [], `${screen} ${width}`);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    }
    await lookInThemes(parts, screen);
  }
  await parts.service.ask('/api/queue', { action: 'remove',
    game_ids: games.map((/** @type {Api.Game} */ game) => game.game_id) });
  await parts.service.ask('/api/webhooks', { webhooks: [] });
});
