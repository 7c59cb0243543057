import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';

import { isJoined, monogram, platformHue, shortName, symbolId } from '../../../static/data/game.js';
import { strongestHue } from '../../../static/core/hue.js';
import { SCHEMES } from '../../../static/data/preferences.js';
import { platformOf, sheetOf, TOKEN_GROUPS } from '../../../static/data/theme-tokens.js';
import { sources } from '../support/sources.js';

const THEMES = new URL('../../../data/themes/', import.meta.url);

/**
 * Tokens of a theme: those of the block, over those of `:root`.
 *
 * @param {string} scheme
 * @returns {Map<string, string>}
 */
function tokens(scheme) {
  const css = sources('.css').get('styles/tokens.css') ?? '';
  const found = new Map();
  for (const [, selector, body] of css.replace(/\/\*.*?\*\//gs, '').matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
    const isRoot = /:root\s*$/.test(selector?.trim() ?? '') && !selector?.includes('@media');
    if (!isRoot && !selector?.includes(`[data-scheme="${scheme}"]`)) continue;
    for (const [, name, value] of (body ?? '').matchAll(/(--[\w-]+):\s*([^;]+);/g)) found.set(name, value?.trim());
  }
  return found;
}

/**
 * @param {string | undefined} hex
 * @returns {number} relative luminance
 */
function luminance(hex) {
  const parts = /^#(..)(..)(..)/.exec(hex ?? '');
  assert.ok(parts, `not a plain colour: ${hex}`);
  const [r, g, b] = parts.slice(1).map((part) => {
    const value = parseInt(part, 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (r ?? 0) + 0.7152 * (g ?? 0) + 0.0722 * (b ?? 0);
}

/**
 * @param {string | undefined} front
 * @param {string | undefined} back
 */
function contrast(front, back) {
  const [light, dark] = [luminance(front), luminance(back)].sort((a, b) => b - a);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

const TEXT_ON = ['--bg', '--bg-side', '--surface-1', '--surface-2', '--selected'];

/** Pairs of text and ground, and the ratio each needs. */
const PAIRS = /** @type {const} */ ([
  ...TEXT_ON.flatMap((ground) => [['--text', ground, 7], ['--text-2', ground, 4.5], ['--text-3', ground, 4.5]]),
  ['--text', '--surface-3', 7],
  ['--text-2', '--surface-3', 4.5],
  ['--text', '--surface-4', 4.5],
  ['--accent', '--bg', 4.5],
  ['--accent', '--surface-1', 4.5],
  ['--accent', '--surface-3', 3],
  ['--on-accent', '--accent', 4.5],
  ['--on-accent', '--accent-strong', 4.5],
  ['--on-accent-soft', '--accent-soft', 4.5],
  ['--danger', '--surface-1', 4.5],
  ['--danger', '--bg', 4.5],
  ['--danger', '--surface-3', 3.9],
  ['--on-danger-soft', '--danger-soft', 4.5],
  ['--on-danger-fill', '--danger-fill', 4.5],
  ['--on-good-soft', '--good-soft', 4.5],
  ['--good', '--surface-3', 3],
  ['--on-warn-soft', '--warn-soft', 4.5],
  ['--on-mark', '--mark-bg', 4.5],
  ['--favorite', '--surface-3', 3],
  ['--star', '--bg', 3],
  ['--edge', '--surface-1', 3],
  ['--edge', '--bg', 3],
]);

for (const scheme of SCHEMES.filter((name) => name !== 'auto')) {
  test(`the ${scheme} theme is readable`, () => {
    const theme = tokens(scheme);
    for (const [front, back, needed] of PAIRS) {
      const ratio = contrast(theme.get(String(front)), theme.get(String(back)));
      const wanted = scheme === 'contrast' && Number(needed) >= 4.5 ? 7 : Number(needed);
      assert.ok(ratio >= wanted, `${front} on ${back}: ${ratio.toFixed(2)} < ${wanted}`);
    }
  });

  test(`the ${scheme} theme defines every colour of the dark one`, () => {
    const names = [...tokens('dark').keys()].sort();
    assert.deepEqual([...tokens(scheme).keys()].sort(), names);
  });
}

/** The themes of the program by name. @type {Map<string, string>} */
const STOCK = new Map(readdirSync(THEMES).map((file) => [file, readFileSync(new URL(file, THEMES), 'utf8')]));

test('there are at least six themes', () => {
  assert.ok(STOCK.size >= 6);
});

for (const [name, css] of STOCK) {
  test(`${name} is readable and defines every colour`, () => {
    const theme = new Map([...css.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map((match) => [match[1], match[2]]));
    for (const [front, back, needed] of PAIRS) {
      const ratio = contrast(theme.get(String(front)), theme.get(String(back)));
      const wanted = name.startsWith('contrast') && Number(needed) >= 4.5 ? 7 : Number(needed);
      assert.ok(ratio >= wanted, `${front} on ${back}: ${ratio.toFixed(2)} < ${wanted}`);
    }
    const sheet = sources('.css').get('styles/tokens.css') ?? '';
    const dark = /\[data-scheme="dark"\]\s*\{([^}]*)\}/.exec(sheet)?.[1] ?? '';
    const colours = [...dark.matchAll(/(--[\w-]+):/g)].map((match) => match[1]);
    assert.deepEqual(colours.filter((colour) => !theme.has(colour)), []);
    const known = new Set(tokens('dark').keys());
    assert.deepEqual([...theme.keys()].filter((token) => !known.has(String(token))), []);
  });
}

test('sheets use only tokens that exist, and all of them are used', () => {
  const defined = new Set(tokens('dark').keys());
  const local = new Set(['--hue', '--h', '--art', '--part', '--i', '--dialog-width', '--columns', '--depth',
    '--running', '--at', '--aside', '--name', '--under', '--spin', '--turn', '--tone', '--share', '--gutter', '--track',
    '--thumb', '--foot', '--tall', '--page-foot', '--fade-above', '--fade-below']);
  const used = new Set();
  for (const [name, css] of sources('.css')) {
    for (const [, token] of css.matchAll(/var\((--[\w-]+)/g)) {
      assert.ok(token && (defined.has(token) || local.has(token)), `${name} uses ${token}`);
      used.add(token);
    }
  }
  assert.deepEqual([...defined].filter((token) => !used.has(token)), []);
});

test('sheets name sides by reading direction', () => {
  for (const [name, css] of sources('.css')) {
    const plain = css.replace(/\/\*.*?\*\//gs, '');
    const physical =
      /(?:^|[\s;{])(?:margin|padding|border)-(?:left|right|top|bottom)\s*:|(?:^|[\s;{])(?:left|right|top|bottom)\s*:|text-align:\s*(?:left|right)/
        .exec(plain);
    assert.equal(physical, null, `${name}: ${physical?.[0]}`);
  }
});

test('a monogram stands for a name', () => {
  const table = [['Zelda', 'ZE'], ['Super Mario World', 'SMW'], ['The Legend of Zelda', 'LZ'], ['Émile’s Garden',
    'ÉSG'], ['Doom (USA) [!]', 'DO'], ['1942', '19'], ['Final Fantasy 10', 'F10'], ['Hidden Harbour 64', 'H64'], ['???',
    '?'], ['ゼルダ', 'ゼル'], ['ドラゴンクエスト', 'ドラ'], ['仁王 2', '仁2'], ['مدينة الذهب', 'مدي'], ['زهرة', 'زهر'],
    ['हिन्दी खेल', 'हिन्दी'], ['Zoe\u0308 Quest', 'ZQ'], ['e\u0301tude', 'E\u0301T']];
  for (const [name, expected] of table) assert.equal(monogram(name ?? ''), expected, name);
});

test('a name too long for its place ends in an ellipsis', () => {
  const table = [['Solar Garden', 'Solar Garden'], ['The Lantern Archive', 'The Lantern A…'], ['Distant Skies Two',
    'Distant Skies…'], ['e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301', 'e\u0301'.repeat(8)]];
  for (const [name, expected] of table) assert.equal(shortName(name ?? '', 14), expected, name);
});

test('letters that join are told from those that stand alone', () => {
  assert.deepEqual(['مدي', '… زهرة', 'हिन्दी', 'SMW', '仁2', 'ゼル', ''].map(isJoined), [true, true, true, false, false,
    false, false]);
});

test('a platform always has the same hue', () => {
  assert.equal(platformHue('NES'), platformHue('NES'));
  const hues = new Set(
    ['NES', 'SNES', 'PlayStation', 'Linux', 'Windows', 'Arcade', 'Game Boy', 'Dreamcast'].map(platformHue),
  );
  assert.ok(hues.size >= 5);
});

test('the strongest hue of a picture is found, and none in a grey one', () => {
  const pixels = (/** @type {number[]} */ rgb) => Array.from({ length: 144 }, () => [...rgb, 255]).flat();
  assert.ok(Math.abs((strongestHue(pixels([220, 30, 30])) ?? -99) - 7) < 16);
  assert.ok(Math.abs((strongestHue(pixels([30, 60, 220])) ?? -99) - 230) < 20);
  assert.equal(strongestHue(pixels([90, 90, 92])), null);
  assert.equal(strongestHue([]), null);
});

test('the symbol of a platform is named by its letters and digits', () => {
  assert.deepEqual(['NES', "Super A'Can", 'Thomson MO/TO', 'M.U.G.E.N', '3DO', ''].map(symbolId), ['p-nes',
    'p-super-a-can', 'p-thomson-mo-to', 'p-m-u-g-e-n', 'p-3do', 'p']);
});

test('the page of tokens names what a theme can set, and what it saves is a theme', () => {
  const known = tokens('dark');
  const named = TOKEN_GROUPS.flatMap((group) => group.tokens);
  for (const name of named) assert.ok(known.has(name), name);
  // Colours and tints are all there; sizes of text and times belong to the person.
  for (const [name, value] of known)
    if (/^(?:#|\d+%$)/.test(value)) assert.ok(named.includes(name), `${name} is not named`);
  assert.equal(sheetOf((name) => `v${name}`).split('\n').length, named.length + 3);
});

test('a screen belongs to a platform when it is about one only', () => {
  const of = (/** @type {Partial<App.Route>} */ route) =>
    platformOf({ name: 'library', arg: '', query: {}, hash: '', ...route }, (id) =>
      id === 'a' ? /** @type {App.Row} */ ({ platform: 'SNES' }) : undefined);
  assert.equal(of({ query: { platform: 'NES' } }), 'NES');
  assert.equal(of({ name: 'big', query: { platform: 'NES' } }), 'NES');
  assert.equal(of({ name: 'game', arg: 'a' }), 'SNES');
  for (const route of [{}, { query: { platform: 'NES|SNES' } }, { query: { platform: '-' } }, { name: 'game',
    arg: 'b' }, { name: 'home', query: { platform: 'NES' } }]) assert.equal(of(route), '', JSON.stringify(route));
});
