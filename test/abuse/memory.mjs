import { readFile } from 'node:fs/promises';

/**
 * How much memory a process holds, in megabytes.
 * @param {number | undefined} pid
 */
export async function residentMegabytes(pid) {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}
