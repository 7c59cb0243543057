import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { keysOf } from '../support/keys.js';
import { addEmulators, holdWorkers, machineEnv } from '../support/machine.js';
import { Receiver } from '../support/receiver.js';
import { scene } from '../support/scene.js';
import { writeLibrary } from '../support/library.js';

const GAMES = 1200;

const parts = scene({
  prepare: (scratch) => {
    writeLibrary(scratch, GAMES);
    addEmulators(scratch);
  },
  env: (scratch) => ({ ...machineEnv(scratch), SERVICE_ALLOW_HTTP_WEBHOOKS: '1' }),
});
const { press, until, focus, counted, tabTo } = keysOf(parts);

/** Cards of the jobs that a test started by hand. */
const exportCards = () => parts.browser.page.locator('.page .job', { hasText: 'Library export' });

/** @param {string} hash */
async function open(hash) {
  const { page } = parts.browser;
  await page.goto('about:blank');
  await page.goto(`${parts.service.address}${hash}`);
  await page.locator('.page-head h1, .tile').first().waitFor();
}

test('an export is started and watched, and its file is saved', async () => {
  const { page } = parts.browser;
  await open('#/jobs');
  await page.getByRole('heading', { name: 'Nothing to do' }).waitFor();
  await parts.browser.shoot('jobs-none');
  await page.getByRole('button', { name: 'Export library' }).click();
  const dialog = page.getByRole('dialog', { name: 'Export library' });
  await dialog.getByLabel('CSV').check();
  await parts.browser.shoot('export');
  assert.deepEqual(await parts.browser.findings(), []);
  const letGo = await holdWorkers(parts.scratch, parts.service);
  await dialog.getByRole('button', { name: 'Start export' }).click();
  const card = exportCards();
  await page.locator('#tray').getByText('Emulator update').waitFor();
  await card.getByRole('progressbar').waitFor();
  // The button of the empty page is gone; the one that took its place has the keyboard.
  await focus(/^Export library$/);
  await parts.browser.shoot('jobs-running');
  letGo();
  await card.getByText('Done', { exact: true }).waitFor();
  // Three messages are shown at a time; those of the updates may come first.
  await page.locator('.toast.good').getByText('Library export is done.').waitFor({ timeout: 60_000 });
  await page.locator('#tray').waitFor({ state: 'hidden' });
  const saved = page.waitForEvent('download');
  await card.getByRole('link', { name: 'Download' }).click();
  const file = await saved;
  assert.match(file.suggestedFilename(), /\.csv$/);
  assert.equal(readFileSync(await file.path(), 'utf8').trimEnd().split('\n').length, GAMES + 1);
  await page.getByRole('heading', { name: 'Finished exports' }).waitFor();
  await card.getByRole('button', { name: /^Details/ }).click();
  await card.getByText('Nothing failed, nothing was left out.').waitFor();
  await parts.browser.shoot('jobs-done');
});

test('an export is cancelled by mouse, and started again', async () => {
  const { page } = parts.browser;
  const letGo = await holdWorkers(parts.scratch, parts.service);
  await page.evaluate(() => {
    const told = Object.assign(window, { told: /** @type {string[]} */ ([]) }).told;
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) for (const node of addedNodes) told.push(node.textContent ?? '');
    }).observe(/** @type {Element} */ (document.querySelector('#toasts')), { childList: true });
  });
  await page.getByRole('button', { name: 'Export library' }).click();
  await page.getByRole('button', { name: 'Start export' }).click();
  await counted(exportCards(), 2);
  await exportCards().getByRole('button', { name: /^Cancel/ }).click();
  await exportCards().getByText('Cancelled', { exact: true }).waitFor();
  await exportCards().getByRole('button', { name: /^Try again/ }).click();
  await counted(exportCards(), 3);
  letGo();
  await counted(exportCards().getByText('Done', { exact: true }), 2);
  // One cancelled job is told once, whoever hears of it how often.
  const told = () =>
    page.evaluate(() =>
      /** @type {{told: string[]}} */ (/** @type {unknown} */ (window)).told.filter((words) =>
        words.includes('Library export')
      )
    );
  await until(told, (now) => now.length >= 2);
  assert.deepEqual(await told(), ['Library export was cancelled.', 'Library export is done.Download']);
});

test('an export is started, watched and cancelled by keyboard alone', async () => {
  const { page } = parts.browser;
  const letGo = await holdWorkers(parts.scratch, parts.service);
  await open('#/jobs');
  await counted(exportCards(), 3);
  await tabTo(/^Export library$/);
  await press('Enter');
  await page.getByRole('dialog', { name: 'Export library' }).waitFor();
  await press('ArrowDown');
  await tabTo(/^Start export$/);
  await press('Enter');
  await counted(exportCards(), 4);
  await tabTo(/^Cancel: Library export$/);
  await press('Enter');
  await counted(exportCards().getByText('Cancelled', { exact: true }), 2);
  // The focus stays in the card.
  await focus(/Library export/);
  letGo();
});

test('the tray opens the list everywhere and gives the focus back', async () => {
  const { page } = parts.browser;
  await open('#/');
  const drawer = page.getByRole('dialog', { name: 'Jobs' });
  const letGo = await holdWorkers(parts.scratch, parts.service);
  await parts.service.ask('/api/v2/library/export', { format: 'json', scope: 'all' });
  await tabTo(/^Emulator update/);
  await press('Enter');
  await drawer.locator('.job', { hasText: 'Library export' }).getByText('Waiting', { exact: true }).waitFor();
  await parts.browser.shoot('tray');
  assert.deepEqual(await parts.browser.findings(), []);
  letGo();
  await drawer.locator('.job', { hasText: 'Library export' }).getByText('Done', { exact: true }).first().waitFor();
  await press('Escape');
  await drawer.waitFor({ state: 'detached' });
});

test('a webhook that fails is told by a toast, the bell and its card', async () => {
  const { page } = parts.browser;
  const receiver = await Receiver.start(500);
  await open('#/webhooks');
  await page.getByRole('heading', { name: 'No webhooks' }).waitFor();
  await parts.browser.shoot('webhooks-none');
  await page.getByRole('button', { name: 'Add webhook' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add webhook' });
  await dialog.getByLabel('Address *').fill('http://192.168.1.4/hook');
  await dialog.getByLabel('Play queue moved on').check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Webhook URLs may only target public addresses.').waitFor();
  await parts.browser.shoot('webhook-refused');
  assert.deepEqual(await parts.browser.findings(), []);
  await dialog.getByLabel('Address *').fill(receiver.url);
  await dialog.getByLabel('Secret').fill('a long secret');
  await dialog.getByLabel('Attempts').fill('1');
  await dialog.getByRole('button', { name: 'Test' }).click();
  await dialog.getByText('The test failed: HTTP 500').waitFor();
  await dialog.getByRole('button', { name: 'Save' }).click();
  const card = page.locator('.hook');
  await card.getByText('Nothing sent yet').waitFor();
  await parts.service.ask('/api/queue', { action: 'advance' });
  const toast = page.locator('.toast.error');
  await toast.getByText('Webhook delivery failed').waitFor();
  await card.getByText(/Last delivery failed .*: HTTP 500/).waitFor();
  await parts.browser.shoot('webhook-failed');
  assert.equal(receiver.requests, 2, 'one test, one delivery');
  const bell = page.getByRole('button', { name: 'Notices, 1 unread' });
  await bell.click();
  const notices = page.getByRole('dialog', { name: 'Notices' });
  await notices.locator('.notice').getByText('Webhook delivery failed').waitFor();
  await parts.browser.shoot('notices');
  assert.deepEqual(await parts.browser.findings(), []);
  await notices.getByRole('button', { name: 'Clear all' }).click();
  await notices.getByText('No notices').waitFor();
  await press('Escape');
  await page.getByRole('button', { name: 'Notices', exact: true }).waitFor();

  receiver.status = 204;
  await card.getByRole('button', { name: /^Test/ }).click();
  await card.getByText('The test arrived (HTTP 204).').waitFor();
  await receiver.stop();
});

test('a dead receiver is edited, tested and deleted by keyboard alone', async () => {
  const { page } = parts.browser;
  await open('#/webhooks');
  await tabTo(/^Edit: /);
  await press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Edit webhook' });
  await dialog.waitFor();
  await dialog.getByText('A secret is stored.').waitFor();
  await tabTo(/^Test$/);
  await press('Enter');
  await dialog.getByText(/^The test failed: /).waitFor();
  await focus(/^Test$/);
  await press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await focus(/^Edit: /);
  await parts.service.ask('/api/queue', { action: 'advance' });
  await page.getByRole('button', { name: 'Notices, 1 unread' }).waitFor();
  await tabTo(/^Notices, 1 unread$/, 'Shift+Tab');
  await press('Enter');
  await page.getByRole('dialog', { name: 'Notices' }).waitFor();
  await tabTo(/^Dismiss: Webhook delivery failed$/);
  await press('Enter');
  await page.getByText('No notices').waitFor();
  await press('Escape');
  await tabTo(/^Delete: /);
  await press('Enter');
  await page.getByRole('alertdialog').waitFor();
  await tabTo(/^Delete$/);
  await press('Enter');
  await page.getByRole('heading', { name: 'No webhooks' }).waitFor();
  await focus(/^Add webhook$/);
});

test('the sidebar keeps the other screens behind "More", with the jobs that run', async () => {
  const { page } = parts.browser;
  await open('#/');
  const more = page.locator('#sidebar').getByRole('button', { name: /^More/ });
  const letGo = await holdWorkers(parts.scratch, parts.service);
  await more.getByText('4', { exact: true }).waitFor();
  await more.press('Enter');
  const menu = page.getByRole('menu', { name: 'More' });
  assert.deepEqual(await menu.getByRole('menuitem').allInnerTexts(), ['History', 'Moments', 'Big screen', 'Health\n42',
    'Jobs\n4', 'Saves', 'Backups', 'Plugins', 'Webhooks', 'Keyboard\n?']);
  await parts.browser.shoot('more');
  assert.deepEqual(await parts.browser.findings(), []);
  await press('Escape');
  await focus(/^More/);
  await press('Enter', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter');
  await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
  assert.equal(await more.getAttribute('aria-current'), 'page');
  letGo();
  await until(() => more.locator('.count').textContent(), (text) => text === '');
  await page.locator('#sidebar').getByRole('link', { name: 'Settings' }).click();
  await until(() => more.getAttribute('aria-current'), (current) => current === null);
});

test('games are queued from their menu, moved by dragging and played in order', async () => {
  const { page } = parts.browser;
  await open('#/');
  for (const [index, item]
    of /** @type {const} */ ([[0, 'Add to play queue'], [1, 'Add to play queue'], [2, 'Play next']])) {
    await page.locator('.tile').nth(index).click({ button: 'right' });
    await page.getByRole('menuitem', { name: item }).click();
    await page.locator('[data-place="play"] .count').getByText(String(index + 1)).waitFor();
  }
  await page.getByRole('link', { name: /^Play queue/ }).click();
  const names = () => page.locator('.queued .who > :first-child').allTextContents();
  await page.locator('.queued').nth(2).waitFor();
  const before = await names();
  await page.locator('.queued').nth(2).dragTo(page.locator('.queued').nth(0));
  await page.waitForFunction((name) => document.querySelector('.queued .who > :first-child')?.textContent === name,
    before[2]);
  await until(names, (now) => now.join() === [before[2], before[0], before[1]].join());
  await parts.browser.settle();
  await parts.browser.shoot('queue');
  await page.getByRole('button', { name: /^Remove/ }).first().click();
  await page.waitForFunction(() => document.querySelectorAll('.queued').length === 2);
  await page.getByRole('button', { name: 'Clear queue' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Clear queue' }).click();
  await page.getByRole('heading', { name: 'The play queue is empty' }).waitFor();
  await parts.browser.shoot('queue-none');
});

test('the queue is ordered and emptied by keyboard alone', async () => {
  const { page } = parts.browser;
  const { games } = await parts.service.ask('/api/library?offset=0&limit=3');
  await parts.service.ask('/api/queue', { action: 'enqueue',
    game_ids: games.map((/** @type {Api.Game} */ game) => game.game_id) });
  await page.locator('.queued').nth(2).waitFor();
  const names = () => page.locator('.queued .who > :first-child').allTextContents();
  const [first, second, third] = await names();
  await page.locator('.page').focus();
  await tabTo(new RegExp(`^${first}$`));
  // Each press counts, however soon after the one before it comes.
  await press('Alt+ArrowDown', 'Alt+ArrowDown');
  await until(names, (now) => now.join() === [second, third, first].join());
  await focus(new RegExp(`^${first}$`));
  await until(
    async () => (await parts.service.ask('/api/queue')).queue.map((/** @type {Api.QueueEntry} */ entry) => entry.name),
    (now) => now.join() === [second, third, first].join(),
  );
  await focus(new RegExp(`^${first}$`));
  await press('Delete');
  await page.waitForFunction(() => document.querySelectorAll('.queued').length === 2);
  await focus(new RegExp(`^${third}$`));
  await press('Delete');
  await page.waitForFunction(() => document.querySelectorAll('.queued').length === 1);
  await press('Delete');
  await page.getByRole('heading', { name: 'The play queue is empty' }).waitFor();
});
