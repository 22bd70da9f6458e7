/** The bodies that ask for a message. */
import * as v from 'valibot';
import { policyId } from '../../src/shared/contract/topics';
import { audienceFields } from '../subscriptions/fields';
import {
  cleanText,
  isWithin,
  listOf,
  requiredLine,
  requiredText,
} from '../../src/shared/contract/fields';
import { readIsoTime } from '../../src/shared/iso-time';

/** Characters that a message has at most. */
export const MAX_LENGTH = { text: 1000, title: 100 };
const MAX_LINK = 2000;

/** An address of this form resolves within the app, whatever browser reads it. */
const isPath = (link: string): boolean => {
  const [app, other] = ['https://app.invalid', 'https://other.invalid'];
  return (
    link.startsWith('/') &&
    [app, other].every((at) => URL.canParse(link, at) && new URL(link, at).origin === at)
  );
};
const isHttps = (link: string): boolean =>
  URL.canParse(link) && new URL(link).protocol === 'https:';

/** A time as ISO 8601 writes it. */
export const timeField = (name: string) =>
  v.pipe(
    v.string(),
    v.check(
      (text) => readIsoTime(text) !== undefined,
      `${name} must be a time that exists, such as 2026-11-21T09:30:00.000Z.`,
    ),
    v.metadata({ format: 'date-time' }),
  );

/** What a saved text has, too. */
export const messageText = {
  message: requiredText('Message', MAX_LENGTH.text),
  title: v.exactOptional(
    v.pipe(
      cleanText('Title'),
      v.trim(),
      v.check(
        isWithin(MAX_LENGTH.title),
        `Title must have at most ${MAX_LENGTH.title} characters.`,
      ),
      v.check((text) => !/[\r\n\t]/.test(text), 'Title must be a single line.'),
    ),
  ),
  link: v.exactOptional(
    v.pipe(
      cleanText('Link'),
      v.trim(),
      // A push has room for so much.
      v.check(
        (text) => Buffer.byteLength(text) <= MAX_LINK,
        'Link must have at most 2,000 characters.',
      ),
      v.check(
        (text) => text === '' || (!/\s/.test(text) && (isPath(text) || isHttps(text))),
        'Link must be a path of the app, such as /subscriptions, or an address that begins with https://.',
      ),
    ),
  ),
  priority: v.exactOptional(v.picklist(['info', 'normal', 'urgent'])),
  answers: v.exactOptional(
    v.pipe(
      listOf(requiredLine('Answer', 24), 3, 'At most 3 answers can be offered.'),
      v.check((texts) => new Set(texts).size === texts.length, 'Each answer must be another one.'),
    ),
  ),
};
const UNDO = 'Undo seconds must be a number from 1 to 60.';
export const toOneTopic = v.object({
  ...messageText,
  sendAt: v.exactOptional(timeField('Send at')),
  expiresAt: v.exactOptional(timeField('Expires at')),
  policyId,
  undoSeconds: v.exactOptional(
    v.pipe(v.number(UNDO), v.integer(UNDO), v.minValue(1, UNDO), v.maxValue(60, UNDO)),
  ),
});
/** Characters of all states that there are, with room for more. */
const MAX_STATES = 200;
/** Whom to notify again: all without a body, or without ids and states. */
export const toRepeat = v.optional(
  v.object({
    userIds: audienceFields.userIds,
    state: v.exactOptional(
      v.pipe(v.string(), v.maxLength(MAX_STATES, 'State must be a few states of recipients.')),
    ),
  }),
  {},
);
export const toAudience = v.object({ ...toOneTopic.entries, ...audienceFields });
