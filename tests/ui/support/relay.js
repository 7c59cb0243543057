/**
 * Stands between a browser and the program, so that the program can go away and come back under the same address, which a restart cannot do.
 */

import { createServer, request } from 'node:http';

/** A way to the program that can be closed. */
export class Relay {
  #server;
  #port = 0;

  /** @param {string} target address of the program, `http://127.0.0.1:PORT` */
  constructor(target) {
    const { port, host } = new URL(target);
    this.#server = createServer((asked, answer) => {
      const headers = { ...asked.headers, host, ...(asked.headers.origin ? { origin: target } : {}) };
      const onward = request({ host: '127.0.0.1', port, path: asked.url, method: asked.method, headers }, (came) => {
        answer.writeHead(came.statusCode ?? 502, came.headers);
        came.pipe(answer);
      });
      onward.on('error', () => answer.destroy());
      answer.on('close', () => onward.destroy());
      asked.pipe(onward);
    });
  }

  get url() {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Lets requests through; the second time under the address of the first. */
  async open() {
    await new Promise((resolve) => { this.#server.listen(this.#port, '127.0.0.1', () => resolve(undefined)); });
    const address = this.#server.address();
    if (address && typeof address === 'object') this.#port = address.port;
  }

  /** Ends every connection and refuses new ones. */
  async close() {
    const closed = new Promise((resolve) => { this.#server.close(() => resolve(undefined)); });
    this.#server.closeAllConnections();
    await closed;
  }
}
