/**
 * The program under test: the real executable on a data directory of its own, stopped with the test.
 */

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { slowWay } from './jitter.js';
import { withoutEmulators } from './search-path.js';
import { ROOT } from './sources.js';

/** What the program prints on its standard output once it answers. */
const READY = /Listening on (http:\/\/127\.0\.0\.1:\d+)/;

/** How long a start may take on a busy machine, in milliseconds. */
const PATIENCE = 60_000;

/** @returns {string} path of the executable */
export function executable() {
  const target = process.env['CARGO_TARGET_DIR'] ?? join(ROOT, 'target');
  const candidates = [process.env['SERVICE_BIN'], join(target, 'release', 'service-launcher'),
    join(target, 'debug', 'service-launcher')];
  const found = candidates.find((path) => path && existsSync(path));
  if (!found) throw new Error('no executable: run "cargo build" first, or set SERVICE_BIN');
  return found;
}

/**
 * @param {string} name
 * @returns {string} path of a new folder with this name, or with letters behind it where the name is taken
 */
function named(name) {
  const path = join(tmpdir(), name);
  try {
    mkdirSync(path);
    return path;
  } catch {
    return mkdtempSync(`${path}-`);
  }
}

/** A folder of its own, removed with the test. */
export class Scratch {
  root;

  /** @param {string} [name] of the folder, for pictures that show paths */
  constructor(name = '') {
    this.root = name ? named(name) : mkdtempSync(join(tmpdir(), 'service-ui-'));
  }

  /**
   * @param {string} name
   * @returns {string} path of a folder that exists
   */
  folder(name) {
    const path = join(this.root, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  /**
   * @param {string} name
   * @param {string | Buffer} content
   * @param {number} [mode]
   * @returns {string} path of the file
   */
  file(name, content, mode = 0o644) {
    const path = join(this.root, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, content, { mode });
    return path;
  }

  remove() {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The running program. */
export class Service {
  #child;
  #data;
  #ended;
  /** @type {string[]} */
  #output = [];
  url = '';
  token = '';

  /**
   * @param {import('node:child_process').ChildProcessWithoutNullStreams} child
   * @param {string} data
   */
  constructor(child, data) {
    this.#child = child;
    this.#data = data;
    this.#ended = new Promise((resolve) => child.once('close', resolve));
  }

  /**
   * Starts the program on a data directory and waits until it answers.
   *
   * @param {string} data
   * @param {Record<string, string>} [more] environment besides the usual one
   * @returns {Promise<Service>}
   */
  static async start(data, more = {}) {
    mkdirSync(data, { recursive: true });
    const home = join(data, '..', 'home');
    mkdirSync(home, { recursive: true });
    // A browser keeps connections in stock that it never used; one that is closed for its idleness at the moment when it is wanted is an error in the console.
    const env = { PATH: withoutEmulators(), HOME: home, LANG: 'C.UTF-8', TZ: process.env['TZ'] ?? '',
      XDG_RUNTIME_DIR: home, SERVICE_SOCKET_TIMEOUT: '600', ...more };
    const child = spawn(executable(), ['--no-browser', '--data-dir', data], { env, stdio: 'pipe' });
    const service = new Service(child, data);
    const url = await service.#ready();
    const way = await slowWay(url);
    if (way) void service.#ended.then(() => way.close());
    service.url = way?.url ?? url;
    service.token = readFileSync(join(data, 'server.token'), 'utf8').trim();
    return service;
  }

  /** @returns {Promise<string>} the address */
  #ready() {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`the program did not get ready:\n${this.#output.join('')}`)),
        PATIENCE);
      const read = (/** @type {Buffer} */ chunk) => {
        this.#output.push(chunk.toString());
        const url = READY.exec(this.#output.join(''))?.[1];
        if (!url) return;
        clearTimeout(timer);
        resolve(url);
      };
      this.#child.stdout.on('data', read);
      this.#child.stderr.on('data', read);
      this.#child.once('close', (code) => {
        clearTimeout(timer);
        reject(new Error(`the program ended with ${code}:\n${this.#output.join('')}`));
      });
    });
  }

  /** The address the user would open. */
  get address() {
    return `${this.url}/?token=${this.token}`;
  }

  /**
   * Asks the API as a test, beside the page.
   *
   * @template T
   * @param {string} path
   * @param {object} [body] makes it a POST
   * @returns {Promise<T>}
   */
  async ask(path, body) {
    /** @type {RequestInit} */
    const init = body
      ? { method: 'POST', body: JSON.stringify(body),
        headers: { 'Content-Type': 'application/json', 'X-Service-Token': this.token } }
      : { headers: { 'X-Service-Token': this.token } };
    const response = await fetch(`${this.url}${path}`, init);
    const answer = await response.json();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`);
    return /** @type {T} */ (answer);
  }

  /**
   * Asks the API until what it answers holds: a page may show a change before it is told that it was kept.
   *
   * @template T
   * @param {string} path
   * @param {(answer: T) => boolean} holds
   * @returns {Promise<T>} the answer that held
   */
  async until(path, holds) {
    const end = Date.now() + PATIENCE;
    for (;;) {
      const answer = /** @type {T} */ (await this.ask(path));
      if (holds(answer)) return answer;
      if (Date.now() > end) throw new Error(`${path} still answers ${JSON.stringify(answer)?.slice(0, 400)}`);
    }
  }

  /** What its log warns of. */
  complaints() {
    const log = join(this.#data, 'service.log');
    const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : [];
    return lines.filter((line) => / (?:WARN|ERROR) /.test(line)).join('\n');
  }

  /** Ends the program as a power cut would. */
  kill() {
    this.#child.kill('SIGKILL');
  }

  /** Ends games and program, and waits for the end. */
  async stop() {
    await this.ask('/api/shutdown', { force: true }).catch(() => undefined);
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 10_000);
    await this.#ended;
    clearTimeout(timer);
  }
}
