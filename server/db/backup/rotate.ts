/** Rotating backups in a folder: the newest ones stay. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { backUp } from './backup';
import { checksumFile } from './checksum';
import { examineFile } from './examine';

/** Our rotated backups. Other files in the folder are never touched. */
const NAME = /^fieldbell\.\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z\.db$/;
const nameAt = (now: number): string =>
  `fieldbell.${new Date(now).toISOString().replace(/:/g, '-')}.db`;

export interface Rotated {
  file: string;
  removed: string[];
}

/**
 * Makes and examines a backup, then removes the oldest ones until `kept` are left.
 * @param now milliseconds since 1970
 * @throws BackupError and nothing was removed
 */
export function rotate(dataDir: string, folder: string, kept: number, now: number): Rotated {
  const file = join(folder, nameAt(now));
  backUp(dataDir, file);
  examineFile(file);
  const removed = readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort()
    .slice(0, -kept);
  for (const name of removed)
    for (const each of [join(folder, name), checksumFile(join(folder, name))])
      rmSync(each, { force: true });
  return { file, removed };
}
