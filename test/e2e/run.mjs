/**
 * `npm run test:e2e`: tells the stories to real browsers.
 *
 *   node test/e2e/run.mjs [PART OF A NAME …] [--times 10]
 *   node test/e2e/run.mjs day: [--actions 2000] [--seed 7]
 *
 * Prints each story with its time, and last `N passed, N failed` (with `, N skipped` where some
 * were).
 */
import { runBundled } from './bundle.mjs';

await runBundled('test/e2e/main.ts');
