/** The server: its programs, with the packages left outside. */
import esbuild from 'esbuild';
import { common, root } from './bundling/bundling.mjs';
import { encryptionThread } from './thread.mjs';

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
