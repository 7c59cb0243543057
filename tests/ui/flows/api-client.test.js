/** The generated client for TypeScript, compiled strictly, against the running program. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { CLIENT } from '../support/api-client.js';
import { Scratch, Service } from '../support/service.js';
import { ROOT } from '../support/sources.js';

/** What of the client is used here. */
/**
 * @typedef {{
 *   getRunning(): Promise<{running: unknown[]}>,
 *   getLibrary(query?: {offset?: number, limit?: number}): Promise<{games: Array<{name: string, game_id: string}>}>,
 *   postGame(body: object): Promise<{game_id?: string}>,
 *   postLaunch(body: object): Promise<unknown>,
 *   getV2LibrarySearch(query: {q: string}): Promise<{count: number}>,
 *   getMedia(query: object): Promise<Response>,
 *   getThemeCss(query?: object): Promise<Response>,
 * }} Client
 */

test('a program in TypeScript reads and changes the library with the generated client', async (t) => {
  const scratch = new Scratch();
  t.after(() => scratch.remove());
  const out = scratch.folder('client');
  const options = ['--target', 'es2022', '--module', 'es2022', '--moduleResolution', 'bundler', '--strict', '--lib',
    'es2022,dom,dom.iterable', '--types', '', '--outDir', out];
  const compiler = join(ROOT, 'tests', 'ui', 'node_modules', '.bin', 'tsc');
  execFileSync(compiler, [...options, '--ignoreConfig', fileURLToPath(CLIENT)], { cwd: out, stdio: 'pipe' });
  scratch.file('client/package.json', '{"type": "module"}');
  const { ServiceLauncher, Refused } = await import(pathToFileURL(join(out, 'service-launcher.js')).href);

  const service = await Service.start(join(scratch.root, 'data'));
  t.after(() => service.stop());
  const client = /** @type {Client} */ (new ServiceLauncher(service.url, service.token));
  assert.deepEqual((await client.getRunning()).running, []);
  await client.postGame({ game: { name: 'Typed Game', path: scratch.file('typed.sh', '#!/bin/sh\n', 0o755) } });
  const { games } = await client.getLibrary({ offset: 0, limit: 5 });
  assert.deepEqual(games.map(({ name }) => name), ['Typed Game']);
  assert.equal((await client.getV2LibrarySearch({ q: 'typed' })).count, 1);
  const theme = await client.getThemeCss();
  assert.match(theme.headers.get('content-type') ?? '', /css/);
  await assert.rejects(client.postLaunch({ game_id: 'nobody' }), (error) => {
    assert.ok(error instanceof Refused);
    const { status, code, message } = /** @type {Error & {status: number, code: string}} */ (error);
    assert.equal(status >= 400 && status < 500, true);
    assert.ok(code && message, `${code} ${message}`);
    return true;
  });
  const stranger = /** @type {Client} */ (new ServiceLauncher(service.url, 'wrong'));
  await assert.rejects(stranger.getRunning(), { status: 403, message: 'Unauthorized' });
});
