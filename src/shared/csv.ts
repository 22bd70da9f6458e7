/** Reads and writes CSV for spreadsheets (RFC 4180). */

/** Spreadsheets read a cell that starts so as a formula. */
const FORMULA_START = /^[=+\-@\t\r]/;
/** Some spreadsheets split at semicolons, or trim unquoted cells. */
const NEEDS_QUOTES = /[",;\r\n\t]|^\s|\s$/;

/** A formula is escaped with an apostrophe, within the quotes. */
function toCell(text: string): string {
  const escapedText = FORMULA_START.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(escapedText) ? `"${escapedText.replaceAll('"', '""')}"` : escapedText;
}

export const toCsvLine = (cells: readonly string[]): string => `${cells.map(toCell).join(',')}\r\n`;

/** First bytes of Excel workbooks (and other zip files) and PDF. */
const NON_CSV_SIGNATURES = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
  [0x25, 0x50, 0x44, 0x46],
];
/** Bytes that Windows-1252 leaves undefined, and UTF-16 without a byte order mark. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it looks for
const UNREADABLE_BYTES = /[\u0000\u0081\u008d\u008f\u0090\u009d]/;

const NOT_CSV_TEXT =
  'This isn’t a CSV file. Save it as “CSV UTF-8” in your spreadsheet, then choose that file.';
const UNREADABLE_TEXT =
  'The text of this file can’t be read. Save it as “CSV UTF-8”, then choose that file.';

/**
 * UTF-8, UTF-16 with a byte order mark (Excel's “Unicode text”), otherwise Windows-1252 (Excel's
 * “CSV” in western Europe and America).
 * @returns a sentence for people if it has another format
 */
export function decodeCsv(bytes: Uint8Array): { text: string } | { rejection: string } {
  if (NON_CSV_SIGNATURES.some((begin) => begin.every((byte, index) => bytes[index] === byte)))
    return { rejection: NOT_CSV_TEXT };
  const text = decodeBytes(bytes);
  return text === undefined || UNREADABLE_BYTES.test(text)
    ? { rejection: UNREADABLE_TEXT }
    : { text };
}

function decodeBytes(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return decodeAs('utf-16le', bytes);
  if (first === 0xfe && second === 0xff) return decodeAs('utf-16be', bytes);
  return decodeAs('utf-8', bytes) ?? decodeAs('windows-1252', bytes);
}

/** Returns the text without its byte order mark; undefined if the bytes are invalid. */
function decodeAs(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
