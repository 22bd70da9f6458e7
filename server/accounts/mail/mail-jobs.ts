/** Asking for mails to people, which are sent by `mailing.ts`. */
import type { Kysely, Transaction } from 'kysely';
import type { MailKind } from '../../db/jobs/kinds';
import { addJob } from '../../db/jobs/jobs';
import type { Tables, UserRow } from '../../db/schema';
import type { Mail } from '../../lib/mail';
import type { Services } from '../../services';

export type MailRecipient = UserRow & { email: string };

/** How a mail of one kind comes about, at the moment when it is sent. */
export interface MailJob {
  /**
   * @param subject the account's id, and in some kinds what else it is about behind a space
   * @returns undefined if there is nothing to be sent to it any more
   */
  find(subject: string, services: Services): Promise<MailRecipient | undefined>;
  /** A link of one time is made anew, which ends any other for the same purpose. */
  write(user: MailRecipient, services: Services, subject: string): Promise<Mail>;
  /** Until when it is tried again, in milliseconds since 1970: a day if it does not say. */
  readEnd?(subject: string, services: Services): Promise<number>;
  /** Records what became of it, in the transaction that ends the job. */
  noteOutcome?(
    subject: string,
    outcome: MailOutcome,
    transaction: Transaction<Tables>,
    services: Services,
  ): Promise<void>;
}

/**
 * `refused`: the mail server knows no such address; `given-up`: it is not tried again; `dropped`:
 * there was nothing to be sent any more.
 */
export type MailOutcome = 'sent' | 'refused' | 'given-up' | 'dropped';

/**
 * Asks for a mail. Written with all else in a transaction, it is sent if that is committed, and
 * survives the process.
 */
export const askForMail = (
  kind: MailKind,
  userId: number,
  db: Kysely<Tables>,
  now: number,
): Promise<void> => addJob({ kind, subject: String(userId) }, db, now);

/** An active account with an address, by its id or folded address; nothing else gets mail. */
export async function findRecipient(
  by: { id: string } | { emailKey: string },
  { db }: Services,
): Promise<MailRecipient | undefined> {
  const found =
    'id' in by
      ? db.selectFrom('users').where('id', '=', Number(by.id))
      : db.selectFrom('users').where('email_key', '=', by.emailKey);
  const user = await found.selectAll().where('status', '=', 'ACTIVE').executeTakeFirst();
  return user?.email == null ? undefined : { ...user, email: user.email };
}
