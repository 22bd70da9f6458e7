/** Occupies every thread of libuv's pool, as many password hashes would. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, open, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../eventually';

/** Opening a pipe without a writer blocks a thread without processor time. */
export function occupyThreads(): {
  countBlockedThreads: () => number;
  releaseThreads: () => Promise<void>;
} {
  const folder = mkdtempSync(join(tmpdir(), 'threads-'));
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const count = Number(process.env.UV_THREADPOOL_SIZE ?? 4);
  const opened: number[] = [];
  for (let index = 0; index < count; index++) open(pipe, 'r', (_, file) => opened.push(file));
  return {
    countBlockedThreads: () => opened.length,
    async releaseThreads() {
      const writer = openSync(pipe, 'w');
      await eventually(() => opened.length === count, 'the threads to be free');
      for (const file of [writer, ...opened]) closeSync(file);
      rmSync(folder, { recursive: true });
    },
  };
}
