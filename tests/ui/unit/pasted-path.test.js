import assert from 'node:assert/strict';
import { test } from 'node:test';

import { pastedPath } from '../../../static/data/pasted-path.js';

test('a pasted path is the path that it means', () => {
  for (const [pasted, path] of /** @type {const} */ ([
    ['/games/nes', '/games/nes'],
    ['  /games/nes  ', '/games/nes'],
    ['"/my games"', '/my games'],
    ["'/my games'", '/my games'],
    ['/my\\ games\\ \\(old\\)', '/my games (old)'],
    ["~/it\\'s", "~/it's"],
    ['~/Games', '~/Games'],
    ['file:///my%20games', '/my games'],
    ['FILE:///games/%C3%A9t%C3%A9', '/games/été'],
    ['file://localhost/games', '/games'],
    ['"file:///my%20games"', '/my games'],
    ['file:///100%', '/100%'],
    // Between quotes nothing is escaped, and what is no path is left to the server.
    ["'/a\\ b'", '/a\\ b'],
    ['/a\\b', '/a\\b'],
    ["/it's", "/it's"],
    ['"', '"'],
    ['', ''],
    ['C:\\ games', 'C:\\ games'],
    ['file://server/games', 'file://server/games'],
  ])) assert.equal(pastedPath(pasted), path, pasted);
});
