/** Names in the machine's hosts file, which c-ares does not read. */
import type { LookupAddress } from 'node:dns';
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';

export const SYSTEM_HOSTS_FILE =
  process.platform === 'win32'
    ? join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'drivers', 'etc', 'hosts')
    : '/etc/hosts';

/** Milliseconds until the file is checked again. */
const CHECK_EVERY_MS = 5000;

/**
 * Creates the look-up of a name in the file. It reads synchronously, microseconds every five
 * seconds, because a thread may be busy with password hashes.
 * @param now milliseconds of a monotonic clock
 */
export function createHostsFile(
  path: string,
  now: () => number,
): (name: string) => LookupAddress[] | undefined {
  let hosts = new Map<string, LookupAddress[]>();
  let version: string | undefined;
  let lookedAt = -Infinity;

  function readIfChanged(): void {
    lookedAt = now();
    try {
      const { mtimeMs, size, ino } = statSync(path);
      const fileVersion = [mtimeMs, size, ino].join();
      if (fileVersion === version) return;
      hosts = parseHosts(readFileSync(path, 'utf8'));
      version = fileVersion;
    } catch {
      hosts = new Map();
      version = undefined;
    }
  }

  return (name) => {
    if (now() - lookedAt >= CHECK_EVERY_MS) readIfChanged();
    return hosts.get(name);
  };
}

/** Parses lines of `ADDRESS NAME …` with `#` comments (hosts(5)) into lower-case names. */
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
