/**
 * `npm run test:e2e`: tells the stories to real browsers.
 *
 *   node test/e2e/run.mjs [PART OF A NAME …] [--times 10] [--at-once 2] [--measured | --unmeasured]
 *   node test/e2e/run.mjs day: [--actions 2000] [--seed 7]
 *
 * Prints each story with its time, and last `N passed, N failed` (with `, N skipped` where some
 * were). `--at-once` tells so many beside each other; those that measure come last and alone, and
 * `--measured` tells no others. `--again` is for CI alone: up to six stories that failed are told
 * once more (`../support/again.mjs`).
 */
import { runBundled } from './bundle.mjs';

await runBundled('test/e2e/main.ts');
