/** The texts of the message by which an escalation step notifies another topic. */
import type { NewTranslations } from '../../src/shared/contract';
import { MAX_LENGTH } from '../../src/shared/contract/message-fields';
import { truncate } from '../../src/shared/contract/fields';
import type { MessageRow } from '../db/schema';
import { readTranslations } from '../translation/message-translations';

/** The message's title and text as one text, in each of its languages. */
export function joinMessageTexts({
  title,
  topic_title,
  text,
  translations,
}: Pick<MessageRow, 'title' | 'topic_title' | 'text' | 'translations'>): {
  message: string;
  translations: NewTranslations;
} {
  const name = title ?? topic_title;
  const joinedTranslations = Object.entries(readTranslations(translations)).map(
    ([language, { title: translatedTitle = name, message }]) => [
      language,
      { message: joinTexts(translatedTitle, message) },
    ],
  );
  return {
    message: joinTexts(name, text),
    translations: Object.fromEntries(joinedTranslations) as NewTranslations,
  };
}

const joinTexts = (title: string, text: string): string =>
  truncate(title === '' ? text : `${title}: ${text}`, MAX_LENGTH.text);
