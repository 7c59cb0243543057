/**
 * A real local publisher of definition packs with a key of its own: an index, an archive, and its signature as the release signs it.
 */

import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';

/** Where the channel is on the server, and the name of the archive. */
const FOLDER = '/releases/emulator-defs/';
const ARCHIVE = 'community-defs.tar.gz';

/** Bytes of a block of an archive. */
const BLOCK = 512;

/**
 * A complete definition.
 *
 * @param {string} id
 * @returns {string}
 */
export function definition(id) {
  return [
    `emulator_id: org.example.${id}`,
    `adapter_id: ${id}`,
    `label: ${id} (Test)`,
    'platform: Test',
    'extensions: [tst]',
    `executable_patterns: [${id}]`,
    `native_exe: ${id}`,
    'native_exe_windows: x.exe',
    `flatpak_app_id: org.example.${id}`,
    'priority: 10',
    'startup_args: ["{path}"]',
    'state: {kind: none}',
    'schema_version: 1',
    'recommended: true',
    '',
  ].join('\n');
}

/**
 * A packed archive of definitions.
 *
 * @param {readonly string[]} ids
 * @returns {Buffer}
 */
function pack(ids) {
  const members = ids.flatMap((id) => {
    const content = Buffer.from(definition(id));
    const head = Buffer.alloc(BLOCK);
    head.write(`defs/${id}.yaml`, 0);
    head.write('0000644\0', 100);
    head.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
    head.write('00000000000\0', 136);
    head.fill(' ', 148, 156);
    head.write('0', 156);
    head.write('ustar\u000000', 257);
    head.write(`${head.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, '0')}\0 `, 148);
    return [head, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
  });
  return gzipSync(Buffer.concat([...members, Buffer.alloc(2 * BLOCK)]));
}

/** The server. */
export class Publisher {
  #server = createServer((request, response) => {
    const file = this.#files.get(request.url ?? '');
    response.writeHead(file ? 200 : 404, { Connection: 'close' }).end(file);
  });
  #keys = generateKeyPairSync('ed25519');
  /** @type {Map<string, Buffer>} */
  #files = new Map();

  /** @returns {Promise<Publisher>} */
  static async start() {
    const publisher = new Publisher();
    publisher.#server.listen(0, '127.0.0.1');
    await once(publisher.#server, 'listening');
    return publisher;
  }

  /**
   * What the program is told so that it takes packs from here.
   *
   * @param {import('./service.js').Scratch} scratch
   * @returns {Record<string, string>}
   */
  env(scratch) {
    const { port } = /** @type {import('node:net').AddressInfo} */ (this.#server.address());
    const { x } = this.#keys.publicKey.export({ format: 'jwk' });
    return { SERVICE_RELEASE_BASE: `http://127.0.0.1:${port}/releases`,
      SERVICE_RELEASE_KEY_FILE: scratch.file('release.pub', Buffer.from(x ?? '', 'base64url')) };
  }

  /**
   * Publishes a pack of definitions.
   *
   * @param {string} version
   * @param {readonly string[]} ids
   * @param {boolean} [isSigned] else with the signature of something else
   */
  publish(version, ids, isSigned = true) {
    const archive = pack(ids);
    const digest = createHash('sha256').update(archive).digest();
    const signature = sign(null, isSigned ? digest : Buffer.from('something else'), this.#keys.privateKey).toString(
      'base64',
    );
    const put = (/** @type {string} */ name, /** @type {string | Buffer} */ content) =>
      this.#files.set(FOLDER + name, Buffer.from(content));
    put('index.json', JSON.stringify({ version, notes: `Notes of ${version}` }));
    put(ARCHIVE, archive);
    put(`${ARCHIVE}.sig`,
      JSON.stringify({ algorithm: 'ed25519', artifact: ARCHIVE, digest_algorithm: 'sha256',
        digest: digest.toString('hex'), signature }));
  }

  async stop() {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
