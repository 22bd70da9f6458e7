/** The server's encryption thread. */
import path from 'node:path';
import esbuild from 'esbuild';

/**
 * Its code, for esbuild's `define`: whatever holds the server holds it too, and there is no file to
 * be found. `root` is the project's folder, which this file cannot tell where it has become part of
 * another.
 * @param {string} root
 */
export async function encryptionThread(root) {
  const entry = path.join(root, 'server/delivery/web-push/encryption-thread.ts');
  const {
    outputFiles: [made],
  } = await esbuild.build({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    write: false,
  });
  return { ENCRYPTION_THREAD: JSON.stringify(made?.text) };
}
