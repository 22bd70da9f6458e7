import type { Resolve } from '../../../server/delivery/https/resolver';

/** Resolves names without DNS: this machine's to itself, all others to a public address. */
export const resolveForTests: Resolve = (hostname, _, done) => {
  const address = hostname === 'localhost' ? '127.0.0.1' : '8.8.8.8';
  process.nextTick(done, null, [{ address, family: 4 }]);
};
