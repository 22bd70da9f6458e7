import fs from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  MAX_REPEATED_FAILURES,
  sumResults,
  repeatFailedFiles,
} from '../support/second-attempt.mjs';
import { repeat, runPart } from '../support/run-part.mjs';

const test = suite('npm test');
let folder: string;
interface More {
  limit?: number;
  env?: NodeJS.ProcessEnv;
}

/** Stands for bundled files, within node_modules so that they find uvu. */
async function write(files: Record<string, string>): Promise<string[]> {
  folder = await fs.mkdtemp(path.resolve('node_modules/.cache/fieldbell-run-'));
  const wrapper = JSON.stringify(path.resolve('test/support/named-tests.mjs'));
  for (const [name, code] of Object.entries(files))
    await fs.writeFile(
      path.join(folder, `${name}.test.mjs`),
      `import { suite } from ${wrapper}; const test = suite('${name}'); ${code} test.run();`,
    );
  return Object.keys(files).map((name) => `${name}.test.ts`);
}
const runWritten = (entries: string[], more: More = {}) =>
  runPart({ root: process.cwd(), folder, entries, ...more });

async function run(contents: Record<string, string>, more: More = {}) {
  const left = await write(contents);
  const { files, output } = await runWritten(left, more);
  return { ...sumResults(files), left, output };
}

async function runTwice(contents: Record<string, string>) {
  const { files } = await runWritten(await write(contents));
  const attempts: string[] = [];
  const { results, lines } = await repeatFailedFiles(files, async (file) => {
    attempts.push(file);
    return { file, ...sumResults((await runWritten([file])).files) };
  });
  return { ...sumResults(results), lines, attempts };
}
test.after.each(() => fs.rm(folder, { recursive: true, force: true }));

const FINE = `test('it is fine', () => {});`;

test('repeats each failure with its file, test and reason', async () => {
  const { passed, failed, failures, output } = await run({
    one: `${FINE} test('says "no"', () => { throw new Error('no'); }); test('fails, too', async () => { throw new Error('why'); });`,
    two: FINE,
    three: `test('a third', () => { throw new Error('three'); });`,
    four: `test.before(() => { throw new Error('not ready'); }); ${FINE}`,
  });
  assert.equal([passed, failed], [2, 4]);
  assert.equal(failures.slice(0, 3), [
    { file: 'one.test.ts', test: 'says "no"', reason: 'no' },
    { file: 'one.test.ts', test: 'fails, too', reason: 'why' },
    { file: 'three.test.ts', test: 'a third', reason: 'three' },
  ]);
  assert.is(failures[3]?.file, 'four.test.ts');
  assert.match(output, /ok +two\.test\.ts/);
  assert.match(repeat(failures), '  one.test.ts: "fails, too"\n    why');
});

test('names a test that never ends, and counts the tests before it', async () => {
  const { passed, failed, failures } = await run(
    {
      one: FINE,
      two: `${FINE} test('waits for ever', () => new Promise(() => {})); test('is never run', () => {});`,
    },
    { env: { ...process.env, TEST_LIMIT_MS: '300' } },
  );
  assert.equal([passed, failed], [1, 1]);
  assert.equal(failures, [
    {
      file: 'two.test.ts',
      test: 'waits for ever',
      reason: 'It did not finish: it waits for something, or ended the process.',
    },
  ]);
});

test('names a test that blocks the event loop', async () => {
  const { failed, failures } = await run(
    {
      two: `${FINE} test('stands still', () => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); });`,
    },
    // Enough to load the file on a busy machine.
    { limit: 6000 },
  );
  assert.is(failed, 1);
  assert.equal(failures, [
    {
      file: 'two.test.ts',
      test: 'stands still',
      reason: 'It blocked the event loop for 6 s, so the process was killed.',
    },
  ]);
});

test('names a file that ends the process, and runs the remaining files in another', async () => {
  const contents = { one: FINE, two: `process.exit(0);`, three: FINE, four: FINE };
  const { failed, failures, left } = await run(contents);
  assert.is(failed, 1);
  assert.is(failures[0]?.file, 'two.test.ts');
  assert.equal(left, ['three.test.ts', 'four.test.ts']);
});

const BAD = `test('is bad', () => { throw new Error('bad'); });`;
/** Fails after another file in the same process, as in a race. */
const LEAVES = `globalThis.left = true; ${FINE}`;
const RACES = `${FINE} test('is "alone"', () => { if (globalThis.left) throw new Error('not alone'); });`;

test('counts a file that passes its second attempt in CI, and prints the first failure', async () => {
  const { passed, failed, failures, lines, attempts } = await runTwice({
    one: LEAVES,
    two: RACES,
    three: FINE,
  });
  assert.equal([passed, failed, failures, attempts], [4, 0, [], ['two.test.ts']]);
  assert.equal(lines, [
    'AGAIN  two.test.ts: "is "alone"" failed at first (not alone), passed alone',
    'Failed at first and passed alone: 1',
  ]);
});

test('counts a file that fails twice in CI as one failure, with both reasons', async () => {
  const { passed, failed, failures, lines } = await runTwice({ one: `${FINE} ${BAD}`, two: FINE });
  assert.equal([passed, failed], [2, 1]);
  assert.equal(
    failures.map((failure) => [failure.test, failure.reason]),
    [
      ['is bad', 'bad'],
      ['is bad', 'Again, alone: bad'],
    ],
  );
  assert.equal(lines, [
    'TWICE  one.test.ts: "is bad" failed, and again alone (bad)',
    'Failed at first and passed alone: 0',
  ]);
});

test('makes no second attempt in CI when too many files failed', async () => {
  const names = Array.from({ length: MAX_REPEATED_FAILURES + 1 }, (_, index) => `file${index}`);
  const racing = Object.fromEntries(names.map((name) => [name, RACES]));
  const { failed, lines, attempts } = await runTwice({ before: LEAVES, ...racing });
  assert.equal([failed, attempts], [MAX_REPEATED_FAILURES + 1, []]);
  assert.is(lines[0], `${MAX_REPEATED_FAILURES + 1} failed: too many to run them again.`);
});

test('does not pass a file without tests on its second attempt in CI', async () => {
  const first = { file: 'one', passed: 1, failed: 1, skipped: 0, failures: [] };
  const none = { file: 'one', passed: 0, failed: 0, skipped: 1, failures: [] };
  assert.is(sumResults((await repeatFailedFiles([first], async () => none)).results).failed, 1);
});

test.run();
