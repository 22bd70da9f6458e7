/** Names for files of a running command, so that those of a killed one can be found and removed. */
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../errors';

const MARK = /\.unfinished-(\d+)-[0-9a-f]{12}(-wal|-shm|-journal)?$/;

/** A name beside `name`, marked with this process. */
export const unfinishedPath = (name: string): string =>
  `${name}.unfinished-${process.pid}-${randomBytes(6).toString('hex')}`;

/**
 * Removes files of `unfinishedPath` whose process has ended. Files that cannot be removed stay.
 * @param age minimum milliseconds since the last write, for a folder that other machines use too
 */
export function removeLeftovers(folder: string, age?: number): void {
  for (const file of listFolder(folder)) {
    const maker = MARK.exec(file)?.[1];
    if (maker === undefined || isAlive(Number(maker))) continue;
    const leftover = join(folder, file);
    if (age !== undefined && Date.now() - lastWriteTime(leftover) < age) continue;
    rmSync(leftover, { recursive: true, force: true });
  }
}

const lastWriteTime = (file: string): number =>
  statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
