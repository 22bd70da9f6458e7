/** Replaces the marks in built code by a language's texts. */
import { namedParts } from './mark.mjs';

/** @typedef {import('./extract.mjs').Text} Text */
/** @typedef {import('./catalog.mjs').Translation} Translation */
/** @typedef {(key: string) => Translation | undefined} Lookup */
/**
 * A piece of a translation: words, or a place with its inner pieces.
 * @typedef {string | { name: string, inner?: Piece[] }} Piece
 */

/**
 * @param {string} text with `{name}`, `<name/>` and `<name>…</name>`
 * @returns {Piece[]}
 */
export function splitText(text) {
  /** @type {Piece[]} */
  const pieces = [];
  const pattern = /\{(\w+)\}|<(\w+)\/>|<(\w+)>(.*?)<\/\3>/gs;
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    const [whole, value, empty, element, inner = ''] = match;
    if (match.index > at) pieces.push(text.slice(at, match.index));
    pieces.push(
      element ? { name: element, inner: splitText(inner) } : { name: value ?? empty ?? '' },
    );
    at = match.index + whole.length;
  }
  if (at < text.length) pieces.push(text.slice(at));
  return pieces;
}

/**
 * English's own forms of a plural.
 * @param {string} key
 * @returns {Record<string, string>}
 */
export function englishForms(key) {
  const [one = '', other = one] = key.split(' | ');
  return { one, other };
}

/** @param {string} text inside any quotes */
const escapeText = (text) =>
  text
    .replace(/[\\"'`]/g, '\\$&')
    .replaceAll('${', '\\${')
    .replaceAll('\n', '\\n');

/** @param {string} text inside backticks */
const inTemplate = (text) => text.replace(/[\\`]/g, '\\$&').replaceAll('${', '\\${');

/**
 * @param {string} code a built script
 * @param {import('./mark.mjs').Marked} marked
 * @param {Lookup} lookup
 */
export function translateCode(code, marked, lookup) {
  const translatedCode = replaceCalls(code, marked, (text, values) =>
    textCode(text, values, lookup, marked, true),
  );
  return replaceWords(translatedCode, marked, (text) => getWords(text, lookup));
}

/**
 * The same for a script of all languages: each text becomes a choice at run time.
 * @param {string} code
 * @param {import('./mark.mjs').Marked} marked
 * @param {{ code: string, lookup: Lookup }[]} languages besides English
 * @param {string} current an expression for the language
 */
export function translateForAll(code, marked, languages, current) {
  const choice = (/** @type {string} */ key, /** @type {(lookup: Lookup) => string} */ of) => {
    const ownLookups = languages.filter(({ lookup }) => lookup(key) !== undefined);
    const cases = ownLookups.map(
      ({ code: language, lookup }) => `${current}=="${language}"?${of(lookup)}:`,
    );
    return `(${cases.join('')}${of(() => undefined)})`;
  };
  const replacedCode = replaceCalls(code, marked, (text, values) =>
    choice(text.key, (lookup) => textCode(text, values, lookup, marked)),
  );
  const chosenCode = replacedCode.replace(/"@t:(\w+)@"/g, (_, id) => {
    const text = getText(marked, id);
    return choice(text.key, (lookup) => JSON.stringify(getWords(text, lookup)));
  });
  const leftover = /.{0,20}@t[:,/]\w+[^@]{0,20}/.exec(chosenCode);
  if (leftover)
    throw new Error(
      `Cannot translate a text in this position. Move the text to a constant: ${leftover[0]}`,
    );
  return chosenCode;
}

/**
 * @param {import('./mark.mjs').Marked} marked
 * @param {string} id
 */
function getText(marked, id) {
  const text = marked.get(id);
  if (!text) throw new Error(`Internal build error: no text has the ID ${id}.`);
  return text;
}

/**
 * @param {Text} text
 * @param {Lookup} lookup
 */
function getWords({ key, before, after }, lookup) {
  const translation = lookup(key);
  return `${before}${typeof translation === 'string' ? translation : key}${after}`;
}

/**
 * @param {string} code
 * @param {import('./mark.mjs').Marked} marked
 * @param {(text: Text) => string} words
 */
function replaceWords(code, marked, words) {
  const replacedCode = code
    .replace(/"@t:(\w+)@"/g, (_, id) => JSON.stringify(words(getText(marked, id))))
    .replace(/@t:(\w+)@/g, (_, id) => escapeText(words(getText(marked, id))));
  const [leftover, leftoverId = ''] = /@t[:,/](\w+)/.exec(replacedCode) ?? [];
  if (leftover)
    throw new Error(
      `Cannot translate a text in this position. Move it to a constant: ${getText(marked, leftoverId).key}`,
    );
  return replacedCode;
}

/**
 * What stands between a text's marks, and where its call ends.
 * @param {string} code
 * @param {number} from
 * @param {string} id
 */
function callAt(code, from, id) {
  const createMark = (/** @type {string} */ separator) => `"@t${separator}${id}@"`;
  const start = from + `$t(${createMark(':')}`.length;
  const closingAt = code.indexOf(`,${createMark('/')})`, start - 1);
  if (closingAt < 0)
    throw new Error(
      `Internal build error: the call of the text with the ID ${id} has no end mark.`,
    );
  const callCode = code.slice(start, closingAt).replace(/^,/, '');
  return {
    values: callCode ? callCode.split(`,${createMark(',')},`) : [],
    end: closingAt + `,${createMark('/')})`.length,
  };
}

/**
 * @param {string} code
 * @param {import('./mark.mjs').Marked} marked
 * @param {(text: Text, values: Map<string, string>) => string} replacement
 */
function replaceCalls(code, marked, replacement) {
  const pattern = /\$t\("@t:(\w+)@"/g;
  let result = code;
  for (let match = pattern.exec(result); match; match = pattern.exec(result)) {
    const [, id = ''] = match;
    const { values, end } = callAt(result, match.index, id);
    const text = getText(marked, id);
    result =
      result.slice(0, match.index) +
      replacement(text, valuesByName(text, values)) +
      result.slice(end);
    pattern.lastIndex = match.index; // values may hold texts
  }
  return result;
}

/**
 * The code of a text's values by their names.
 * @param {Text} text
 * @param {string[]} values
 */
function valuesByName({ key, parts, singular = [] }, values) {
  const calls = namedParts([...parts, ...singular]);
  if (calls.length !== values.length)
    throw new Error(
      `“${key}”: the text and the bundled code have different numbers of placeholders (${calls.length} and ${values.length}).`,
    );
  return new Map(calls.map(({ name }, index) => [name, values[index] ?? '']));
}

/**
 * @param {Text} text
 * @param {Map<string, string>} values
 * @param {Lookup} lookup
 * @param {import('./mark.mjs').Marked} marked
 * @param {boolean} [hasIsolates] whether names turn no word around them (U+2068, U+2069)
 */
function textCode(text, values, lookup, marked, hasIsolates = false) {
  const { key, kind, before, after, isInChildren, isNoun } = text;
  const translation = lookup(key);
  /** @param {string} words */
  const wordsCode = (words) => {
    const pieces = splitText(`${before}${words}${after}`);
    return isInChildren
      ? childrenCode(pieces, values, marked)
      : templateCode(pieces, values, hasIsolates && translation !== undefined);
  };
  if (kind !== 'plural') return wordsCode(typeof translation === 'string' ? translation : key);
  const forms = typeof translation === 'object' ? translation : englishForms(key);
  const { other = forms.many ?? '' } = forms;
  const pluralForms = Object.entries({ ...forms, other }).filter(
    ([name, words]) => name === 'other' || words !== other,
  );
  return `{${pluralForms
    .map(([name, words]) => `${name}:${wordsCode(isNoun ? words.replace('{count}', '#') : words)}`)
    .join()}}`;
}

/**
 * @param {Map<string, string>} values
 * @param {string} name
 */
function placedAt(values, name) {
  const value = values.get(name);
  if (value === undefined)
    throw new Error(
      `A translation contains the placeholder {${name}}, but the English text does not.`,
    );
  return value;
}

/** Values that people typed, and versions such as `0.2.0-k3Xq`, whose parts would change places. */
const NAME = /^(name|names|title|username|user|query|answer|to|body|version)\d*$/;

/**
 * @param {Piece[]} pieces
 * @param {Map<string, string>} values
 * @param {boolean} hasIsolates
 */
function templateCode(pieces, values, hasIsolates) {
  const code = pieces
    .map((piece) => {
      if (typeof piece === 'string') return inTemplate(piece);
      const value = `\${${placedAt(values, piece.name)}}`;
      return hasIsolates && NAME.test(piece.name) ? `\u2068${value}\u2069` : value;
    })
    .join('');
  return `\`${code}\``;
}

/**
 * @param {Piece[]} pieces
 * @param {Map<string, string>} values
 * @param {import('./mark.mjs').Marked} marked
 * @returns {string}
 */
function childrenCode(pieces, values, marked) {
  const items = pieces.map((piece) => {
    if (typeof piece === 'string') return JSON.stringify(piece);
    const value = placedAt(values, piece.name);
    return piece.inner ? withInner(value, piece.inner, marked) : value;
  });
  return items.length === 1 ? (items[0] ?? '""') : `[${items.join()}]`;
}

/**
 * An element's code with the pieces inside it.
 * @param {string} value
 * @param {Piece[]} inner
 * @param {import('./mark.mjs').Marked} marked
 * @returns {string}
 */
function withInner(value, inner, marked) {
  const match = /\$t\("@t:(\w+(?:\.\w+)+)@"/.exec(value);
  if (!match)
    throw new Error(
      `Found no text inside this element. Write the text of the element directly between its tags: ${value.slice(0, 80)}`,
    );
  const [, id = ''] = match;
  const { values, end } = callAt(value, match.index, id);
  const code = childrenCode(inner, valuesByName(getText(marked, id), values), marked);
  return value.slice(0, match.index) + code + value.slice(end);
}
