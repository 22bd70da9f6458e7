/**
 * The budgets that the build keeps, in brotli bytes: a technician's first load on a bad network is
 * what they protect. Raising one takes a commit of its own, with the reason.
 */
import path from 'node:path';
import { ADMINISTRATOR, filesOf, MAIN, SIGNED_IN } from './app/routes.mjs';
import { INBOX } from './app/chunks.mjs';
import { holding, withImports } from './app/scripts.mjs';

/**
 * RFC 6928: ten segments of 1,460 bytes are on their way before the first acknowledgement comes
 * back.
 */
const ONE_FLIGHT = 14_600;

/**
 * What a build with the company's sign-in (`OIDC_COMPANY`) and second steps (`ADMIN_TOTP`) may have
 * besides, where people sign in. One without them has none of it.
 */
const SIGN_INS = 400;
const SIGN_IN_FILES = ['src/state/account/arrival.ts', 'src/screens/auth/SecondStep.tsx'];

/**
 * What of a build the budgets are about.
 * @typedef {{
 *   outputs: import('./app/scripts.mjs').Output[],
 *   sizes: import('./compress.mjs').Size[],
 *   precache: { file: string, bytes: number }[],
 *   routes: import('./app/routes.mjs').BuiltRoute[],
 * }} Weighed
 *
 * @typedef {{ name: string, bytes: number, limit: number }} Budget
 */

/**
 * Each budget with the used part of it.
 * @param {Weighed} built what `build` resolves with
 * @returns {Budget[]}
 */
export function budgets({ outputs, sizes, precache, routes }) {
  const bytes = new Map(sizes.map(({ file, brotli }) => [path.basename(file), brotli]));
  /** @param {string} file */
  const size = (file) => bytes.get(path.basename(file)) ?? 0;
  /** All scripts that a screen needs, each once: what it imports, and what those import. */
  const needs = (/** @type {string[]} */ sources) => {
    /** @type {Set<string>} */
    const seen = new Set(sources.flatMap((source) => withImports(outputs, source)));
    return [...seen].reduce((sum, file) => sum + size(file), 0);
  };
  const shell = [MAIN, SIGNED_IN];
  const hasSignIns = outputs.some(({ inputs }) => SIGN_IN_FILES.some((file) => file in inputs));
  const more = hasSignIns ? SIGN_INS : 0;
  const admin = Math.max(
    ...filesOf(routes, ({ access }) => access === 'admin').map((file) =>
      needs([...shell, ADMINISTRATOR, file]),
    ),
  );
  return [
    {
      name: 'D1 login: page, styles and script',
      bytes: size('index.html') + size(holding(outputs, MAIN).file),
      limit: ONE_FLIGHT,
    },
    { name: 'D2 technician: all script before push', bytes: needs(shell), limit: 24_000 + more },
    {
      name: 'D2 inbox: its file',
      bytes: size(holding(outputs, INBOX[0] ?? '').file),
      limit: 5 * 1024,
    },
    {
      name: 'D2 check: its file',
      bytes: size(holding(outputs, 'src/screens/check/Check.tsx').file),
      limit: 8 * 1024,
    },
    { name: 'D3 administrator: the largest screen', bytes: admin, limit: 40_000 + more },
    { name: 'D4 worker', bytes: size('firebase-messaging-sw.js'), limit: 25_000 },
    {
      name: `D5 precache: ${precache.length} files`,
      bytes: precache.reduce(
        (sum, { file, bytes: plain }) => sum + (bytes.get(path.basename(file)) ?? plain),
        0,
      ),
      limit: 150_000,
    },
  ];
}
