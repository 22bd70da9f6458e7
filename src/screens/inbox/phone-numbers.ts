// Finds phone numbers. What may be a date, hours or a part number stays text.

/** `dial` is set for a phone number. */
export type Piece = [text: string, dial?: string];

/** `+49 (0)30 1234-567`; `030/1234567`; `(555) 010-4477`, `555-0142`; `555.010.4477`. */
const NUMBER =
  /(?<![\w.,:/+#-])(?:\+\d[\d ()./-]{5,}\d\d|\(?0\d[\d ()/-]{3,}\d\d|(?:\(\d{3}\) ?|\d{3}[- ])?\d{3}-\d{4}|\d{3}\.\d{3}\.\d{4})(?![\w:%])/g;
/** `01/02/2026`, and hours such as `0800-1600`. */
const NONE = /^\d\d[-/]\d\d[-/]\d+$|^[01]\d[0-5]\d-[012]\d[0-5]\d$/;

export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let end = 0;
  for (const { 0: match, index } of text.matchAll(NUMBER)) {
    if (NONE.test(match)) continue;
    found.push([text.slice(end, index)], [match, match.replace('(0)', '').replace(/[^+\d]/g, '')]);
    end = index + match.length;
  }
  return [...found, [text.slice(end)]];
}
