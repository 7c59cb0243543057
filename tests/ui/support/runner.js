/**
 * Runs all tests of the page: two files at a time, those that measure time alone afterwards. With `--fonts` it runs the tests that depend on fonts instead, with every set of fonts and size of text.
 */

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';

import { lookName, LOOKS } from './fonts.js';
import { TIMED } from './jitter.js';
import { filesToRepeat, parseResults, parseUnsteady, summarize, withHooks } from './results.js';
import { ROOT } from './sources.js';

const HERE = join(ROOT, 'tests', 'ui');

/** Where the unsteady tests of a run are written, as lines for the list. */
const REPORT = join(ROOT, 'target', 'unsteady.txt');

/** Files at a time: each has a browser and the program, which keep one processor busy. */
const AT_A_TIME = 2;

/** Counts of a single run of node; the counts at the end are those of all runs. */
const COUNTS = /^(?:#|ℹ) (?:pass|fail) \d+$/;

/**
 * Files that run together, all with the look `setup` unless it is empty.
 *
 * @typedef {{setup: string, files: string[], atATime: number}} Group
 */

const isMatrix = process.argv.includes('--fonts');
const options = process.argv.slice(2).filter((argument) => argument.startsWith('-') && argument !== '--fonts');
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));

/** @param {string} folder */
const testsIn = (folder) =>
  readdirSync(join(HERE, folder)).filter((name) =>
    name.endsWith('.test.js') && (wanted.length === 0 || wanted.includes(basename(name, '.test.js')))
  ).sort().map((name) => join(HERE, folder, name));

/** @param {string} path */
const hasLooks = (path) => readFileSync(path, 'utf8').includes('testWithLooks');

/** @returns {Group[]} */
function groups() {
  const flows = testsIn('flows');
  const isTimed = (/** @type {string} */ path) => TIMED.test(basename(path));
  const all = isMatrix
    ? LOOKS.map((look) => ({ setup: lookName(look), files: flows.filter(hasLooks), atATime: AT_A_TIME }))
    : [
      { setup: '', files: [...testsIn('unit'), ...flows.filter((path) => !isTimed(path))], atATime: AT_A_TIME },
      { setup: '', files: flows.filter(isTimed), atATime: 1 },
    ];
  return all.filter(({ files }) => files.length > 0);
}

/**
 * Runs a group and shows what its tests print.
 *
 * @param {Group} group
 * @param {string} folder for files of its own
 * @param {readonly string[]} [names] of the only tests to run
 * @returns {Promise<import('./results.js').Result[]>}
 */
async function run({ setup, files, atATime }, folder, names = []) {
  const tally = join(folder, 'tally');
  writeFileSync(tally, '');
  const shown = process.stdout.isTTY ? 'spec' : 'tap';
  const reporters = [`--test-reporter=${shown}`, '--test-reporter-destination=stdout',
    `--test-reporter=${join(HERE, 'support', 'tally.js')}`, `--test-reporter-destination=${tally}`];
  const only = names.map((name) => `--test-name-pattern=^${name.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')}$`);
  const child = spawn(process.execPath, ['--test', `--test-concurrency=${atATime}`, ...reporters, ...options, ...only,
    ...files], { cwd: HERE, env: { ...process.env, ...(setup && { UI_LOOK: setup }) },
    stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => {
    child.once('close', resolve);
  });
  for await (const line of createInterface({ input: child.stdout })) if (!COUNTS.test(line)) console.log(line);
  const code = await ended;
  const results = parseResults(readFileSync(tally, 'utf8'), setup);
  // A run that broke off is a failure, whatever its tests said.
  if (code !== 0 && results.every(({ isPassed }) => isPassed))
    results.push({ isPassed: false, setup, file: '', name: `node ended with ${code}` });
  return results;
}

const folder = mkdtempSync(join(tmpdir(), 'service-ui-run-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const all = groups();
const first = [];
for (const group of all) {
  if (group.setup) console.log(`\n== ${group.setup}`);
  first.push(...await run(group, folder));
}
const second = [];
for (const { setup, file } of filesToRepeat(first)) {
  console.log(`\n== Once more: ${setup} ${basename(file)}`);
  const group = all.find((each) => each.setup === setup && each.files.includes(file));
  if (group) {
    second.push(...withHooks(await run({ ...group, files: [file], atATime: 1 }, folder), { setup, file }));
    continue;
  }
  // A test with a look is known by the file that gives it the look, so it is looked for in all files with looks.
  const names = first.filter((result) => !result.isPassed && result.setup === setup && result.file === file)
    .map(({ name }) => name);
  for (const each of all.filter((other) => other.setup === setup)) {
    const files = each.files.filter(hasLooks);
    if (files.length > 0) second.push(...await run({ ...each, files, atATime: 1 }, folder, names));
  }
}
const list = parseUnsteady(readFileSync(join(HERE, 'unsteady.txt'), 'utf8'));
const { passed, failed, unsteady, unlisted, unneeded } = summarize(first, second, list,
  process.env['UI_STRICT'] === '1');
rmSync(REPORT, { force: true });
if (unsteady.length > 0) {
  mkdirSync(join(ROOT, 'target'), { recursive: true });
  writeFileSync(REPORT, `${unsteady.join('\n')}\n`);
}
console.log('');
for (const entry of unsteady)
  console.log(
    `UNSTEADY, passed only when run again${
      unlisted.includes(entry) ? ' and not in tests/ui/unsteady.txt' : ''
    }: ${entry}`,
  );
for (const entry of unneeded) console.log(`steady, remove it from tests/ui/unsteady.txt: ${entry}`);
for (const entry of failed) console.log(`failed: ${entry}`);
console.log(`\n${passed} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 && passed > 0 ? 0 : 1;
