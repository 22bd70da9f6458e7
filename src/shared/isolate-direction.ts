import { getTextDirection } from './languages';

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;
/**
 * Addresses look the same in any direction, and a mail program would not find an address within
 * marks.
 */
const WITHOUT_NAMES = /^(https?:\S+|[\d\s.,:%]*)$/;

/**
 * Isolates typed text, so it does not change the direction of the sentence around it (Unicode
 * Bidirectional Algorithm).
 */
export function isolateDirection(text: string, language: string): string {
  if (WITHOUT_NAMES.test(text)) return text;
  const plainText = text.replace(/\p{Bidi_Control}/gu, '');
  const isMixed = getTextDirection(language) === 'rtl' || RIGHT_TO_LEFT.test(plainText);
  return isMixed ? `\u2068${plainText}\u2069` : plainText;
}
