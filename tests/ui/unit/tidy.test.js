import assert from 'node:assert/strict';
import { test } from 'node:test';

import { sources } from '../support/sources.js';

const SCRIPTS = sources('.js');
const LAYERS = ['core', 'data', 'parts', 'views', 'app'];

/** @param {string} path */
function layer(path) {
  return LAYERS.indexOf(path === 'app.js' ? 'app' : (path.split('/')[0] ?? ''));
}

test('modules import only from their own layer or below, and views never views', () => {
  for (const [name, text] of SCRIPTS) {
    for (const [, target] of text.matchAll(/^import [^;]*? from '([^']+)'/gms)) {
      assert.match(target ?? '', /^\.{1,2}\/.*\.js$/, `${name} imports ${target}`);
      const path = new URL(target ?? '', `file:///${name}`).pathname.slice(1);
      assert.ok(SCRIPTS.has(path), `${name} imports ${path}, which does not exist`);
      const [from, to] = [layer(name), layer(path)];
      assert.ok(to <= from && !(from === 3 && to === 3), `${name} imports ${path}`);
    }
  }
});

test('no markup from strings, no inline handlers, no globals', () => {
  for (const [name, text] of SCRIPTS) {
    const found =
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|localStorage|indexedDB|globalThis\.|window\.\w+ =/
        .exec(text);
    assert.equal(found, null, `${name}: ${found?.[0]}`);
  }
  const html = sources('.html').get('index.html') ?? '';
  assert.equal(/ on\w+="|javascript:|<script(?![^>]*src=)/.exec(html), null);
  assert.equal((html.match(/<script/g) ?? []).length, 1);
});

test('nothing names another host', () => {
  for (const ending of ['.js', '.css', '.html', '.svg']) {
    for (const [name, text] of sources(ending)) {
      const hosts = [...text.matchAll(/\b(?:https?:)?\/\/([\w.-]+\.\w+)/g)].map((match) => match[1]).filter((host) =>
        host !== 'www.w3.org'
      );
      assert.deepEqual(hosts, [], name);
    }
  }
});

test('every script says what it is', () => {
  for (const [name, text] of SCRIPTS) assert.match(text, /^\/\*\*[^]{30,}?\*\/\n/, name);
});

test('files and lines stay short enough to read', () => {
  for (const [name, text] of [...SCRIPTS, ...sources('.css')]) {
    const lines = text.split('\n');
    assert.ok(lines.length <= 600, name);
    lines.forEach((line, at) => assert.ok([...line].length <= 120, `${name}:${at + 1} is longer than 120 characters`));
  }
});

test('every icon that is used is drawn, and every drawn icon is used', () => {
  const html = sources('.html').get('index.html') ?? '';
  const drawn = new Set([...html.matchAll(/<symbol id="i-([\w-]+)"/g)].map((match) => match[1] ?? ''));
  const all = [...SCRIPTS.values()].join('\n');
  const used = new Set([...all.matchAll(/\bicon\([^)]*?'([a-z-]+)'/g)].map((match) => match[1] ?? ''));
  for (const name of used) assert.ok(drawn.has(name) || /^icon-/.test(name), `icon ${name} is not drawn`);
  for (const name of drawn) assert.ok(new RegExp(`'${name}'`).test(all), `icon ${name} is not used`);
});
