/**
 * Names that the operator of the machine has written down: the hosts file, which c-ares does not
 * read.
 */
import type { LookupAddress } from 'node:dns';
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';

export const SYSTEM_HOSTS_FILE =
  process.platform === 'win32'
    ? join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'drivers', 'etc', 'hosts')
    : '/etc/hosts';

/** Milliseconds for which the file is believed to be as it was. */
const LOOK_AGAIN_AFTER = 5000;

/**
 * Makes the function that finds a name's addresses in the file, or undefined. It reads in place, a
 * few microseconds every five seconds: asynchronously it would wait for a free thread, behind
 * password hashes and names that do not resolve.
 * @param now milliseconds on a clock that does not jump
 */
export function createHostsFile(
  path: string,
  now: () => number,
): (name: string) => LookupAddress[] | undefined {
  let hosts = new Map<string, LookupAddress[]>();
  let version: string | undefined;
  let lookedAt = -Infinity;

  function look(): void {
    lookedAt = now();
    try {
      const { mtimeMs, size, ino } = statSync(path);
      const found = [mtimeMs, size, ino].join();
      if (found === version) return;
      hosts = parseHosts(readFileSync(path, 'utf8'));
      version = found;
    } catch {
      hosts = new Map(); // as good as an empty one
      version = undefined;
    }
  }

  return (name) => {
    if (now() - lookedAt >= LOOK_AGAIN_AFTER) look();
    return hosts.get(name);
  };
}

/**
 * Reads lines of `ADDRESS NAME …`, where `#` begins a comment (hosts(5)); names come out in lower
 * case.
 */
export function parseHosts(text: string): Map<string, LookupAddress[]> {
  const hosts = new Map<string, LookupAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names) {
      const key = name.toLowerCase().replace(/\.$/, '');
      hosts.set(key, [...(hosts.get(key) ?? []), { address, family }]);
    }
  }
  return hosts;
}
