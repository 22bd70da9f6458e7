/** What every bundle of esbuild goes by. */
import { createHash } from 'node:crypto';
import { root } from './bundling.mjs';

/** Phones that get Chrome updates at all are far beyond this. */
const TARGET = ['chrome108', 'firefox115', 'safari16.4'];

export const PRODUCTION = { 'process.env.NODE_ENV': '"production"' };

/** @satisfies {import('esbuild').BuildOptions} */
export const common = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  target: TARGET,
  jsx: /** @type {const} */ ('automatic'),
  legalComments: /** @type {const} */ ('none'),
  logLevel: /** @type {const} */ ('warning'),
  metafile: /** @type {const} */ (true),
};

/**
 * By which files with the same content have the same name.
 * @param {string | Uint8Array} content
 */
export const hash = (content) =>
  createHash('sha256').update(content).digest('base64url').replace(/[-_]/g, '').slice(0, 8);
