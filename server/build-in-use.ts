import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Prevents later builds from removing the running build (`src/build/atomic-output.mjs`). */
export function markBuildInUse(folder: string): void {
  const mark = join(folder, 'used-by', String(process.pid));
  try {
    mkdirSync(join(folder, 'used-by'), { recursive: true });
    writeFileSync(mark, '');
  } catch {
    return; // A folder that we can't write to is not built into either.
  }
  process.on('exit', () => rmSync(mark, { force: true }));
}
