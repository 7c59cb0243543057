/**
 * A real local stand-in for the database of libretro: an archive in its real shape, lists of pictures, and pictures.
 */

import { once } from 'node:events';
import { createServer } from 'node:http';
import { crc32 } from 'node:zlib';

import { zip } from './metadata-server.js';
import { poster } from './picture.js';

/** The set that its games are of. */
const SET = 'Nintendo - Super Nintendo Entertainment System';

/** @param {string} name */
const fileName = (name) => `${name.replaceAll(/[&*/:`<>?\\|"]/g, '_')}.png`;

/** The server. */
export class OpenServer {
  #server;
  /** @type {Buffer} */
  #archive;
  /** @type {readonly string[]} */
  #names;

  /** @param {ReadonlyMap<string, string>} games names with the content of their files */
  constructor(games) {
    this.#names = [...games.keys()];
    const blocks = [...games].map(([name, content]) =>
      `game (\n\tcomment "${name}"\n\tdeveloper "Northlight"\n\tgenre "Shooter"\n\treleaseyear "1994"\n` +
      `\trom ( crc ${crc32(content).toString(16).padStart(8, '0').toUpperCase()} )\n)\n`
    );
    this.#archive = zip(`libretro-database-master/metadat/no-intro/${SET}.dat`,
      `clrmamepro (\n\tname "${SET}"\n)\n\n${blocks.join('\n')}`);
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  /**
   * @param {ReadonlyMap<string, string>} games
   * @returns {Promise<OpenServer>}
   */
  static async start(games) {
    const server = new OpenServer(games);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  /** What the program needs to ask it instead of the real one. */
  get env() {
    const { port } = /** @type {import('node:net').AddressInfo} */ (this.#server.address());
    const base = `http://127.0.0.1:${port}`;
    return { SERVICE_OPENDB_BASE: base, SERVICE_OPENDB_IMAGE_BASE: base };
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
    const path = decodeURIComponent(new URL(request.url ?? '', 'http://here').pathname);
    const folder = `/${SET}/Named_Boxarts/`;
    if (path === '/zip/refs/heads/master') response.writeHead(200, { ETag: '"1"' }).end(this.#archive);
    else if (path === folder) {
      const links = this.#names.map((name) => `<a href="${encodeURIComponent(fileName(name))}">x</a>`);
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<html>${links.join('')}</html>`);
    } else if (path.startsWith(folder) && this.#names.some((name) => path.endsWith(fileName(name))))
      response.writeHead(200, { 'Content-Type': 'image/png' }).end(poster(path.length, 90, 120));
    else response.writeHead(404, { 'Content-Type': 'text/html' }).end('<html>nothing here</html>');
  }
}
