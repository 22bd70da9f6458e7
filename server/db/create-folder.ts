import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from './errors';

/**
 * Creates a folder and those above it. Node's `recursive` never returns where the system rejects a
 * folder with ENOENT, as `/proc` does.
 * @throws the system's error
 */
export function createFolder(folder: string, mode = 0o777): void {
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return;
    if (errorCode(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    createFolder(dirname(folder));
    mkdirSync(folder, mode);
  }
}
