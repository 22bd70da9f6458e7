/** The mail of a message to a person who has not answered. Checked again when it is sent. */
import type { MailJob, MailOutcome } from '../accounts/mail/mail-jobs';
import { findRecipient } from '../accounts/mail/mail-jobs';
import type { Database } from '../db/open';
import type { MessageRow } from '../db/schema';
import { addOutcomes } from '../db/step-outcomes';
import type { OutcomeCount, StepOutcomeCount } from '../db/step-outcomes';
import { answeredColumn } from '../escalation/count-answered';
import { MAX_CLOCK_DIFFERENCE_MS, isStillNeeded } from '../escalation/stop-escalation';
import { textsInLanguage, readTranslations } from '../translation/message-translations';
import { languageOfPerson, translatorFor } from '../translation/language-of-person';
import { describeEvent } from './message-event';

/** The job's subject is `PERSON MESSAGE STEP`: two ids, and the step's position. */
const parseMailSubject = (
  subject: string,
): [userId: string, messageId: string, position: number] => {
  const [userId = '', messageId = '', position] = subject.split(' ');
  return [userId, messageId, Number(position)];
};

/** The step's outcome for a person who was deleted before the mail was sent. */
export function outcomeOfDeletedPerson(subject: string): StepOutcomeCount[] {
  const [, messageId, position] = parseMailSubject(subject);
  return [{ messageId, position, outcome: 'not-possible', reason: 'no-address', people: 1 }];
}

export const messageMail: MailJob = {
  async findRecipient(subject, services) {
    const [userId] = parseMailSubject(subject);
    const reason = await findReason(subject, services.db, services.now());
    const person = reason === undefined && (await findRecipient({ id: userId }, services));
    return person && person.email_verified_at !== null ? person : undefined;
  },
  async writeMail(person, services, subject) {
    const { username, email } = person;
    const translateText = translatorFor(person, services.config);
    const [, messageId] = parseMailSubject(subject);
    const { publicUrl } = services.config;
    const link = `${publicUrl}/messages/${messageId}`;
    const event = await describeEvent(messageId, services.db);
    const mailedMessage = await findMessage(messageId, services.db);
    const original = { title: null, text: '', answers: [], ...event };
    const language = languageOfPerson(person, services.config);
    const message = textsInLanguage(
      original,
      readTranslations(mailedMessage?.translations ?? null),
      language,
    );
    const title = message.title ?? 'Fieldbell';
    const isAsked = message.answers.length > 0;
    const parts = [
      translateText('Hello {0},', username),
      title,
      message.text,
      isAsked
        ? translateText(
            'Open the message in Fieldbell and answer ({0}):',
            message.answers.join(', '),
          )
        : translateText('Open the message in Fieldbell:'),
      link,
      [
        event?.sender == null ? '' : `${translateText('Sent by {0}.', event.sender)} `,
        isAsked
          ? translateText('You received this email because you have not answered the message yet.')
          : translateText('You received this email because you have not read the message yet.'),
      ].join(''),
    ];
    return { to: email, subject: title, text: `${parts.join('\n\n')}\n`, link, isPrivate: true };
  },
  async readEnd(subject, { db }) {
    const [, messageId] = parseMailSubject(subject);
    return ((await findMessage(messageId, db))?.expires_at ?? 0) - MAX_CLOCK_DIFFERENCE_MS;
  },
  async recordMailOutcome(subject, mailOutcome, transaction, { config, now }) {
    const [, messageId, position] = parseMailSubject(subject);
    const reason =
      mailOutcome === 'dropped' ? await findReason(subject, transaction, now()) : undefined;
    const outcome = toMailOutcome(mailOutcome, reason, config.smtpUrl !== undefined);
    await addOutcomes([{ messageId, position, ...outcome, people: 1 }], transaction);
  },
};

function toMailOutcome(
  mailOutcome: MailOutcome,
  reason: 'stopped' | 'replaced' | undefined,
  isSetUp: boolean,
): Omit<OutcomeCount, 'people'> {
  switch (mailOutcome) {
    case 'sent':
      // If no mail server is set up, the mail is a file that the person never sees.
      return isSetUp ? { outcome: 'done' } : { outcome: 'not-possible', reason: 'mail-not-set-up' };
    case 'rejected':
      return { outcome: 'failed', reason: 'mail-refused' };
    case 'abandoned':
      return { outcome: 'failed', reason: 'mail-given-up' };
    default:
      return reason
        ? { outcome: 'not-needed', reason }
        : { outcome: 'not-possible', reason: 'no-address' };
  }
}

/** Why the mail is no longer needed, if so. */
async function findReason(
  subject: string,
  db: Database,
  now: number,
): Promise<'stopped' | 'replaced' | undefined> {
  const [userId, messageId, position] = parseMailSubject(subject);
  const message = await findMessage(messageId, db);
  if (message === undefined || !isStillNeeded(message, now)) return 'stopped';
  const unanswered = await db
    .selectFrom('recipients')
    .where('message_id', '=', messageId)
    .where('user_id', '=', Number(userId))
    .where(answeredColumn(message), 'is', null)
    .select('user_id')
    .executeTakeFirst();
  if (unanswered === undefined) return 'stopped';
  // A later mail of the same message replaces this one.
  const laterStep = await db
    .selectFrom('escalation_steps')
    .where('message_id', '=', messageId)
    .where('position', '>', position)
    .where('action', '=', 'mail')
    .where('done_at', 'is not', null)
    .select('position')
    .executeTakeFirst();
  return laterStep && 'replaced';
}

type MailedMessage = Pick<
  MessageRow,
  'state' | 'stopped' | 'expires_at' | 'answers' | 'translations'
>;

const findMessage = (id: string, db: Database): Promise<MailedMessage | undefined> =>
  db
    .selectFrom('messages')
    .where('id', '=', id)
    .select(['state', 'stopped', 'expires_at', 'answers', 'translations'])
    .executeTakeFirst();
