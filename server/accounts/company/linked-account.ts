/** Finds the account of an identity at the company's provider, or links the identity to one. */
import type { Transaction } from 'kysely';
import { lockForUpdate } from '../../db/lock';
import type { Database } from '../../db/open';
import type { Tables, UserRow } from '../../db/schema';
import { inTransaction } from '../../db/transaction';
import { foldCase } from '../../../src/shared/case-fold';
import type { Services } from '../../services';
import { createAuditAuthor, recordOwnAction } from '../audit-author';
import { revokeAccess } from '../revoke-access';
import { removeTwoFactor } from '../two-factor/codes';
import type { Identity } from './provider';

export type SignInRejection = 'unknown' | 'unverified' | 'unverified_here' | 'linked' | 'suspended';

/** A `sub` has at most 255 ASCII characters (OpenID Connect Core, section 2). */
const SUBJECT_PATTERN = /^[\x20-\x7e]{1,255}$/;

/**
 * The first time, an email that both sides verified links the account. This activates a new
 * account, and removes an older one's password and devices.
 */
export async function findOrLinkAccount(
  identity: Identity,
  callerAddress: string,
  services: Services,
): Promise<UserRow | SignInRejection> {
  const { db, now } = services;
  if (!SUBJECT_PATTERN.test(identity.subject)) return 'unknown';
  return inTransaction(db, async (transaction) => {
    const linkedUser = await findLinkedUser(identity, transaction);
    if (linkedUser !== undefined) return admitUser(linkedUser);
    if (identity.email === undefined) return 'unknown';
    if (!identity.isVerified) return 'unverified';
    const user = await lockAccountByEmail(identity.email, transaction);
    if (user === undefined || !isSameAddress(identity.email, user.email)) return 'unknown';
    const linkedMeanwhile = await findLinkedUser(identity, transaction);
    if (linkedMeanwhile !== undefined) return admitUser(linkedMeanwhile);
    if (user.suspended_at !== null) return 'suspended';
    // The person who registered may have typed someone else's address.
    if (user.status === 'ACTIVE' && user.email_verified_at === null) return 'unverified_here';
    if (await isLinked(user.id, identity.issuer, transaction)) return 'linked';
    const { issuer, subject } = identity;
    await transaction
      .insertInto('identities')
      .values({ issuer, subject, user_id: user.id, linked_at: now() })
      .execute();
    const author = createAuditAuthor(callerAddress, services);
    const isFresh = user.status === 'PENDING';
    const keepsAccess = isFresh || isFirstAdministrator(user, services);
    const detail = keepsAccess ? '' : 'Removed the earlier password and devices';
    await recordOwnAction('account.link', user.id, author, transaction, detail);
    if (isFresh) await recordOwnAction('user.register', user.id, author, transaction);
    if (isFresh) return activateAccount(user.id, transaction, now());
    return keepsAccess ? user : revokeEarlierAccess(user, transaction, now());
  });
}

const admitUser = (user: UserRow): UserRow | SignInRejection =>
  user.suspended_at === null ? user : 'suspended';

/** The first administrator keeps a password, to sign in when the provider is down. */
const isFirstAdministrator = ({ username_key }: UserRow, { config }: Services): boolean =>
  username_key === foldCase(config.adminUsername);

/**
 * Someone else may have registered with this address. An administrator's second step stays: the
 * provider alone must not create an administrator.
 */
async function revokeEarlierAccess(
  { id, role }: UserRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<UserRow> {
  const links = ['password-reset', 'email-verification'] as const;
  await revokeAccess(id, { password_hash: null }, links, now, transaction);
  if (role !== 'ADMIN') await removeTwoFactor(id, transaction);
  return transaction.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

async function findLinkedUser(
  { issuer, subject }: Identity,
  transaction: Transaction<Tables>,
): Promise<UserRow | undefined> {
  return transaction
    .selectFrom('identities')
    .innerJoin('users', 'users.id', 'identities.user_id')
    .selectAll('users')
    .where('identities.issuer', '=', issuer)
    .where('identities.subject', '=', subject)
    .where('users.status', '=', 'ACTIVE')
    .executeTakeFirst();
}

/** Ignores case of ASCII letters only: other folding could match another mailbox. */
function isSameAddress(claimedEmail: string, storedEmail: string | null): boolean {
  const normalizeEmail = (email: string): string =>
    email.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return storedEmail !== null && normalizeEmail(claimedEmail) === normalizeEmail(storedEmail);
}

/** The lock lets only one of two simultaneous identities be linked. */
function lockAccountByEmail(
  email: string,
  transaction: Transaction<Tables>,
): Promise<UserRow | undefined> {
  const accountWithEmail = transaction
    .selectFrom('users')
    .selectAll()
    .where('email_key', '=', foldCase(email.trim()));
  return lockForUpdate(accountWithEmail, transaction).executeTakeFirst();
}

async function isLinked(
  userId: number,
  issuer: string,
  transaction: Transaction<Tables>,
): Promise<boolean> {
  const row = await transaction
    .selectFrom('identities')
    .select('subject')
    .where('user_id', '=', userId)
    .where('issuer', '=', issuer)
    .executeTakeFirst();
  return row !== undefined;
}

async function activateAccount(
  id: number,
  transaction: Transaction<Tables>,
  now: number,
): Promise<UserRow> {
  await transaction
    .deleteFrom('one_time_tokens')
    .where('user_id', '=', id)
    .where('purpose', '=', 'registration')
    .execute();
  return transaction
    .updateTable('users')
    .set({ status: 'ACTIVE', email_verified_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Allows another identity to be linked.
 * @returns whether an identity was linked
 */
export async function unlinkIdentity(userId: number, db: Database): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('identities')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
