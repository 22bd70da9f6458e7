/** A message as a mail, to who has not answered it. Whether it is still wanted is asked when it is sent. */
import type { MailJob } from '../accounts/mail/mail-jobs';
import { findRecipient } from '../accounts/mail/mail-jobs';
import type { Database } from '../db/open';
import type { MessageRow } from '../db/schema';
import { answeredColumn } from '../escalation/answered';
import { CLOCKS_DIFFER, goesOn } from '../escalation/stop';
import { describeEvent } from './message-event';

/** The job's subject is `PERSON MESSAGE`, their ids. */
const idsOf = (subject: string): [userId: string, messageId: string] => {
  const [userId = '', messageId = ''] = subject.split(' ');
  return [userId, messageId];
};

export const messageMail: MailJob = {
  async find(subject, services) {
    const [userId, messageId] = idsOf(subject);
    const message = await findMessage(messageId, services.db);
    if (message === undefined || !goesOn(message, services.now())) return undefined;
    const isOpen = await services.db
      .selectFrom('recipients')
      .where('message_id', '=', messageId)
      .where('user_id', '=', Number(userId))
      .where(answeredColumn(message), 'is', null)
      .select('user_id')
      .executeTakeFirst();
    return isOpen && findRecipient({ id: userId }, services);
  },
  async write({ username, email }, services, subject) {
    const [, messageId] = idsOf(subject);
    const { publicUrl } = services.config;
    const link = `${publicUrl}/messages/${messageId}`;
    const message = await describeEvent(messageId, services.db);
    const title = message?.title ?? 'Fieldbell';
    const isAsked = (message?.answers.length ?? 0) > 0;
    const parts = [
      `Hello ${username},`,
      title,
      message?.text ?? '',
      isAsked
        ? `Please open it in Fieldbell, and answer (${message?.answers.join(', ')}):`
        : 'Please open it in Fieldbell:',
      link,
      [
        message?.sender == null ? '' : `It was sent by ${message.sender}. `,
        `You get this mail because you have not ${isAsked ? 'answered' : 'read'} the message yet.`,
      ].join(''),
    ];
    return { to: email, subject: title, text: `${parts.join('\n\n')}\n`, link, isPrivate: true };
  },
  async readEnd(subject, { db }) {
    const [, messageId] = idsOf(subject);
    return ((await findMessage(messageId, db))?.expires_at ?? 0) - CLOCKS_DIFFER;
  },
};

type Asked = Pick<MessageRow, 'state' | 'stopped' | 'expires_at' | 'answers'>;

const findMessage = (id: string, db: Database): Promise<Asked | undefined> =>
  db
    .selectFrom('messages')
    .where('id', '=', id)
    .select(['state', 'stopped', 'expires_at', 'answers'])
    .executeTakeFirst();
