import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { creditText } from '../../../static/data/credits.js';
import { I18n } from '../../../static/core/i18n.js';
import { ROOT, strings } from '../support/sources.js';

const TABLE = readFileSync(join(ROOT, 'src', 'providers', 'table.rs'), 'utf8');
const sentences = [...TABLE.matchAll(/ credit: "([^"]+)"/g)].map((match) => match[1] ?? '');

test('what the server says of its sources has words in every language', async () => {
  assert.ok(sentences.length > 8);
  for (const locale of ['de', 'es', 'fr', 'pt']) {
    const i18n = new I18n();
    await i18n.use(locale, async () => strings(locale));
    for (const sentence of sentences) assert.notEqual(creditText(i18n, sentence), sentence, locale);
  }
  const english = new I18n();
  await english.use('en', async () => strings('en'));
  const [first = '', second = ''] = sentences;
  for (const sentence of sentences) assert.equal(creditText(english, sentence), sentence);
  assert.equal(creditText({ t: (key) => key }, `${first} ${second} More.`), 'credit.metadb credit.artists More.');
});
