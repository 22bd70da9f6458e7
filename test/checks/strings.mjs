/**
 * The strings that people see, of the app and the server, with their places:
 * `node test/checks/strings.mjs [PART OF A PATH …] [--logs] [--random N] [--seed N]`.
 * `--logs` lists what is logged instead.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { EXAMPLES, isText, LABELS, NO_TEXT } from '../../src/build/languages/texts.mjs';
import { parse } from './syntax.mjs';

/** The sample company's names and messages are data. */
const DATA = /^server\/demo\/|^src\/shared\/(common-passwords|contract\/secrets)\.ts$/;
const LOGS = ['log', 'console'];
const LOG_METHODS = ['info', 'warn', 'error'];

/**
 * @typedef {{ line: number, text: string, isLog: boolean }} Found
 * @param {string} source
 * @returns {Found[]} values in them as `{name}`, elements as `<b>`
 */
export function stringsOf(source) {
  /** @type {Found[]} */
  const found = [];
  const code = ({ start, end }) => source.slice(start, end).replace(/\s+/g, ' ');
  const add = (node, text, isLog) =>
    found.push({
      line: node.loc.start.line,
      text: text.replace(/[\s\p{Cc}]+/gu, ' ').trim(),
      isLog,
    });

  /** @param {{ isLog?: boolean, isShown?: boolean }} [about] `isShown`: any text is for people */
  function visit(node, about = {}) {
    if (Array.isArray(node)) return node.forEach((one) => visit(one, about));
    if (typeof node?.type !== 'string') return;
    const { type } = node;
    const literal = textOf(node, code);
    if (literal !== undefined && (about.isShown ? /\p{L}/u.test(literal) : isText(literal)))
      add(node, literal, about.isLog === true);
    const known = VISIT[type];
    if (known) return known(node, about);
    // Of TypeScript's own nodes only `as`, `satisfies` and `!` hold code.
    if (type.startsWith('TS')) return visit(node.expression, about);
    visitChildren(node, /Expression$/.test(type) ? about : { isLog: about.isLog });
  }
  function visitChildren(node, about) {
    for (const [name, child] of Object.entries(node))
      if (!/^(loc|extra|\w+Comments)$/.test(name)) visit(child, about);
  }
  const visitElement = (node) => {
    if (node.children.some((child) => child.type === 'JSXText' && /\p{L}/u.test(child.value)))
      add(node, node.children.map((child) => childText(child, code)).join(''), false);
    visit(node.openingElement?.attributes);
    visit(node.children, { isShown: true });
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
      visit([consequent, alternate], about);
    },
    TaggedTemplateExpression: (node) => visit(node.quasi.expressions),
    JSXElement: visitElement,
    JSXFragment: visitElement,
    JSXExpressionContainer: (node, about) => visit(node.expression, about),
    JSXAttribute: ({ name, value }) =>
      NO_TEXT.test(name.name) || visit(value, { isShown: LABELS.includes(name.name) }),
    CallExpression(node, about) {
      const { callee } = node;
      const name = callee.name ?? callee.property?.name;
      const logger = callee.object?.name ?? callee.object?.property?.name;
      const isLog = LOGS.includes(logger) && LOG_METHODS.includes(name);
      visit(callee.object);
      if (EXAMPLES.includes(name))
        return visit(node.arguments.filter((one) => textOf(one, code) === undefined));
      visit(name === 'described' ? node.arguments.slice(0, 2) : node.arguments, {
        isLog: isLog || about.isLog,
      });
    },
    NewExpression: (node, about) =>
      EXAMPLES.includes(node.callee.name) || visit(node.arguments, { isLog: about.isLog }),
  };
  visit(/** @type {any} */ (parse(source)).program.body);
  return found;
}

/** The text of a literal, with values as `{name}`. Undefined for other nodes. */
function textOf(node, code) {
  if (node.type === 'StringLiteral') return node.value;
  if (node.type !== 'TemplateLiteral') return undefined;
  return node.quasis
    .map(({ value }, index) =>
      index === 0 ? value.cooked : `{${code(node.expressions[index - 1])}}${value.cooked}`,
    )
    .join('');
}

function childText(child, code) {
  if (child.type === 'JSXText') return child.value;
  if (child.type !== 'JSXExpressionContainer') return `<${child.openingElement?.name.name ?? ''}>`;
  const { expression } = child;
  return textOf(expression, code) ?? (expression.type === 'JSXEmptyExpression' ? '' : code(child));
}

/** @returns {(Found & { file: string })[]} of all source files whose path contains one of `parts` */
export const allStrings = (parts = []) =>
  execFileSync('git', ['ls-files', 'src', 'sw', 'server'], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.(tsx?|mjs)$/.test(file) && !DATA.test(file) && fs.existsSync(file))
    .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
    .flatMap((file) => stringsOf(fs.readFileSync(file, 'utf8')).map((one) => ({ file, ...one })));

if (process.argv[1]?.endsWith('strings.mjs')) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { logs: { type: 'boolean' }, random: { type: 'string' }, seed: { type: 'string' } },
  });
  const all = allStrings(positionals).filter(({ isLog }) => isLog === (values.logs ?? false));
  const seed = values.seed ?? String(Date.now());
  const order = ({ file, line, text }) =>
    createHash('sha1').update(`${seed} ${file} ${line} ${text}`).digest('hex');
  const chosen = values.random
    ? all.sort((a, b) => order(a).localeCompare(order(b))).slice(0, Number(values.random))
    : all;
  for (const { file, line, text } of chosen) console.log(`${file}:${line}  ${text}`);
}
