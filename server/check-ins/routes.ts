import type { CheckIn } from '../../src/shared/contract';
import { readIsoTime } from '../../src/shared/iso-time';
import type { Transaction } from 'kysely';
import type { Tables } from '../db/schema';
import { inTransaction } from '../db/transaction';
import { auditNetwork } from '../http/connections/client-address';
import { isTopicSender } from '../http/access/sender-rights';
import { HttpError, conflictError, notFoundError } from '../http/errors';
import { sessionEndedError } from '../http/access/session';
import { toServerClock } from '../lib/receipt-time';
import { CustomResponse } from '../http/response';
import { readId } from '../http/route';
import type { AddRoute } from '../http/route';
import type { Services } from '../services';
import type { UncheckedCaller } from '../http/access/caller';
import { CHECK_IN_HAS_ENDED, endCheckIn, startCheckIn } from './check-ins';
import {
  NO_SUCH_CHECK_IN,
  listCheckIns,
  readCheckIn,
  readCurrentCheckIn,
  readOwnCheckIns,
} from './read-check-ins';
import type { CheckInPress } from './check-in-rules';
import { lockCheckInForPress, applyPressToCheckIn } from './check-in-press';
import { changeCheckInSettings, describeCheckInSettings, readCheckInSettings } from './settings';

const readCheckInId = (text: string): number => readId(text, NO_SUCH_CHECK_IN);

/** Finds the person of a press, who may have signed out meanwhile. */
type FindPresser = (
  claimed: UncheckedCaller,
  at: number,
  transaction: Transaction<Tables>,
) => Promise<{ userId: number } | undefined>;

export function addCheckInRoutes(
  add: AddRoute,
  services: Services,
  findPresser: FindPresser,
): void {
  const { db, now, wakeJobs } = services;
  add('GET /api/check-ins', {
    action: 'check-ins.own',
    respond: ({ user }) => readOwnCheckIns(user.id, db, now()),
  });
  add('POST /api/check-ins', {
    action: 'check-ins.own',
    status: 201,
    respond: ({ body, user, transact }) =>
      // Alone, because help may open an ended check-in again at the same time.
      transact((transaction) => startCheckIn(body, user.id, transaction, now()), {
        isExclusive: true,
      }),
  });
  add('GET /api/check-ins/current', {
    action: 'check-ins.own',
    respond: async ({ user }) =>
      (await readCurrentCheckIn(user.id, db, now())) ?? new CustomResponse(204, {}, null),
  });
  add('POST /api/check-ins/:id/ok', {
    action: 'check-ins.press',
    respond: ({ params, body, claimed, address }) => {
      const press = {
        kind: 'ok',
        minutes: body.minutes,
        ...pressTime(body, now(), address),
      } as const;
      return applyPressOfCaller(claimed, readCheckInId(params.id), press, services, findPresser);
    },
  });
  add('POST /api/check-ins/:id/help', {
    action: 'check-ins.press',
    respond: ({ params, body, claimed, address }) => {
      const press = { kind: 'help', ...pressTime(body, now(), address) } as const;
      return applyPressOfCaller(claimed, readCheckInId(params.id), press, services, findPresser);
    },
  });
  add('POST /api/check-ins/:id/end', {
    action: 'check-ins.own',
    respond: async ({ params, body, address, user, transact }) => {
      const checkIn = await transact((transaction) =>
        endCheckIn(readCheckInId(params.id), user.id, transaction, pressTime(body, now(), address)),
      );
      wakeJobs();
      return checkIn;
    },
  });
  add('GET /api/admin/check-ins', {
    action: 'check-ins.read',
    respond: async ({ query, paging, user }) => {
      const { topic_id } = await readCheckInSettings(db);
      if (user.role !== 'ADMIN' && !(await isTopicSender(user.id, topic_id ?? 0, db)))
        throw new HttpError(
          403,
          'Only administrators and senders of the alarm’s topic can see all check-ins.',
        );
      return listCheckIns(query, paging, db, now());
    },
  });
  add('GET /api/admin/check-ins/settings', {
    action: 'check-ins.settings',
    respond: () => describeCheckInSettings(db),
  });
  add('PUT /api/admin/check-ins/settings', {
    action: 'check-ins.settings',
    respond: ({ body, transact }) =>
      transact((transaction) => changeCheckInSettings(body, transaction)),
  });
}

/** @param body `age` has no effect without `at` */
function pressTime(
  body: { at?: string; sentAt?: string; age?: number },
  now: number,
  address: string,
) {
  const { at = '', earliestAt = at } = toServerClock(body, body.sentAt, now);
  const latestAt = body.age === undefined ? undefined : now - Math.round(body.age);
  const readTime = (text: string): number | undefined => {
    const time = readIsoTime(text);
    return time && Math.min(time, latestAt ?? time);
  };
  return {
    pressedAt: readTime(at),
    earliestAt: readTime(earliestAt),
    latestAt,
    now,
    network: auditNetwork(address),
  };
}

/**
 * The caller has a login or a device's key, as for receipts.
 * @throws HttpError 401, 404, 409
 */
async function applyPressOfCaller(
  caller: UncheckedCaller,
  id: number,
  press: CheckInPress,
  services: Services,
  findPresser: FindPresser,
): Promise<CheckIn> {
  const checkIn = await inTransaction(services.db, async (transaction) => {
    const author = await findPresser(caller, press.now, transaction);
    if (author === undefined) throw sessionEndedError();
    // A page's “I’m OK” is about the check-in that it shows.
    const { kind } = press;
    const row = await lockCheckInForPress(id, author.userId, { kind }, transaction);
    if (row === undefined) throw notFoundError(NO_SUCH_CHECK_IN);
    if (press.kind === 'ok' && row.state === 'ended') throw conflictError(CHECK_IN_HAS_ENDED);
    const changedRow = await applyPressToCheckIn(row, press, transaction);
    return readCheckIn(changedRow.id, transaction, press.now);
  });
  services.wakeJobs();
  return checkIn;
}
