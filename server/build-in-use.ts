import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Tells later builds that this process reads files of this one: they leave it where it is, however
 * many there are (`src/build/aside.mjs`).
 * @param folder the build that holds `app` and `server`
 */
export function holdBuild(folder: string): void {
  const mark = join(folder, 'used-by', String(process.pid));
  try {
    mkdirSync(join(folder, 'used-by'), { recursive: true });
    writeFileSync(mark, '');
  } catch {
    return; // Where nothing can be written, nothing is built either.
  }
  process.on('exit', () => rmSync(mark, { force: true }));
}
