import type { Kysely, Transaction } from 'kysely';
import type { MailKind } from '../../db/jobs/kinds';
import { addJob } from '../../db/jobs/jobs';
import type { Tables, UserRow } from '../../db/schema';
import type { Mail } from '../../lib/mail';
import type { Services } from '../../services';

export type MailRecipient = UserRow & { email: string };

export interface MailJob {
  /**
   * @param subject the account's id; some kinds add what the mail is about after a space
   * @returns undefined if there is nothing to send any more
   */
  findRecipient(subject: string, services: Services): Promise<MailRecipient | undefined>;
  /** Creates a new one-time link, which revokes the former one for the same purpose. */
  writeMail(user: MailRecipient, services: Services, subject: string): Promise<Mail>;
  /** The time until which the mail is retried, in milliseconds since 1970. Default: a day. */
  readEnd?(subject: string, services: Services): Promise<number>;
  /** The job runs this in the transaction that ends it. */
  recordMailOutcome?(
    subject: string,
    outcome: MailOutcome,
    transaction: Transaction<Tables>,
    services: Services,
  ): Promise<void>;
}

/** `rejected`: unknown address; `abandoned`: no more retries; `dropped`: nothing to send any more. */
export type MailOutcome = 'sent' | 'rejected' | 'abandoned' | 'dropped';

/** Queues a mail. In a transaction, it is sent only after the commit. */
export const queueAccountMail = (
  kind: MailKind,
  userId: number,
  db: Kysely<Tables>,
  now: number,
): Promise<void> => addJob({ kind, subject: String(userId) }, db, now);

/** Finds an active account with an email by id or folded email. Other accounts get no mail. */
export async function findRecipient(
  by: { id: string } | { emailKey: string },
  { db }: Services,
): Promise<MailRecipient | undefined> {
  const usersQuery =
    'id' in by
      ? db.selectFrom('users').where('id', '=', Number(by.id))
      : db.selectFrom('users').where('email_key', '=', by.emailKey);
  const user = await usersQuery
    .selectAll()
    .where('status', '=', 'ACTIVE')
    .where('suspended_at', 'is', null)
    .executeTakeFirst();
  return user?.email == null ? undefined : { ...user, email: user.email };
}
