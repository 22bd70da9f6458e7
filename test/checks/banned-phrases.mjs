/**
 * Words that we do not use, in comments, strings, names of tests and documents.
 * `node test/checks/banned-phrases.mjs` counts them by folder, and with a part of a path lists them.
 * A false alarm is allowed on the line of `banned-phrases: REASON` and on the next.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { walkNodes, parseSource } from './syntax.mjs';

/** Each pattern, and what to write. A space stands for any gap, also from line to line of a comment. */
const PHRASES = [
  ['who(so)?(m)?ever', 'anyone who, everyone who'],
  ['nobody', 'no one, or who it is'],
  ['of (theirs|hers)', 'their, her'],
  ['that which', 'what, the one that'],
  ['so many(?! that\\b)', 'the number itself, up to N'],
  ['so long (?!as\\b|ago\\b|that\\b)', 'for N seconds, how long'],
  ['(?<!\\b(?:one|two|each|some|most|many|all|none|both|half) )of which', 'two sentences'],
  ['what is (no|none)', 'invalid …'],
  ['(that|which|it) is none', 'invalid …'],
  ['that there (is|are) not', 'unknown …'],
  ['(takes?|took) none', 'rejects'],
  ['(is|are|was|were|be|been) told(?! (to|apart)\\b)', 'is notified, gets, learns'],
  ['(Hold|Holds) that', 'Test, check'],
  ['as (?!soon|long|often|far|much)((the|our) )?[\\w.]+( \\d+)? says', 'per, by, following'],
  ['cannot be taken', 'is invalid'],
  ['(rings?|rang|ringing) (again|at)', 'notifies … again'],
  ["one[’']s own", 'your'],
  ['anew', 'again, new'],
  ['(came|comes?|became|becomes?|become) of', 'outcome, result'],
  ['not any more', 'no longer'],
  ['as good as', 'counts as, like'],
  ['(goes|go|went) on (at|with)', 'continues'],
  ['mend(s|ed|ing)?', 'fix'],
  ['answer(s|ed)? with (a )?(status|[1-5]\\d\\d)', 'responds with'],
  ['(every|any)one again who', 'everyone who … again'],
  ['can audit', 'is an auditor'],
  ['kept about', 'stored about'],
  ['once in (\\d+|two|five|ten) (seconds|minutes|hours|days)', 'every …'],
  ['e-mails?', 'email'],
  [
    '(authori|normali|organi|minimi|optimi|recogni|seriali|synchroni)s(e|es|ed|ing|ations?)',
    '-ize, as in American English',
  ],
  ['(behavi|col|fav|harb|hon|lab|neighb)our\\w*', '-or, as in American English'],
  ['(cancell|travell|labell|modell)(ed|ing)(?![`\'"])', 'one l, as in American English'],
  ['licences?', 'license'],
  ['mail address(es)?', 'email address'],
];
const WORD_GAP = String.raw`(?:\s+(?:(?:\*|//)\s+)?)`;
const PHRASE_PATTERNS = PHRASES.map(([phrase, better]) => ({
  pattern: new RegExp(String.raw`(?<![\w-])(?:${phrase.replaceAll(' ', WORD_GAP)})(?![\w-])`, 'gi'),
  better,
}));

/** Sentences of the specification stay as they are. */
const QUOTED_TEXT =
  /verify an e-mail address on load|(Registration complete|Password reset|Email verified)! You can now log in\.|Logged in as:/gi;
/** Translations; a peer’s documentation; what defines the words, and what plants them. */
const EXCLUDED_FILES =
  /^(src|server)\/languages\/|^test\/(support\/ntfy\/examples\.md|checks\/banned-phrases\..*)$|package(-lock)?\.json$|\.(png|svg|ico)$/;
const IS_CODE = /\.(tsx?|mjs)$/;
/** The line itself and the next. */
const ALLOWED_LINE = /\bbanned-phrases: \w.*\n.*/g;
/** Rows of the specification's sections; in all rows names of tests, which are checked at the tests. */
const SPECIFICATION_ROWS = /^\| S[1-9]\.\d.*|(?<=^\| S\d.*\|)[^|]*(?= \|$)|"[^"]*"|“[^”]*”/gm;

/** @returns {{ start: number, end: number }[]} */
const ranges = (text, pattern) =>
  [...text.matchAll(pattern)].map(({ 0: part, index: start }) => ({
    start,
    end: start + part.length,
  }));

const PROSE_NODES = ['StringLiteral', 'TemplateElement', 'JSXText'];
/** A username or a code, such as `nobody`. */
const isCodeWord = ({ value }) => /^[a-z][\w.-]*$/.test(value);
/** @returns {any[]} the comments and texts of a source */
function proseIn(source) {
  const tree = /** @type {any} */ (parseSource(source));
  return [
    ...tree.comments,
    ...[...walkNodes(tree.program)].filter(
      (node) => PROSE_NODES.includes(node.type) && !isCodeWord(node),
    ),
  ];
}

/** @returns {{ file: string, line: number, words: string, better: string }[]} */
export function phraseFaults(files, read = (file) => fs.readFileSync(file, 'utf8')) {
  return files.flatMap((file) => {
    const text = read(file);
    const isRows = /^test\/(specification|quality)\.md$/.test(file);
    const exempt = [ALLOWED_LINE, QUOTED_TEXT, ...(isRows ? [SPECIFICATION_ROWS] : [])].flatMap(
      (pattern) => ranges(text, pattern),
    );
    const isIn = (parts, at) => parts.some(({ start, end }) => at >= start && at < end);
    const found = PHRASE_PATTERNS.flatMap(({ pattern, better }) =>
      ranges(text, pattern).map((range) => ({ ...range, better })),
    ).filter(({ start }) => !isIn(exempt, start));
    if (found.length === 0) return [];
    const prose = IS_CODE.test(file) ? proseIn(text) : [{ start: 0, end: text.length }];
    return found
      .filter(({ start }) => isIn(prose, start))
      .sort((one, other) => one.start - other.start)
      .map(({ start, end, better }) => ({
        file,
        line: text.slice(0, start).split('\n').length,
        words: text.slice(start, end).replace(/\s+(\*|\/\/)?\s*/g, ' '),
        better,
      }));
  });
}

export const describeFault = ({ file, line, words, better }) =>
  `${file}:${line}: “${words}”: write ${better}`;

/** @param {readonly string[]} [parts] of paths */
export const proseFiles = (parts = []) =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => file && fs.existsSync(file) && !EXCLUDED_FILES.test(file))
    .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)));

if (process.argv[1]?.endsWith('banned-phrases.mjs')) {
  const parts = process.argv.slice(2);
  const faults = phraseFaults(proseFiles(parts));
  const folders = new Map();
  for (const { file } of faults) {
    const folder = file.split('/').slice(0, -1).slice(0, 3).join('/') || '.';
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  if (parts.length > 0) for (const fault of faults) console.log(describeFault(fault));
  else for (const [folder, count] of folders) console.log(`${String(count).padStart(5)} ${folder}`);
  console.log(`${faults.length} in all; node test/checks/banned-phrases.mjs FOLDER lists them`);
}
