/** CSV as spreadsheets have it (RFC 4180): written, and read as they save it. */

/** What a spreadsheet takes for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;
/** Others split at semicolons, or trim what has no quotes. */
const TO_QUOTE = /[",;\r\n\t]|^\s|\s$/;

/**
 * A cell. One that a spreadsheet would calculate begins with an apostrophe, within its quotes where
 * it has any.
 */
function toCell(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return TO_QUOTE.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export const toLine = (cells: readonly string[]): string => `${cells.map(toCell).join(',')}\r\n`;

/** How files begin that people take for CSV: workbooks of new and old Excel (and what else is zipped), PDF. */
const OTHERS = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
  [0x25, 0x50, 0x44, 0x46],
];
/** Neither is in any table: bytes that Windows-1252 leaves free, and UTF-16 that does not say so. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it looks for
const UNREADABLE = /[\u0000\u0081\u008d\u008f\u0090\u009d]/;

const NO_CSV =
  'This is no CSV file. In your spreadsheet save it as “CSV UTF-8”, and choose that file.';
const NO_TEXT =
  'The letters of this file cannot be read. Save it as “CSV UTF-8”, and choose that file.';

/**
 * The text of a CSV file: UTF-8, with a mark or without; UTF-16 with its mark, as Excel’s “Unicode
 * text” has it; all else is Windows-1252, as Excel saves “CSV” in western Europe and America.
 * @returns a sentence for people where it is none of them
 */
export function readText(bytes: Uint8Array): { text: string } | { refusal: string } {
  if (OTHERS.some((begin) => begin.every((byte, index) => bytes[index] === byte)))
    return { refusal: NO_CSV };
  const text = decode(bytes);
  return text === undefined || UNREADABLE.test(text) ? { refusal: NO_TEXT } : { text };
}

function decode(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return decodeAs('utf-16le', bytes);
  if (first === 0xfe && second === 0xff) return decodeAs('utf-16be', bytes);
  return decodeAs('utf-8', bytes) ?? decodeAs('windows-1252', bytes);
}

/** Without its mark; undefined for what is not that. */
function decodeAs(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
