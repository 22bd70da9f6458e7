import { randomUUID } from 'node:crypto';
import type { Body, Passkey, PasskeyCreation, Passkeys } from '../../../src/shared/contract';
import { recordAudit } from '../../audit/record-audit';
import { databaseFault } from '../../db/errors';
import type { Database } from '../../db/open';
import type { PasskeyRow, UserRow } from '../../db/schema';
import type { Transact } from '../../http/access/authority';
import { HttpError, conflictError, notFoundError } from '../../http/errors';
import type { Services } from '../../services';
import { toTime, toTimeOrNull } from '../../lib/clock';
import { confirmPerson, hasPassword } from '../own-account/confirm-password';
import type { AccountCaller } from '../own-account/confirm-password';
import {
  PASSKEY_CHALLENGE_LIFETIME_MS,
  createPasskeyChallenge,
  usePasskeyChallenge,
} from './challenges';
import { PASSKEY_ALGORITHMS, passkeyHost, verifyNewPasskey } from './verify';

const MAX_PASSKEYS = 10;

/** @throws HttpError 409 */
export function requirePasskeysEnabled({ config }: Pick<Services, 'config'>): void {
  if (!config.passkeys)
    throw conflictError('Passkeys are disabled. Ask your Fieldbell operator to set PASSKEYS.');
}

/** What an authenticator keeps to tell accounts apart. It must not say who the person is. */
export const passkeyUserId = (userId: number): string =>
  Buffer.from(String(userId)).toString('base64url');

export async function readPasskeys(user: UserRow, { db, config }: Services): Promise<Passkeys> {
  return {
    isOn: config.passkeys,
    hasPassword: hasPassword(user, config),
    passkeys: await listPasskeys(user.id, db),
  };
}

export async function listPasskeys(userId: number, db: Database): Promise<Passkey[]> {
  return (await findPasskeys(userId, db)).map(toPasskey);
}

const findPasskeys = (userId: number, db: Database): Promise<PasskeyRow[]> =>
  db
    .selectFrom('passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(MAX_PASSKEYS)
    .execute();

const toPasskey = ({ id, name, created_at, last_used_at }: PasskeyRow): Passkey => ({
  id,
  name,
  createdAt: toTime(created_at),
  lastUsedAt: toTimeOrNull(last_used_at),
});

/**
 * Needs the password, as a stranger at an open session must not add a passkey.
 * @throws HttpError 400, 403, 409, 429
 */
export async function createPasskeyOptions(
  caller: AccountCaller,
  password: string,
  services: Services,
): Promise<PasskeyCreation> {
  const { user, transact } = caller;
  requirePasskeysEnabled(services);
  if (!hasPassword(user, services.config))
    throw conflictError('You sign in with your company account, so you cannot add a passkey here.');
  await confirmPerson(caller, password, services);
  const { challenge, knownPasskeys: storedPasskeys } = await transact(
    async (transaction) => ({
      knownPasskeys: await requireRoomForPasskey(user.id, transaction),
      challenge: await createPasskeyChallenge(user.id, transaction, services.now()),
    }),
    { isExclusive: true },
  );
  return {
    challenge,
    rp: { id: passkeyHost(services), name: 'Fieldbell' },
    user: { id: passkeyUserId(user.id), name: user.username, displayName: user.username },
    pubKeyCredParams: PASSKEY_ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: storedPasskeys.map(({ credential_id }) => ({
      type: 'public-key',
      id: credential_id,
    })),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
    timeout: PASSKEY_CHALLENGE_LIFETIME_MS,
  };
}

/** @throws HttpError 409 */
async function requireRoomForPasskey(userId: number, db: Database): Promise<PasskeyRow[]> {
  const storedPasskeys = await findPasskeys(userId, db);
  if (storedPasskeys.length < MAX_PASSKEYS) return storedPasskeys;
  throw conflictError('You have ten passkeys. Remove one before you add another.');
}

/** @throws HttpError 400 for an expired challenge, or a passkey that was not made for it; 409 */
export async function addPasskey(
  { name, ...newPasskey }: Body<'POST /api/account/passkeys'>,
  user: UserRow,
  transact: Transact,
  services: Services,
): Promise<Passkey> {
  requirePasskeysEnabled(services);
  const challenge = await usePasskeyChallenge(newPasskey.clientDataJSON, user.id, services);
  const credential = await verifyNewPasskey(newPasskey, challenge, services);
  if (credential === undefined)
    throw new HttpError(400, 'This passkey could not be verified. Please try another one.');
  const row: PasskeyRow = {
    id: randomUUID(),
    user_id: user.id,
    ...credential,
    name,
    created_at: services.now(),
    last_used_at: null,
  };
  try {
    await transact(
      async (transaction) => {
        await requireRoomForPasskey(user.id, transaction);
        await transaction.insertInto('passkeys').values(row).execute();
        await recordAudit({ action: 'passkey.add', person: user.id }, transaction);
      },
      { isExclusive: true },
    );
  } catch (error) {
    throw databaseFault(error) === 'duplicate'
      ? conflictError('This passkey was already added.')
      : error;
  }
  return toPasskey(row);
}

/** @throws HttpError 404, also for another person's */
export function removePasskey(id: string, userId: number, transact: Transact): Promise<void> {
  return transact(
    async (transaction) => {
      const { numDeletedRows } = await transaction
        .deleteFrom('passkeys')
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw notFoundError('This passkey does not exist.');
      await recordAudit({ action: 'passkey.remove', person: userId }, transaction);
    },
    { isExclusive: true },
  );
}
