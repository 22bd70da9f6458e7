/**
 * Finds the texts of an app module, and marks them for the build of other languages. A text's key
 * is its English: values are `{name}`, elements `<b>…</b>` or `<b/>`, a plural's forms are joined by ` | `.
 */
import {
  CODE_PROPERTIES,
  CALLS_WITHOUT_TEXT,
  isLoneWord,
  isText,
  LABELS,
  ATTRIBUTES_WITHOUT_TEXT,
  parseSource,
} from './texts.mjs';

/** @typedef {import('./texts.mjs').Node} Node */
/**
 * A part of a text: words, a value, or an element with its own parts.
 * @typedef {string | { name: string, node: Node, inner?: Part[], isNumber?: boolean }} Part
 * @typedef {{
 * key: string,
 * line: number,
 * start: number,
 * end: number,
 * kind: 'words' | 'sentence' | 'children' | 'plural',
 * before: string,
 * after: string,
 * parts: Part[],
 * singular?: Part[],
 * count?: Node,
 * isCall?: boolean,
 * isNoun?: boolean,
 * isInChildren?: boolean,
 * isAttribute?: boolean,
 * }} Text
 */

/** Names, codes, selectors, and what only developers see. */
export const UNTRANSLATED_TEXTS = [
  /^(Fieldbell|Samsung|Xiaomi|Oppo|Vivo|Asus|Nokia|Sony|Huawei|Firefox|Chrome|Edge|Opera|Safari|Android|Apple|Samsung Internet|Android Chrome|Others|iPhone|dontkillmyapp\.com)$/,
  /^(Bearer |\{EXAMPLE|curl |npm run |smtps:|M\{|step \{|message-error |error count|button, a|head script|main form |input, select)/,
  /^(it cannot be decoded|its type is not|the server rejected it|The session was not renewed|Service worker version request|The browser did not report|CreateRegistration succeeded but|FCM returned no token|The service worker could not be installed|This browser doesn't support the API's)/,
];

/** Lower-case words that stand alone are text where people see any. */
const LOWER_CASE_WORD = /\p{L}{2}/u;

/** Fields and pictures at the edge of a text are no part of it. */
const ELEMENTS_OUTSIDE_TEXT =
  /^(Icon|input|select|textarea|br|wbr|GrowingText|button|svg|ul|ol|table|div|section)$/;

/** Calls that write a number with its noun. */
const COUNTING_CALLS = { countedNoun: undefined, peopleCount: 'person' };

/** @param {string} noun */
export const toPlural = (noun) => (noun === 'person' ? 'people' : `${noun.replace(/ry$/, 'rie')}s`);

/**
 * @param {Node} node
 * @returns {string} a short name for a value
 */
function getValueName(node) {
  switch (node?.type) {
    case 'Identifier':
      return node.name;
    case 'MemberExpression':
    case 'OptionalMemberExpression': {
      const name = node.property.name;
      if (['length', 'value', 'size'].includes(name) && !node.computed) {
        const ownerName = getValueName(node.object);
        return ownerName === 'value' ? name : ownerName;
      }
      return node.computed ? getValueName(node.object) : (name ?? 'value');
    }
    case 'CallExpression':
    case 'OptionalCallExpression': {
      const { callee } = node;
      const method = callee.property?.name;
      if (
        [
          'toLocaleString',
          'join',
          'toString',
          'toUpperCase',
          'filter',
          'map',
          'slice',
          'toLowerCase',
        ].includes(method)
      )
        return getValueName(callee.object);
      if (callee.object?.name === 'Math' || callee.name === 'Number' || callee.name === 'String')
        return getValueName(node.arguments[0]);
      return withoutVerb((method ?? callee.name ?? 'value').replace(/(Text|Of)$/, '')) || 'value';
    }
    case 'BinaryExpression':
    case 'LogicalExpression':
      return node.operator === '&&' ? getValueName(node.right) : getValueName(node.left);
    case 'AwaitExpression':
    case 'UnaryExpression':
      return getValueName(node.argument);
    case 'TSAsExpression':
    case 'TSNonNullExpression':
      return getValueName(node.expression);
    case 'ConditionalExpression':
      return getValueName(node.test);
    default:
      return 'value';
  }
}

/**
 * `getHost()` stands for a host.
 * @param {string} functionName
 */
const withoutVerb = (functionName) =>
  functionName.replace(/^(?:get|format|render|translate)([A-Z])/, (_, letter) =>
    letter.toLowerCase(),
  );

/** @param {Node} element */
const getTag = ({ openingElement }) => {
  const name = openingElement?.name;
  return name?.name ?? name?.property?.name ?? 'fragment';
};

/**
 * How JSX reads white space.
 * @param {string} source
 */
const jsxText = (source) => {
  const lines = source.split('\n');
  return lines
    .map((line, index) => {
      const text = index > 0 ? line.replace(/^[ \t]+/, '') : line;
      return index < lines.length - 1 ? text.replace(/[ \t]+$/, '') : text;
    })
    .filter(Boolean)
    .join(' ');
};

/**
 * @param {Node} node a string or template literal
 * @returns {Part[] | undefined}
 */
function literalParts(node) {
  if (node?.type === 'StringLiteral') return [node.value];
  if (node?.type !== 'TemplateLiteral') return undefined;
  return node.quasis.flatMap((/** @type {Node} */ { value }, /** @type {number} */ index) => [
    value.cooked,
    ...(node.expressions[index] ? [valuePart(node.expressions[index])] : []),
  ]);
}

/**
 * @param {Node} node
 * @returns {Part}
 */
const valuePart = (node) => ({ name: getValueName(node), node });

/**
 * @param {Node[]} children
 * @returns {Part[]}
 */
const childParts = (children) =>
  children.flatMap((child) => {
    if (child.type === 'JSXText') return [jsxText(child.value)];
    if (child.type === 'JSXExpressionContainer') {
      const { expression } = child;
      if (expression.type === 'JSXEmptyExpression') return [];
      return literalParts(expression) ?? [valuePart(expression)];
    }
    if (child.type !== 'JSXElement') return [{ name: 'value', node: child }];
    const tag = getTag(child);
    const isOpaque = ELEMENTS_OUTSIDE_TEXT.test(tag) || child.children.length === 0;
    const name = tag.toLowerCase();
    return [
      isOpaque ? { name, node: child } : { name, node: child, inner: childParts(child.children) },
    ];
  });

/** Gives equal names a number, unless they stand for the same code. */
function numberParts(/** @type {Part[]} */ parts, /** @type {string} */ source) {
  /** @type {Map<string, string[]>} */
  const codes = new Map();
  const forEachPart = (
    /** @type {Part[]} */ list,
    /** @type {(part: Exclude<Part, string>) => void} */ use,
  ) => {
    for (const part of list)
      if (typeof part !== 'string') {
        use(part);
        if (part.inner) forEachPart(part.inner, use);
      }
  };
  const code = (/** @type {Node} */ { start, end }) => source.slice(start, end);
  forEachPart(parts, ({ name, node }) => {
    const knownCodes = codes.get(name) ?? [];
    if (!knownCodes.includes(code(node))) knownCodes.push(code(node));
    codes.set(name, knownCodes);
  });
  forEachPart(parts, (part) => {
    const knownCodes = codes.get(part.name) ?? [];
    if (knownCodes.length > 1) part.name = `${part.name}${knownCodes.indexOf(code(part.node)) + 1}`;
  });
}

/**
 * @param {Part[]} parts
 * @returns {string}
 */
export const buildTextKey = (parts) =>
  parts
    .map((part) => {
      if (typeof part === 'string') return part;
      if (part.inner) return `<${part.name}>${buildTextKey(part.inner)}</${part.name}>`;
      return part.node.type.startsWith('JSX') ? `<${part.name}/>` : `{${part.name}}`;
    })
    .join('');

/** @param {Part[]} parts */
const words = (parts) => parts.filter((part) => typeof part === 'string').join(' ');
const hasWords = (/** @type {Part[]} */ parts) => /\p{L}/u.test(words(parts));

/**
 * Takes white space, and fields and pictures, off both ends.
 * @param {Part[]} parts
 */
function trimParts(parts) {
  const list = [...parts];
  const isEdge = (/** @type {Part | undefined} */ part) =>
    part !== undefined &&
    (typeof part === 'string'
      ? part.trim() === ''
      : part.node.type === 'JSXElement' &&
        !part.inner &&
        ELEMENTS_OUTSIDE_TEXT.test(getTag(part.node)));
  let [first, last] = [0, list.length];
  while (first < last && isEdge(list[first])) first++;
  while (last > first && isEdge(list[last - 1])) last--;
  return { first, last };
}

/**
 * @param {string} source
 * @param {string} file its path in the project
 * @returns {{ texts: Text[], numbers: number[], commas: Node[] }} `numbers`: where `toLocaleString()`
 * takes a language; `commas`: what joins lists
 */
export function extractTexts(source, file) {
  /** @type {Text[]} */
  const texts = [];
  /** @type {number[]} */
  const numbers = [];
  /** @type {Node[]} */
  const commas = [];
  const seenKeys = new Set();

  /**
   * @param {Node} node
   * @param {Part[]} parts
   * @param {Partial<Text>} details
   */
  function add(node, parts, details) {
    const list = parts.filter((part) => part !== '');
    numberParts(list, source);
    const key = buildTextKey(list);
    const trimmedKey = key.trim();
    if (
      UNTRANSLATED_TEXTS.some((regex) => regex.test(trimmedKey)) ||
      !/\p{L}/u.test(trimmedKey.replace(/\{[^}]*\}|<[^>]*>/g, ''))
    )
      return false;
    texts.push({
      key: trimmedKey,
      line: node.loc.start.line,
      start: node.start,
      end: node.end,
      kind: list.every((part) => typeof part === 'string') ? 'words' : 'sentence',
      before: /^\s*/.exec(key)?.[0] ?? '',
      after: /\s*$/.exec(key)?.[0] ?? '',
      parts: list,
      ...details,
    });
    return true;
  }

  const code = (/** @type {Node} */ { start, end }) => source.slice(start, end);

  /**
   * What a part says for one and for several, if it depends on a number: `countedNoun(n, 'topic')`, or
   * `n === 1 ? 'is' : 'are'`.
   * @param {Part} part
   * @returns {{ part: Part, count: Node, one: Part[], other: Part[] } | undefined}
   */
  function formsOfPart(part) {
    if (typeof part === 'string') return undefined;
    const { node } = part;
    if (node.type === 'CallExpression') {
      const { callee, arguments: parameters } = node;
      if (!Object.hasOwn(COUNTING_CALLS, callee.name ?? '')) return undefined;
      const noun = callee.name === 'countedNoun' ? parameters[1]?.value : 'person';
      if (typeof noun !== 'string') return undefined;
      const value = { name: 'count', node: parameters[0], isNumber: true };
      return {
        part,
        count: parameters[0],
        one: [value, ` ${noun}`],
        other: [value, ` ${toPlural(noun)}`],
      };
    }
    if (node.type !== 'ConditionalExpression') return undefined;
    const { test, consequent, alternate } = node;
    if (test.type !== 'BinaryExpression' || test.operator !== '===' || test.right.value !== 1)
      return undefined;
    const [one, other] = [literalParts(consequent), literalParts(alternate)];
    return one && other ? { part, count: test.left, one, other } : undefined;
  }

  /**
   * @param {Node} node
   * @param {Part[]} parts
   * @param {Partial<Text>} details
   */
  function addCounted(node, parts, details) {
    const countedForms = parts.map(formsOfPart);
    const first =
      countedForms.find(
        (one) => one && typeof one.part !== 'string' && one.part.node.type !== 'CallExpression',
      ) ?? countedForms.find(Boolean);
    if (!first) return add(node, parts, details);
    const { count } = first;
    const form = (/** @type {'one' | 'other'} */ which) =>
      parts.flatMap((part, index) => {
        const forms = countedForms[index];
        if (forms && code(forms.count) === code(count)) return forms[which];
        if (typeof part === 'string') return [part];
        // The number itself, as text.
        return code(part.node).replace('.toLocaleString()', '') === code(count)
          ? [{ name: 'count', node: part.node }]
          : [part];
      });
    const [singular, other] = [form('one'), form('other')];
    for (const part of [...singular, ...other])
      if (typeof part !== 'string' && part.node === count) seenKeys.add(count);
    for (const countedForm of countedForms)
      if (
        countedForm &&
        typeof countedForm.part !== 'string' &&
        code(countedForm.count) === code(count)
      )
        seenKeys.add(countedForm.part.node);
    visit(count);
    numberParts(other, source);
    numberParts(singular, source);
    return add(node, other, {
      kind: 'plural',
      count,
      singular,
      ...details,
      key: `${buildTextKey(singular).trim()} | ${buildTextKey(other).trim()}`,
    });
  }

  /**
   * @param {Node} node
   * @param {{ isLog?: boolean, isShown?: boolean }} [context]
   */
  function visit(node, context = {}) {
    if (Array.isArray(node)) return node.forEach((child) => visit(child, context));
    if (typeof node?.type !== 'string') return;
    const { type } = node;
    const parts = seenKeys.has(node) ? undefined : literalParts(node);
    if (parts && !context.isLog) {
      const text = buildTextKey(parts).trim();
      const hasValues = parts.some((part) => typeof part !== 'string');
      const isShown = context.isShown
        ? LOWER_CASE_WORD.test(words(parts)) || (hasValues && hasWords(parts))
        : isText(text) || isLoneWord(text, file) || (hasValues && parts.some(formsOfPart));
      const found = isShown && addCounted(node, parts, {});
      visit(node.expressions, { isShown: Boolean(found) });
      return;
    }
    const visitNode = VISITORS[type];
    if (visitNode) return visitNode(node, context);
    // Only TypeScript's `as`, `satisfies` and `!` hold code; its other nodes are types.
    if (type.startsWith('TS')) return visit(node.expression, context);
    visitChildren(node, /Expression$/.test(type) ? context : { isLog: context.isLog ?? false });
  }
  /**
   * @param {Node} node
   * @param {object} context
   */
  function visitChildren(node, context) {
    for (const [name, child] of Object.entries(node))
      if (!/^(loc|extra|\w+Comments)$/.test(name)) visit(child, context);
  }

  /**
   * Visits what stands inside a text's parts.
   * @param {Part[]} parts
   */
  function visitParts(parts) {
    for (const part of parts) {
      if (typeof part === 'string') continue;
      if (!part.inner) {
        visit(part.node, { isShown: true });
        continue;
      }
      visit(part.node.openingElement.attributes);
      visitParts(part.inner);
    }
  }

  /** @param {Node} node */
  function visitElement(node) {
    visit(node.openingElement?.attributes);
    const { children } = node;
    const isOwnText = children.some(
      (/** @type {Node} */ child) => child.type === 'JSXText' && /\p{L}/u.test(child.value),
    );
    const literals = children.filter(
      (/** @type {Node} */ child) =>
        child.type === 'JSXExpressionContainer' && hasWords(literalParts(child.expression) ?? []),
    );
    if (!isOwnText && (literals.length === 0 || children.length === 1))
      return visit(children, { isShown: true });
    // The text is what stands between fields and pictures.
    const perChild = children.map((/** @type {Node} */ child) => childParts([child]));
    const flat = perChild.map((/** @type {Part[]} */ list) =>
      list.every((part) => typeof part === 'string')
        ? list.join('')
        : (list.find((part) => typeof part !== 'string') ?? ''),
    );
    const { first, last } = trimParts(flat);
    const parts = perChild.slice(first, last).flat();
    const [from, to] = [children[first], children[last - 1]];
    if (!from || !hasWordsInside(parts)) return visit(children, { isShown: true });
    const found = addCounted({ loc: from.loc, start: from.start, end: to.end }, parts, {
      ...(parts.every((/** @type {Part} */ part) => typeof part === 'string')
        ? {}
        : { kind: 'children' }),
      ...(parts.some(formsOfPart) && { kind: 'plural' }),
      isInChildren: true,
    });
    visit(children.slice(0, first), { isShown: true });
    visit(children.slice(last), { isShown: true });
    if (found) visitParts(parts);
    else visit(children.slice(first, last), { isShown: true });
  }
  /** @type {(parts: Part[]) => boolean} */
  const hasWordsInside = (parts) =>
    parts.some((part) =>
      typeof part === 'string'
        ? /\p{L}/u.test(part)
        : part.inner !== undefined && hasWordsInside(part.inner),
    );

  /**
   * A noun that another module counts.
   * @param {Node} node a literal
   */
  const addNoun = (node, isAttribute = false) =>
    addCountedWords(node, toPlural(node.value), isAttribute);

  /**
   * @param {Node} node a literal
   * @param {string} [pluralKey]
   * @param {boolean} [isAttribute]
   */
  function addCountedWords(node, pluralKey, isAttribute = false) {
    const parts = literalParts(node) ?? [];
    numberParts(parts, source);
    const singularKey = buildTextKey(parts);
    add(node, ['{count} ', ...parts], {
      kind: 'plural',
      isNoun: true,
      isAttribute,
      key: `{count} ${singularKey} | {count} ${pluralKey ?? singularKey}`,
    });
  }

  /**
   * @param {Node} node `plural(count, { one, other })`
   * @param {Node} forms
   */
  function addPlural(node, forms) {
    const of = (/** @type {string} */ name) =>
      literalParts(
        forms.properties.find((/** @type {Node} */ { key }) => key?.name === name)?.value,
      );
    const [one, other] = [of('one'), of('other')];
    if (!one || !other)
      throw new Error(
        `line ${node.loc.start.line}: “one” and “other” of plural() must be string literals`,
      );
    numberParts(other, source);
    // The singular may write its number as a word or a digit.
    numberParts(one, source);
    add(forms, other, {
      kind: 'plural',
      count: node.arguments[0],
      singular: one,
      isCall: true,
      key: `${buildTextKey(one).trim()} | ${buildTextKey(other).trim()}`,
    });
    visitParts([
      ...other,
      ...one.filter(
        (part) =>
          typeof part !== 'string' &&
          !other.some((two) => typeof two !== 'string' && two.name === part.name),
      ),
    ]);
  }

  const skip = () => undefined;
  /** @type {Record<string, (node: Node, about: { isLog?: boolean, isShown?: boolean }) => unknown>} */
  const VISITORS = {
    ImportDeclaration: skip,
    ExportAllDeclaration: skip,
    TSTypeAliasDeclaration: skip,
    TSInterfaceDeclaration: skip,
    JSXText: skip,
    ExportNamedDeclaration: (node) => visit(node.declaration),
    // A key names, and a case or a comparison asks: neither is shown.
    ObjectProperty: ({ key, value }, { isLog = false }) =>
      CODE_PROPERTIES.includes(key.name) && value.type === 'StringLiteral'
        ? isText(value.value) && /[.!?]$/.test(value.value) && visit(value)
        : visit(value, { isLog }),
    SwitchCase: (node) => visit(node.consequent),
    MemberExpression: (node) => visit(node.object),
    OptionalMemberExpression: (node) => visit(node.object),
    BinaryExpression: (node, context) => node.operator === '+' && visitChildren(node, context),
    ConditionalExpression: (node, context) => {
      const { test, consequent, alternate } = node;
      if (seenKeys.has(node)) return;
      visit(test);
      const part = { name: 'value', node };
      if (
        formsOfPart(part) &&
        [consequent, alternate].some((one) => hasWords(literalParts(one) ?? []))
      ) {
        if (addCounted(node, [part], {}))
          return visit([consequent, alternate].map((one) => one.expressions ?? []));
      }
      visit([consequent, alternate], context);
    },
    LogicalExpression: ({ operator, left, right }, context) => {
      visit(left, operator === '&&' ? {} : context);
      visit(right, context);
    },
    TaggedTemplateExpression: (node) => visit(node.quasi.expressions),
    JSXElement: visitElement,
    JSXFragment: visitElement,
    JSXExpressionContainer: (node, context) => visit(node.expression, context),
    JSXAttribute: ({ name, value }) =>
      ATTRIBUTES_WITHOUT_TEXT.test(name.name) ||
      (name.name === 'noun' && value?.type === 'StringLiteral'
        ? addNoun(value, true)
        : visit(value, { isShown: LABELS.includes(name.name) })),
    CallExpression(node, { isLog = false }) {
      const { callee } = node;
      const name = callee.name ?? callee.property?.name;
      visit(callee.object);
      if (name === 'toLocaleString' && node.arguments.length === 0) numbers.push(node.end - 1);
      if (name === 'plural' && node.arguments[1]?.type === 'ObjectExpression') {
        visit(node.arguments[0]);
        return addPlural(node, node.arguments[1]);
      }
      if (Object.hasOwn(COUNTING_CALLS, name ?? '') && callee.name && node.arguments.length) {
        if (seenKeys.has(node)) return undefined;
        const noun = name === 'countedNoun' ? node.arguments[1]?.value : undefined;
        if (typeof noun === 'string') addCounted(node, [{ name: 'count', node }], {});
        else visit(node.arguments[0]);
        return undefined;
      }
      if (name === 'countText' && literalParts(node.arguments[1])) {
        visit(node.arguments[0]);
        return addCountedWords(node.arguments[1]);
      }
      if (callee.object?.name === 'console') return undefined;
      if (name === 'join') {
        if (node.arguments[0]?.value === ', ') commas.push(node.arguments[0]);
        return visit(node.arguments, { isShown: true });
      }
      if (name === 'rangeText' && node.arguments[1]?.type === 'StringLiteral') {
        visit(node.arguments[0]);
        return addNoun(node.arguments[1]);
      }
      visit(
        CALLS_WITHOUT_TEXT.includes(name)
          ? node.arguments.filter(
              (/** @type {Node} */ argument) => literalParts(argument) === undefined,
            )
          : node.arguments,
        { isLog },
      );
      return undefined;
    },
    NewExpression: (node, { isLog = false }) =>
      CALLS_WITHOUT_TEXT.includes(node.callee.name) || visit(node.arguments, { isLog }),
  };
  visit(parseSource(source).program.body);
  return { texts, numbers: [...new Set(numbers)], commas: [...new Set(commas)] };
}
