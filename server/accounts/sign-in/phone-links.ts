/**
 * Links that sign a new phone in, shown as a QR code on the old phone or to an administrator.
 * Administrators sign in with their second factor instead.
 */
import type { ResponseOf, Body, PhoneLink } from '../../../src/shared/contract';
import type { Transaction } from 'kysely';
import { recordAudit } from '../../audit/record-audit';
import { recordSignIn } from '../../audit/repeats';
import { addJob } from '../../db/jobs/jobs';
import { lockForUpdate } from '../../db/lock';
import type { Database } from '../../db/open';
import type { Tables, UserRow } from '../../db/schema';
import { inTransaction } from '../../db/transaction';
import type { Transact } from '../../http/access/authority';
import { createSession } from '../../http/access/session';
import { rateLimitAddress } from '../../http/connections/client-address';
import { HttpError, conflictError } from '../../http/errors';
import { consumeLimit, consumeLimitOrThrow } from '../../http/rate-limits';
import type { Limit } from '../../http/rate-limits';
import { toTime } from '../../lib/clock';
import { sha256 } from '../../lib/sha256';
import type { Services } from '../../services';
import { createAuditAuthor } from '../audit-author';
import type { MailJob } from '../mail/mail-jobs';
import { findMailRecipientAtAddress } from '../own-account/email-change-mails';
import { deleteTokens, issueLink, findTokenOwner } from '../one-time-tokens';
import { requireUser, toUser } from '../users';
import { rememberBrowser } from './known-browsers';
import { translatorFor } from '../../translation/language-of-person';
import { MINUTE_MS, DAY_MS } from '../../lib/durations';

type UsePhoneLink = 'POST /api/auth/phone-link';

/** Counts invalid links only. */
const invalidLinkLimit = (callerAddress: string): Limit => ({
  key: ['new-phone-invalid', rateLimitAddress(callerAddress)],
  max: 60,
  windowMs: 15 * MINUTE_MS,
});

const linkCreationLimit = (creatorId: number, userId: number): Limit => ({
  key: ['new-phone-link', String(creatorId), String(userId)],
  max: 10,
  windowMs: 60 * MINUTE_MS,
});
const tooManyLinksError = (seconds: number): HttpError =>
  new HttpError(429, 'You have created too many sign-in links.', seconds);

interface PhoneLinkCreator {
  user: Pick<UserRow, 'id' | 'session_version'>;
  sid: string;
  transact: Transact;
}

/**
 * Revokes the person's former link.
 * @throws HttpError 404, 409, 429
 */
export async function createPhoneLink(
  userId: number,
  { user: creator, sid, transact }: PhoneLinkCreator,
  services: Services,
): Promise<PhoneLink> {
  const { config } = services;
  if (!config.passwordSignIn)
    throw conflictError(`Use ${config.oidc?.company ?? ''} to sign in on the new phone.`);
  const { token, expiresAt } = await transact(async (transaction) => {
    const user = await requireUser(userId, transaction);
    const { role, status, suspended_at, session_version, email } = user;
    if (role === 'ADMIN')
      throw conflictError(
        'Sign-in links do not work for administrators. They sign in on a new phone with their password.',
      );
    if (status !== 'ACTIVE' || suspended_at !== null)
      throw conflictError(
        'Sign-in links do not work for people who are suspended or have not registered yet.',
      );
    if (creator.id !== userId && config.smtpUrl !== undefined)
      await requireNotifiableByEmail(user, transaction, services.now());
    await consumeLimitOrThrow(
      linkCreationLimit(creator.id, userId),
      transaction,
      services.now(),
      tooManyLinksError,
    );
    await recordAudit({ action: 'user.phone', person: userId }, transaction);
    return issueLink(userId, 'new-phone', transaction, services, {
      session_version,
      former_email: email,
      creator_id: creator.id,
      creator_session_id: sid,
      creator_session_version: creator.session_version,
    });
  });
  // The token is in the fragment, which browsers send to no server, not even as a referrer.
  return { link: `${config.publicUrl}/new-phone#${token}`, expiresAt: toTime(expiresAt) };
}

/**
 * An administrator must not sign in as a person unnoticed.
 * @throws HttpError 409
 */
async function requireNotifiableByEmail(
  { id, email, email_verified_at }: UserRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  if (email === null || email_verified_at === null)
    throw conflictError(
      'This person has no verified email address, so we cannot tell them by email about the new sign-in link. Ask them to sign in with their password.',
    );
  const change = await transaction
    .selectFrom('audit_entries')
    .select('id')
    .where('target_id', '=', id)
    .where('action', '=', 'user.change')
    .where('at', '>', now - DAY_MS)
    .where('detail', 'like', '%Email')
    .limit(1)
    .executeTakeFirst();
  if (change !== undefined)
    throw conflictError(
      'An administrator changed this person’s email address in the last 24 hours. Ask them to sign in with their password.',
    );
}

/**
 * Whom a valid link signs in.
 * @throws HttpError 400, 429
 */
export async function readPhoneLink(
  token: string,
  callerAddress: string,
  services: Services,
): Promise<{ username: string }> {
  const user = await findOwner(token, services.db, services.now());
  if (user === undefined) throw await countInvalidLink(callerAddress, services);
  return { username: user.username };
}

/**
 * Works once.
 * @throws HttpError 400, 429
 */
export async function usePhoneLink(
  { token, clientToken }: Body<UsePhoneLink>,
  callerAddress: string,
  services: Services,
): Promise<ResponseOf<UsePhoneLink>> {
  const { db, now } = services;
  const signInOutcome = await inTransaction(db, async (transaction) => {
    const ownerId = await findTokenOwner(token, 'new-phone', transaction, now());
    if (ownerId === undefined) return undefined;
    const account = transaction.selectFrom('users').select('id').where('id', '=', ownerId);
    await lockForUpdate(account, transaction).execute();
    const user = await findOwner(token, transaction, now());
    if (user === undefined) return undefined;
    await deleteTokens(user.id, ['new-phone'], transaction);
    for (const address of new Set([user.former_email, user.email]))
      if (address !== null)
        await addJob(
          { kind: 'mail-new-phone', subject: `${user.id} ${address}` },
          transaction,
          now(),
        );
    const author = createAuditAuthor(callerAddress, services);
    await recordSignIn(user.id, 'With a sign-in link for a new phone', author, transaction);
    return { user, browserToken: await rememberBrowser(user.id, clientToken, transaction, now()) };
  });
  if (signInOutcome === undefined) throw await countInvalidLink(callerAddress, services);
  services.wakeMail();
  return {
    token: await createSession(signInOutcome.user, services),
    user: toUser(signInOutcome.user),
    clientToken: signInOutcome.browserToken,
  };
}

async function countInvalidLink(callerAddress: string, { db, now }: Services): Promise<HttpError> {
  const wait = await consumeLimit([invalidLinkLimit(callerAddress)], db, now());
  return wait === undefined
    ? new HttpError(400, 'This sign-in link has expired or has already been used.')
    : new HttpError(429, 'Too many invalid sign-in links.', wait);
}

/** Returns undefined if the account has ended since, or the session or right that created the link. */
const findOwner = (
  token: string,
  db: Database,
  now: number,
): Promise<(UserRow & { former_email: string | null }) | undefined> =>
  db
    .selectFrom('one_time_tokens as link')
    .innerJoin('users', 'users.id', 'link.user_id')
    .innerJoin('users as creator', 'creator.id', 'link.creator_id')
    .selectAll('users')
    .select('link.former_email')
    .where('link.token_hash', '=', sha256(token))
    .where('link.purpose', '=', 'new-phone')
    .where('link.expires_at', '>', now)
    .whereRef('link.session_version', '=', 'users.session_version')
    .where('users.status', '=', 'ACTIVE')
    .where('users.suspended_at', 'is', null)
    .where('users.role', '!=', 'ADMIN')
    .whereRef('link.creator_session_version', '=', 'creator.session_version')
    .where('creator.status', '=', 'ACTIVE')
    .where('creator.suspended_at', 'is', null)
    .where(({ eb, or, ref }) =>
      or([eb('creator.id', '=', ref('users.id')), eb('creator.role', '=', 'ADMIN')]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('ended_sessions')
            .select('user_id')
            .whereRef('ended_sessions.session_id', '=', 'link.creator_session_id'),
        ),
      ),
    )
    .executeTakeFirst();

/** Goes to the addresses at creation and at use, in case someone else used the link. */
export const newPhoneMail: MailJob = {
  findRecipient: findMailRecipientAtAddress,
  async writeMail(user, { config }) {
    const { username, email } = user;
    const translateText = translatorFor(user, config);
    const link = `${config.publicUrl}/account`;
    return {
      to: email,
      subject: translateText('A new phone was signed in'),
      text: translateText(
        'Hello {0},\n\nA new phone was signed in to your Fieldbell account with a sign-in link.\n\nIf this phone is not yours, change your password, and sign out everywhere:\n\n{1}\n',
        username,
        link,
      ),
      link,
    };
  },
};
