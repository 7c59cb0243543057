/**
 * What the results of all tests mean: which tests failed, and which passed only when they were run again. No I/O.
 */

/**
 * The result of one test. `setup` names the look that the whole run had, if any.
 *
 * @typedef {{isPassed: boolean, setup: string, file: string, name: string}} Result
 */

/** Files with a failure that are run again; more than these are a broken page or program, not an accident. */
const MOST_FILES = 6;

/** The name of a result that stands for the hooks of a file. It exists only when one of them failed. */
export const HOOKS = 'hooks of the file';

/**
 * @param {string} text lines of `tally.js`
 * @param {string} [setup]
 * @returns {Result[]}
 */
export function parseResults(text, setup = '') {
  return text.split('\n').filter(Boolean).map((line) => {
    const [result, file = '', name = ''] = line.split('\t');
    return { isPassed: result === 'pass', setup, file, name };
  });
}

/**
 * Entries of the list of unsteady tests.
 *
 * @param {string} text
 * @returns {string[]}
 */
export function parseUnsteady(text) {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

/**
 * @param {Result} result
 * @returns {string} how the list of unsteady tests names it: `<file>: <name>`
 */
export function entryOf({ setup, file, name }) {
  return [file.split('/').pop(), setup, name].filter(Boolean).join(': ');
}

/**
 * Files to run again: those with a failure, unless there are too many, or a failure belongs to no file.
 *
 * @param {Result[]} results
 * @returns {{setup: string, file: string}[]}
 */
export function filesToRepeat(results) {
  const failures = results.filter(({ isPassed }) => !isPassed);
  const files = new Map(failures.map(({ setup, file }) => [`${setup} ${file}`, { setup, file }]));
  return files.size <= MOST_FILES && failures.every(({ file }) => file !== '') ? [...files.values()] : [];
}

/**
 * Adds the hooks of a file that was run again, as passed, to its results: hooks that work have no result of their own.
 *
 * @param {Result[]} results of that file alone
 * @param {{setup: string, file: string}} which
 * @returns {Result[]}
 */
export function withHooks(results, { setup, file }) {
  const hooks = { isPassed: true, setup, file, name: HOOKS };
  const isBroken = results.length === 0 || results.some(({ isPassed, name }) => !isPassed && name === HOOKS);
  return isBroken ? results : [...results, hooks];
}

/**
 * Adds up two runs. A test that failed and then passed is unsteady: it counts as passed, but not when `isStrict` and it is missing in the list.
 *
 * @param {Result[]} first results of all tests
 * @param {Result[]} second results of the files that were run again
 * @param {string[]} list entries of the list of unsteady tests
 * @param {boolean} isStrict
 * @returns {{passed: number, failed: string[], unsteady: string[], unlisted: string[], unneeded: string[]}} entries; `unneeded` are those of the list that were steady
 */
export function summarize(first, second, list, isStrict) {
  const failures = first.filter(({ isPassed }) => !isPassed).map(entryOf);
  const again = new Set(second.filter(({ isPassed }) => !isPassed).map(entryOf));
  const repaired = new Set(second.filter(({ isPassed }) => isPassed).map(entryOf).filter((entry) => !again.has(entry)));
  const worse = second.filter(({ isPassed }) => !isPassed).map(entryOf).filter((entry) => !failures.includes(entry));
  const unsteady = failures.filter((entry) => repaired.has(entry));
  const unlisted = unsteady.filter((entry) => !list.includes(entry));
  const failed = [...failures.filter((entry) => !repaired.has(entry)), ...worse, ...(isStrict ? unlisted : [])];
  return { passed: first.length - failed.length, failed, unsteady, unlisted,
    unneeded: list.filter((entry) => !unsteady.includes(entry)) };
}
