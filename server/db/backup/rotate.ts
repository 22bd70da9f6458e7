/** Backups one after the other in a folder, of which the newest stay. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { backUp } from './backup';
import { checksumFile } from './checksum';
import { examineFile } from './examine';

/** Ours, by the time at which each was made: nothing else in the folder is ever touched. */
const NAME = /^fieldbell\.\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z\.db$/;
const nameAt = (now: number): string =>
  `fieldbell.${new Date(now).toISOString().replace(/:/g, '-')}.db`;

export interface Rotated {
  file: string;
  /** The names of those that went. */
  removed: string[];
}

/**
 * Makes a backup in the folder and looks whether it is whole; only then the oldest go, so that `kept`
 * are left.
 * @param now milliseconds since 1970
 * @throws BackupError, and none went
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
