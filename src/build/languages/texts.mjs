/** Which strings of a source file people see. The checks, the catalog and the build share this. */
import { parseSync } from '@babel/core';

/** @typedef {any} Node */

/**
 * @param {string} source
 * @returns {Node}
 */
export const parseSource = (source) =>
  parseSync(source, {
    filename: 'source.tsx',
    configFile: false,
    babelrc: false,
    browserslistConfigFile: false,
    parserOpts: { plugins: ['typescript', 'jsx'] },
  });

/** Attributes of HTML that people read or hear. */
export const LABELS = [
  'aria-label',
  'aria-description',
  'title',
  'placeholder',
  'alt',
  'label',
  'data-label',
];
/** Props of components that are no text, however they look. */
export const ATTRIBUTES_WITHOUT_TEXT =
  /^(className|href|to|type|name|id|role|key|src|autoComplete|as|data-(?!label$).*|aria-(?!(label|description)$).*)$/;
/** Their arguments are examples of data, or names of a protocol. */
export const CALLS_WITHOUT_TEXT = [
  'sample',
  'text',
  'uri',
  'header',
  'setHeader',
  'getItem',
  'setItem',
  'RegExp',
];

/** Requests, SQL and Kysely's aliases, selectors, paths, cookies. */
const CODE_TEXT =
  /^(GET|POST|PUT|DELETE|select|insert|update|delete|create|pragma)\b|^[\w.]+ as \w+$|^[<[.@:(/]|^\w+=|;\w+=/;

/**
 * Several words, or one that is written as a label is: `Sent`.
 * @param {string} text with values as `{name}`
 */
export const isText = (text) =>
  /^\p{Lu}\p{Ll}[\p{Ll}’'-]+(\.{3}|[.…!?:])?$/u.test(text) ||
  (/[\p{L}’]\p{L}[,.;:)”"}’*]* [\p{L}\d“"({#*]/u.test(text) &&
    /\p{L}{2}/u.test(text.replace(/\{[^}]*\}/g, '')) &&
    !CODE_TEXT.test(text));

/** Properties whose values are codes. */
export const CODE_PROPERTIES = ['kind', 'type', 'key', 'state', 'why'];

/**
 * Texts that look like codes: a word in lower case or of two letters, a number with its unit. Only in these files.
 * @type {Record<string, RegExp>}
 */
const LONE_WORDS = {
  'src/screens/check-in/StartForm.tsx': /^\d+ (min|hours?)$/,
  'src/screens/device-test/OwnDevices.tsx': /^installed$/,
  'src/screens/device-test/StartTest.tsx': /^(failed|passed|arrived)$/,
  'src/screens/device-test/advice/advice-by-make.ts': /^an? [A-Z\p{Ll}]+$/u,
  'src/screens/device-test/device-word.ts': /^(computer|phone)$/,
  'src/screens/compose/options/AnswerFields.tsx': /^No$/,
  'src/screens/lists/DeletionDialog.tsx': /^(topic|user|team)$/,
  'src/screens/sent/message/escalation-texts.ts': /^(answered|unknown|By)$/,
  'src/screens/notifications/Settings.tsx': /^(granted|denied|default)$/,
  'src/screens/reach/reach-texts.ts': /^once$/,
  'src/screens/setup/audit/AuditTable.tsx': /^(By|On)$/,
  'src/screens/setup/audit/audit-texts.ts': /^(Off|computer|everybody|unknown)$/,
  'src/screens/setup/policies/policy-texts.ts': /^emails$/,
  'src/screens/setup/webhooks/webhook-texts.ts': /^All-clear$/,
};

/**
 * @param {string} text
 * @param {string} file
 */
export const isLoneWord = (text, file) => LONE_WORDS[file]?.test(text) === true;
