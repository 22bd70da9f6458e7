/** What all bundles share, in the build and in tests. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';
import { readSettings } from './settings.mjs';

/** The project's folder. */
export const root = path.resolve(fileURLToPath(new URL('../../..', import.meta.url)));

/** Older than any phone that still gets Chrome updates. */
const TARGET_BROWSERS = ['chrome108', 'firefox115', 'safari16.4'];

export const PRODUCTION = { 'process.env.NODE_ENV': '"production"' };

/** @satisfies {import('esbuild').BuildOptions} */
export const commonOptions = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  target: TARGET_BROWSERS,
  jsx: /** @type {const} */ ('automatic'),
  legalComments: /** @type {const} */ ('none'),
  logLevel: /** @type {const} */ ('warning'),
  metafile: /** @type {const} */ (true),
};

/**
 * Equal contents get equal names.
 * @param {string | Uint8Array} content
 */
export const hashContent = (content) =>
  createHash('sha256').update(content).digest('base64url').replace(/[-_]/g, '').slice(0, 8);

/**
 * Bundles for Node and runs it. Resolves with the module.
 * @param {import('esbuild').BuildOptions} options
 */
export const runBundled = async (options) => run(await bundleForNode(options));

/** @param {import('esbuild').BuildOptions} options */
export async function bundleForNode(options) {
  const { outputFiles } = await esbuild.build({
    ...commonOptions,
    platform: 'node',
    format: 'esm',
    write: false,
    ...options,
  });
  return outputFiles?.[0]?.text ?? '';
}

/** @param {string} code a module */
export const run = (code) =>
  import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);

/**
 * The app's settings, as esbuild's `define`.
 * @param {NodeJS.ProcessEnv} env
 * @param {Record<string, string>} extraConstants
 * @returns {Record<string, string>}
 */
export function createConstants(env = process.env, extraConstants = {}) {
  const { apiHost, firebaseConfig, firebaseVapidKey, fcmTokens, company, twoFactor, passkeys } =
    readSettings(env);
  const values = {
    API_HOST: apiHost,
    // The value is a string: esbuild would put an object into a separate file, which every screen
    // would load.
    FIREBASE_CONFIG: firebaseConfig,
    FIREBASE_VAPID_KEY: firebaseVapidKey,
    FCM: Boolean(env.FIREBASE_CONFIG),
    FCM_TOKENS: fcmTokens,
    COMPANY: company,
    TWO_FACTOR: twoFactor,
    PASSKEYS: passkeys,
    VERSION: 'unbuilt',
    LANGUAGE: 'en',
    LOCALE: 'en',
    STYLES: '',
    ALL_STYLES: '',
    ICONS: '',
    ...extraConstants,
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)]),
  );
}
