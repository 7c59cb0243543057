/**
 * A real local server that speaks the protocol of the library server: it wants a login and offers three games, one of which cannot be downloaded.
 */

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

const CONTENT = Buffer.from('the whole game');

const GAMES = [
  { id: 7, title: 'Quiet Voyage', platforms: [{ name: 'WINDOWS' }], summary: 'A quiet one.',
    developers: ['Blue Kettle'], release: '1999-01-02' },
  { id: 8, title: 'Broken Lantern', platforms: [] },
  { id: 9, title: 'Iron Summit', platforms: [] },
];

/** The server. */
export class LibraryServer {
  #server = createServer((request, response) => this.#answer(request, response));

  /** @returns {Promise<LibraryServer>} */
  static async start() {
    const server = new LibraryServer();
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url() {
    const { port } = /** @type {import('node:net').AddressInfo} */ (this.#server.address());
    return `http://127.0.0.1:${port}`;
  }

  async stop() {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   */
  #answer(request, response) {
    const chunks = /** @type {Buffer[]} */ ([]);
    request.on('data', (chunk) => chunks.push(chunk)).on('end', () => {
      const url = request.url ?? '';
      const send = (/** @type {number} */ status, /** @type {string | Buffer} */ body, headers = {}) =>
        response.writeHead(status, headers).end(body);
      if (url === '/login') {
        const isRight = Buffer.concat(chunks).toString() === 'username=me&password=secret';
        send(302, '', { Location: '/', 'Set-Cookie': `SESSION=${isRight ? 'good' : 'bad'}; Path=/; HttpOnly` });
      } else if (url === '/') send(200, '<html>');
      else if (!(request.headers.cookie ?? '').includes('SESSION=good')) send(401, 'log in first');
      else if (url === '/connect/GameEndpoint/getAll') send(200, JSON.stringify(GAMES));
      else if (url === '/connect/DownloadProviderEndpoint/getProviders')
        send(200, JSON.stringify([{ key: 'direct', name: 'Direct', priority: 1 }]));
      else if (url.startsWith('/download/7'))
        send(200, CONTENT, { 'Content-Disposition': 'attachment; filename="quiet.bin"',
          'X-Checksum-SHA256': createHash('sha256').update(CONTENT).digest('hex') });
      else if (url.startsWith('/download/8')) send(500, 'no such file');
      else send(404, 'nothing here');
    });
  }
}
