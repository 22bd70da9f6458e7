/** Fields of a message in request bodies. */
import * as v from 'valibot';
import { readIsoTime } from '../iso-time';
import { LANGUAGE_CODES, type Language } from '../languages';
import { withDescription, withNote, withExamples } from './common';
import { cleanText, hasAtMost, listOf, requiredLine, requiredText, rowIdField } from './fields';

/** Maximum lengths in characters. */
export const MAX_LENGTH = { text: 1000, title: 100 };
const MAX_LINK_BYTES = 2000;

export const prioritySchema = v.picklist(['info', 'normal', 'urgent']);

/** Whether the link stays within the app in every browser. */
const isPath = (link: string): boolean => {
  const [app, other] = ['https://app.invalid', 'https://other.invalid'];
  return (
    link.startsWith('/') &&
    [app, other].every((at) => URL.canParse(link, at) && new URL(link, at).origin === at)
  );
};
const isHttps = (link: string): boolean =>
  URL.canParse(link) && new URL(link).protocol === 'https:';

export const timeField = (name: string) =>
  withNote(
    v.pipe(
      v.string(),
      v.check(
        (text) => readIsoTime(text) !== undefined,
        `${name} must be a valid time, such as 2026-11-21T09:30:00.000Z.`,
      ),
    ),
    { format: 'date-time' },
  );

/** The sending time corrects reports of devices whose clock is wrong. */
export const sentAtFields = {
  sentAt: v.exactOptional(
    withDescription(
      timeField('Sent at'),
      'The time on the device’s clock when it sends this request. If that clock is fast, or at least a minute slow, the server corrects `at` by the difference.',
    ),
  ),
};

/** The texts of a message that are translated. */
const translatedText = {
  message: withExamples(
    requiredText('Message', MAX_LENGTH.text),
    'Stop all work on poles. Gusts of 90 km/h from 15:00.',
  ),
  title: v.exactOptional(
    withExamples(
      v.pipe(
        cleanText('Title'),
        v.trim(),
        v.check(
          hasAtMost(MAX_LENGTH.title),
          `Title is too long. Use ${MAX_LENGTH.title} characters or fewer.`,
        ),
        v.check((text) => !/[\r\n\t]/.test(text), 'Title must be a single line.'),
      ),
      'Storm from the west',
    ),
  ),
  answers: v.exactOptional(
    withExamples(
      v.pipe(
        listOf(requiredLine('Answer', 24), 3, 'At most 3 answers can be offered.'),
        v.check((texts) => new Set(texts).size === texts.length, 'Each answer must be different.'),
      ),
      ['On my way', 'Got it'],
    ),
  ),
};

const translationSchema = v.object(translatedText);
/** Translations by language. A translation has the message's answers in the same order. */
export const translationsSchema = v.strictObject(
  Object.fromEntries(
    LANGUAGE_CODES.map((code) => [code, v.exactOptional(translationSchema)]),
  ) as Record<Language, v.ExactOptionalSchema<typeof translationSchema, undefined>>,
  `Each translation must be in one of these languages: ${LANGUAGE_CODES.join(', ')}.`,
);
export type NewTranslations = v.InferOutput<typeof translationsSchema>;

/** Shared with templates. */
export const messageTextFields = {
  ...translatedText,
  helpAnswers: v.exactOptional(
    withDescription(
      listOf(requiredLine('Answer', 24), 3, 'At most 3 answers can be offered.'),
      'Those of the `answers` that call for help. They are shown in red, do not stop an escalation, and keep it from stopping. If left out, the server decides by the words, such as “Need help”.',
      [],
    ),
  ),
  translations: v.exactOptional(
    withExamples(translationsSchema, {
      de: { message: 'Alle Arbeiten an Masten einstellen. Böen mit 90 km/h ab 15:00.' },
    }),
  ),
  link: v.exactOptional(
    v.pipe(
      cleanText('Link'),
      v.trim(),
      // The room in a push.
      v.check(
        (text) => new TextEncoder().encode(text).byteLength <= MAX_LINK_BYTES,
        'Link is too long. Use 2,000 characters or fewer.',
      ),
      v.check(
        (text) => text === '' || (!/\s/.test(text) && (isPath(text) || isHttps(text))),
        'Link must be a path in the app, such as /subscriptions, or start with https://.',
      ),
    ),
  ),
  priority: v.exactOptional(withExamples(prioritySchema, 'urgent')),
};

const createIdsField = (name: string, maxCount: number, example: number) =>
  v.exactOptional(
    withExamples(
      listOf(
        rowIdField(name),
        maxCount,
        `A list can have at most ${maxCount.toLocaleString('en')} IDs.`,
      ),
      [example],
    ),
  );
export const audienceFields = {
  topicIds: createIdsField('Topic', 1000, 1),
  userIds: createIdsField('User', 5000, 2),
  teamIds: createIdsField('Team', 1000, 1),
};
