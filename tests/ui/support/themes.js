/** Screens in every theme. A change of the theme reaches what is open, so a screen is opened once. */

import assert from 'node:assert/strict';

import { SCHEMES } from '../../../static/data/preferences.js';

/** The themes, the usual one first. */
export const THEMES = Object.freeze(SCHEMES.filter((name) => name !== 'auto'));

/**
 * Shows what is open in every theme and fails where axe has a serious finding. The usual theme is set afterwards.
 *
 * @param {{browser: import('./browser.js').Browser, service: import('./service.js').Service}} parts
 * @param {string} [name] of the pictures that are taken; none without one
 */
export async function lookInThemes({ browser, service }, name = '') {
  for (const theme of THEMES) {
    await service.ask('/api/settings', { ui_scheme: theme });
    await browser.page.waitForFunction((wanted) => document.documentElement.dataset['scheme'] === wanted, theme);
    await browser.settle();
    if (name) await browser.shoot(`${name}-${theme}`);
    assert.deepEqual(await browser.findings(), [], `${name} ${theme}`);
  }
  await service.ask('/api/settings', { ui_scheme: THEMES[0] });
}
