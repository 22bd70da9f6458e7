/**
 * The server: its programs, with the packages left outside. Two of these are native, and
 * `npm ci --omit=dev` installs only those of the server.
 */
import path from 'node:path';
import esbuild from 'esbuild';
import { common, root } from './bundling/bundling.mjs';

/**
 * Into `server/` of the folder `out`.
 * @param {string} out
 * @param {string} version
 */
export const buildServer = async (out, version) =>
  esbuild.build({
    ...common,
    entryPoints: ['server/main.ts', 'server/demo.ts', 'server/admin.ts'],
    minify: false,
    sourcemap: 'linked',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    outdir: `${out}/server`,
    splitting: true,
    chunkNames: '[name]-[hash]',
    define: { VERSION: JSON.stringify(version), ...(await encryptionThread(root)) },
  });

/**
 * The encryption thread's code, for esbuild's `define`: whatever holds the server holds it too.
 * `folder` is the project's folder: a bundle that this file is part of does not know it.
 * @param {string} folder
 */
export async function encryptionThread(folder) {
  const entry = path.join(folder, 'server/delivery/web-push/encryption-thread.ts');
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
