/**
 * Outside text may only meet regular expressions that are linear. `recheck` proves it; patterns it
 * cannot decide run on their worst input.
 */
import fs from 'node:fs';
import { walkNodes, parseSource } from './syntax.mjs';

const KIB = 1024;
const TEXT_BYTES = 64 * KIB;
const MAX_MATCH_MS = 5;

/**
 * What `recheck` cannot decide, such as look-arounds, with the worst input of about `length`
 * characters.
 * @type {[pattern: RegExp, worst: (length: number) => string][]}
 */
const MEASURED_PATTERNS = [
  // server/devices/browser.ts
  [
    /\bVersion\/[\d.]+ (?:Mobile\/\w+ )?Safari\/|\((?:iPhone|iPad|iPod)\b/,
    (length) => 'Version/1.1 Mobile/1 '.repeat(length / 21),
  ],
  // server/openapi/routes.ts
  [
    /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/,
    (length) => `gzip${' '.repeat(length / 2)};${' '.repeat(length / 2)}q=1`,
  ],
  // server/publish/encoded-words.ts
  [
    /=\?([\w.:+-]{1,40})(?:\*[\w-]{1,40})?\?([bq])\?([^?\s]*)\?=/gi,
    (length) => '=?a*a?q?='.repeat(length / 9),
  ],
  [
    /(\?=)[\t ]+(?==\?[\w.:+*-]{1,80}\?[bq]\?)/gi,
    (length) => `?=${' '.repeat(200)}=?${'a'.repeat(80)}`.repeat(length / 284),
  ],
  // server/http/connections/client-address.ts
  [/^::ffff:(?=\d+\.)/i, (length) => `::ffff:${'1'.repeat(length)}`],
  // server/publish/delay.ts: `recheck` times out on a busy machine
  [
    /^(\d+(?:\.\d+)?) ?(days?|d|hours?|h|minutes?|mins?|m|seconds?|secs?|s) ?/,
    (length) => '1'.repeat(length),
  ],
  // src/screens/inbox/split-links.ts
  [
    /(?<![\w.,:/+#-])(?:\+\d[\d ()./-]{5,}\d\d|\(?0\d[\d ()/-]{3,}\d\d|(?:\(\d{3}\) ?|\d{3}[- ])?\d{3}-\d{4}|\d{3}\.\d{3}\.\d{4})(?![\w:%])/g,
    (length) => ' 00'.repeat(length / 3),
  ],
];

/**
 * Files that build patterns at run time: never from outside text, and without overlapping
 * repetitions.
 */
const MADE_PATTERNS = {
  'server/translation/translate.ts': 'our own sentences, with `.+?` for a value',
  'server/http/static/header-rules.ts': 'paths of the build’s own _headers',
  'src/app.tsx': 'the paths of src/routes/public.ts, of whole segments',
};

/**
 * @param {readonly string[]} files
 * @param {(source: string, flags: string) => { status: string, complexity?: { summary: string } }} judge
 *   `checkSync` of recheck
 * @param {(file: string) => string} read
 * @returns {string[]} each pattern that is not known to be linear, with its place
 */
export function slowRegexFaults(files, judge, read = (file) => fs.readFileSync(file, 'utf8')) {
  /** @type {Map<string, string>} */
  const judged = new Map();
  const judgeOnce = ({ pattern, flags }) => {
    const literal = `/${pattern}/${flags}`;
    const known = judged.get(literal) ?? judgeOne(literal, pattern, flags, judge);
    judged.set(literal, known);
    return known;
  };
  return files.flatMap((file) => {
    const { literals, made } = patternsOf(read(file));
    const faults = literals.flatMap((literal) => {
      const fault = judgeOnce(literal);
      return fault ? [`${file}:${literal.line}: ${fault}`] : [];
    });
    if (made.length > 0 && !Object.hasOwn(MADE_PATTERNS, file))
      faults.push(`${file}:${made[0]}: write the pattern as a literal, or name the file in MADE`);
    return faults;
  });
}

function judgeOne(literal, pattern, flags, judge) {
  const [, worst] = MEASURED_PATTERNS.find(([measured]) => String(measured) === literal) ?? [];
  if (worst !== undefined) {
    const milliseconds = timeOf(new RegExp(pattern, flags), worst(TEXT_BYTES));
    return milliseconds <= MAX_MATCH_MS
      ? ''
      : `${literal} takes ${milliseconds.toFixed()} ms for 64 KiB of its worst input`;
  }
  const { status, complexity } = judge(pattern, flags);
  if (status === 'safe') return '';
  return status === 'vulnerable'
    ? `${literal} is ${complexity?.summary}`
    : `${literal} cannot be judged: name it in MEASURED, with its worst input`;
}

/** The minimum: other load only adds to it. */
function timeOf(pattern, text) {
  const times = Array.from({ length: 5 }, () => {
    const began = performance.now();
    text.replace(pattern, '');
    return performance.now() - began;
  });
  return Math.min(...times);
}

/** The literals of a source, and the lines that call `RegExp`. */
function patternsOf(source) {
  const literals = [];
  const made = [];
  for (const node of walkNodes(parseSource(source))) {
    const line = node.loc?.start?.line;
    if (node.type === 'RegExpLiteral') literals.push({ ...node, line });
    const isCall = node.type === 'NewExpression' || node.type === 'CallExpression';
    if (isCall && node.callee.name === 'RegExp') made.push(line);
  }
  return { literals, made };
}
