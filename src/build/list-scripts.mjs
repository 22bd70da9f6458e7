/**
 * Prints the scripts that a page loads: `node src/build/list-scripts.mjs src/administrator.tsx
 * src/screens/reach/ReachBoard.tsx`. The arguments are what it loads besides the app and its
 * signed-in part.
 */
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { build } from '../../build.mjs';
import {
  findEntry,
  MAIN_ENTRY,
  outputContaining,
  SIGNED_IN_ENTRY,
  withImports,
} from './app/scripts.mjs';

const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'fieldbell-scripts-'));
try {
  const { outputs } = await build({ quiet: true, out: path.join(folder, 'built') });
  const entries = [SIGNED_IN_ENTRY, ...process.argv.slice(2)].map((entry) =>
    findEntry(outputs, entry),
  );
  const scripts = [outputContaining(outputs, MAIN_ENTRY), ...entries].flatMap((script) =>
    withImports(outputs, script),
  );
  console.log([...new Set(scripts)].join('\n'));
} finally {
  await fs.rm(folder, { recursive: true, force: true });
}
