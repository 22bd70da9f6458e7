import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Prevents later builds from removing the running build (`src/build/atomic-output.mjs`). */
export function markBuildInUse(folder: string): void {
  const markFile = join(folder, 'used-by', String(process.pid));
  try {
    mkdirSync(join(folder, 'used-by'), { recursive: true });
    writeFileSync(markFile, '');
  } catch {
    return; // A folder that we can't write to is not built into either.
  }
  process.on('exit', () => rmSync(markFile, { force: true }));
}
