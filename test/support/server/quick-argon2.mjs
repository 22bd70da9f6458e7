/**
 * In place of @node-rs/argon2 in the server's tests: real hashes for a fiftieth of the work. Only
 * test/run.mjs puts it there. Servers that run, for stories and benchmarks too, have the package
 * itself.
 */
import { createRequire } from 'node:module';

const { hash: realHash, verify } = createRequire(import.meta.url)('@node-rs/argon2');

export { verify };

/** @throws if it is asked for less than OWASP's password storage cheat sheet demands */
export async function hash(password, { memoryCost, timeCost, parallelism }) {
  if (memoryCost < 19_456 || timeCost < 2 || parallelism !== 1)
    throw new Error('A password would be hashed too cheaply.');
  return realHash(password, { memoryCost: 1024, timeCost: 1, parallelism });
}
