/**
 * A backup's checksum, in a file of its own beside it and in the format of `sha256sum`, which can
 * check it, too.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  writeFileSync,
} from 'node:fs';
import { basename } from 'node:path';

export const checksumFile = (file: string): string => `${file}.sha256`;

const PIECE = 1024 * 1024;

/** SHA-256 of a file of any size, as hexadecimal digits. */
export function checksum(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    const hash = createHash('sha256');
    const piece = Buffer.alloc(PIECE);
    for (let read = readSync(descriptor, piece); read > 0; read = readSync(descriptor, piece))
      hash.update(piece.subarray(0, read));
    return hash.digest('hex');
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Writes the checksum of `content` to `into`, for a file that will be called `file`. It is on the
 * disk then.
 */
export function writeChecksum(content: string, into: string, file: string): void {
  writeFileSync(into, `${checksum(content)}  ${basename(file)}\n`, { mode: 0o600, flag: 'wx' });
  synchronize(into);
}

/**
 * Whether `content`, a copy of `file`, is what the checksum beside `file` was made of; undefined if
 * there is none.
 */
export function verify(content: string, file: string): boolean | undefined {
  if (!existsSync(checksumFile(file))) return undefined;
  return (
    readFileSync(checksumFile(file), 'utf8').trim().split(/\s/)[0]?.toLowerCase() ===
    checksum(content)
  );
}

/** Returns when the disk has the file. */
export function synchronize(file: string): void {
  const descriptor = openSync(file, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
