/**
 * Marks the texts in the app's modules. One marked build then becomes the build of every other
 * language by replacing its marks (`translate.mjs`): bundling and minifying take most of the time.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import { hashContent, root } from '../bundling/bundling.mjs';
import { isTranslated } from './catalog.mjs';
import { extractTexts } from './extract.mjs';

/** @typedef {import('./extract.mjs').Part} Part */
/** @typedef {import('./extract.mjs').Text} Text */
/** @typedef {Map<string, Text>} Marked texts by their marks' names */

/**
 * A marker that no text contains.
 * @param {string} id
 * @param {':' | ',' | '/'} separator
 */
export const createMark = (id, separator) => `"@t${separator}${id}@"`;

/**
 * A call that holds a text's values between marks.
 * @param {string} id
 * @param {string[]} values
 */
const writeMarks = (id, values) =>
  `/* @__PURE__ */ $t(${[createMark(id, ':'), values.join(`, ${createMark(id, ',')}, `), createMark(id, '/')].filter(Boolean).join(', ')})`;

/** @type {Text} of an element inside a text */
const ELEMENT_TEXT = {
  key: '',
  line: 0,
  start: 0,
  end: 0,
  kind: 'children',
  before: '',
  after: '',
  parts: [],
};

/** @returns {{ marked: Marked, plugin: import('esbuild').Plugin }} */
export function createMarking() {
  /** @type {Marked} */
  const marked = new Map();
  const plugin = {
    name: 'texts',
    /** @param {import('esbuild').PluginBuild} build */
    setup(build) {
      build.onLoad({ filter: /[\\/](src|sw)[\\/].*\.tsx?$/ }, async ({ path: name }) => {
        const file = path.relative(root, name).split(path.sep).join('/');
        if (!isTranslated(file)) return undefined;
        const source = await fs.readFile(name, 'utf8');
        return {
          contents: markTexts(source, file, marked),
          loader: file.endsWith('x') ? /** @type {const} */ ('tsx') : /** @type {const} */ ('ts'),
        };
      });
    },
  };
  return { marked, plugin };
}

/**
 * @param {string} source
 * @param {string} file
 * @param {Marked} marked gets the texts
 */
export function markTexts(source, file, marked) {
  const { texts, numbers, commas } = extractTexts(source, file);
  const prefix = hashContent(file);
  const edits = [
    ...texts.map((text, index) => ({
      start: text.start,
      end: text.end,
      text,
      id: `${prefix}_${index}`,
    })),
    ...numbers.map((at) => ({ start: at, end: at, text: 'LOCALE', id: '' })),
    ...commas.map(({ start, end }) => ({ start, end, text: 'COMMA', id: '' })),
  ].sort((a, b) => a.start - b.start || b.end - a.end);
  let needsPlural = false;

  /**
   * The code of a range, with marks.
   * @param {number} from
   * @param {number} to
   * @returns {string}
   */
  function render(from, to) {
    let code = '';
    let at = from;
    for (const { start, end, text, id } of edits) {
      if (start < at || end > to) continue;
      code += source.slice(at, start) + (typeof text === 'string' ? text : writeText(text, id));
      at = end;
    }
    return code + source.slice(at, to);
  }

  /**
   * @param {Part} part
   * @param {string} id
   * @returns {string}
   */
  function writeValue(part, id) {
    if (typeof part === 'string') return '';
    const { node, inner } = part;
    if (!inner) {
      const code = render(node.start, node.end);
      return part.isNumber ? `(${code}).toLocaleString(LOCALE)` : code;
    }
    const { openingElement: open, closingElement: close } = node;
    marked.set(id, { ...ELEMENT_TEXT, parts: inner });
    const values = writeValues(inner, id);
    return `${render(open.start, open.end)}{${values}}${source.slice(close.start, close.end)}`;
  }

  /**
   * @param {Part[]} parts
   * @param {string} id
   */
  const writeValues = (parts, id) =>
    writeMarks(
      id,
      namedParts(parts).map((part) => writeValue(part, `${id}.${part.name}`)),
    );

  /**
   * @param {Text} text
   * @param {string} id
   */
  function writeText(text, id) {
    marked.set(id, text);
    const { kind, parts, singular = [], count, isCall, isInChildren, isAttribute } = text;
    const inMarkup = (/** @type {string} */ expression) =>
      isInChildren || isAttribute ? `{${expression}}` : expression;
    if (kind === 'words') return isInChildren ? `{${createMark(id, ':')}}` : createMark(id, ':');
    const values = writeValues(kind === 'plural' ? [...parts, ...singular] : parts, id);
    if (kind !== 'plural' || isCall || !count) return inMarkup(values);
    needsPlural = true;
    return inMarkup(`$plural(${render(count.start, count.end)}, ${values})`);
  }

  const code = render(0, source.length);
  // Relative, as source maps and so the names of scripts must not depend on the project's place.
  const relativePath = path.posix.relative(path.posix.dirname(file), 'src/platform/plural.ts');
  const plural = relativePath.startsWith('.') ? relativePath : `./${relativePath}`;
  return needsPlural ? `import { plural as $plural } from ${JSON.stringify(plural)};${code}` : code;
}

/**
 * The values and elements of a text, each once.
 * @param {Part[]} parts
 */
export const namedParts = (parts) => [
  ...new Map(
    parts.flatMap((part) => (typeof part === 'string' ? [] : [[part.name, part]])),
  ).values(),
];
