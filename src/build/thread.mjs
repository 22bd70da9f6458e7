/** The server's encryption thread. */
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';

/** Its code, for esbuild's `define`: whatever holds the server holds it too, and there is no file to be found. */
export async function encryptionThread() {
  const entry = fileURLToPath(new URL('../../server/delivery/encryption-thread.ts', import.meta.url));
  const built = await esbuild.build({ entryPoints: [entry], bundle: true, platform: 'node', target: 'node20', format: 'cjs', write: false });
  return { ENCRYPTION_THREAD: JSON.stringify(built.outputFiles[0].text) };
}
