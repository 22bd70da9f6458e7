// Finds phone numbers and web addresses. What may be a date, hours or a part number stays text.

/** `to` is set for what can be pressed: a `tel:` link, or an http or https address. */
export type TextPiece = [text: string, to?: string];
/** The part of a match to press, from its start, and where it leads. */
type Target = readonly [text: string, to: string] | undefined;

/** `+49 (0)30 1234-567`; `030/1234567`; `(555) 010-4477`, `555-0142`; `555.010.4477`. */
const PHONE_NUMBER =
  /(?<![\w.,:/+#-])(?:\+\d[\d ()./-]{5,}\d\d|\(?0\d[\d ()/-]{3,}\d\d|(?:\(\d{3}\) ?|\d{3}[- ])?\d{3}-\d{4}|\d{3}\.\d{3}\.\d{4})(?![\w:%])/g;
/** Matches dates such as `01/02/2026`, and hours such as `0800-1600`. */
const DATE_OR_TIME_RANGE = /^\d\d[-/]\d\d[-/]\d+$|^[01]\d[0-5]\d-[012]\d[0-5]\d$/;
const WEB_ADDRESS = /https?:\/\/[^\s<>"]+/gi;
/** Ends a sentence rather than an address. */
const CLOSING_PUNCTUATION = ".,;:!?'’”»)]}";

/** The whole text, in order. */
export const splitLinks = (text: string): TextPiece[] =>
  splitBy(text, WEB_ADDRESS, toWebTarget).flatMap((piece) =>
    piece[1] ? [piece] : splitBy(piece[0], PHONE_NUMBER, toPhoneTarget),
  );

function splitBy(text: string, pattern: RegExp, toTarget: (match: string) => Target): TextPiece[] {
  const pieces: TextPiece[] = [];
  let end = 0;
  for (const { 0: match, index } of text.matchAll(pattern)) {
    const target = toTarget(match);
    if (!target) continue;
    pieces.push([text.slice(end, index)], [...target]);
    end = index + target[0].length;
  }
  return [...pieces, [text.slice(end)]];
}

const toPhoneTarget = (match: string): Target =>
  DATE_OR_TIME_RANGE.test(match)
    ? undefined
    : [match, `tel:${match.replace('(0)', '').replace(/[^+\d]/g, '')}`];

/** An address with a user name may hide its host, so it stays text. */
function toWebTarget(match: string): Target {
  let { length } = match;
  const closes = (lastCharacter = '') =>
    CLOSING_PUNCTUATION.includes(lastCharacter) && !(lastCharacter === ')' && match.includes('('));
  while (closes(match[length - 1])) length--;
  const address = match.slice(0, length);
  if (!URL.canParse(address) || new URL(address).username) return undefined;
  return [address, address];
}
