/**
 * The build's budgets, in brotli bytes: they protect a technician's first load on a bad network.
 * Raising one takes a commit of its own, with the reason.
 */
import path from 'node:path';
import {
  ADMINISTRATOR,
  entryOf,
  outputContaining,
  MAIN,
  SENDER,
  SIGNED_IN,
  withImports,
} from './app/scripts.mjs';

/** RFC 6928: ten segments of 1,460 bytes are sent before the first acknowledgement. */
const ONE_FLIGHT = 14_600;

/**
 * Extra bytes for builds with a company's sign-in (`OIDC_COMPANY`) or second steps (`ADMIN_TOTP`).
 */
const SIGN_INS = 400;
/** Of these at the login form, which needs a second flight with them. With room for a company's long name. */
const LOGIN_SIGN_INS = 450;
const SIGN_IN_FILES = [
  'src/state/account/company-sign-in.ts',
  'src/screens/auth/TwoFactorStep.tsx',
];

/**
 * The part of a build that budgets measure.
 * @typedef {{
 * outputs: import('./app/scripts.mjs').Output[],
 * sizes: import('./compress.mjs').Size[],
 * precache: string[],
 * }} Weighed
 * @typedef {{ name: string, bytes: number, limit: number }} Budget
 */

/** @param {Weighed} built what `build` resolves with @returns {Budget[]} */
export function budgets({ outputs, sizes, precache }) {
  const bytes = new Map(sizes.map(({ file, brotli }) => [file, brotli]));
  const size = (/** @type {string[]} */ files) =>
    [...new Set(files)].reduce((sum, file) => sum + (bytes.get(file) ?? 0), 0);
  const login = withImports(outputs, outputContaining(outputs, MAIN));
  const technician = withImports(outputs, entryOf(outputs, SIGNED_IN));
  const added = (/** @type {string} */ source) =>
    size([...technician, ...withImports(outputs, entryOf(outputs, source))]) - size(technician);
  const sender = withImports(outputs, entryOf(outputs, SENDER));
  const addedForSender = (/** @type {string} */ source) => {
    const files = [...technician, ...sender, ...withImports(outputs, entryOf(outputs, source))];
    return size(files) - size(technician);
  };
  const administrator = entryOf(outputs, ADMINISTRATOR);
  const screens = administrator.imports
    .filter(({ kind }) => kind === 'dynamic-import')
    .flatMap(({ path: to }) =>
      outputs.filter(({ file }) => path.basename(file) === path.basename(to)),
    )
    .map((screen) =>
      size([
        ...technician,
        ...withImports(outputs, administrator),
        ...withImports(outputs, screen),
      ]),
    );
  const hasSignIns = outputs.some(({ inputs }) => SIGN_IN_FILES.some((file) => file in inputs));
  const more = hasSignIns ? SIGN_INS : 0;
  return [
    {
      name: 'D1 login: page, styles and script',
      bytes: size(['index.html', ...login]),
      limit: ONE_FLIGHT + (hasSignIns ? LOGIN_SIGN_INS : 0),
    },
    {
      name: 'D2 technician: all script before push',
      bytes: size(technician),
      limit: 24_000 + more,
    },
    { name: 'D2 inbox: what it adds', bytes: added('src/screens/inbox/Messages.tsx'), limit: 8000 },
    { name: 'D2 check: what it adds', bytes: added('src/screens/check/Check.tsx'), limit: 12_000 },
    {
      name: 'D2 sender: what Send adds',
      bytes: addedForSender('src/screens/send/Send.tsx'),
      limit: 12_000,
    },
    {
      name: 'D2 sender: what a sent message adds',
      bytes: addedForSender('src/screens/sent/message/SentMessageScreen.tsx'),
      limit: 16_000 + more,
    },
    {
      name: 'D3 administrator: the largest screen',
      bytes: Math.max(...screens),
      limit: 40_000 + more,
    },
    {
      name: 'icons',
      bytes: Math.max(...sizes.filter(({ file }) => /icons-/.test(file)).map((one) => one.bytes)),
      limit: 3500,
    },
    { name: 'D4 worker', bytes: size(['firebase-messaging-sw.js']), limit: 25_000 },
    { name: `D5 precache: ${precache.length} files`, bytes: size(precache), limit: 150_000 },
  ];
}
