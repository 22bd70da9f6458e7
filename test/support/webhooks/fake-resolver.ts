import type { Resolve } from '../../../server/delivery/https/resolver';

/** Names without DNS: this machine's are its own, all others somewhere public. */
export const resolveForTests: Resolve = (hostname, _, done) => {
  const address = hostname === 'localhost' ? '127.0.0.1' : '8.8.8.8';
  process.nextTick(done, null, [{ address, family: 4 }]);
};
