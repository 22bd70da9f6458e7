/** Text in a header that is no ASCII, in "encoded words" (RFC 2047). */

const WORD = /=\?([\w.:+-]{1,40})(?:\*[\w-]{1,40})?\?([bq])\?([^?\s]*)\?=/gi;
/** White space between two of them is none of the text (section 6.2). */
const BETWEEN = /(\?=)[\t ]+(?==\?[\w.:+*-]{1,80}\?[bq]\?)/gi;

/** The text with its encoded words decoded; what is none, or of an unknown charset, stays as it is. */
export function decodeWords(text: string): string {
  if (!text.includes('=?')) return text;
  return text
    .replace(BETWEEN, '$1')
    .replace(WORD, (word: string, charset: string, encoding: string, encoded: string) => {
      const bytes =
        encoding.toLowerCase() === 'b' ? Buffer.from(encoded, 'base64') : decodeQ(encoded);
      return decodeAs(charset, bytes) ?? word;
    });
}

/** Section 4.2: `_` is a space, `=C3` a byte. */
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
