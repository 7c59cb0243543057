/**
 * A real local stand-in for the database of libretro: an archive in its real shape, lists of pictures, and pictures.
 */

import { once } from 'node:events';
import { createServer } from 'node:http';
import { crc32 } from 'node:zlib';

import { zipOf } from './metadata-server.js';
import { poster } from './picture.js';

/**
 * A game of the database: the name of its list, its own, what its file is known by, and of an arcade set its name.
 *
 * @typedef {{set: string, name: string, code: string, arcade?: string}} Listed
 */

/** The set of games that are given by their content alone. */
const SET = 'Nintendo - Super Nintendo Entertainment System';

/** What the database knows of each game. */
const FACTS = Object.freeze(
  /** @type {const} */ ([['developer', 'Northlight'], ['genre', 'Shooter'], ['releaseyear', '1994']]),
);

/** @param {string} name */
const fileName = (name) => `${name.replaceAll(/[&*/:`<>?\\|"]/g, '_')}.png`;

/**
 * A game that is known by the checksum of its file.
 *
 * @param {string} set
 * @param {string} name
 * @param {string} content
 * @returns {Listed}
 */
export function byContent(set, name, content) {
  return { set, name, code: `rom ( crc ${crc32(content).toString(16).padStart(8, '0').toUpperCase()} )` };
}

/** @param {readonly Listed[]} games */
function archiveOf(games) {
  const members = [...new Set(games.map(({ set }) => set))].flatMap((set) => {
    const own = games.filter((game) => game.set === set);
    const file = (/** @type {string} */ folder, /** @type {readonly string[]} */ rows) => /** @type {const} */ ([
      `libretro-database-master/metadat/${folder}/${set}.dat`,
      `clrmamepro (\n\tname "${set}"\n)\n\n${rows.join('\n')}`,
    ]);
    const facts = FACTS.map(([folder, value]) =>
      file(folder, own.map(({ name, code }) => `game (\n\tcomment "${name}"\n\t${folder} "${value}"\n\t${code}\n)\n`))
    );
    const arcade = own.filter((game) => game.arcade);
    return arcade.length === 0
      ? facts
      : [...facts,
        file('mame',
          arcade.map((game) => `game (\n\tname ${game.arcade}\n\tdescription "${game.name}"\n\t${game.code}\n)\n`))];
  });
  return zipOf(members);
}

/** The server. */
export class OpenServer {
  #server;
  /** @type {Buffer} */
  #archive;
  #games;

  /** @param {readonly Listed[]} games */
  constructor(games) {
    this.#games = games;
    this.#archive = archiveOf(games);
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  /**
   * @param {ReadonlyMap<string, string> | readonly Listed[]} games listed ones, or names with the content of their files
   * @returns {Promise<OpenServer>}
   */
  static async start(games) {
    const listed = games instanceof Map
      ? [...games].map(([name, content]) => byContent(SET, name, content))
      : /** @type {readonly Listed[]} */ (games);
    const server = new OpenServer(listed);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get base() {
    const { port } = /** @type {import('node:net').AddressInfo} */ (this.#server.address());
    return `http://127.0.0.1:${port}`;
  }

  /** What the program needs to ask it instead of the real one. */
  get env() {
    return { SERVICE_OPENDB_BASE: this.base, SERVICE_OPENDB_IMAGE_BASE: this.base };
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
    const [, set, kind, file] = path.split('/');
    const names = this.#games.filter((game) => game.set === set).map(({ name }) => fileName(name));
    const isBoxes = kind === 'Named_Boxarts' && names.length > 0;
    if (path === '/zip/refs/heads/master') response.writeHead(200, { ETag: '"1"' }).end(this.#archive);
    else if (isBoxes && file === '') {
      const links = names.map((name) => `<a href="${encodeURIComponent(name)}">x</a>`);
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<html>${links.join('')}</html>`);
    } else if (isBoxes && names.includes(file ?? ''))
      response.writeHead(200, { 'Content-Type': 'image/png' }).end(poster(path.length, 90, 120));
    else response.writeHead(404, { 'Content-Type': 'text/html' }).end('<html>nothing here</html>');
  }
}
