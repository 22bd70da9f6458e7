import { LANGUAGE_CODES } from '../../src/shared/languages';
import type { Language } from '../../src/shared/languages';

/** Browsers send about fifty characters. The rest of a longer header is ignored. */
const MAX_ACCEPT_LANGUAGE_LENGTH = 200;
const RANGE = /^\s*([a-z]{2,3})(?:-[a-z0-9-]*)?\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/i;

const isSupported = (tag: string): tag is Language =>
  (LANGUAGE_CODES as readonly string[]).includes(tag);

/**
 * Reads a request's language, English by default.
 * @param header reads the request's headers
 */
export const requestLanguage = (header: (name: string) => string | undefined): Language =>
  readAcceptLanguage(header('accept-language')) ?? 'en';

/** The most wanted of our languages in an `Accept-Language` (RFC 9110, section 12.5.4). */
export function readAcceptLanguage(header: string | undefined): Language | undefined {
  let bestMatch: { language: Language; weight: number } | undefined;
  for (const range of (header ?? '').slice(0, MAX_ACCEPT_LANGUAGE_LENGTH).split(',')) {
    const [, tag = '', q = '1'] = RANGE.exec(range) ?? [];
    const language = tag.toLowerCase();
    const quality = Number(q);
    if (isSupported(language) && quality > (bestMatch?.weight ?? 0))
      bestMatch = { language, weight: quality };
  }
  return bestMatch?.language;
}
