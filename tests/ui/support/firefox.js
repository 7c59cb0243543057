/**
 * Firefox with an empty profile, driven by WebDriver BiDi; collects what a page must not do.
 */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';

const PROGRAM = process.env['FIREFOX'] ?? '/usr/bin/firefox-esr';
/** What Firefox prints once it can be driven. */
const READY = /WebDriver BiDi listening on (ws:\/\/\S+)/;
/** How long anything may take on a busy machine, in milliseconds. */
const PATIENCE = 60_000;

/** A window without a screen is never the active one; it tells the page of its focus all the same. The browser asks nobody by itself. */
const PREFERENCES = [
  ['focusmanager.testmode', true],
  ['network.captive-portal-service.enabled', false],
  ['network.connectivity-service.enabled', false],
  ['app.normandy.enabled', false],
  ['extensions.update.enabled', false],
  ['datareporting.policy.dataSubmissionEnabled', false],
];

/** Keys by the codes of WebDriver. */
const KEYS = {
  Control: '\uE009',
  Enter: '\uE007',
  Escape: '\uE00C',
  Tab: '\uE004',
  ArrowLeft: '\uE012',
  ArrowUp: '\uE013',
  ArrowRight: '\uE014',
  ArrowDown: '\uE015',
  F3: '\uE033',
};

/** Whether Firefox is installed. */
export const hasFirefox = existsSync(PROGRAM);

/**
 * What is looked for: the first visible element of a selector whose name or text is `text`, or begins with `begins`.
 *
 * @typedef {{selector: string, text?: string, begins?: string}} Target
 */

/** One window. */
export class Firefox {
  #child;
  #profile;
  #socket;
  #context = '';
  #last = 0;
  /** @type {Map<number, {resolve: (result: any) => void, reject: (error: Error) => void}>} */
  #waiting = new Map();
  /** @type {string[]} what the console told, and errors that nobody caught */
  errors = [];
  /** @type {Set<string>} */
  hosts = new Set();

  /**
   * @param {import('node:child_process').ChildProcess} child
   * @param {string} profile
   * @param {WebSocket} socket
   */
  constructor(child, profile, socket) {
    this.#child = child;
    this.#profile = profile;
    this.#socket = socket;
    socket.on('message', (data) => this.#hear(JSON.parse(String(data))));
    socket.on('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('Firefox has ended'));
    });
  }

  /**
   * Starts Firefox and opens a window.
   *
   * @param {{width?: number, height?: number}} [size] in CSS pixels
   * @returns {Promise<Firefox>}
   */
  static async open({ width = 1280, height = 800 } = {}) {
    const profile = mkdtempSync(join(tmpdir(), 'service-ui-firefox-'));
    writeFileSync(join(profile, 'user.js'),
      PREFERENCES.map(([name, value]) => `user_pref("${name}", ${value});\n`).join(''));
    const words = ['--headless', '--no-remote', '--remote-debugging-port', '0', '--profile', profile, 'about:blank'];
    const child = spawn(PROGRAM, words, {
      env: { ...process.env, HOME: profile, MOZ_HEADLESS_WIDTH: `${width}`, MOZ_HEADLESS_HEIGHT: `${height + 100}` },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    try {
      const socket = new WebSocket(`${await inTime('the start of Firefox', address(child))}/session`);
      await inTime('the way to Firefox', new Promise((resolve, reject) => {
        socket.once('open', resolve);
        socket.once('error', reject);
      }));
      const window = new Firefox(child, profile, socket);
      await window.#send('session.new', { capabilities: {} });
      await window.#send('session.subscribe', { events: ['log.entryAdded', 'network.beforeRequestSent'] });
      const { context } = await window.#send('browsingContext.create', { type: 'window' });
      window.#context = context;
      await window.#send('browsingContext.setViewport', { context, viewport: { width, height } });
      return window;
    } catch (error) {
      // The tests would wait for its end.
      child.kill('SIGKILL');
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
      throw error;
    }
  }

  /** @param {any} message */
  #hear({ id, method, params, result, error, message }) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (waiting && error) waiting.reject(new Error(`${error}: ${message}`));
    else waiting?.resolve(result);
    if (method === 'log.entryAdded' && params.level === 'error') this.errors.push(params.text);
    if (method === 'network.beforeRequestSent' && /^https?:/.test(params.request.url))
      this.hosts.add(new URL(params.request.url).host);
  }

  /**
   * @param {string} method
   * @param {object} params
   * @returns {Promise<any>}
   */
  #send(method, params) {
    this.#last += 1;
    const id = this.#last;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return inTime(method, new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject })));
  }

  /** @param {string} url */
  async goto(url) {
    await this.#send('browsingContext.navigate', { context: this.#context, url, wait: 'complete' });
    // The focus is in the address bar at first.
    await this.#send('browsingContext.activate', { context: this.#context });
  }

  /**
   * Runs a function in the page; arguments and result travel as JSON.
   *
   * @template T
   * @param {(...args: any[]) => T | Promise<T>} work
   * @param {...unknown} args
   * @returns {Promise<T>}
   */
  async evaluate(work, ...args) {
    const answer = await this.#send('script.callFunction', {
      functionDeclaration: `async (words) => JSON.stringify(await (${work})(...JSON.parse(words)) ?? null)`,
      arguments: [{ type: 'string', value: JSON.stringify(args) }],
      awaitPromise: true,
      target: { context: this.#context },
    });
    if (answer.type === 'exception') throw new Error(answer.exceptionDetails.text);
    return JSON.parse(answer.result.value);
  }

  /**
   * Waits until a function of the page answers something true, and returns it.
   *
   * @template T
   * @param {(...args: any[]) => T} holds
   * @param {...unknown} args
   * @returns {Promise<NonNullable<T>>}
   */
  async until(holds, ...args) {
    const end = Date.now() + PATIENCE;
    for (;;) {
      const answer = await this.evaluate(holds, ...args);
      if (answer) return answer;
      assert.ok(Date.now() < end, `${holds} of ${JSON.stringify(args)} does not hold`);
      await this.evaluate(() =>
        new Promise((resolve) => {
          requestAnimationFrame(() => resolve(true));
        })
      );
    }
  }

  /**
   * Waits for an element and for its place to stay, and returns its centre.
   *
   * @param {Target} target
   */
  async find(target) {
    let before = '';
    for (;;) {
      const place = await this.until(centre, target);
      if (JSON.stringify(place) === before) return place;
      before = JSON.stringify(place);
      await this.evaluate(() =>
        new Promise((resolve) => {
          requestAnimationFrame(() => resolve(true));
        })
      );
    }
  }

  /** @param {Target} target */
  async click(target) {
    const { x, y } = await this.find(target);
    await this.#act({
      type: 'pointer',
      id: 'mouse',
      parameters: { pointerType: 'mouse' },
      actions: [{ type: 'pointerMove', x, y }, { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }],
    });
  }

  /**
   * Presses keys one after the other; `Control+k` holds the first one.
   *
   * @param {...string} presses
   */
  async press(...presses) {
    for (const press of presses) {
      const keys = press.split('+').map((key) => /** @type {Record<string, string>} */ (KEYS)[key] ?? key);
      const down = keys.map((value) => ({ type: 'keyDown', value }));
      const up = [...keys].reverse().map((value) => ({ type: 'keyUp', value }));
      await this.#act({ type: 'key', id: 'keys', actions: [...down, ...up] });
    }
  }

  /** @param {string} text */
  async type(text) {
    await this.press(...text);
  }

  /** @param {object} source of input, with its actions */
  async #act(source) {
    await this.#send('input.performActions', { context: this.#context, actions: [source] });
  }

  async close() {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    await this.#send('browser.close', {}).catch(() => this.#child.kill());
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 10_000);
    await ended;
    clearTimeout(timer);
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Fails when something takes longer than it may.
 *
 * @template T
 * @param {string} what
 * @param {Promise<T>} work
 * @returns {Promise<T>}
 */
async function inTime(what, work) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} takes longer than ${PATIENCE} ms`)), PATIENCE);
  });
  try {
    return /** @type {T} */ (await Promise.race([work, late]));
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Where a Firefox that was started can be driven.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<string>}
 */
function address(child) {
  return new Promise((resolve, reject) => {
    let told = '';
    child.stderr?.on('data', (chunk) => {
      told += chunk;
      const found = READY.exec(told)?.[1];
      if (found) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`Firefox ended with ${code}: ${told}`)));
  });
}

/**
 * Runs in the page: the centre of what is looked for, or nothing while it is not there, not visible, or covered.
 *
 * @param {Target} target
 */
function centre({ selector, text, begins = '' }) {
  for (const element of document.querySelectorAll(selector)) {
    const words = [element.getAttribute('aria-label'), element.textContent].map((one) => one?.trim());
    if (text === undefined ? !words.some((one) => one?.startsWith(begins)) : !words.includes(text)) continue;
    element.scrollIntoView({ block: 'nearest' });
    const { left, top, width, height } = element.getBoundingClientRect();
    const [x, y] = [Math.round(left + width / 2), Math.round(top + height / 2)];
    const hit = document.elementFromPoint(x, y);
    if (width > 0 && hit && (element.contains(hit) || hit.contains(element))) return { x, y };
  }
  return null;
}
