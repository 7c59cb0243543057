/**
 * Chromium with an empty profile; collects what a page must not do: errors, requests to other hosts, layout shifts.
 */

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

import { applyLook, CHOSEN_LOOK, fontEnvironment, LOOKS } from './fonts.js';
import { slowPages } from './jitter.js';
import { ROOT } from './sources.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SCREENS = join(ROOT, 'target', 'screens');
const DOCUMENTED = join(ROOT, 'docs', 'screens');

/** A refused request is reported in the console by the browser itself; the page shows it to the user. */
const EXPECTED = /Failed to load resource: the server responded with a status of (?:400|403|404|409|429|503)/;

/**
 * What the tests add to the page.
 *
 * @typedef {{shifts: {value: number, moved: string}[], focusedName: () => string}} TestWindow
 */

/** The most that may move on a screen without being asked to, as the browser counts it (the part of the window times the part of the way). */
const MOST_SHIFT = 0.05;

/** What pages of tests look like that do not ask for a look. */
const USUAL_LOOK = /** @type {import('./fonts.js').Look} */ (LOOKS[0]);

/** How often a browser that does not come up is started anew: on a busy machine the first start now and then dies. */
const STARTS = 3;

/**
 * Starts Chromium with an empty profile.
 *
 * @param {{width: number, height: number, touch: boolean}} screen its size in CSS pixels, and whether fingers use it
 * @returns {Promise<{context: import('playwright-core').BrowserContext, profile: string}>}
 */
async function launch({ touch, ...viewport }) {
  for (let start = 1;; start += 1) {
    const profile = mkdtempSync(join(tmpdir(), 'service-ui-profile-'));
    try {
      const context = await chromium.launchPersistentContext(profile, {
        executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
        headless: true,
        viewport,
        hasTouch: touch,
        locale: 'en-GB',
        reducedMotion: 'reduce',
        timeout: 60_000,
        env: { .../** @type {Record<string, string>} */ (process.env), ...fontEnvironment() },
        // Containers have little shared memory; a page that runs out of it is killed.
        args: [
          '--headless',
          '--no-sandbox',
          '--disable-gpu',
          '--disable-quic',
          '--disable-dev-shm-usage',
          '--no-first-run',
          '--disable-background-networking',
          '--disable-component-update',
          '--disable-sync',
        ],
      });
      return { context, profile };
    } catch (error) {
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
      if (start === STARTS) throw error;
      console.error(`Chromium did not come up, start ${start} of ${STARTS}: ${error}`);
    }
  }
}

/** An address that only `interceptAtOnce` answers. */
const PROBE = '/intercepted';

/**
 * Makes `page.route` count from the next request on. By itself it returns once the browser knows of it, and what the
 * page asks for in the following milliseconds can still reach the server unseen.
 *
 * @param {import('playwright-core').Page} page
 */
function interceptAtOnce(page) {
  const route = page.route.bind(page);
  page.route = async (url, handler, options) => {
    const disposable = await route(url, handler, options);
    if (!page.url().startsWith('http')) return disposable;
    await route(`**${PROBE}`, (probe) => probe.fulfill({ status: 204 }));
    await page.evaluate(async (probe) => {
      while ((await fetch(probe)).status !== 204);
    }, PROBE);
    await page.unroute(`**${PROBE}`);
    return disposable;
  };
}

/** One window. */
export class Browser {
  #context;
  #profile;
  /** @type {string[]} */
  errors = [];
  /** @type {Set<string>} */
  hosts = new Set();
  page;
  /** Requests on their way, without the live stream, which never ends. */
  /** @type {Set<import('playwright-core').Request>} */
  #pending = new Set();
  #look = USUAL_LOOK;
  /** @type {(() => Promise<unknown>) | null} */
  #removeFonts = null;

  /**
   * @param {import('playwright-core').BrowserContext} context
   * @param {import('playwright-core').Page} page
   * @param {string} profile
   */
  constructor(context, page, profile) {
    this.#context = context;
    this.#profile = profile;
    this.page = page;
    page.on('console', (message) => {
      if (message.type() === 'error' && !EXPECTED.test(message.text()))
        this.errors.push(`${message.text()} at ${message.location().url}`);
    });
    // Not every error of the browser has a stack.
    page.on('pageerror', (error) => this.errors.push(error.stack || String(error)));
    page.on('request', (request) => {
      // What a worker of the page before asked for is never reported as over.
      if (request.isNavigationRequest()) this.#pending.clear();
      if (!new URL(request.url()).pathname.endsWith('/events')) this.#pending.add(request);
    });
    page.on('requestfinished', (request) => {
      this.#pending.delete(request);
    });
    page.on('requestfailed', (request) => {
      this.#pending.delete(request);
    });
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) this.hosts.add(new URL(request.url()).host);
    });
  }

  /**
   * @param {{width?: number, height?: number, touch?: boolean}} [options] `touch` makes a screen that fingers use
   * @returns {Promise<Browser>}
   */
  static async open({ width = 1280, height = 800, touch = false } = {}) {
    const { context, profile } = await launch({ width, height, touch });
    await context.addInitScript(() => {
      const shifts = /** @type {TestWindow} */ (/** @type {unknown} */ (window));
      shifts.shifts = [];
      shifts.focusedName = () => {
        const { activeElement } = document;
        const words = activeElement?.querySelector('.caption') ?? activeElement;
        const label = /** @type {HTMLInputElement | null} */ (activeElement)?.labels?.[0]?.textContent?.trim();
        return activeElement?.getAttribute('aria-label') ?? (label || words?.textContent?.trim() || '');
      };
      new PerformanceObserver((list) => {
        for (const entry
          of /** @type {(PerformanceEntry & {hadRecentInput: boolean, value: number, sources: {node: Node | null, previousRect: DOMRect, currentRect: DOMRect}[]})[]} */ (list
            .getEntries())) {
          if (entry.hadRecentInput) continue;
          const place = (/** @type {DOMRect} */ { x, y, width, height }) =>
            [x, y, width, height].map(Math.round).join(' ');
          const moved = entry.sources.map(({ node, previousRect, currentRect }) => {
            const element = node instanceof Element ? node : node?.parentElement;
            return `${element?.tagName.toLowerCase()}.${element?.className} ${place(previousRect)} -> ${
              place(currentRect)
            }`;
          });
          shifts.shifts.push({ value: entry.value, moved: moved.join('; ') });
        }
      }).observe({ type: 'layout-shift', buffered: true });
    });
    const page = context.pages()[0] ?? (await context.newPage());
    page.setDefaultTimeout(45_000);
    // The first page of a cold browser takes long on a busy machine.
    page.setDefaultNavigationTimeout(120_000);
    await slowPages(context, page);
    interceptAtOnce(page);
    const browser = new Browser(context, page, profile);
    await browser.setLook(CHOSEN_LOOK ?? USUAL_LOOK);
    return browser;
  }

  /**
   * Writes a picture of the page for people to look at.
   *
   * @param {string} name
   */
  async shoot(name) {
    mkdirSync(SCREENS, { recursive: true });
    const size = this.page.viewportSize();
    await this.page.screenshot({ path: join(SCREENS, `${name}-${size?.width}x${size?.height}.png`) });
  }

  /**
   * A picture of the page for the documents: `docs/screens/<name>.webp`.
   *
   * @param {string} name
   */
  async shootSmall(name) {
    const session = await this.page.context().newCDPSession(this.page);
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 });
    await session.detach();
    mkdirSync(DOCUMENTED, { recursive: true });
    writeFileSync(join(DOCUMENTED, `${name}.webp`), Buffer.from(data, 'base64'));
  }

  /** Waits until nothing but the live stream is asked for and the page has had nothing to do several times in a row. */
  async settle() {
    for (let quiet = 0; quiet < 4; quiet += 1) {
      const [request] = this.#pending;
      if (request) {
        await request.response().then((response) => response?.finished());
        this.#pending.delete(request);
        quiet = 0;
      }
      await this.page.evaluate(() =>
        new Promise((resolve) => {
          requestIdleCallback(resolve, { timeout: 500 });
        })
      );
    }
  }

  /**
   * Fails when more moved on this page than may move without being asked to, and says what it was.
   *
   * @param {string} [where] said in the failure
   * @param {number} [most] that may move
   */
  async assertSteady(where = '', most = MOST_SHIFT) {
    const shifts = await this.page.evaluate(() => /** @type {TestWindow} */ (/** @type {unknown} */ (window)).shifts);
    const sum = shifts.reduce((all, { value }) => all + value, 0);
    assert.ok(sum < most,
      `${where} moved by ${sum.toFixed(3)}: ${
        shifts.map(({ value, moved }) => `${value.toFixed(3)} ${moved}`).join('\n')
      }`);
  }

  /**
   * Serious and critical findings of axe.
   *
   * @returns {Promise<string[]>}
   */
  async findings() {
    await this.page.evaluate(AXE);
    return this.page.evaluate(async () => {
      const { axe } = /** @type {{axe: typeof import('axe-core')}} */ (/** @type {unknown} */ (window));
      const result = await axe.run(document, { resultTypes: ['violations'] });
      return result.violations.filter((rule) => rule.impact === 'serious' || rule.impact === 'critical')
        .flatMap((rule) =>
          rule.nodes.map((node) => `${rule.id}: ${node.target.join(' ')}: ${node.any[0]?.message ?? rule.help}`)
        );
    });
  }

  /** Another tab of the same window. */
  async newTab() {
    const page = await this.#context.newPage();
    await applyLook(page, this.#look);
    return page;
  }

  /**
   * Draws pages with a look from now on.
   *
   * @param {import('./fonts.js').Look} look
   */
  async setLook(look) {
    if (this.#removeFonts && look === this.#look) return;
    await this.#removeFonts?.();
    this.#look = look;
    this.#removeFonts = await applyLook(this.page, look);
  }

  /** The name of the focused control, of a tile its caption. */
  focused() {
    return this.page.evaluate(() => /** @type {TestWindow} */ (/** @type {unknown} */ (window)).focusedName());
  }

  async close() {
    await this.#context.close();
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
