/**
 * Names of files that are there only while a command works, so that those of a killed one are
 * known, and removed.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const MARK = /\.unfinished-(\d+)-[0-9a-f]{12}(-wal|-shm|-journal)?$/;

/** A name beside `name` that belongs to this process. */
export const unfinished = (name: string): string =>
  `${name}.unfinished-${process.pid}-${randomBytes(6).toString('hex')}`;

/**
 * Removes from a folder what processes that have ended left there under names of `unfinished`. What
 * cannot be removed stays.
 * @param age milliseconds since it was last written, for a folder where processes of other machines
 * may be at work, too
 */
export function removeLeftovers(folder: string, age?: number): void {
  for (const found of list(folder)) {
    const maker = MARK.exec(found)?.[1];
    if (maker === undefined || isAlive(Number(maker))) continue;
    const leftover = join(folder, found);
    if (age !== undefined && Date.now() - writtenAt(leftover) < age) continue;
    rmSync(leftover, { recursive: true, force: true });
  }
}

const writtenAt = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function list(folder: string): string[] {
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
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
