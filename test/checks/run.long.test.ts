import fs from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { repeat, runPart } from '../support/run-part.mjs';

const test = suite('npm test');
let folder: string;

/**
 * Runs files of these contents, which stand for bundled ones: within node_modules, so that they
 * find uvu.
 */
async function run(
  files: Record<string, string>,
  more: { limit?: number; env?: NodeJS.ProcessEnv } = {},
) {
  folder = await fs.mkdtemp(path.resolve('node_modules/.cache/fieldbell-run-'));
  const wrapper = JSON.stringify(path.resolve('test/support/named-tests.mjs'));
  for (const [name, code] of Object.entries(files))
    await fs.writeFile(
      path.join(folder, `${name}.test.mjs`),
      `import { suite } from ${wrapper}; const test = suite('${name}'); ${code} test.run();`,
    );
  const entries = Object.keys(files).map((name) => `${name}.test.ts`);
  const result = await runPart({ root: process.cwd(), folder, entries, ...more });
  return { ...result, left: entries };
}
test.after.each(() => fs.rm(folder, { recursive: true, force: true }));

const FINE = `test('it is fine', () => {});`;

test('each failure is repeated with its file, its test and the reason', async () => {
  const { passed, failed, failures, said } = await run({
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
  assert.match(said, /ok +two\.test\.ts/);
  assert.match(repeat(failures), '  one.test.ts: "fails, too"\n    why');
});

test('a test that waits for ever is named with its file, and what was counted before it counts', async () => {
  const { passed, failed, failures } = await run(
    {
      one: FINE,
      two: `${FINE} test('waits for ever', () => new Promise(() => {})); test('is never run', () => {});`,
    },
    { env: { ...process.env, FILE_LIMIT_MS: '300' } },
  );
  assert.equal([passed, failed], [1, 1]);
  assert.equal(failures, [
    {
      file: 'two.test.ts',
      test: 'waits for ever',
      reason: 'It never came to its end: it waits for something, or ended the process.',
    },
  ]);
});

test('a test that holds the event loop is named with its file', async () => {
  const { failed, failures } = await run(
    {
      two: `${FINE} test('stands still', () => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); });`,
    },
    { limit: 2000 },
  );
  assert.is(failed, 1);
  assert.equal(failures, [
    {
      file: 'two.test.ts',
      test: 'stands still',
      reason: 'It held the event loop for 2 s: the process had to be killed.',
    },
  ]);
});

test('a file that still computes after its time, on a busy machine, gets as long again', async () => {
  const { passed, failed } = await run(
    {
      one: `test('computes', async () => {
        for (const end = performance.now() + 1000; performance.now() < end; ) await new Promise(setImmediate);
      });`,
    },
    { env: { ...process.env, FILE_LIMIT_MS: '300' } },
  );
  assert.equal([passed, failed], [1, 0]);
});

test('a file that ends the process is named, and those after it are left for another', async () => {
  const { failed, failures, left } = await run({ one: FINE, two: `process.exit(0);`, three: FINE });
  assert.is(failed, 1);
  assert.is(failures[0]?.file, 'two.test.ts');
  assert.equal(left, ['three.test.ts']);
});

test.run();
