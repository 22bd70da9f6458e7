/** ntfy's parameters in headers and query. */

/** ntfy's names, in its order. */
const PARAMETER_NAMES = {
  message: ['x-message', 'message', 'm'],
  title: ['x-title', 'title', 'ti', 't'],
  priority: ['x-priority', 'priority', 'prio', 'p'],
  click: ['x-click', 'click'],
  delay: ['x-delay', 'delay', 'x-at', 'at', 'x-in', 'in'],
  attach: ['x-attach', 'attach', 'a'],
} as const;
/** Browsers and proxies send this header too (RFC 9218). */
const HTTP_PRIORITY_PATTERN = /^(u=\d|i)(,\s*(u=\d|i(=\?[01])?))*$/;

/** A parameter that is not given is an empty text. */
export type Parameters = Record<keyof typeof PARAMETER_NAMES, string>;

export function readParameters(
  header: (name: string) => string | undefined,
  query: URLSearchParams,
): Parameters {
  const readHeader = (name: string): string => {
    const value = decodeHeader(header(name) ?? '').trim();
    return name === 'priority' && HTTP_PRIORITY_PATTERN.test(value) ? '' : value;
  };
  const readFirst = (names: readonly string[]): string => {
    for (const readValue of [readHeader, (name: string) => query.get(name)?.trim() ?? ''])
      for (const name of names) {
        const value = readValue(name);
        if (value !== '') return value;
      }
    return '';
  };
  return {
    message: readFirst(PARAMETER_NAMES.message).replaceAll('\\n', '\n'),
    title: readFirst(PARAMETER_NAMES.title),
    priority: readFirst(PARAMETER_NAMES.priority),
    click: readFirst(PARAMETER_NAMES.click),
    delay: readFirst(PARAMETER_NAMES.delay),
    attach: readFirst(PARAMETER_NAMES.attach),
  };
}

/** Node returns bytes as characters: UTF-8, or RFC 2047 in ASCII. */
function decodeHeader(value: string): string {
  return decodeWords(isPlain(value) ? value : (decodeUtf8(value) ?? value));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with them
const isPlain = (value: string): boolean => /^[\x00-\x7f]*$/.test(value);

function decodeUtf8(value: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'));
  } catch {
    return undefined;
  }
}

const ENCODED_WORD_PATTERN = /=\?([\w.:+-]{1,40})(?:\*[\w-]{1,40})?\?([bq])\?([^?\s]*)\?=/gi;
/** White space between encoded words is dropped (RFC 2047, 6.2). */
const SPACE_BETWEEN_WORDS_PATTERN = /(\?=)[\t ]+(?==\?[\w.:+*-]{1,80}\?[bq]\?)/gi;

/** Decodes encoded words. Invalid words, and words of unknown charsets, stay. */
function decodeWords(text: string): string {
  if (!text.includes('=?')) return text;
  return text
    .replace(SPACE_BETWEEN_WORDS_PATTERN, '$1')
    .replace(
      ENCODED_WORD_PATTERN,
      (word: string, charset: string, encoding: string, encodedText: string) => {
        const bytes =
          encoding.toLowerCase() === 'b'
            ? Buffer.from(encodedText, 'base64')
            : decodeQ(encodedText);
        return decodeAs(charset, bytes) ?? word;
      },
    );
}

/** RFC 2047, 4.2: `_` is a space, `=C3` a byte. */
const decodeQ = (text: string): Buffer =>
  Buffer.from(
    text
      .replaceAll('_', ' ')
      .replace(/=([\da-f]{2})/gi, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      ),
    'latin1',
  );

function decodeAs(charset: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return undefined;
  }
}
