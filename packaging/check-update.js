// Updates the packed programs of one version to the next and back, on a system without Rust. The releases are
// served by a stand-in for their host on this machine. Started by `packaging/check`.
//
//   node packaging/check-update.js SYSTEM MACHINE PACKAGES NEXT-PACKAGES VERSION NEXT-VERSION [EMULATOR]

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, watch } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

const [system, machine, packages, nextPackages, version, nextVersion, ...emulator] = process.argv.slice(2);
const folder = '/opt/service-launcher';
const data = '/var/opt/service-launcher';
const plain = `Service-${machine}`;
const bundle = `${plain}.AppImage`;

/** The path on this machine of a path in the system. */
const outside = (path) => join(system, path);

/** Starts the stand-in: `/api/releases/latest` and the files of the next version. */
async function releases() {
  const server = createServer((request, response) => {
    const base = `http://${request.headers.host}`;
    if (request.url === '/api/releases/latest') {
      const assets = [bundle, plain].flatMap((name) => ['', '.sha256', '.sig'].map((ending) => name + ending));
      const body = {
        tag_name: `v${nextVersion}`,
        body: 'What is new',
        html_url: `${base}/page`,
        prerelease: false,
        assets: assets.map((name) => ({ name, browser_download_url: `${base}/dl/v${nextVersion}/${name}` })),
      };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(body));
      return;
    }
    const name = request.url.startsWith(`/dl/v${nextVersion}/`) && request.url.split('/').at(-1);
    if (!name || !existsSync(join(nextPackages, name))) {
      response.statusCode = 404;
      response.end();
      return;
    }
    response.end(readFileSync(join(nextPackages, name)));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { base: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/** Runs the program `path` of the system until `use` has ended; `use` gets a function that asks it. */
async function running(path, host, use) {
  mkdirSync(outside(data), { recursive: true });
  const set = {
    HOME: '/root',
    PATH: '/usr/bin',
    APPIMAGE: `${folder}/${bundle}`,
    SERVICE_INSTALL_DIR: folder,
    SERVICE_RELEASES_API_BASE: `${host.base}/api`,
    SERVICE_RELEASE_BASE: `${host.base}/dl`,
    SERVICE_RELEASE_KEY_FILE: `${folder}/release.pub`,
  };
  const words = ['--bind', system, '/', '--proc', '/proc', '--dev', '/dev', '--die-with-parent', '--clearenv'];
  for (const [name, value] of Object.entries(set)) words.push('--setenv', name, value);
  words.push(...emulator, path, '--no-browser', '--data-dir', data);
  const program = spawn('bwrap', words, { stdio: ['ignore', 'inherit', 'inherit'] });
  const ended = new Promise((resolve) => program.on('exit', resolve));
  const [port, token] = await Promise.race([
    written(['server.port', 'server.token']),
    ended.then((code) => assert.fail(`${path} ended with ${code}`)),
  ]);
  const ask = async (method, route, body) => {
    const headers = { 'X-Service-Token': token, 'content-type': 'application/json' };
    const reply = await fetch(`http://127.0.0.1:${port}${route}`, {
      method,
      headers,
      body: body && JSON.stringify(body),
    });
    const json = await reply.json();
    assert.equal(reply.status, 200, `${method} ${route}: ${JSON.stringify(json)}`);
    return json;
  };
  await use(ask);
  const [child] = readFileSync(`/proc/${program.pid}/task/${program.pid}/children`, 'utf8').split(' ');
  process.kill(Number(child), 'SIGTERM');
  assert.equal(await ended, 0, 'it stops with success');
}

/** What the files of the data directory say, as soon as all of them are there. */
async function written(names) {
  const all = () => names.map((name) => readOr(outside(join(data, name))));
  const watcher = watch(outside(data));
  try {
    while (all().some((text) => !text)) await new Promise((resolve) => watcher.once('change', resolve));
  } finally {
    watcher.close();
  }
  return all();
}

function readOr(path) {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
}

const digest = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');

const host = await releases();
try {
  for (const [target, name] of [['bundle', bundle], ['executable', plain]]) {
    rmSync(outside(folder), { recursive: true, force: true });
    rmSync(outside(data), { recursive: true, force: true });
    mkdirSync(outside(folder), { recursive: true });
    copyFileSync(join(nextPackages, 'release.pub'), outside(`${folder}/release.pub`));
    for (const file of [bundle, plain]) copyFileSync(join(packages, file), outside(`${folder}/${file}`));
    if (target === 'executable') copyFileSync(join(packages, plain), outside(`${folder}/service-launcher`));
    const path = target === 'bundle' ? `${folder}/${name}` : `${folder}/service-launcher`;
    const [old, newer] = [digest(join(packages, name)), digest(join(nextPackages, name))];
    assert.notEqual(old, newer);

    await running(path, host, async (ask) => {
      const status = await ask('GET', '/api/update');
      assert.deepEqual([status.current, status.latest, status.available], [version, nextVersion, true]);
      await ask('POST', '/api/game', { game: { name: 'Kept over updates', path: '/usr/bin/true' } });
      assert.equal((await ask('POST', '/api/update/install', { target })).installed, nextVersion);
    });
    assert.equal(digest(outside(path)), newer);
    assert.equal(statSync(outside(path)).mode & 0o777, 0o755);

    await running(path, host, async (ask) => {
      const status = await ask('GET', '/api/update');
      assert.deepEqual([status.current, status.available], [nextVersion, false]);
      const names = (await ask('GET', '/api/library')).games.map((found) => found.name);
      assert.deepEqual(names, ['Kept over updates']);
      await ask('POST', '/api/v2/update/rollback', { target });
    });
    assert.equal(digest(outside(path)), old);

    await running(path, host, async (ask) => {
      assert.equal((await ask('GET', '/api/update')).current, version);
      assert.equal((await ask('GET', '/api/library')).games.length, 1);
    });
    const left = readdirSync(outside(folder)).filter((file) => file.startsWith('.') || file.includes('.update'));
    assert.deepEqual(left, []);
    console.log(`${machine}, ${target}: ${version} to ${nextVersion} and back`);
  }
} finally {
  host.close();
  rmSync(outside(folder), { recursive: true, force: true });
  rmSync(outside(data), { recursive: true, force: true });
}
