/** Runs in the thread of `encryptor.ts`: replies to each batch with its bodies. */
import { parentPort } from 'node:worker_threads';
import { encryptAll, type Encryption } from './encryption';

parentPort?.on('message', (batch: Encryption[]) => {
  const bodies = encryptAll(batch);
  // Transferred, not copied.
  parentPort?.postMessage(bodies, [bodies.bytes.buffer]);
});
