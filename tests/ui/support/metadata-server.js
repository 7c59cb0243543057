/**
 * A real local stand-in for the games database: an archive in its real shape with tag, ranges and pictures, and the ways in which the real one fails.
 */

import { once } from 'node:events';
import { createServer } from 'node:http';
import { crc32, deflateRawSync } from 'node:zlib';

import { poster } from './picture.js';

/**
 * @typedef {{id: number, name: string, platform: string, images?: (readonly [type: string, region: string, file: string])[]}} Entry
 * @typedef {{cut: number} | {held: number} | {status: number} | 'page'} Fault `cut` and `held` send so many bytes, then the connection ends or nothing comes until `release`
 */

/** What a page of a content network looks like where a file was expected. */
const PAGE = '<html>Just a moment...</html>';

/** Pictures are drawn once for each of so many names. */
const DRAWN = 48;

/** Pictures and their checksums, drawn when they are asked for. @type {Map<number, {bytes: Buffer, sum: number}>} */
const drawn = new Map();

/** @param {string} name */
function picture(name) {
  const seed = [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % DRAWN, 7);
  let known = drawn.get(seed);
  if (!known) {
    const bytes = poster(seed, 90, 120);
    known = { bytes, sum: crc32(bytes) };
    drawn.set(seed, known);
  }
  return known;
}

/** @param {string} text */
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/**
 * The dump of games, with what the real one has: a byte order mark, and a reference to a control character.
 *
 * @param {readonly Entry[]} games
 */
function dump(games) {
  const rows = games.map(({ id, name, platform }) =>
    `<Game><Name>${escaped(name)}</Name><ReleaseDate>1994-03-18T00:00:00-08:00</ReleaseDate>` +
    '<Overview>Two &amp; a robot.&#x1F;</Overview><MaxPlayers>2</MaxPlayers><ReleaseType>Released</ReleaseType>' +
    `<Cooperative>true</Cooperative><DatabaseID>${id}</DatabaseID><CommunityRating>3.8333333</CommunityRating>` +
    `<Platform>${escaped(platform)}</Platform><ESRB>E - Everyone</ESRB><Genres> Shooter; Action</Genres>` +
    '<Developer>Northlight</Developer><Publisher>Aster</Publisher></Game>'
  );
  const images = games.flatMap(({ id, images: own = [] }) =>
    own.map(([type, region, file]) =>
      `<GameImage><DatabaseID>${id}</DatabaseID><FileName>${escaped(file)}</FileName><Type>${type}</Type>` +
      `<Region>${region}</Region><CRC32>${picture(file).sum}</CRC32></GameImage>`
    )
  );
  return `\u{feff}<?xml version="1.0" standalone="yes"?>\r\n<LaunchBox>${rows.join('')}${images.join('')}</LaunchBox>`;
}

/**
 * A ZIP archive with one packed member.
 *
 * @param {string} name
 * @param {string} text
 * @returns {Buffer}
 */
export function zip(name, text) {
  return zipOf([[name, text]]);
}

/**
 * A ZIP archive of packed members.
 *
 * @param {readonly (readonly [string, string])[]} members names with their texts
 * @returns {Buffer}
 */
export function zipOf(members) {
  const bodies = /** @type {Buffer[]} */ ([]);
  const entries = /** @type {Buffer[]} */ ([]);
  let offset = 0;
  for (const [name, text] of members) {
    const [content, path] = [Buffer.from(text), Buffer.from(name)];
    const packed = deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(path.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    const body = Buffer.concat([Buffer.from('PK\x03\x04'), common, path, packed]);
    offset += body.length;
    bodies.push(body);
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), common, place, path]));
  }
  const entry = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(entry.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, entry, end]);
}

/** The server. */
export class MetadataServer {
  #server = createServer((request, response) => this.#answer(request, response));
  #archive = /** @type {Buffer} */ (Buffer.alloc(0));
  #etag = '';
  #edition = 0;
  /** What is said instead of the archive, in turn; then the archive. */
  /** @type {Fault[]} */
  #faults = [];
  /** What is said instead of pictures, by name. */
  /** @type {Map<string, 'page' | {status: number}>} */
  #broken = new Map();
  /** @type {(() => void)[]} */
  #held = [];
  /** Paths that were asked for. */
  /** @type {string[]} */
  seen = [];

  /**
   * @param {readonly Entry[]} games
   * @returns {Promise<MetadataServer>}
   */
  static async start(games) {
    const server = new MetadataServer();
    server.publish(games);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  /** What the program needs to ask it instead of the real one. */
  get env() {
    const { port } = /** @type {import('node:net').AddressInfo} */ (this.#server.address());
    const base = `http://127.0.0.1:${port}`;
    return { SERVICE_METADB_BASE: `${base}/db`, SERVICE_METADB_IMAGE_BASE: `${base}/images` };
  }

  /** Bytes of the archive. */
  get size() {
    return this.#archive.length;
  }

  /**
   * Publishes another archive.
   *
   * @param {readonly Entry[]} games
   */
  publish(games) {
    this.#edition += 1;
    this.#etag = `"edition-${this.#edition}"`;
    this.#archive = zip('Metadata.xml', dump(games));
  }

  /**
   * Has the next requests for the archive fail, in turn.
   *
   * @param {...Fault} faults
   */
  fail(...faults) {
    this.#faults = faults;
  }

  /**
   * Has a picture fail until it is mended.
   *
   * @param {string} name
   * @param {'page' | {status: number} | null} fault
   */
  failPicture(name, fault) {
    if (fault) this.#broken.set(name, fault);
    else this.#broken.delete(name);
  }

  /** Whether an answer is held. */
  get isHolding() {
    return this.#held.length > 0;
  }

  /** Lets answers that are held go on. */
  release() {
    for (const go of this.#held.splice(0)) go();
  }

  async stop() {
    this.release();
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
    this.seen.push(path);
    if (path === '/db/Metadata.zip') this.#sendArchive(request, response);
    else if (path.startsWith('/images/')) this.#sendPicture(path.slice('/images/'.length), response);
    else response.writeHead(404).end('nothing here');
  }

  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   */
  #sendArchive({ headers }, response) {
    const fault = this.#faults.shift();
    if (fault && (fault === 'page' || 'status' in fault)) {
      say(response, fault);
      return;
    }
    if (headers['if-none-match'] === this.#etag) {
      response.writeHead(304, { ETag: this.#etag }).end();
      return;
    }
    const range = headers['if-range'] === this.#etag ? /^bytes=(\d+)-$/.exec(headers.range ?? '') : null;
    const rest = this.#archive.subarray(Number(range?.[1] ?? 0));
    response.writeHead(range ? 206 : 200, {
      'Content-Type': 'application/zip',
      'Content-Length': rest.length,
      ETag: this.#etag,
      ...(range ? { 'Content-Range': `bytes ${range[1]}-${this.#archive.length - 1}/${this.#archive.length}` } : {}),
    });
    if (fault && 'cut' in fault) response.write(rest.subarray(0, fault.cut), () => response.destroy());
    else if (fault && 'held' in fault) {
      response.write(rest.subarray(0, fault.held));
      this.#held.push(() => response.end(rest.subarray(fault.held)));
    } else response.end(rest);
  }

  /**
   * @param {string} name
   * @param {import('node:http').ServerResponse} response
   */
  #sendPicture(name, response) {
    const fault = this.#broken.get(name);
    if (fault) {
      say(response, fault);
      return;
    }
    const { bytes } = picture(name);
    response.writeHead(200, { 'Content-Type': 'image/png', 'Content-Length': bytes.length }).end(bytes);
  }
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {'page' | {status: number}} fault
 */
function say(response, fault) {
  if (fault === 'page') response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(PAGE);
  else response.writeHead(fault.status, { 'Content-Type': 'text/plain' }).end('sorry');
}
