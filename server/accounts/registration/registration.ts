import type { ResponseOf, Body } from '../../../src/shared/contract';
import type { Language } from '../../../src/shared/languages';
import { databaseFault } from '../../db/errors';
import type { Database } from '../../db/open';
import { inTransaction } from '../../db/transaction';
import { foldCase } from '../../../src/shared/case-fold';
import { sha256 } from '../../lib/sha256';
import { rateLimitAddress } from '../../http/connections/client-address';
import { HttpError } from '../../http/errors';
import {
  IDEMPOTENCY_KEY_LIFETIME_MS,
  idempotencyConflictError,
  requestKey,
} from '../../http/idempotency';
import { consumeLimit } from '../../http/rate-limits';
import type { Limit } from '../../http/rate-limits';
import type { Services } from '../../services';
import { createAuditAuthor, recordOwnAction } from '../audit-author';
import { recordRegistrationOpened } from '../invitations';
import { emailTakenError } from './invitation';
import { rememberBrowser } from '../sign-in/known-browsers';
import { queueAccountMail } from '../mail/mail-jobs';
import { consumeOneTimeToken, findTokenOwner } from '../one-time-tokens';
import { PASSWORD_RULES } from '../../../src/shared/contract/accounts';
import { hashPassword, passwordMatches } from '../passwords/passwords';
import { MINUTE_MS, DAY_MS } from '../../lib/durations';

type RegistrationCompletion = Body<'POST /api/auth/complete-registration'> & {
  browserLanguage: Language | undefined;
};
type RegistrationPreview = ResponseOf<'GET /api/auth/registration/:token'>;

const invalidLinkError = (): HttpError =>
  new HttpError(400, 'Invalid or expired registration link.', undefined, 'invalid_link');

/** Each attempt reveals whether an email is in use, and may cost a hash. People need one or two. */
const attemptLimit = (token: string): Limit => ({
  key: ['registration', sha256(token)],
  max: 5,
  windowMs: DAY_MS,
});
const repeatLimit = (key: string): Limit => ({
  key: ['registration-repeat', key],
  max: 10,
  windowMs: 60 * MINUTE_MS,
});
/** Counts invalid links only. */
const previewLimit = (callerAddress: string): Limit => ({
  key: ['registration-preview', rateLimitAddress(callerAddress)],
  max: 60,
  windowMs: 15 * MINUTE_MS,
});

async function requireWithinLimit(allowance: Limit, { db, now }: Services): Promise<void> {
  const wait = await consumeLimit([allowance], db, now());
  if (wait !== undefined) throw new HttpError(429, 'Too many attempts with this link.', wait);
}

/**
 * Records that the link was opened.
 * @throws HttpError 400, 429
 */
export async function readRegistration(
  token: string,
  callerAddress: string,
  services: Services,
): Promise<RegistrationPreview> {
  const { db, now } = services;
  const id = await findTokenOwner(token, 'registration', db, now());
  const user =
    id === undefined
      ? undefined
      : await db
          .selectFrom('users')
          .select(['username', 'language'])
          .where('id', '=', id)
          .where('status', '=', 'PENDING')
          .where('suspended_at', 'is', null)
          .executeTakeFirst();
  if (id === undefined || user === undefined) {
    await requireWithinLimit(previewLimit(callerAddress), services);
    throw invalidLinkError();
  }
  await recordRegistrationOpened(id, db, now());
  const { username, language } = user;
  return { username, ...(language !== null && { language }), passwordRules: PASSWORD_RULES };
}

/**
 * Uses the link up only if everything succeeds.
 * @returns the browser's token
 * @throws HttpError 400 for an invalid link; 409 for a taken email; 429
 */
export async function completeRegistration(
  completion: RegistrationCompletion,
  idempotencyKey: string | undefined,
  callerAddress: string,
  services: Services,
): Promise<string> {
  const key =
    idempotencyKey === undefined
      ? undefined
      : requestKey('registration', completion.token, idempotencyKey);
  const activation = await activateAccount(completion, key, callerAddress, services);
  if (activation === undefined) return repeatRegistration(completion, key, services);
  services.wakeMail();
  return activation;
}

/** @returns the browser's token; undefined for an invalid link */
async function activateAccount(
  { token, password, email, clientToken, browserLanguage }: RegistrationCompletion,
  key: string | undefined,
  callerAddress: string,
  services: Services,
): Promise<string | undefined> {
  const { db, now } = services;
  const owner = await findTokenOwner(token, 'registration', db, now());
  if (owner === undefined) return undefined;
  await requireWithinLimit(attemptLimit(token), services);
  // This check comes first: the hash costs a hundred times as much. The unique index checks again.
  await requireFreeEmail(email, owner, db);
  const values = {
    email,
    email_key: foldCase(email),
    password_hash: await hashPassword(password),
    status: 'ACTIVE',
    ...(browserLanguage !== undefined && { browser_language: browserLanguage }),
  } as const;
  try {
    return await inTransaction(db, async (transaction) => {
      const id = await consumeOneTimeToken(token, 'registration', transaction, now());
      if (id === undefined) return undefined;
      const user = await transaction
        .updateTable('users')
        .set(values)
        .where('id', '=', id)
        .where('status', '=', 'PENDING')
        .where('suspended_at', 'is', null)
        .returning('id')
        .executeTakeFirst();
      if (user === undefined) return undefined;
      await recordOwnAction(
        'user.register',
        id,
        createAuditAuthor(callerAddress, services),
        transaction,
      );
      await queueAccountMail('mail-verification', id, transaction, now());
      if (key !== undefined) {
        const request = {
          user_id: id,
          fingerprint: sha256(foldCase(email)),
          ends_at: now() + IDEMPOTENCY_KEY_LIFETIME_MS,
        };
        await transaction
          .insertInto('requests')
          .values({ key, ...request })
          .onConflict((conflict) => conflict.column('key').doUpdateSet(request))
          .execute();
      }
      return rememberBrowser(id, clientToken, transaction, now());
    });
  } catch (error) {
    throw databaseFault(error) === 'duplicate' ? emailTakenError() : error;
  }
}

async function requireFreeEmail(email: string, owner: number, db: Database): Promise<void> {
  const existingUser = await db
    .selectFrom('users')
    .select('id')
    .where('email_key', '=', foldCase(email))
    .where('id', '!=', owner)
    .executeTakeFirst();
  if (existingUser !== undefined) throw emailTakenError();
}

/**
 * Repeats the response for a client that missed it. Only the sender knows the key.
 * @throws HttpError 400 if it did not; 409 for another email or password; 429
 */
async function repeatRegistration(
  { password, email, clientToken }: RegistrationCompletion,
  key: string | undefined,
  services: Services,
): Promise<string> {
  if (key === undefined) throw invalidLinkError();
  const { db, now } = services;
  const formerUser = await db
    .selectFrom('requests')
    .innerJoin('users', 'users.id', 'requests.user_id')
    .select(['users.id', 'users.password_hash', 'requests.fingerprint'])
    .where('requests.key', '=', key)
    .where('requests.ends_at', '>', now())
    .executeTakeFirst();
  if (formerUser === undefined) throw invalidLinkError();
  await requireWithinLimit(repeatLimit(key), services);
  if (
    formerUser.fingerprint !== sha256(foldCase(email)) ||
    !(await passwordMatches(formerUser.password_hash, password))
  )
    throw idempotencyConflictError('registration');
  return inTransaction(db, (transaction) =>
    rememberBrowser(formerUser.id, clientToken, transaction, now()),
  );
}
