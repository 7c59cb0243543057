/**
 * A reporter for the runner: one line for each test with its result, file and name, separated by tabs. Suites and tests that were left out are not counted.
 * A failed hook is named after its source; it belongs to the test file that its error begins with, else to the one whose results come before it.
 */

import { HOOKS } from './results.js';

/** The test file at the beginning of an error. */
const FILE = /^(\/.*?\.test\.js): /;

/**
 * What the runner reports.
 *
 * @typedef {{type: string, data: {file?: string, name?: string, skip?: boolean | string, details?: {type?: string, error?: Error}}}} Event
 */

/**
 * @param {Event['data']} data of a failed hook
 * @returns {string | undefined} the test file it names
 */
function fileOf({ details }) {
  const { cause } = details?.error ?? {};
  return FILE.exec(cause instanceof Error ? cause.message : String(cause ?? ''))?.[1];
}

/** @param {AsyncIterable<Event>} events */
export default async function* tally(events) {
  let last = '';
  for await (const { type, data } of events) {
    const isResult = type === 'test:pass' || type === 'test:fail';
    if (!isResult || data.details?.type === 'suite' || (type === 'test:pass' && data.skip !== undefined)) continue;
    const { file = '', name = '' } = data;
    const isHook = file !== '' && name === file && !file.endsWith('.test.js');
    if (!isHook) last = file;
    const owner = isHook ? fileOf(data) ?? last : file;
    yield `${[type.slice('test:'.length), owner, isHook ? HOOKS : name.replaceAll(/\s/g, ' ')].join('\t')}\n`;
  }
}
