/**
 * A reporter for the runner: one line for each test with its result, file and name, separated by tabs. Suites and tests that were left out are not counted.
 */

/** @param {AsyncIterable<{type: string, data: {file?: string, name?: string, skip?: boolean | string, details?: {type?: string}}}>} events */
export default async function* tally(events) {
  for await (const { type, data } of events) {
    const isResult = type === 'test:pass' || type === 'test:fail';
    if (!isResult || data.details?.type === 'suite' || (type === 'test:pass' && data.skip !== undefined)) continue;
    yield `${[type.slice('test:'.length), data.file ?? '', (data.name ?? '').replaceAll(/\s/g, ' ')].join('\t')}\n`;
  }
}
