/**
 * A reporter for the runner: one line for each test, `pass` or `fail` and the file it stands in. Suites are not counted.
 */

/** @param {AsyncIterable<{type: string, data: {file?: string, details?: {type?: string}}}>} events */
export default async function* tally(events) {
  for await (const { type, data } of events) {
    if ((type !== 'test:pass' && type !== 'test:fail') || data.details?.type === 'suite') continue;
    yield `${type === 'test:pass' ? 'pass' : 'fail'} ${data.file ?? ''}\n`;
  }
}
