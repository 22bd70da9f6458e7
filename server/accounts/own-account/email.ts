import type { Transaction } from 'kysely';
import type { Body } from '../../../src/shared/contract';
import { addJob } from '../../db/jobs/jobs';
import { lockForUpdate } from '../../db/lock';
import { databaseFault } from '../../db/errors';
import type { Database } from '../../db/open';
import type { Tables } from '../../db/schema';
import { inTransaction } from '../../db/transaction';
import { HttpError } from '../../http/errors';
import { consumeLimit } from '../../http/rate-limits';
import type { Limit } from '../../http/rate-limits';
import { foldCase } from '../../../src/shared/case-fold';
import type { Services } from '../../services';
import { createAuditAuthor, recordOwnAction } from '../audit-author';
import { queueAccountMail } from '../mail/mail-jobs';
import { consumeOneTimeToken, deleteTokens, findTokenOwner } from '../one-time-tokens';
import { emailTakenError } from '../registration/invitation';
import { confirmPerson } from './confirm-password';
import type { AccountCaller } from './confirm-password';
import { HOUR_MS } from '../../lib/durations';

/** The mail is retried for a day, and its link works for another. */
const EMAIL_CHANGE_LIFETIME_MS = 48 * HOUR_MS;
/** Allows three an hour, as many as `mail/mail-sender.ts` sends to one mailbox. */
const emailChangeLimit = (userId: number): Limit => ({
  key: ['email-change', String(userId)],
  max: 3,
  windowMs: HOUR_MS,
  isStrict: true,
});

/**
 * The response does not say whether another account has the address; only the mail does.
 * @throws HttpError 400, 403, 429
 */
export async function requestEmailChange(
  { email, password }: Body<'PUT /api/account/email'>,
  caller: AccountCaller,
  services: Services,
): Promise<void> {
  const { db, now, wakeMail } = services;
  const { user, transact } = caller;
  await confirmPerson(caller, password, services);
  const wait = await consumeLimit([emailChangeLimit(user.id)], db, now());
  if (wait !== undefined) throw new HttpError(429, 'You can request three links an hour.', wait);
  await transact(
    async (transaction) => {
      await deleteEmailChange(user.id, transaction);
      await transaction
        .insertInto('email_changes')
        .values({ user_id: user.id, email, ends_at: now() + EMAIL_CHANGE_LIFETIME_MS })
        .execute();
      await queueAccountMail('mail-email-change', user.id, transaction, now());
    },
    { isExclusive: true },
  );
  wakeMail();
}

/**
 * @returns false if the link is invalid.
 * @throws HttpError 409 if the email is taken by now
 */
export async function changeEmail(
  token: string,
  callerAddress: string,
  services: Services,
): Promise<boolean> {
  const { db, now, wakeMail } = services;
  if ((await findTokenOwner(token, 'email-change', db, now())) === undefined) return false;
  const isChanged = await inTransaction(db, async (transaction) => {
    const id = await consumeOneTimeToken(token, 'email-change', transaction, now());
    if (id === undefined) return false;
    const pendingEmail = await transaction
      .deleteFrom('email_changes')
      .where('user_id', '=', id)
      .where('ends_at', '>', now())
      .returning('email')
      .executeTakeFirst();
    if (pendingEmail === undefined) return false;
    const { email } = pendingEmail;
    const account = transaction.selectFrom('users').select('email').where('id', '=', id);
    const formerAccount = await lockForUpdate(account, transaction).executeTakeFirstOrThrow();
    await transaction
      .updateTable('users')
      .set({ email, email_key: foldCase(email), email_verified_at: now() })
      .where('id', '=', id)
      .execute();
    await deleteTokens(id, ['password-reset', 'email-verification'], transaction);
    await recordOwnAction(
      'account.email',
      id,
      createAuditAuthor(callerAddress, services),
      transaction,
    );
    if (formerAccount.email !== null && foldCase(formerAccount.email) !== foldCase(email))
      await addJob(
        { kind: 'mail-email-changed', subject: `${id} ${formerAccount.email}` },
        transaction,
        now(),
      );
    return true;
  }).catch((error: unknown) => {
    throw databaseFault(error) === 'duplicate' ? emailTakenError() : error;
  });
  if (isChanged) wakeMail();
  return isChanged;
}

export async function readPendingEmail(
  userId: number,
  db: Database,
  now: number,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('email_changes')
    .select('email')
    .where('user_id', '=', userId)
    .where('ends_at', '>', now)
    .executeTakeFirst();
  return row?.email;
}

export async function deleteEmailChange(
  userId: number,
  transaction: Transaction<Tables>,
): Promise<void> {
  await transaction.deleteFrom('email_changes').where('user_id', '=', userId).execute();
  await deleteTokens(userId, ['email-change'], transaction);
}
