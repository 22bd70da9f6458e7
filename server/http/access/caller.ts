import type { Database } from '../../db/open';
import type { DeviceRow, UserRow } from '../../db/schema';
import { mayDo, permissions } from '../../permissions';
import type { Action, ActionOf } from '../../permissions';
import { isSender } from './sender-rights';
import type { Services } from '../../services';
import { HttpError } from '../errors';
import { readDeviceOfKey, transactAs, transactAsDevice } from './authority';
import type { Transact } from './authority';
import { readDeviceKey } from './device-key';
import type { DeviceKey } from './device-key';
import { createConcurrencyLimiter } from './person-limits';
import { readSession, readToken } from './session';
import type { Session, SessionClaims } from './session';
import { createKeyCheck } from './topic-key';
import type { KeyCaller } from './topic-key';

/** A login token with a valid signature, or a device key. The database has not checked it yet. */
export type UncheckedCaller = { session: SessionClaims } | { key: DeviceKey };

type PersonCaller = 'user' | 'sender' | 'admin-or-sender' | 'admin-or-auditor' | 'admin';

export interface Caller<A extends Action> {
  user: A extends ActionOf<PersonCaller> ? UserRow : undefined;
  sid: A extends ActionOf<PersonCaller> ? string : undefined;
  device: A extends ActionOf<'device'> ? DeviceRow : undefined;
  /** The route checks this in the database itself. */
  claimed: A extends ActionOf<'user-or-device'> ? UncheckedCaller : undefined;
  key: A extends ActionOf<'key'> ? KeyCaller : undefined;
  transact: A extends ActionOf<'anyone' | 'user-or-device'> ? undefined : Transact;
}

const NO_CALLER: Caller<Action> = {
  user: undefined,
  sid: undefined,
  device: undefined,
  claimed: undefined,
  key: undefined,
  transact: undefined,
};

/**
 * @param counts the status when a key is used too often.
 * @throws HttpError 401, 403, 429
 */
type Admit = (
  action: Action,
  request: { authorization: string | undefined; address: string },
  counts?: { rateLimitStatus: 429 | 503 },
) => Promise<Caller<Action>>;

export function createCallerCheck(services: Services): Admit {
  const admitKey = createKeyCheck(services);
  const limitConcurrency = createConcurrencyLimiter();
  const limitPerUser =
    (userId: number, transact: Transact): Transact =>
    (work, options) =>
      limitConcurrency(userId, () => transact(work, options));

  return async (action, { authorization, address }, counts) => {
    switch (permissions[action]) {
      case 'anyone':
        return NO_CALLER;
      case 'key':
        return {
          ...NO_CALLER,
          ...(await admitKey(
            authorization,
            address,
            counts && { ...counts, isHeartbeat: action === 'heartbeats.report' },
          )),
        };
      case 'user-or-device': {
        const key = readDeviceKey(authorization);
        const credentials = key ? { key } : { session: await readToken(authorization, services) };
        return { ...NO_CALLER, claimed: credentials };
      }
      case 'device': {
        const key = readDeviceKey(authorization);
        const device = await readDeviceOfKey(key, services);
        const transact = transactAsDevice(key, address, services);
        return { ...NO_CALLER, device, transact: limitPerUser(device.user_id, transact) };
      }
      default: {
        const session = await authorizeUser(action, authorization, services);
        const transact = transactAs(session, address, services, (user, transaction) =>
          requireRight(user, action, transaction),
        );
        return { ...NO_CALLER, ...session, transact: limitPerUser(session.user.id, transact) };
      }
    }
  };
}

/** @throws HttpError 401, 403 */
export async function authorizeUser(
  action: Action,
  authorization: string | undefined,
  services: Services,
): Promise<Session> {
  const session = await readSession(authorization, services);
  await requireRight(session.user, action, services.db);
  return session;
}

/** @throws HttpError 403 */
async function requireRight(
  user: Pick<UserRow, 'id' | 'role' | 'is_auditor'>,
  action: Action,
  db: Database,
): Promise<void> {
  const rights = {
    ...user,
    isSender: permissions[action].endsWith('sender') && (await isSender(user, db)),
  };
  if (!mayDo(rights, action))
    throw new HttpError(403, 'You might not have the required permissions.');
}
