/**
 * Chromium with an empty profile; collects what a page must not do: errors, requests to other hosts, layout shifts.
 */

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

import { ROOT } from './sources.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SCREENS = join(ROOT, 'target', 'screens');

/** A refused request is reported in the console by the browser itself; the page shows it to the person. */
const EXPECTED = /Failed to load resource: the server responded with a status of (?:400|404|409|503)/;

/**
 * What the tests add to the page.
 *
 * @typedef {{shift: number, focusedName: () => string}} TestWindow
 */

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

  /**
   * @param {import('playwright-core').BrowserContext} context
   * @param {import('playwright-core').Page} page
   * @param {string} profile
   */
  constructor(context, page, profile) {
    this.#context = context;
    this.#profile = profile;
    this.page = page;
    page.on('console', (message) => { if (message.type() === 'error' && !EXPECTED.test(message.text())) this.errors.push(message.text()); });
    page.on('pageerror', (error) => this.errors.push(String(error.stack)));
    page.on('request', (request) => {
      // What a worker of the page before asked for is never reported as over.
      if (request.isNavigationRequest()) this.#pending.clear();
      if (!new URL(request.url()).pathname.endsWith('/events')) this.#pending.add(request);
    });
    page.on('requestfinished', (request) => { this.#pending.delete(request); });
    page.on('requestfailed', (request) => { this.#pending.delete(request); });
    page.on('request', (request) => { if (!request.url().startsWith('data:')) this.hosts.add(new URL(request.url()).host); });
  }

  /**
   * @param {{width?: number, height?: number}} [size]
   * @returns {Promise<Browser>}
   */
  static async open({ width = 1280, height = 800 } = {}) {
    const profile = mkdtempSync(join(tmpdir(), 'service-ui-profile-'));
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', headless: true, viewport: { width, height }, locale: 'en-GB', reducedMotion: 'reduce',
      args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    });
    await context.addInitScript(() => {
      const shifts = /** @type {TestWindow} */ (/** @type {unknown} */ (window));
      shifts.shift = 0;
      shifts.focusedName = () => {
        const { activeElement } = document;
        const words = activeElement?.querySelector('.caption') ?? activeElement;
        const label = /** @type {HTMLInputElement | null} */ (activeElement)?.labels?.[0]?.textContent?.trim();
        return activeElement?.getAttribute('aria-label') ?? (label || words?.textContent?.trim() || '');
      };
      new PerformanceObserver((list) => {
        for (const entry of /** @type {(PerformanceEntry & {hadRecentInput: boolean, value: number})[]} */ (list.getEntries())) if (!entry.hadRecentInput) shifts.shift += entry.value;
      }).observe({ type: 'layout-shift', buffered: true });
    });
    const page = context.pages()[0] ?? (await context.newPage());
    page.setDefaultTimeout(15_000);
    // The first page of a cold browser takes long on a busy machine.
    page.setDefaultNavigationTimeout(60_000);
    return new Browser(context, page, profile);
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

  /** Waits until nothing but the live stream is asked for and the page has had nothing to do several times in a row. */
  async settle() {
    for (let quiet = 0; quiet < 4; quiet += 1) {
      const [request] = this.#pending;
      if (request) {
        await request.response().then((response) => response?.finished());
        this.#pending.delete(request);
        quiet = 0;
      }
      await this.page.evaluate(() => new Promise((resolve) => { requestIdleCallback(resolve, { timeout: 500 }); }));
    }
  }

  /** @returns {Promise<number>} the sum of layout shifts nobody asked for */
  shift() {
    return this.page.evaluate(() => /** @type {TestWindow} */ (/** @type {unknown} */ (window)).shift);
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
        .flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.target.join(' ')}: ${node.any[0]?.message ?? rule.help}`));
    });
  }

  /** Another tab of the same window. */
  newTab() {
    return this.#context.newPage();
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
