/**
 * Every screen of the program, for the flows that look at all of them. A test compares this table with the views.
 */

import { HERO } from './demo.js';
import { RESUMABLE } from './keepsakes.js';

/**
 * @typedef {object} Screen
 * @property {string} name
 * @property {string} view file of `static/views` it shows
 * @property {string} hash
 * @property {string} ready what stands there once the screen is complete
 * @property {Record<string, unknown>} [settings] as the screen needs them
 * @property {(page: import('playwright-core').Page) => Promise<unknown>} [act] what is done before it is looked at
 */

/** How the library looks when nothing was chosen. */
export const PLAIN = Object.freeze({ library_view: 'grid', ui_group: '', ui_filters_open: false });

/** @type {readonly Screen[]} */
export const SCREENS = Object.freeze([
  { name: 'library', view: 'library', hash: '#/', ready: '.tile img.shown' },
  { name: 'library-list', view: 'library', hash: '#/', ready: '.grid.list .tile img.shown',
    settings: { library_view: 'list' } },
  { name: 'library-details', view: 'library', hash: '#/', ready: '.split .details .button.wide',
    settings: { library_view: 'details' } },
  { name: 'library-groups', view: 'library', hash: '#/', ready: '.tile img.shown', settings: { ui_group: 'platform' } },
  { name: 'library-filters', view: 'library', hash: '#/?platform=SNES|NES&favorite=yes', ready: '.filters .count',
    settings: { ui_filters_open: true } },
  { name: 'library-playlist', view: 'library', hash: '#/?playlist=Weekend', ready: '.tile img.shown' },
  { name: 'library-said', view: 'library', hash: '#/?say=puzzle from the 90s', ready: '.tile img.shown' },
  { name: 'library-nothing', view: 'library', hash: '#/?q=zzzzzz', ready: '.empty' },
  {
    name: 'library-chosen',
    view: 'library',
    hash: '#/',
    ready: '.tile img.shown',
    act: async (page) => {
      await page.locator('.tile').nth(1).click({ modifiers: ['Control'] });
      await page.locator('.tile').nth(4).click({ modifiers: ['Shift'] });
      await page.locator('.bulk-bar b').waitFor();
    },
  },
  { name: 'palette', view: 'library', hash: '#/', ready: '.tile img.shown', act: async (page) => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type('la');
    await page.locator('.palette-list .art').first().waitFor();
  } },
  { name: 'keys', view: 'library', hash: '#/', ready: '.tile img.shown', act: async (page) => {
    await page.keyboard.press('?');
    await page.locator('dialog').waitFor();
  } },
  { name: 'menu', view: 'library', hash: '#/', ready: '.tile img.shown', act: async (page) => {
    await page.locator('.tile').nth(2).click({ button: 'right' });
    await page.getByRole('menu').waitFor();
  } },
  { name: 'edit', view: 'library', hash: '#/', ready: '.tile img.shown', act: async (page) => {
    await page.locator('.tile').first().focus();
    await page.keyboard.press('F3');
    await page.locator('dialog.editor').waitFor();
  } },
  { name: 'import', view: 'library', hash: '#/', ready: '.tile img.shown', act: async (page) => {
    const button = page.locator('#sidebar .foot .button').first();
    // In a narrow window the sidebar opens by a button.
    if (!await button.isVisible())
      await page.locator(':is([data-focus="foot-menu"], .menu-button):visible').first().click();
    await button.click();
    await page.locator('dialog').waitFor();
  } },
  { name: 'home', view: 'home', hash: '#/home', ready: '.home-strip .tile img.shown' },
  { name: 'pick', view: 'home', hash: '#/home', ready: '.home-strip .tile img.shown', act: async (page) => {
    await page.locator('[data-focus="pick"]').click();
    await page.locator('.pick-cards li').first().waitFor();
  } },
  { name: 'game', view: 'game', hash: `#/game/${HERO}`, ready: '.game-page .columns .facts' },
  { name: 'game-media', view: 'game', hash: `#/game/${HERO}?tab=media`, ready: '.shots img' },
  { name: 'game-sessions', view: 'game', hash: `#/game/${HERO}?tab=sessions`, ready: '.rows.sessions li' },
  { name: 'game-saves', view: 'game', hash: `#/game/${HERO}?tab=saves`, ready: '.game-page .rows li' },
  { name: 'game-notes', view: 'game', hash: `#/game/${HERO}?tab=notes`, ready: '.game-page .notes li' },
  { name: 'game-documents', view: 'game', hash: `#/game/${HERO}?tab=documents`, ready: '.game-page .rows li' },
  { name: 'game-versions', view: 'game', hash: `#/game/${HERO}?tab=versions`, ready: '.game-page .rows li' },
  { name: 'game-related', view: 'game', hash: `#/game/${HERO}?tab=related`, ready: '.card' },
  { name: 'game-moments', view: 'game', hash: `#/game/${HERO}?tab=moments`, ready: '.film .frame img' },
  { name: 'game-resume', view: 'game', hash: `#/game/${RESUMABLE}`, ready: '[data-focus="anew"]' },
  { name: 'reel', view: 'game', hash: `#/game/${HERO}?tab=moments`, ready: '.film .frame img', act: async (page) => {
    await page.locator('[data-focus="reel"]').click();
    await page.locator('.reel-screen img:not(.behind)').waitFor();
  } },
  { name: 'moments', view: 'moments', hash: '#/moments', ready: '.frames .frame img' },
  { name: 'moments-inbox', view: 'moments', hash: '#/moments/inbox', ready: '.inbox-games [role="option"]' },
  { name: 'play', view: 'play', hash: '#/play', ready: '.queued' },
  { name: 'history', view: 'history', hash: '#/history', ready: '.entry' },
  { name: 'history-trash', view: 'history', hash: '#/history/trash', ready: '.entry' },
  { name: 'history-journal', view: 'history', hash: '#/history/journal', ready: '.page-tabs ~ * li' },
  { name: 'insights', view: 'insights', hash: '#/insights', ready: '.stage-rows li' },
  { name: 'insights-next', view: 'insights', hash: '#/insights/next', ready: '.insights .card' },
  { name: 'insights-year', view: 'insights', hash: '#/insights/year', ready: '.year-months li' },
  { name: 'year-cards', view: 'insights', hash: '#/insights/year', ready: '.year-months li', act: async (page) => {
    await page.locator('[data-focus="year-show"]').click();
    await page.locator('.year-card.whole').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.locator('.year-card.whole .art').waitFor();
  } },
  { name: 'insights-stars', view: 'insights', hash: '#/insights/stars', ready: '.star-list li' },
  { name: 'insights-trophies', view: 'insights', hash: '#/insights/trophies', ready: '.trophies li' },
  { name: 'health', view: 'health', hash: '#/health', ready: '.rows li' },
  { name: 'health-score', view: 'health', hash: '#/health/score', ready: '.score .issues .rows li' },
  { name: 'health-launch', view: 'health', hash: '#/health/launch', ready: '.audit .empty' },
  { name: 'jobs', view: 'jobs', hash: '#/jobs', ready: '.job' },
  { name: 'webhooks', view: 'webhooks', hash: '#/webhooks', ready: '.hook' },
  { name: 'backups', view: 'backups', hash: '#/backups', ready: '[data-archive]' },
  { name: 'saves', view: 'saves', hash: '#/saves', ready: '.empty' },
  { name: 'sources', view: 'sources', hash: '#/sources', ready: '[data-source]' },
  { name: 'health-artwork', view: 'health', hash: '#/health/artwork', ready: '.hygiene .hints' },
  { name: 'stores', view: 'stores', hash: '#/stores', ready: '[data-source]' },
  { name: 'setup', view: 'setup', hash: '#/setup', ready: '.setup-sources .step-acts' },
  { name: 'fill', view: 'fill', hash: '#/fill', ready: '.gaps-list li' },
  { name: 'emulators', view: 'emulators', hash: '#/emulators', ready: '.page h1' },
  { name: 'household', view: 'household', hash: '#/household', ready: '.ranking li' },
  { name: 'household-challenges', view: 'household', hash: '#/household/challenges', ready: '.challenge' },
  { name: 'household-library', view: 'household', hash: '#/household/library', ready: '.household .empty' },
  { name: 'party', view: 'party', hash: '#/party', ready: '.party-now .art' },
  {
    name: 'big-party',
    view: 'big',
    hash: '#/big',
    ready: '.big-shelf [aria-selected="true"]:focus',
    act: async (page) => {
      await page.keyboard.press('m');
      await page.locator('dialog.big-menu [data-act="players"]').click();
      await page.locator('dialog .wheel .on').waitFor();
    },
  },
  { name: 'plugins', view: 'plugins', hash: '#/plugins', ready: '[data-plugin]' },
  { name: 'plugins-catalog', view: 'plugins', hash: '#/plugins/catalog', ready: '[data-plugin]' },
  {
    name: 'plugins-settings',
    view: 'plugins',
    hash: '#/plugins',
    ready: '[data-plugin]',
    act: async (page) => {
      await page.locator('[data-focus="set:service.hello-palette"]').click();
      await page.locator('dialog').waitFor();
    },
  },
  {
    name: 'plugins-rights',
    view: 'plugins',
    hash: '#/plugins',
    ready: '[data-plugin]',
    act: async (page) => {
      await page.locator('[data-focus="rights:service.event-relay"]').click();
      await page.locator('dialog').waitFor();
    },
  },
  { name: 'themes', view: 'themes', hash: '#/themes', ready: '.swatches li:nth-child(9)' },
  {
    name: 'themes-try',
    view: 'themes',
    hash: '#/themes',
    ready: '.swatches li:nth-child(9)',
    act: async (page) => {
      await page.locator('[data-focus="try-ember"]').click();
      await page.locator('.try-bar').waitFor();
    },
  },
  { name: 'themes-platforms', view: 'themes', hash: '#/themes/platforms', ready: '.theme-pick' },
  { name: 'themes-tokens', view: 'themes', hash: '#/themes/tokens', ready: '.tokens li' },
  ...['stage', 'hybrid', 'coverflow'].map((layout) => ({ name: `big-${layout}`, view: 'big', hash: '#/big',
    ready: '.big-shelf img.shown', settings: { bigscreen_mode: layout } })
  ),
  ...['appearance', 'library', 'sessions', 'bigscreen', 'kiosk', 'about'].map((group) => ({ name: `settings-${group}`,
    view: 'settings', hash: `#/settings/${group}`, ready: '.setting' })
  ),
  { name: 'settings-commands', view: 'settings', hash: '#/settings/commands', ready: '.lines' },
]);

/** What differs on a phone, by name: filters and details are sheets there. */
const ON_PHONE = Object.freeze(
  /** @type {Record<string, Partial<Screen>>} */ ({
    'library-details': { ready: '.grid.compact .tile img.shown' },
    'library-filters': { ready: '.grid .tile', act: async (page) => {
      await page.getByRole('button', { name: 'Filters panel' }).click();
      await page.locator('.filters .count').first().waitFor();
    } },
  }),
);

/**
 * A screen as a phone shows it.
 *
 * @param {Screen} screen
 * @returns {Screen}
 */
export function onPhone(screen) {
  return { ...screen, ...ON_PHONE[screen.name] };
}

/** Views that stand in for every screen when the service or the library cannot be used, or the kiosk is locked. */
export const STAND_INS = Object.freeze(['recovery', 'unreachable', 'kiosk']);

/**
 * Opens the place of a screen in a page that shows nothing else yet, and waits until it is complete. Nobody has touched it then.
 *
 * @param {{browser: import('./browser.js').Browser, service: import('./service.js').Service}} parts
 * @param {Screen} screen
 */
export async function reachScreen({ browser, service }, screen) {
  await browser.page.goto('about:blank');
  await browser.page.goto(`${service.address}${screen.hash}`);
  await browser.page.locator(screen.ready).first().waitFor();
  await browser.settle();
}

/**
 * Opens a screen and does what brings it up.
 *
 * @param {{browser: import('./browser.js').Browser, service: import('./service.js').Service}} parts
 * @param {Screen} screen
 */
export async function openScreen(parts, screen) {
  await reachScreen(parts, screen);
  await touch(parts, screen);
}

/**
 * Does what brings a screen up at the place where it is.
 *
 * @param {{browser: import('./browser.js').Browser}} parts
 * @param {Screen} screen
 */
export async function touch({ browser }, screen) {
  if (!screen.act) return;
  await screen.act(browser.page);
  await browser.settle();
}
