/**
 * Builds the server. Packages stay outside: two are native, and `npm ci --omit=dev` installs only
 * the server's.
 */
import path from 'node:path';
import esbuild from 'esbuild';
import { commonOptions, root } from './bundling/bundling.mjs';

/**
 * @param {string} out the server goes into its `server/`
 * @param {string} version
 */
export const buildServer = async (out, version) =>
  esbuild.build({
    ...commonOptions,
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
 * The encryption thread's code, for esbuild's `define`, so that it is part of the server's file.
 * @param {string} folder the project's folder, which a bundle of this file does not know
 */
export async function encryptionThread(folder) {
  const entry = path.join(folder, 'server/delivery/web-push/encryption-thread.ts');
  const {
    outputFiles: [bundle],
  } = await esbuild.build({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    write: false,
  });
  return { ENCRYPTION_THREAD: JSON.stringify(bundle?.text) };
}
