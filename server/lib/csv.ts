/** Text that spreadsheets read (RFC 4180). */

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
