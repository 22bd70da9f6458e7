/**
 * Replaces @node-rs/argon2 in the server's tests (test/run.mjs): real hashes with a fiftieth of the
 * work. Servers in their own process use the package itself.
 */
import { createRequire } from 'node:module';

const { hash: realHash, verify } = createRequire(import.meta.url)('@node-rs/argon2');

export { verify };

/** @throws below the minimum of OWASP's password storage cheat sheet */
export async function hash(password, { memoryCost, timeCost, parallelism }) {
  if (memoryCost < 19_456 || timeCost < 2 || parallelism !== 1)
    throw new Error('A password would be hashed too cheaply.');
  return realHash(password, { memoryCost: 1024, timeCost: 1, parallelism });
}
