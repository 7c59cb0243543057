import assert from 'node:assert/strict';
import { test } from 'node:test';

import { scene } from '../support/scene.js';

const parts = scene();

/** Every screen of an empty library that has nothing to show. */
const EMPTY = ['#/', '#/home', '#/play', '#/history', '#/history/trash', '#/history/journal', '#/health', '#/jobs',
  '#/webhooks', '#/backups', '#/saves'];

for (const hash of EMPTY) {
  test(`${hash} of an empty library says what to do next`, async () => {
    const { page } = parts.browser;
    await page.goto('about:blank');
    await page.goto(`${parts.service.address}${hash}`);
    const box = page.locator('main .empty').first();
    await box.waitFor();
    await parts.browser.settle();
    assert.equal(await box.locator('.glyph').count(), 1);
    assert.notEqual((await box.locator('h2').innerText()).trim(), '');
    assert.notEqual((await box.locator('p').first().innerText()).trim(), '');
    assert.ok((await box.locator('a.button, button').count()) > 0, 'the next action');
    assert.deepEqual(await parts.browser.findings(), []);
    await parts.browser.shoot(`empty${hash.replaceAll(/\W/g, '-')}`);
  });
}

for (const hash of ['#/', '#/home', '#/insights', '#/health', '#/fill']) {
  test(`${hash} of an empty library names the same first steps`, async () => {
    const { page } = parts.browser;
    await page.goto('about:blank');
    await page.goto(`${parts.service.address}${hash}`);
    const main = page.locator('main');
    await main.getByRole('link', { name: 'Find my games' }).waitFor();
    await main.getByRole('button', { name: 'Choose games folder' }).waitFor();
    await parts.browser.settle();
    assert.equal(await main.locator('.button.primary').first().innerText(), 'Find my games');
    assert.equal(await main.getByRole('button', { name: 'Fill everything' }).count(), 0);
    assert.equal(await main.getByText('All is well').count(), 0);
  });
}

test('the big screen of an empty library offers nothing that needs a game', async () => {
  const { page } = parts.browser;
  await page.goto('about:blank');
  await page.goto(`${parts.service.address}#/big`);
  await page.locator('.big .empty').waitFor();
  await page.waitForFunction(() => document.querySelectorAll('.big-foot .hint-line li').length === 3);
  assert.deepEqual(await page.locator('.big-foot .hint-line li > span').allInnerTexts(), ['Select', 'Back', 'Menu']);
  await page.getByRole('button', { name: 'Menu' }).click();
  const menu = page.locator('dialog.big-menu');
  await menu.getByRole('button', { name: 'Search' }).waitFor();
  assert.equal(await menu.locator('[data-act="dice"], [data-act="spark"]').count(), 0);
});

test('the focus stays at the second way on while the library is asked again', async () => {
  const { page } = parts.browser;
  await page.goto('about:blank');
  await page.goto(parts.service.address);
  const folder = page.locator('main .empty').getByRole('button', { name: 'Choose games folder' });
  await folder.focus();
  await page.evaluate(() => {
    location.hash = '#/?sort=year';
  });
  await parts.browser.settle();
  assert.equal(await parts.browser.focused(), 'Choose games folder');
});
