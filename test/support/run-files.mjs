/**
 * Runs the test files that its parent (`run-part.mjs`) names. What a file prints is shown only if a
 * test of it fails or is skipped.
 */
import { writeSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder] = process.argv.slice(2);
/** An open file through which the parent learns which test runs: messages cost more. */
const NOTE_DESCRIPTOR = 4;
/** A test that takes this long hangs. */
const TEST_LIMIT_MS = Number(process.env.TEST_LIMIT_MS ?? 120_000);

let running;
globalThis.RUNNING = (test) => {
  running = test;
  limit.refresh();
  writeSync(NOTE_DESCRIPTOR, `${JSON.stringify(test ?? null)}\n`, 0);
};

// `UVU_DEFER` makes uvu only collect tests. Running them here also detects a file without tests and
// a hook that throws.
globalThis.UVU_DEFER = 1;
await import('uvu');

// This timer keeps the process alive. Others, such as AbortSignal.timeout, do not.
const limit = setTimeout(() => process.exit(1), TEST_LIMIT_MS);

function requestNextFile() {
  return new Promise((resolve) => {
    process.once('message', ({ file }) => resolve(file));
    process.send?.({ next: true });
  });
}

let hasFailure = false;
let source;
for (let index = 0; (source = await requestNextFile()) !== undefined; index++) {
  globalThis.UVU_INDEX = index;
  const suites = (globalThis.UVU_QUEUE[index] = []);
  const started = performance.now();
  const cpuBefore = process.cpuUsage();
  globalThis.RUNNING();
  const releaseOutput = holdOutput();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const failures = [];
  try {
    await import(pathToFileURL(path.join(folder, source.replace(/tsx?$/, 'mjs'))).href);
    for (const runSuite of suites) {
      const [errors, passed, skipped, total] = await runSuite();
      counts.passed += passed;
      counts.failed += total - passed;
      counts.skipped += skipped;
      if (errors !== true) failures.push(errors);
      else if (passed < total)
        failures.push(
          `  ${total - passed} of ${total} tests did not run: a before or after hook threw.\n`,
        );
    }
    if (/\.test\./.test(source) && counts.passed + counts.failed + counts.skipped === 0)
      throw new Error('No test ran. Is test.run() missing at the end?');
  } catch (error) {
    counts.failed++;
    failures.push(`  ${error.stack}\n`);
  }
  for (const failure of failures)
    for (const parsedFailure of parseFailures(failure))
      process.send?.({ failure: { file: source, ...parsedFailure } });
  const printedText = releaseOutput();
  hasFailure ||= counts.failed > 0;
  process.send?.({ counts });
  if (!/\.test\./.test(source) && !failures.length) continue;
  const numbers = `${counts.passed} passed${counts.failed ? `, ${counts.failed} failed` : ''}${counts.skipped ? `, ${counts.skipped} skipped` : ''}`;
  console.log(
    `${failures.length ? 'FAILED' : 'ok    '} ${source.padEnd(52)} ${numbers}, ${Math.round(performance.now() - started)} ms, ${formatCpuTime(cpuBefore)} of the processor`,
  );
  if (failures.length)
    console.log(
      `${failures.join('\n')}${printedText ? `  It printed, at the end:\n${printedText.split('\n').slice(-30).join('\n')}` : ''}`,
    );
  else if (counts.skipped > 0 && printedText) console.log(`   ${printedText.trim()}`);
}
process.send?.({ end: true }, () => process.exit(hasFailure ? 1 : 0));

/**
 * Processor time of all threads since the earlier figures.
 * @param {NodeJS.CpuUsage} cpuBefore
 */
function formatCpuTime(cpuBefore) {
  const { user, system } = process.cpuUsage(cpuBefore);
  return `${Math.round((user + system) / 1000)} ms`;
}

/** Each failed test's name with the line below it, from uvu's text. */
function parseFailures(text) {
  const tests = [...text.matchAll(/^ +FAIL .*?"(.+)"\n\s*(.+)/gm)].map(([, test, reason]) => ({
    test,
    reason,
  }));
  return tests.length ? tests : [{ reason: text.trim().split('\n')[0] }];
}

/** Holds output back. The returned function returns the output without uvu's dots. */
function holdOutput() {
  const originalWrites = [process.stdout, process.stderr].map((stream) => ({
    stream,
    write: stream.write,
  }));
  let text = '';
  for (const { stream } of originalWrites) {
    stream.write = (chunk) => {
      if (/\n$/.test(chunk) && !/^\S* {2}\(\d+ \/ \d+\)/.test(chunk)) text += chunk;
      return true;
    };
  }
  const restoreOutput = () => {
    for (const { stream, write } of originalWrites) stream.write = write;
    process.off('exit', reportExit);
    return text.trim() && `${text.trimEnd()}\n`;
  };
  const reportExit = () =>
    console.log(
      `${source} did not finish${running ? `: "${running}" was running` : ''}.\n${restoreOutput()}`,
    );
  process.on('exit', reportExit);
  return restoreOutput;
}
