/** A message in each recipient's language: the sender's translations, else the original. */
import type { NewTranslations } from '../../src/shared/contract';
import { LANGUAGE_CODES, type Language } from '../../src/shared/languages';
import { translate } from './translate';

export interface MessageTexts {
  /** The title is empty or null if the topic's title is shown. */
  title: string | null;
  text: string;
  answers: readonly string[];
}

export const readTranslations = (storedText: string | null): NewTranslations =>
  storedText === null ? {} : (JSON.parse(storedText) as NewTranslations);

/** @returns null without any */
export function storeTranslations(translations: NewTranslations = {}): string | null {
  return Object.keys(translations).length === 0 ? null : JSON.stringify(translations);
}

/** The texts that one recipient sees; answers without a translation stay as they are. */
export function textsInLanguage<Texts extends MessageTexts>(
  message: Texts,
  translations: NewTranslations,
  language: Language,
): Texts {
  const translation = translations[language];
  if (translation === undefined) return message;
  return {
    ...message,
    text: translation.message,
    ...(translation.title && { title: translation.title }),
    ...(translation.answers && { answers: translation.answers }),
  };
}

/** The languages in which the title or the text differs. After a correction, only answers may. */
export function translatedLanguages({
  title,
  text,
  translations,
}: Pick<MessageTexts, 'title' | 'text'> & { translations: string | null }): Language[] {
  const ownTranslations = readTranslations(translations);
  return LANGUAGE_CODES.filter((code) => {
    const shownTranslation = ownTranslations[code];
    return (
      (shownTranslation?.message ?? text) !== text || (shownTranslation?.title || title) !== title
    );
  });
}

/** Returns a message's translations for its correction, which keeps the translated answers. */
export function describeTranslations(row: Parameters<typeof translatedLanguages>[0]): {
  translations?: NewTranslations;
} {
  const ownTranslations = readTranslations(row.translations);
  const texts = translatedLanguages(row).flatMap((code) => {
    const { title, message } = ownTranslations[code] ?? { message: row.text };
    return [[code, { ...(title && { title }), message }] as const];
  });
  return texts.length > 0 ? { translations: Object.fromEntries(texts) } : {};
}

/** The original answer that a reported one stands for; others are returned unchanged. */
export function originalAnswer(
  answer: string,
  { answers, translations }: { answers: readonly string[]; translations: string | null },
): string {
  if (translations === null || answers.includes(answer)) return answer;
  for (const { answers: translatedAnswers = [] } of Object.values(readTranslations(translations))) {
    const index = translatedAnswers.indexOf(answer);
    if (index >= 0) return answers[index] ?? answer;
  }
  return answer;
}

export type TranslateText = (key: string, ...values: string[]) => string;

/** A message that the server writes itself: in English, and in all languages, so that each is known. */
export function writeInAllLanguages<Texts extends NonNullable<NewTranslations[Language]>>(
  write: (translateText: TranslateText, language: Language) => Texts,
): Texts & { translations: NewTranslations } {
  const writeIn = (language: Language): Texts =>
    write((key, ...values) => translate(key, language, ...values), language);
  const translations = Object.fromEntries(LANGUAGE_CODES.map((code) => [code, writeIn(code)]));
  return { ...writeIn('en'), translations };
}
