import type { NewTranslations } from '../../../src/shared/contract';
import { HttpError } from '../../http/errors';

/**
 * Answers that call for help are some of the answers. An answer is recognized by its text, so it may
 * stand in one place only.
 * @throws HttpError 400
 */
export function requireMatchingAnswers({
  answers = [],
  helpAnswers = [],
  translations = {},
}: {
  answers?: readonly string[] | undefined;
  helpAnswers?: readonly string[] | undefined;
  translations?: NewTranslations | undefined;
}): void {
  const isRepeated = new Set(helpAnswers).size < helpAnswers.length;
  if (isRepeated || !helpAnswers.every((answer) => answers.includes(answer)))
    throw new HttpError(400, [
      {
        path: 'helpAnswers',
        message: 'Each answer that calls for help must be one of the answers, and listed once.',
      },
    ]);
  const answerPlaces = new Map(answers.map((answer, place) => [answer, place]));
  for (const { answers: translatedAnswers } of Object.values(translations)) {
    const translationError = (message: string): HttpError =>
      new HttpError(400, [{ path: 'translations', message }]);
    if (translatedAnswers === undefined) continue;
    if (translatedAnswers.length !== answers.length)
      throw translationError('A translation must have the same number of answers as the message.');
    for (const [place, answer] of translatedAnswers.entries()) {
      if ((answerPlaces.get(answer) ?? place) !== place)
        throw translationError('Each answer must have the same position in every language.');
      answerPlaces.set(answer, place);
    }
  }
}
