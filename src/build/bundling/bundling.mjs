/** What every bundle goes by, in the build and in tests. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';
import { readSettings } from './settings.mjs';

/** The project's folder. */
export const root = path.resolve(fileURLToPath(new URL('../../..', import.meta.url)));

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

/**
 * Bundles for Node, and runs it. Resolves with the module.
 * @param {import('esbuild').BuildOptions} options
 */
export async function runBundled(options) {
  const { outputFiles } = await esbuild.build({
    ...common,
    platform: 'node',
    format: 'esm',
    write: false,
    ...options,
  });
  const source = Buffer.from(outputFiles?.[0]?.contents ?? '').toString('base64');
  return import(`data:text/javascript;base64,${source}`);
}

/**
 * The settings that are compiled in, as esbuild's `define`.
 * @param {NodeJS.ProcessEnv} env
 * @param {Record<string, string>} more
 * @returns {Record<string, string>}
 */
export function constants(env = process.env, more = {}) {
  const { apiHost, firebaseConfig, firebaseVapidKey, company, secondFactor } = readSettings(env);
  const values = {
    API_HOST: apiHost,
    // Text: of an object, esbuild would make a file of its own, and every screen would ask for it.
    FIREBASE_CONFIG: firebaseConfig,
    FIREBASE_VAPID_KEY: firebaseVapidKey,
    FCM: Boolean(env.FIREBASE_CONFIG),
    COMPANY: company,
    SECOND_FACTOR: secondFactor,
    VERSION: 'unbuilt',
    STYLES: '',
    ...more,
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)]),
  );
}
