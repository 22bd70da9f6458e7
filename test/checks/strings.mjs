/**
 * The strings that people see, of the app and the server, with their places:
 * `node test/checks/strings.mjs [PART OF A PATH …] [--logs] [--random N] [--seed N]`.
 * `--logs` lists what is logged instead.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { parseArgs } from 'node:util';
import {
  CALLS_WITHOUT_TEXT,
  isText,
  LABELS,
  ATTRIBUTES_WITHOUT_TEXT,
} from '../../src/build/languages/texts.mjs';
import { parseSource } from './syntax.mjs';

/** The sample company's names and messages, and spellings of columns, are data. */
const DATA_FILES =
  /^server\/demo\/|^server\/import\/column-names\.ts$|^src\/shared\/(common-passwords|contract\/secrets)\.ts$/;
/** SQL, styles, scripts and a host's configuration, written as texts. */
const CODE_FILES =
  /^server\/db\/migrations\/|^server\/db\/engines\/read-thread\.ts$|^server\/openapi\/page\/style\.ts$|^src\/build\/app\/(hosting|page|routes|scripts)\.mjs$|^src\/styles\/|^src\/build\/bundling\/examples\.mjs$/;
/** SQL that does not begin with a verb of a query, headers, media types, selectors. */
const NO_PROSE =
  /^(alter|begin;?|do|drop|vacuum|or ignore|where|when|not exists|set local|fetch|repeatable|and) [\w$'{(]|^[\w.{}()]+ (not )?in \(|^(Bearer|vapid|Content-\w+:|WebPush:|-----BEGIN) |^\w+\/[\w+.-]+; |^attachment; |^(is )?not( in)?$|^\w+, seq$|^attach \?|^with no data$|^openid |^SQLite format|; Path=\/|^\$plural|^(head|main form) |^import \{|^(Authorization|Date|Vary)$|^(input|button|main|public), ?/;
/** A part of a sentence that is shown with it. */
const isShortPart = (node) =>
  node.type === 'StringLiteral' && node.value.length <= 40 && !/[.!?]$/.test(node.value);
/** Purposes of secrets, names of limits and caches, reasons, states, and errors that are caught. */
const NEVER_SHOWN =
  /^(company (sign-in|hand-over)|one-time token.+|(begun )?second factor.*|passkey \{sha256\}|a password that no account has|fingerprint of this secret|check-in (start|all-clear)|(alert|device) \{service\}|heartbeat \{hash\}|languages \{id\} .+|without a name .+|webhook-answer .+|only listed|Rolls back the counts\.|switching off|setting up|CreateRegistration .+)$/;
/** Errors that are only logged, and why a session ended. */
const ONLY_LOGGED =
  /^(it (cannot be decoded|has expired)|its type is not “access”|the server rejected it|Failed to report to the server\.)$/;
/** Their predicates follow the name of a setting, an account or a text. */
const FILES_OF_PREDICATES = /^server\/(config\/|cli\/commands)|^src\/build\/languages\/catalog/;
const PREDICATE_START = /^(must|has|is|points|no longer) /;
const LOG_OBJECTS = ['log', 'console'];
const LOG_METHODS = ['info', 'warn', 'error'];

/**
 * @typedef {{ line: number, text: string, isLog: boolean }} Found
 * @param {string} source
 * @returns {Found[]} values in them as `{name}`, elements as `<b>`
 */
export function extractStrings(source) {
  /** @type {Found[]} */
  const found = [];
  const add = (node, text, isLog) =>
    found.push({
      line: node.loc.start.line,
      text: text.replace(/[\s\p{Cc}]+/gu, ' ').trim(),
      isLog,
    });

  /**
   * @typedef {{ isLog?: boolean, isShown?: boolean, isPart?: boolean, isInSentence?: boolean }} About
   * `isShown`: any text is for people
   */
  /** @param {About} [about] */
  function visit(node, about = {}) {
    if (Array.isArray(node)) return node.forEach((one) => visit(one, about));
    if (typeof node?.type !== 'string') return;
    const { type } = node;
    const literal = textOf(node);
    if (
      literal !== undefined &&
      !about.isPart &&
      !NO_PROSE.test(literal) &&
      !NEVER_SHOWN.test(literal) &&
      (about.isShown ? /\p{L}/u.test(literal) : isText(literal))
    )
      add(node, literal, about.isLog === true || ONLY_LOGGED.test(literal));
    const known = VISIT[type];
    if (known) return known(node, about);
    // TypeScript's `as`, `satisfies` and `!` hold code; all other TypeScript nodes are types.
    if (type.startsWith('TS')) return visit(node.expression, about);
    visitChildren(node, /Expression$/.test(type) ? about : { isLog: about.isLog });
  }
  function visitChildren(node, about) {
    for (const [name, child] of Object.entries(node))
      if (!/^(loc|extra|\w+Comments)$/.test(name)) visit(child, about);
  }
  /** A sentence includes its elements, which are not listed again. */
  const visitElement = (node, about = {}) => {
    const hasText = node.children.some(
      (child) => child.type === 'JSXText' && /\p{L}/u.test(child.value),
    );
    if (hasText && !about.isInline) add(node, node.children.map(childText).join(''), false);
    visit(node.openingElement?.attributes);
    const isInline = hasText || about.isInline;
    for (const child of node.children)
      if (/^JSX(Element|Fragment)$/.test(child.type)) visitElement(child, { isInline });
      else visit(child, { isShown: true, isInSentence: isInline });
  };
  const nothing = () => undefined;
  const VISIT = {
    ImportDeclaration: nothing,
    ExportAllDeclaration: nothing,
    TSTypeAliasDeclaration: nothing,
    TSInterfaceDeclaration: nothing,
    JSXText: nothing,
    ExportNamedDeclaration: (node) => visit(node.declaration),
    // A key names, and a case or a comparison asks: neither is shown.
    ObjectProperty: ({ value }, about) => visit(value, { isLog: about.isLog }),
    SwitchCase: (node) => visit(node.consequent),
    MemberExpression: (node) => visit(node.object),
    OptionalMemberExpression: (node) => visit(node.object),
    BinaryExpression: (node, about) => node.operator === '+' && visitChildren(node, about),
    ConditionalExpression: ({ test, consequent, alternate }, about) => {
      visit(test);
      const choices = [consequent, alternate];
      const isPart = about.isInSentence === true && choices.every(isShortPart);
      visit(choices, { ...about, isInSentence: false, isPart });
    },
    TemplateLiteral: ({ expressions }, about) =>
      visit(expressions, { ...about, isInSentence: true }),
    TaggedTemplateExpression: (node) => visit(node.quasi.expressions),
    JSXElement: (node) => visitElement(node),
    JSXFragment: (node) => visitElement(node),
    JSXExpressionContainer: (node, about) =>
      visit(node.expression, {
        ...about,
        isPart: about.isInSentence && node.expression.type === 'StringLiteral',
      }),
    JSXAttribute: ({ name, value }) =>
      ATTRIBUTES_WITHOUT_TEXT.test(name.name) ||
      visit(value, { isShown: LABELS.includes(name.name) }),
    CallExpression(node, about) {
      const { callee } = node;
      const name = callee.name ?? callee.property?.name;
      const logger = callee.object?.name ?? callee.object?.property?.name;
      // A noun is shown with its count.
      if (name === 'countedNoun') return visit(node.arguments.slice(0, 1), about);
      const isLog = LOG_OBJECTS.includes(logger) && LOG_METHODS.includes(name);
      visit(callee.object);
      if (CALLS_WITHOUT_TEXT.includes(name))
        return visit(node.arguments.filter((one) => textOf(one) === undefined));
      visit(name === 'described' ? node.arguments.slice(0, 2) : node.arguments, {
        isLog: isLog || about.isLog,
      });
    },
    NewExpression: (node, about) =>
      CALLS_WITHOUT_TEXT.includes(node.callee.name) ||
      visit(node.arguments, { isLog: about.isLog }),
  };
  visit(/** @type {any} */ (parseSource(source)).program.body);
  return found;
}

/** The text of a literal, with values as `{name}`. Undefined for other nodes. */
function textOf(node) {
  if (node.type === 'StringLiteral') return node.value;
  if (node.type !== 'TemplateLiteral') return undefined;
  return node.quasis
    .map(({ value }, index) =>
      index === 0 ? value.cooked : `${valueText(node.expressions[index - 1])}${value.cooked}`,
    )
    .join('');
}

/** The content of these elements looks different from the sentence around them. */
const MARKED_ELEMENTS = /^(a|b|button|code|em|kbd|strong|Link)$/;

function childText(child) {
  if (child.type === 'JSXText') return child.value;
  if (child.type === 'JSXExpressionContainer') {
    const { expression } = child;
    if (expression.type === 'JSXEmptyExpression') return '';
    return textOf(expression) ?? valueText(expression);
  }
  const inside = child.children?.map(childText).join('') ?? '';
  const { name } = child.openingElement?.name ?? {};
  if (inside.trim() && MARKED_ELEMENTS.test(name)) return `<${name}>${inside.trim()}</${name}>`;
  if (inside.trim() || !/^[A-Z]/.test(name ?? '') || name === 'Icon') return inside;
  return `{${name}}`;
}

/**
 * A value in a sentence: `{name}`, `{is/are}`, `{3 people}`; `{…}` for a text that is listed
 * itself.
 */
function valueText(node) {
  if (node.type === 'ConditionalExpression' && isShortPart(node.consequent))
    if (isShortPart(node.alternate)) return `{${node.consequent.value}/${node.alternate.value}}`;
  return `{${nameOf(node) ?? '…'}}`;
}

/** Methods that only format a value. */
const FORMATTING_METHODS = [
  'toLocaleString',
  'join',
  'slice',
  'trim',
  'filter',
  'map',
  'replace',
  'toString',
];
function nameOf(node) {
  switch (node?.type) {
    case 'Identifier':
      return node.name;
    case 'MemberExpression':
    case 'OptionalMemberExpression':
      return node.computed || node.property.name === 'value'
        ? nameOf(node.object)
        : node.property.name;
    case 'TSNonNullExpression':
    case 'TSAsExpression':
    case 'AwaitExpression':
      return nameOf(node.expression ?? node.argument);
    case 'CallExpression':
    case 'OptionalCallExpression': {
      const { callee, arguments: callArguments } = node;
      if (FORMATTING_METHODS.includes(callee.property?.name)) return nameOf(callee.object);
      const noun = callee.name === 'peopleCount' ? 'person' : callArguments[1]?.value;
      if (/^(countedNoun|peopleCount)$/.test(callee.name) && noun)
        return `3 ${noun === 'person' ? 'people' : `${noun}s`}`;
      return (callee.name ?? callee.property?.name)?.replace(/(Text|Inside)$/, '');
    }
    default:
      return undefined;
  }
}

/**
 * @returns {(Found & { file: string })[]} of all source files whose path contains one of `parts`
 */
export const extractAllStrings = (parts = []) =>
  execFileSync('git', ['ls-files', 'src', 'sw', 'server'], { encoding: 'utf8' })
    .split('\n')
    .filter(
      (file) =>
        /\.(tsx?|mjs)$/.test(file) &&
        !DATA_FILES.test(file) &&
        !CODE_FILES.test(file) &&
        fs.existsSync(file),
    )
    .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
    .flatMap((file) =>
      extractStrings(fs.readFileSync(file, 'utf8')).map((one) => ({
        file,
        ...one,
        text:
          FILES_OF_PREDICATES.test(file) && PREDICATE_START.test(one.text)
            ? `{name} ${one.text}`
            : one.text,
      })),
    );

if (process.argv[1]?.endsWith('strings.mjs')) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { logs: { type: 'boolean' }, random: { type: 'string' }, seed: { type: 'string' } },
  });
  const strings = extractAllStrings(positionals).filter(
    ({ isLog }) => isLog === (values.logs ?? false),
  );
  const seed = values.seed ?? String(Date.now());
  const order = ({ file, line, text }) =>
    createHash('sha1').update(`${seed} ${file} ${line} ${text}`).digest('hex');
  const chosen = values.random
    ? strings.sort((a, b) => order(a).localeCompare(order(b))).slice(0, Number(values.random))
    : strings;
  for (const { file, line, text } of chosen) console.log(`${file}:${line}  ${text}`);
}
