/**
 * Stands between a browser and the program: so that the program can go away and come back under the same address, which a restart cannot do, and so that its answers can come late.
 */

import { createServer, request } from 'node:http';

/**
 * How late answers are, in milliseconds: `answer` for each, `piece` for each message of a live stream.
 *
 * @typedef {{answer: (path: string) => number, piece: () => number}} Lag
 */

/** @param {number} ms */
const pause = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** A way to the program that can be closed. */
export class Relay {
  #server;
  #port = 0;
  #lag;

  /**
   * @param {string} target address of the program, `http://127.0.0.1:PORT`
   * @param {Lag} [lag] without it nothing is late
   */
  constructor(target, lag) {
    this.#lag = lag;
    const { port, host } = new URL(target);
    this.#server = createServer((asked, answer) => {
      const headers = { ...asked.headers, host, ...(asked.headers.origin ? { origin: target } : {}) };
      const onward = request({ host: '127.0.0.1', port, path: asked.url, method: asked.method, headers },
        (came) => void this.#pass(came, answer, asked.url ?? ''));
      onward.on('error', () => answer.destroy());
      answer.on('close', () => onward.destroy());
      asked.pipe(onward);
    });
    // The browser decides how long a connection is kept.
    this.#server.keepAliveTimeout = 600_000;
  }

  get url() {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Lets requests through; the second time under the address of the first. */
  async open() {
    await new Promise((resolve) => {
      this.#server.listen(this.#port, '127.0.0.1', () => resolve(undefined));
    });
    const address = this.#server.address();
    if (address && typeof address === 'object') this.#port = address.port;
  }

  /** Ends every connection and refuses new ones. */
  async close() {
    const closed = new Promise((resolve) => {
      this.#server.close(() => resolve(undefined));
    });
    this.#server.closeAllConnections();
    await closed;
  }

  /**
   * @param {import('node:http').IncomingMessage} came
   * @param {import('node:http').ServerResponse} answer
   * @param {string} path
   */
  async #pass(came, answer, path) {
    // A program that ends in the middle of an answer is not one that has said everything.
    came.on('error', () => answer.destroy());
    if (this.#lag) await pause(this.#lag.answer(path));
    answer.writeHead(came.statusCode ?? 502, came.headers);
    if (!this.#lag || !/^text\/event-stream/.test(came.headers['content-type'] ?? '')) {
      came.pipe(answer);
      return;
    }
    const { piece } = this.#lag;
    answer.flushHeaders();
    /** Each message waits for the one before. */
    let told = Promise.resolve();
    came.on('data', (/** @type {Buffer} */ message) => {
      const late = pause(piece());
      told = told.then(async () => {
        await late;
        answer.write(message);
      });
    });
    came.on('end', () => void told.then(() => answer.end()));
  }
}
