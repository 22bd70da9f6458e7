/** A backup's checksum, in a file beside it that `sha256sum` can check. */
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

const CHUNK_BYTES = 1024 * 1024;

/** SHA-256 of a file of any size, in hexadecimal. */
export function computeChecksum(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    const hash = createHash('sha256');
    const piece = Buffer.alloc(CHUNK_BYTES);
    for (
      let bytesRead = readSync(descriptor, piece);
      bytesRead > 0;
      bytesRead = readSync(descriptor, piece)
    )
      hash.update(piece.subarray(0, bytesRead));
    return hash.digest('hex');
  } finally {
    closeSync(descriptor);
  }
}

/** Writes the checksum of `content` for a file that will be called `file`, and syncs it. */
export function writeChecksum(content: string, folder: string, file: string): void {
  writeFileSync(folder, `${computeChecksum(content)}  ${basename(file)}\n`, {
    mode: 0o600,
    flag: 'wx',
  });
  flushToDisk(folder);
}

/** Compares `content`, a copy of `file`, with the checksum beside `file`, if it has one. */
export function verifyChecksum(content: string, file: string): boolean | undefined {
  if (!existsSync(checksumFile(file))) return undefined;
  return (
    readFileSync(checksumFile(file), 'utf8').trim().split(/\s/)[0]?.toLowerCase() ===
    computeChecksum(content)
  );
}

/** Returns once the file is on the disk. */
export function flushToDisk(file: string): void {
  const descriptor = openSync(file, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
