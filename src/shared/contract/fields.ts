import * as v from 'valibot';

/** No database stores NUL, unpaired surrogates are no characters, other controls do harm. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it looks for
const UNCLEAN_CHARACTERS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\p{Surrogate}/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: ESC begins them (ECMA-48, CSI)
const TERMINAL_COLORS = /\u001b\[[0-?]*[ -/]*[@-~]/g;

/** Text of any length without control characters; line ends and tabs are allowed. */
export const cleanText = (name: string) =>
  v.pipe(
    v.string(),
    v.check(
      (text) => text.search(UNCLEAN_CHARACTERS) < 0,
      `${name} contains control characters, which are not allowed.`,
    ),
  );

/** Whether text has at most `maxLength` code points. The OpenAPI document reads `most`. */
export const hasAtMost = (maxLength: number) =>
  Object.assign(
    (text: string): boolean =>
      text.length <= maxLength || (text.length <= 2 * maxLength && [...text].length <= maxLength),
    { most: maxLength },
  );

/** Shortens text to `maxLength` characters, with an ellipsis. */
export const truncate = (text: string, maxLength: number): string =>
  hasAtMost(maxLength)(text) ? text : `${[...text].slice(0, maxLength - 1).join('')}…`;

/** Removes what `cleanText` rejects, and terminal colors. */
export const removeUnclean = (text: string): string =>
  text.replace(TERMINAL_COLORS, '').replace(UNCLEAN_CHARACTERS, '');

/** Trimmed text of 1 to `maxLength` characters. */
export const requiredText = (name: string, maxLength: number) =>
  v.pipe(
    cleanText(name),
    v.trim(),
    v.minLength(1, `${name} is required.`),
    v.check(
      hasAtMost(maxLength),
      `${name} is too long. Use ${maxLength.toLocaleString('en')} characters or fewer.`,
    ),
  );

/** Checks the length before any item: a body has room for thousands of invalid ones. */
export const listOf = <Item extends v.GenericSchema>(
  item: Item,
  maxCount: number,
  tooMany: string,
) =>
  v.pipe(v.array(v.unknown()), v.maxLength(maxCount, tooMany), v.array(item)) as v.GenericSchema<
    v.InferInput<Item>[],
    v.InferOutput<Item>[]
  >;

const LINE_ENDS = /[\r\n\t\u0085\u2028\u2029]/;
/** Format characters, Hangul fillers, blank Braille and variation selectors. */
const INVISIBLE_CHARACTERS = /[\p{Cf}\p{Variation_Selector}\u115f\u1160\u2800\u3164\uffa0]/gu;

/** A name without invisible characters. Names that differ only in these look the same. */
export const removeInvisible = (text: string): string => text.replace(INVISIBLE_CHARACTERS, '');

export const requiredLine = (name: string, maxLength: number) =>
  v.pipe(
    requiredText(name, maxLength),
    v.check((text) => !LINE_ENDS.test(text), `${name} must be a single line.`),
    v.check((text) => removeInvisible(text).trim() !== '', `${name} is required.`),
  );

export const MAX_USERNAME = 64;
export const usernameSchema = requiredLine('Username', MAX_USERNAME);

/** RFC 5321 allows at most 254 characters. */
export const emailAddressSchema = v.pipe(
  requiredLine('Email', 254),
  v.email('Please enter a valid email address.'),
);

export const rowIdField = (name: string) =>
  v.pipe(
    v.number(),
    v.safeInteger(`${name} must be a positive whole number.`),
    v.minValue(1, `${name} must be a positive whole number.`),
  );
