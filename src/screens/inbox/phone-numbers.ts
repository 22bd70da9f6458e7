/**
 * Finds phone numbers in a text. A number that is none must not be rung, so what may as well be a
 * date, a time, an amount or the number of a part stays text.
 */
export interface Piece {
  text: string;
  /** What to dial, where the piece is a phone number. */
  dial?: string;
}

/**
 * Groups of digits with one separator between two of them: `+49 (0)30 1234-567`, `030/1234567`,
 * `(555) 010-4477`, `555-0142`.
 */
const NUMBER = /(?<![\p{L}\d.,:/+#-])(?:\+|\()?\d+(?:(?:[-./ ]| ?\(| ?\) ?|\)[-/])\d+)*(?![\p{L}\d:%€$°])/gu;
const DATE = /^(\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4})( \d{1,2})?$/;
/** `0800-1600`, `2025-2026`. */
const SPAN = /^([01]\d|2[0-4])[0-6]\d-([01]\d|2[0-4])[0-6]\d$/;
const SHORTEST = 6;
/** E.164. */
const LONGEST = 15;

/** The text in pieces, in its order. */
export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let end = 0;
  for (const { 0: match, index } of text.matchAll(NUMBER)) {
    const trimmed = withoutNeighbours(match);
    const start = index + match.indexOf(trimmed);
    const dial = numberOf(trimmed);
    if (!dial) continue;
    if (start > end) found.push({ text: text.slice(end, start) });
    found.push({ text: trimmed, dial });
    end = start + trimmed.length;
  }
  if (end < text.length) found.push({ text: text.slice(end) });
  return found;
}

/** Without what only stands beside it: `feeder 7 555-0142`, `555-0142 24 h`. */
function withoutNeighbours(match: string): string {
  if (/^[+0]/.test(match)) return match;
  return match.replace(/^\d{1,2} (?=\d|\()/, '').replace(/(?<=\d{3}-\d{4}) \d{1,2}$/, '');
}

/** What to dial; undefined for what is no phone number. */
function numberOf(match: string): string | undefined {
  if (DATE.test(match) || SPAN.test(match)) return undefined;
  const digits = match.replace(/\D/g, '');
  if (digits.length < SHORTEST || digits.length > LONGEST) return undefined;
  const abroad = match.startsWith('+');
  if (abroad) return `+${match.replace(/\(0\)/, '').replace(/\D/g, '')}`;
  // Without a prefix it is one only if it is written like one.
  const written = digits.startsWith('0') || /^\(|^\d{3}[- .]\d{3}[- .]\d{4}$|^\d{3}-\d{4}$/.test(match);
  return written && !/^\d{1,3}(\.\d{3})+$/.test(match) ? digits : undefined;
}
