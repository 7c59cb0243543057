/**
 * A real local server that webhooks are delivered to.
 */

import { once } from 'node:events';
import { createServer } from 'node:http';

/** Answers every request with one status. */
export class Receiver {
  #server;
  status;
  requests = 0;

  /**
   * @param {number} status
   */
  constructor(status) {
    this.status = status;
    this.#server = createServer((request, response) => {
      this.requests += 1;
      request.resume().on('end', () => response.writeHead(this.status).end());
    });
  }

  /**
   * @param {number} status
   * @returns {Promise<Receiver>}
   */
  static async start(status) {
    const receiver = new Receiver(status);
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get url() {
    const { port } = /** @type {import('node:net').AddressInfo} */ (this.#server.address());
    return `http://127.0.0.1:${port}/hook`;
  }

  async stop() {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
