/**
 * Runs bundled test files one after the other, in a process of its own: FOLDER SOURCE…. What a file
 * prints is shown only if one of its tests fails. Tells the parent (`run-part.mjs`) which file and
 * which test begin, and what failed.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, ...sources] = process.argv.slice(2);
/**
 * A test that takes so long hangs. No test takes a hundredth of it, but on a machine that does forty
 * things at once.
 */
const LIMIT_MS = Number(process.env.TEST_LIMIT_MS ?? 120_000);

let running;
globalThis.RUNNING = (test) => {
  running = test;
  limit.refresh();
  process.send({ test });
};

// With this set, uvu only collects what `test.run()` hands over. Running it here gives the numbers,
// which its own command line does not, and notices two things that it takes for success: a file
// without tests, and a hook that throws.
globalThis.UVU_DEFER = 1;
await import('uvu');

// It also keeps the process alive for tests that wait for timers which do not, such as
// AbortSignal.timeout.
const limit = setTimeout(() => process.exit(1), LIMIT_MS);

let anyFailed = false;
for (const [index, source] of sources.entries()) {
  globalThis.UVU_INDEX = index;
  const suites = (globalThis.UVU_QUEUE[index] = []);
  const started = performance.now();
  limit.refresh();
  // The parent, too, waits for each file anew.
  running = undefined;
  process.send({ file: source });
  const quiet = hold();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const failures = [];
  try {
    await import(pathToFileURL(path.join(folder, source.replace(/tsx?$/, 'mjs'))).href);
    for (const runSuite of suites) {
      const [errors, passed, skipped, all] = await runSuite();
      counts.passed += passed;
      counts.failed += all - passed;
      counts.skipped += skipped;
      if (errors !== true) failures.push(errors);
      else if (passed < all)
        failures.push(
          `  ${all - passed} of ${all} tests did not run: a before or after hook threw.\n`,
        );
    }
    if (/\.test\./.test(source) && counts.passed + counts.failed + counts.skipped === 0)
      throw new Error('No test ran. Is test.run() missing at the end?');
  } catch (error) {
    counts.failed++;
    failures.push(`  ${error.stack}\n`);
  }
  for (const failure of failures)
    for (const one of read(failure)) process.send({ failure: { file: source, ...one } });
  const printed = quiet();
  anyFailed ||= counts.failed > 0;
  process.send({ counts });
  if (!/\.test\./.test(source) && !failures.length) continue;
  const numbers = `${counts.passed} passed${counts.failed ? `, ${counts.failed} failed` : ''}${counts.skipped ? `, ${counts.skipped} skipped` : ''}`;
  console.log(
    `${failures.length ? 'FAILED' : 'ok    '} ${source.padEnd(52)} ${numbers}, ${Math.round(performance.now() - started)} ms`,
  );
  if (failures.length)
    console.log(
      `${failures.join('\n')}${printed ? `  It printed, at the end:\n${printed.split('\n').slice(-30).join('\n')}` : ''}`,
    );
}
process.send({ end: true }, () => process.exit(anyFailed ? 1 : 0));

/** What failed and why, from uvu's text: the name of each test with the line below it. */
function read(text) {
  const tests = [...text.matchAll(/^ +FAIL .*?"(.+)"\n\s*(.+)/gm)].map(([, test, reason]) => ({
    test,
    reason,
  }));
  return tests.length ? tests : [{ reason: text.trim().split('\n')[0] }];
}

/** Keeps back what is printed until the returned function is called, which gives the text. Uvu's
 * dots are left out. */
function hold() {
  const real = [process.stdout, process.stderr].map((stream) => [stream, stream.write]);
  let text = '';
  for (const [stream] of real) {
    stream.write = (chunk) => {
      if (/\n$/.test(chunk) && !/^\S* {2}\(\d+ \/ \d+\)/.test(chunk)) text += chunk;
      return true;
    };
  }
  const end = () => {
    for (const [stream, write] of real) stream.write = write;
    process.off('exit', tell);
    return text.trim() && `${text.trimEnd()}\n`;
  };
  // Ending in the middle, for a test that hangs or a crash: then what was printed is all there is
  // to go by.
  const tell = () =>
    console.log(
      `${sources[globalThis.UVU_INDEX]} did not come to its end${running ? `: "${running}" was running` : ''}.\n${end()}`,
    );
  process.on('exit', tell);
  return end;
}
