/**
 * `npm run test:e2e`: runs the stories in real browsers.
 *
 *   node test/e2e/run.mjs [PART OF A NAME …] [--times 10] [--at-once 2] [--measured | --unmeasured]
 *   node test/e2e/run.mjs simulated-day: [--actions 2000] [--seed 7]
 *
 * With `E2E_BUILDS=node_modules/.cache/FOLDER` the builds stay there for the next run.
 * `--measured` runs only those that measure, which never run beside others. `--again` is for CI
 * (`../support/second-attempt.mjs`). The last line is `N passed, N failed`, with `, N skipped` if some were.
 */
import { runBrowserTests } from './bundle.mjs';

await runBrowserTests('test/e2e/main.ts');
