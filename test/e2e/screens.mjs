/**
 * Takes a picture of every screen of the demo, on a phone and on a desktop, light, dark and in
 * forced colours:
 *
 *   node test/e2e/screens.mjs FOLDER [PART OF A NAME …]
 *
 * A picture is taken if its name has all of these parts: `sent-states` are a message's states. README's are made by
 * `node test/e2e/screens.mjs test/screens settings-360-light`, and the same with
 * `topics-1280-light`.
 */
import { runBundled } from './bundle.mjs';

await runBundled('test/e2e/screens.ts');
