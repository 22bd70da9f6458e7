/**
 * Takes pictures of every screen of the demo, on phone and desktop, light, dark and in forced
 * colors:
 *
 *   node test/e2e/screens.mjs FOLDER [PATTERN …] [--language de] [--full]
 *
 * A picture is taken if all patterns match its name, of the whole page with `--full`. The languages are those of the stories' builds, de and ar. README's pictures are `settings-360-light` and
 * `topics-1280-light` in test/screens.
 */
import { runBrowserTests } from './bundle.mjs';

await runBrowserTests('test/e2e/screens.ts');
