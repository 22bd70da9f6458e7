/**
 * Strings that people see but that the extraction of texts misses, so that no language translates
 * them.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { extractTexts, UNTRANSLATED_TEXTS } from '../../src/build/languages/extract.mjs';
import { isTranslated } from '../../src/build/languages/catalog.mjs';
import {
  CODE_PROPERTIES,
  LABELS,
  ATTRIBUTES_WITHOUT_TEXT,
  parseSource,
} from '../../src/build/languages/texts.mjs';

/** Calls that show or say their first argument. */
const SHOWING_CALLS = /^(notify|offerUndo|alert|confirm)$/;
/** Addresses, lines of a file, names of properties, tones, and codes whose words are elsewhere. */
const DATA_PATTERN =
  /^[^ ]*[,/@?][^ ]*$|^\{\}-|\p{Ll}\p{Lu}|^(UTC|en|ok|warn|bad|info|normal|urgent|opened|registered)$/u;
/** Properties that are no text. */
const SHOWN_CODE_PROPERTIES = [...CODE_PROPERTIES, 'tone'];
/**
 * Props of components take codes as well as texts; a text there has a space or begins like a label.
 */
const CODE_PATTERN = /^[\p{Ll}_-]*$|^[\p{Lu}_]+$/u;
/**
 * @param {string} source
 * @param {string} file
 * @param {string} [root] where the modules are that it imports
 * @returns {string[]} each with its place
 */
export function findBareStrings(source, file, root) {
  const module = moduleFrom(source, file, root);
  const faultsByLiteral = new Map();
  const show = (node, mayBeCode = false) => {
    for (const { node: literal, module: of } of literalsOf(node, module)) {
      const text = literal.value ?? literal.quasis.map(({ value }) => value.cooked).join('{}');
      if (!/\p{L}{2}/u.test(text) || DATA_PATTERN.test(text) || of.isExtracted(literal, text))
        continue;
      if (UNTRANSLATED_TEXTS.some((one) => one.test(text.trim()))) continue;
      if (mayBeCode && CODE_PATTERN.test(text)) continue;
      faultsByLiteral.set(
        literal,
        `${of.file}:${literal.loc.start.line} “${text.trim()}” is shown but not translated`,
      );
    }
  };
  walk(module.program, (node) => {
    if (node.type === 'JSXElement' || node.type === 'JSXFragment')
      for (const child of node.children)
        if (child.type === 'JSXExpressionContainer') show(child.expression);
    if (node.type === 'JSXOpeningElement')
      for (const { type, name, value } of node.attributes) {
        if (type !== 'JSXAttribute' || !value) continue;
        const isOurs = /^\p{Lu}/u.test(node.name.name ?? node.name.property?.name ?? '');
        const isLabel = LABELS.includes(name.name);
        if (!(isLabel || (isOurs && !ATTRIBUTES_WITHOUT_TEXT.test(name.name)))) continue;
        show(value.type === 'JSXExpressionContainer' ? value.expression : value, !isLabel);
      }
    if (node.type === 'CallExpression' && SHOWING_CALLS.test(node.callee.name ?? ''))
      show(node.arguments[0]);
  });
  return [...faultsByLiteral.values()];
}

/** Modules by `root` and file. */
const modules = new Map();

/** A translated module that another one imports. Undefined for anything else. */
function moduleAt(from, path_, root) {
  if (!root || !path_.startsWith('.')) return undefined;
  const base = path.posix.join(path.posix.dirname(from), path_);
  const file = [`${base}.ts`, `${base}.tsx`].find((one) => existsSync(path.join(root, one)));
  if (!file || !isTranslated(file)) return undefined;
  const key = path.join(root, file);
  if (!modules.has(key)) modules.set(key, moduleFrom(readFileSync(key, 'utf8'), file, root));
  return modules.get(key);
}

/**
 * A module and the values of its names: `{ node, path }`, where `path` leads into the node's value.
 */
function moduleFrom(source, file, root) {
  const program = parseSource(source).program.body;
  const extractedTexts = extractTexts(source, file).texts;
  const isExtracted = ({ start, end }, text) =>
    extractedTexts.some(
      (one) => one.start <= start && end <= one.end && one.key.includes(text.split('{')[0].trim()),
    );
  const values = new Map();
  const imports = new Map();
  const define = (pattern, node, path_ = []) => {
    if (pattern?.type === 'Identifier')
      values.set(pattern.name, [...(values.get(pattern.name) ?? []), { node, path: path_ }]);
    if (pattern?.type === 'ArrayPattern')
      pattern.elements.forEach((one, index) => define(one, node, [...path_, index]));
    if (pattern?.type === 'ObjectPattern')
      for (const { key, value } of pattern.properties)
        if (key?.name) define(value, node, [...path_, key.name]);
    if (pattern?.type === 'AssignmentPattern') {
      define(pattern.left, node, path_);
      define(pattern.left, pattern.right);
    }
  };
  walk(program, (node) => {
    if (node.type === 'ImportDeclaration')
      for (const { local, imported } of node.specifiers)
        imports.set(local.name, { name: imported?.name, from: node.source.value });
    if (node.type === 'VariableDeclarator' && node.init) define(node.id, node.init);
    if (node.type === 'FunctionDeclaration' && node.id) define(node.id, node);
  });
  // What functions of the module, and callbacks of lists, are called with.
  walk(program, ({ type, callee, arguments: callArguments }) => {
    if (type !== 'CallExpression') return;
    if (callee.type === 'Identifier')
      for (const { node, path: path_ } of values.get(callee.name) ?? [])
        if (path_.length === 0)
          node.params?.forEach(
            (param, index) => callArguments[index] && define(param, callArguments[index]),
          );
    if (/^(map|flatMap)$/.test(callee.property?.name ?? ''))
      define(callArguments[0]?.params?.[0], callee.object, [ANY_ELEMENT]);
  });
  return {
    file,
    program,
    values,
    isExtracted,
    importOf: (name) => {
      const found = imports.get(name);
      const module = found && moduleAt(file, found.from, root);
      return module && { module, values: module.values.get(found.name) ?? [] };
    },
  };
}

/** Any element or property. */
const ANY_ELEMENT = '*';
const MAX_PATH_LENGTH = 6;

/**
 * The literals that an expression may be: its branches, and what its names stand for, also in other modules.
 * @returns {{ node: any, module: any }[]}
 */
function literalsOf(node, module, path_ = [], seen = new Set()) {
  const place = node && [module.file, node.start, node.end, ...path_].join(' ');
  if (!node || path_.length > MAX_PATH_LENGTH || seen.has(place)) return [];
  seen.add(place);
  const at = (way, ...nodes) => nodes.flatMap((one) => literalsOf(one, module, way, seen));
  const of = (...nodes) => at(path_, ...nodes);
  const [first, ...rest] = path_;
  switch (node.type) {
    case 'StringLiteral':
      return path_.length ? [] : [{ node, module }];
    case 'TemplateLiteral':
      return path_.length ? [] : [{ node, module }, ...of(...node.expressions)];
    case 'ConditionalExpression':
      return of(...(isEnglishOnly(node.test) ? [] : [node.consequent]), node.alternate);
    case 'LogicalExpression':
      return node.operator === '&&' ? of(node.right) : of(node.left, node.right);
    case 'BinaryExpression':
      return node.operator === '+' ? of(node.left, node.right) : [];
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
      return of(node.expression);
    case 'SpreadElement':
      return of(node.argument);
    case 'Identifier': {
      const other = module.importOf(node.name);
      const found = other ?? { module, values: module.values.get(node.name) ?? [] };
      return found.values.flatMap((one) =>
        literalsOf(one.node, found.module, [...one.path, ...path_], seen),
      );
    }
    case 'MemberExpression':
    case 'OptionalMemberExpression':
      return at([node.computed ? ANY_ELEMENT : node.property.name, ...path_], node.object);
    case 'CallExpression':
    case 'OptionalCallExpression':
      return callLiterals(node, at, path_);
    case 'ArrayExpression':
      if (first === undefined)
        // `[code, label]`
        return of(...node.elements.slice(node.elements[1] && node.elements[0]?.value ? 1 : 0));
      if (typeof first === 'number' && !node.elements.some((one) => one?.type === 'SpreadElement'))
        return at(rest, node.elements[first]);
      return node.elements.flatMap((one) =>
        one?.type === 'SpreadElement' ? at(path_, one) : at(rest, one),
      );
    case 'ObjectExpression':
      return node.properties.flatMap((one) => {
        if (one.type === 'SpreadElement') return of(one);
        if (first === undefined || first === ANY_ELEMENT)
          return SHOWN_CODE_PROPERTIES.includes(one.key?.name) ? [] : at(rest, one.value ?? one);
        return one.key?.name === first ? at(rest, one.value ?? one) : [];
      });
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
    case 'FunctionDeclaration':
    case 'ObjectMethod':
      return node.body.type === 'BlockStatement' ? of(...returnsOf(node.body)) : of(node.body);
    default:
      return [];
  }
}

/** What a called function returns, or what a method of a list or text keeps. */
function callLiterals({ callee, arguments: callArguments }, at, path_) {
  if (callee.type !== 'MemberExpression' && callee.type !== 'OptionalMemberExpression')
    return at(path_, callee);
  switch (callee.property.name) {
    case 'map':
      return at(path_.slice(1), callArguments[0]);
    case 'flatMap':
      return at(path_, callArguments[0]);
    case 'filter':
    case 'slice':
    case 'concat':
    case 'toLowerCase':
    case 'trim':
      return at(path_, callee.object);
    case 'find':
    case 'at':
      return at([ANY_ELEMENT, ...path_], callee.object);
    case 'join':
      return at([ANY_ELEMENT], callee.object);
    default:
      return callee.computed ? at(path_, callee) : [];
  }
}

/** `LANGUAGE === 'en'`: other languages have another branch. */
const isEnglishOnly = ({ type, operator, left, right }) =>
  type === 'BinaryExpression' &&
  operator === '===' &&
  left.name === 'LANGUAGE' &&
  right.value === 'en';

/** Leaves out strings that only English reaches, after `if (LANGUAGE !== 'en') return …`. */
function returnsOf({ body }) {
  const found = [];
  const englishCheckIndex = body.findIndex(
    ({ type, test }) =>
      type === 'IfStatement' && test.left?.name === 'LANGUAGE' && test.operator === '!==',
  );
  walk(
    englishCheckIndex < 0 ? body : body.slice(0, englishCheckIndex + 1),
    (node) => node.type === 'ReturnStatement' && found.push(node.argument),
  );
  return found;
}

function walk(node, use) {
  if (Array.isArray(node)) return node.forEach((one) => walk(one, use));
  if (typeof node?.type !== 'string') return;
  use(node);
  for (const [name, child] of Object.entries(node))
    if (!/^(loc|extra|\w+Comments)$/.test(name)) walk(child, use);
}

/**
 * @param {string[]} files
 * @param {string} root
 */
export const bareStringFaults = (files, root) => [
  ...new Set(
    files
      .filter(isTranslated)
      .flatMap((file) => findBareStrings(readFileSync(path.join(root, file), 'utf8'), file, root)),
  ),
];
