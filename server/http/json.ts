/** Parses JSON from outside, and bounds it before parsing. */
import { HttpError } from './errors';

/** Bounds for a body: nested or very short values take up to fifty times their bytes in memory. */
export interface JsonLimits {
  depth: number;
  values: number;
}

const USUAL: JsonLimits = { depth: 8, values: 20_000 };

/** @throws TypeError for invalid UTF-8 */
export const decodeText = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { fatal: true }).decode(bytes);

/** @throws HttpError 400 for invalid JSON, anything but an object, or too many values */
export function parseJson(bytes: Uint8Array, limits = USUAL): object {
  requireJsonWithin(limits)(bytes);
  let value: unknown;
  try {
    value = JSON.parse(decodeText(bytes));
  } catch {
    throw new HttpError(400, 'The body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new HttpError(400, 'The body must be a JSON object.');
  return value;
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [BRACKET, BRACE, END_OF_BRACKET, END_OF_BRACE] = [0x5b, 0x7b, 0x5d, 0x7d];

/**
 * Counting brackets and commas outside strings is exact for valid JSON.
 * @throws HttpError 400
 */
export function requireJsonWithin({
  depth: maxDepth,
  values: maxValues,
}: JsonLimits): (part: Uint8Array) => void {
  let [depth, values, isText, isEscaped] = [0, 0, false, false];
  return (part) => {
    for (const byte of part) {
      if (isEscaped) isEscaped = false;
      else if (isText) {
        if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isText = false;
      } else if (byte === QUOTE) isText = true;
      else if (byte === COMMA) values += 1;
      else if (byte === BRACKET || byte === BRACE) {
        depth += 1;
        values += 1;
        if (depth > maxDepth) throw new HttpError(400, 'The body is nested too deeply.');
      } else if (byte === END_OF_BRACKET || byte === END_OF_BRACE) depth -= 1;
    }
    if (values > maxValues)
      throw new HttpError(
        400,
        `The body must not have more than ${maxValues.toLocaleString('en')} values.`,
      );
  };
}
