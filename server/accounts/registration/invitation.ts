import type { Transaction } from 'kysely';
import type { Role, User } from '../../../src/shared/contract';
import type { Language } from '../../../src/shared/languages';
import { recordAudit } from '../../audit/record-audit';
import { databaseFault } from '../../db/errors';
import type { Database } from '../../db/open';
import type { Tables, UserRow } from '../../db/schema';
import { foldCase } from '../../../src/shared/case-fold';
import { conflictError, type HttpError } from '../../http/errors';
import { storeResponse, claimOrReadResponse } from '../../http/idempotency';
import type { IdempotentRequest } from '../../http/idempotency';
import type { Services } from '../../services';
import { subscribeNewUser } from '../../topics/subscribe-new';
import type { Transact } from '../../http/access/authority';
import { issueToken, readOrRenewRegistrationTokens } from '../one-time-tokens';
import { requireUser, roleNames, toUser } from '../users';

interface NewUser {
  username: string;
  email?: string | undefined;
  role: Role;
  topicIds?: readonly number[];
  language?: Language;
}

/**
 * A repeat returns the same link.
 * @throws HttpError 400 for an unknown topic; 409 if name, email or key is taken
 */
export async function addUser(
  newUser: NewUser,
  request: IdempotentRequest | undefined,
  transact: Transact,
  services: Services,
): Promise<{ user: User; registrationLink: string }> {
  const { user, token } = await transact((transaction) =>
    insertUser(newUser, request, transaction, services),
  ).catch(async (error: unknown) => {
    throw databaseFault(error) === 'duplicate'
      ? await findDuplicateField(newUser, services.db)
      : error;
  });
  // Outside the transaction: a link that expired meanwhile is replaced in one of its own.
  const shownToken =
    token ?? (await readOrRenewRegistrationTokens([user.id], services)).get(user.id);
  if (shownToken === undefined) throw await findDuplicateField(newUser, services.db);
  return {
    user: toUser(user, shownToken),
    registrationLink: buildRegistrationLink(shownToken, services.config),
  };
}

export const buildRegistrationLink = (token: string, { publicUrl }: Services['config']): string =>
  `${publicUrl}/register/${token}`;

/** @returns the account, and its token unless this is a repeat */
async function insertUser(
  newUser: NewUser,
  request: IdempotentRequest | undefined,
  transaction: Transaction<Tables>,
  services: Services,
): Promise<{ user: UserRow; token?: string }> {
  const storedResponse = await claimOrReadResponse(request, transaction, services.now());
  if (storedResponse !== undefined)
    return { user: await requireUser(Number(storedResponse), transaction) };
  const user = await transaction
    .insertInto('users')
    .values({
      username: newUser.username,
      username_key: foldCase(newUser.username),
      email: newUser.email ?? null,
      email_key: newUser.email === undefined ? null : foldCase(newUser.email),
      role: newUser.role,
      status: 'PENDING',
      language: newUser.language ?? null,
      created_at: services.now(),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await storeResponse(request, String(user.id), transaction);
  const titles = await subscribeNewUser(
    user.id,
    newUser.topicIds ?? [],
    transaction,
    services.now(),
  );
  const topics = titles.length > 0 ? `, subscribed to ${titles.join(', ')}` : '';
  const entry = { person: user.id, detail: `${roleNames[user.role]}${topics}` };
  await recordAudit({ action: 'user.add', ...entry }, transaction);
  return { user, token: await issueToken(user.id, 'registration', transaction, services) };
}

/** @param id the account itself, which does not count */
export async function findDuplicateField(
  newUser: Pick<NewUser, 'username' | 'email'>,
  db: Database,
  id = 0,
): Promise<HttpError> {
  const sameName = await db
    .selectFrom('users')
    .select('id')
    .where('username_key', '=', foldCase(newUser.username))
    .where('id', '!=', id)
    .executeTakeFirst();
  return sameName === undefined
    ? emailTakenError()
    : conflictError('This username is already taken.', 'username');
}

export const emailTakenError = (): HttpError =>
  conflictError('This email address is already in use.', 'email');
