/**
 * The second attempt in CI (`--again`): what failed runs once more, alone, and is reported. See
 * test/README.md.
 */

/** If more tests fail, nothing runs again. */
export const MAX_REPEATED_FAILURES = 6;

/**
 * @typedef {{ file: string, test?: string | undefined, reason: string }} Failure
 * @typedef {{ file: string, passed: number, failed: number, skipped: number, failures: Failure[] }} Result
 *   of one file, or of one story
 * @param {Result[]} results of the first attempts
 * @param {(file: string) => Promise<Result>} attempt runs one of them alone
 * @returns {Promise<{ results: Result[], lines: string[] }>} how they count, and what to print of
 *   it
 */
export async function repeatFailedFiles(results, attempt) {
  const failed = results.filter((result) => result.failed > 0);
  if (failed.length > MAX_REPEATED_FAILURES)
    return { results, lines: [`${failed.length} failed: too many to run them again.`, total(0)] };
  const passedAlone = [];
  const failedTwice = [];
  const after = new Map();
  for (const first of failed) {
    const second = await attempt(first.file);
    if (second.failed === 0 && second.passed > 0) {
      after.set(first, second);
      for (const { test, reason } of first.failures)
        passedAlone.push(
          `AGAIN  ${first.file}${nameOf(test)} failed at first (${reason}), passed alone`,
        );
    } else {
      const failures = second.failures.map((failure) => ({
        ...failure,
        reason: `Again, alone: ${failure.reason}`,
      }));
      after.set(first, { ...first, failures: [...first.failures, ...failures] });
      for (const { test, reason } of first.failures)
        failedTwice.push(`TWICE  ${first.file}${nameOf(test)} failed, and again alone (${reason})`);
    }
  }
  return {
    results: results.map((result) => after.get(result) ?? result),
    lines: [...failedTwice, ...passedAlone, total(passedAlone.length)],
  };
}

/** @param {string | undefined} test */
const nameOf = (test) => (test ? `: "${test}"` : '');

const total = (count) => `Failed at first and passed alone: ${count}`;

/**
 * The counts of many results, and all that failed in them.
 * @param {Result[]} results
 */
export const sumResults = (results) => ({
  passed: results.reduce((count, { passed }) => count + passed, 0),
  failed: results.reduce((count, { failed }) => count + failed, 0),
  skipped: results.reduce((count, { skipped }) => count + skipped, 0),
  failures: results.flatMap(({ failures }) => failures),
});
