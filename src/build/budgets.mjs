/**
 * The build's budgets, in brotli bytes: they protect a technician's first load on a bad network.
 * Raise a budget in a separate commit that gives the reason.
 */
import path from 'node:path';
import {
  ADMINISTRATOR_ENTRY,
  findEntry,
  outputContaining,
  MAIN_ENTRY,
  SENDER_ENTRY,
  SIGNED_IN_ENTRY,
  withImports,
} from './app/scripts.mjs';

/** RFC 6928: a server sends ten segments of 1,460 bytes before the first acknowledgment. */
const FIRST_FLIGHT_BYTES = 14_600;

/**
 * Extra bytes for builds with a company's sign-in (`OIDC_COMPANY`), second steps (`ADMIN_TOTP`) or
 * passkeys (`PASSKEYS`).
 */
const SIGN_IN_EXTRA_BYTES = 600;
/**
 * The login form may load this part of the extra bytes in a second flight. The limit has room for a
 * long company name.
 */
const LOGIN_SIGN_IN_EXTRA_BYTES = 500;
const SIGN_IN_FILES = [
  'src/state/account/company-sign-in.ts',
  'src/screens/auth/TwoFactorStep.tsx',
  'src/screens/auth/PasskeySignIn.tsx',
];

/**
 * Returns the part of a build that budgets measure.
 * @typedef {{
 * outputs: import('./app/scripts.mjs').Output[],
 * sizes: import('./compress.mjs').Size[],
 * translated: import('./languages/pages.mjs').Translated[],
 * sets: { code: string, files: string[] }[],
 * }} Weighed
 * @typedef {{ name: string, bytes: number, limit: number }} Budget
 */

/** Other languages need more letters, or more bytes for each letter. */
const TRANSLATION_FACTOR = 1.1;
/**
 * Builds with several languages add the page's line that chooses one, and the login form's list.
 * The page and the script load in separate TCP flights, so this fits. Chunk names vary it by 50.
 */
const LANGUAGE_CHOICE_BYTES = 400;
/**
 * The worker lists each language's files in about 800 bytes: hashes of file names hardly compress.
 */
const FILE_LIST_BYTES_PER_LANGUAGE = 850;

/**
 * English, then the largest of the other languages.
 * @param {Weighed} built what `build` resolves with
 * @returns {Budget[]}
 */
export function computeBudgets({ outputs, sizes, translated, sets }) {
  const languageFiles = (/** @type {string} */ language) =>
    sets.find(({ code }) => code === language)?.files ?? [];
  const english = createBudgets({
    page: 'index.html',
    outputs,
    sizes,
    precache: languageFiles('en'),
    hasChoice: translated.length > 0,
    otherLanguages: translated.length,
  });
  const budgetsByLanguage = translated.map(({ code, outputs: own }) => ({
    code,
    list: createBudgets({
      page: `index.${code}.html`,
      outputs: own,
      sizes,
      precache: languageFiles(code),
      hasChoice: true,
      otherLanguages: translated.length,
    }),
  }));
  const otherBudgets = english.flatMap(({ name, limit }, index) => {
    const [largest] = budgetsByLanguage
      .map(({ code, list }) => ({ code, bytes: list[index]?.bytes ?? 0 }))
      .sort((a, b) => b.bytes - a.bytes);
    return largest && /^D[1235]/.test(name)
      ? [
          {
            name: `${name} (${largest.code})`,
            bytes: largest.bytes,
            limit: Math.floor(limit * TRANSLATION_FACTOR),
          },
        ]
      : [];
  });
  return [...english, ...otherBudgets];
}

/**
 * @param {Pick<Weighed, 'outputs' | 'sizes'> & {
 * page: string, precache: string[], hasChoice: boolean, otherLanguages: number,
 * }} built of one language
 * @returns {Budget[]}
 */
function createBudgets({ page, outputs, sizes, precache, hasChoice, otherLanguages }) {
  const bytes = new Map(sizes.map(({ file, brotli }) => [file, brotli]));
  const totalSize = (/** @type {string[]} */ files) =>
    [...new Set(files)].reduce((sum, file) => sum + (bytes.get(file) ?? 0), 0);
  const login = withImports(outputs, outputContaining(outputs, MAIN_ENTRY));
  const technician = withImports(outputs, findEntry(outputs, SIGNED_IN_ENTRY));
  const addedBytes = (/** @type {string} */ source) =>
    totalSize([...technician, ...withImports(outputs, findEntry(outputs, source))]) -
    totalSize(technician);
  const sender = withImports(outputs, findEntry(outputs, SENDER_ENTRY));
  const addedForSender = (/** @type {string} */ source) => {
    const files = [...technician, ...sender, ...withImports(outputs, findEntry(outputs, source))];
    return totalSize(files) - totalSize(technician);
  };
  const administrator = findEntry(outputs, ADMINISTRATOR_ENTRY);
  const screens = administrator.imports
    .filter(({ kind }) => kind === 'dynamic-import')
    .flatMap(({ path: to }) =>
      outputs.filter(({ file }) => path.basename(file) === path.basename(to)),
    )
    .map((screen) =>
      totalSize([
        ...technician,
        ...withImports(outputs, administrator),
        ...withImports(outputs, screen),
      ]),
    );
  const hasSignIns = outputs.some(({ inputs }) => SIGN_IN_FILES.some((file) => file in inputs));
  const extraBytes = hasSignIns ? SIGN_IN_EXTRA_BYTES : 0;
  return [
    {
      name: 'D1: sign-in page with styles and script',
      bytes: totalSize([page, ...login]),
      limit:
        FIRST_FLIGHT_BYTES +
        (hasSignIns ? LOGIN_SIGN_IN_EXTRA_BYTES : 0) +
        (hasChoice ? LANGUAGE_CHOICE_BYTES : 0),
    },
    {
      name: 'D2: script for technicians, without push',
      bytes: totalSize(technician),
      limit: 24_000 + extraBytes,
    },
    {
      name: 'D2: script that the inbox adds',
      bytes: addedBytes('src/screens/inbox/Inbox.tsx'),
      limit: 8400,
    },
    {
      name: 'D2: script that the device test adds',
      bytes: addedBytes('src/screens/device-test/DeviceTest.tsx'),
      limit: 12_000,
    },
    {
      name: 'D2: script that the Send page adds',
      bytes: addedForSender('src/screens/send/Send.tsx'),
      limit: 12_000,
    },
    {
      name: 'D2: script that the page of a sent message adds',
      bytes: addedForSender('src/screens/sent/message/SentMessageScreen.tsx'),
      // The limit was 16,000 until the page showed the text of each answer, and who saw a
      // correction.
      limit: 16_500 + extraBytes,
    },
    {
      name: 'D3: script of the largest admin screen',
      bytes: Math.max(...screens),
      limit: 40_000 + extraBytes,
    },
    {
      name: 'icons',
      bytes: Math.max(...sizes.filter(({ file }) => /icons-/.test(file)).map((icon) => icon.bytes)),
      limit: 3500,
    },
    {
      name: 'D4: service worker',
      bytes: totalSize(['firebase-messaging-sw.js']),
      limit: 25_000 + FILE_LIST_BYTES_PER_LANGUAGE * otherLanguages,
    },
    { name: `D5: ${precache.length} precached files`, bytes: totalSize(precache), limit: 150_000 },
  ];
}
