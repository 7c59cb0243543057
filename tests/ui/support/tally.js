/**
 * A reporter for the runner: one line for each test with its result, file and name, separated by tabs. Suites and tests that were left out are not counted.
 * A failed hook is named after its source; it belongs to the test file whose results come before it.
 */

import { HOOKS } from './results.js';

/** @param {AsyncIterable<{type: string, data: {file?: string, name?: string, skip?: boolean | string, details?: {type?: string}}}>} events */
export default async function* tally(events) {
  let last = '';
  for await (const { type, data } of events) {
    const isResult = type === 'test:pass' || type === 'test:fail';
    if (!isResult || data.details?.type === 'suite' || (type === 'test:pass' && data.skip !== undefined)) continue;
    const { file = '', name = '' } = data;
    const isHook = file !== '' && name === file && !file.endsWith('.test.js');
    if (!isHook) last = file;
    yield `${[type.slice('test:'.length), last, isHook ? HOOKS : name.replaceAll(/\s/g, ' ')].join('\t')}\n`;
  }
}
