/**
 * The push services (Google's, Mozilla's, anybody's) to whom devices belong. Each has a queue of
 * its own in the outbox. An endpoint is the client's word, so there may be any number of them; one
 * is proven once it has accepted a push.
 */
import type { ExpressionBuilder, Transaction } from 'kysely';
import { held, takenIfFree } from './lock';
import type { Database } from './open';
import type { DeviceRow, Tables } from './schema';
import { inTransaction } from './transaction';

/** The queue of rows whose device names no push service. */
export const NO_SERVICE = 0;
/** Far more than there are in the world. It bounds what looking through their queues costs. */
const MAX_PROVEN = 64;
/** Few enough that no other writer has to wait long. */
export const FORGET_AT_ONCE = 1000;
/** A service that has accepted nothing for so long makes room for others. */
const PROVEN_MILLISECONDS = 30 * 24 * 3600_000;
/**
 * One without any device goes sooner: its address may be somebody's own, and name a person who was
 * deleted a day ago.
 */
const DESERTED_MILLISECONDS = 22 * 3600_000;

/**
 * What a device token belongs to: the origin of a Web Push endpoint, `fcm`, or `none` if it is
 * neither.
 */
export function serviceOf(token: string): string {
  if (!token.startsWith('{')) return 'fcm';
  try {
    return new URL((JSON.parse(token) as { endpoint: string }).endpoint).origin;
  } catch {
    return 'none';
  }
}

/** The id of FCM, once a device belongs to it. */
export async function findFcm(db: Database): Promise<number | undefined> {
  const found = db.selectFrom('push_services').select('id').where('origin', '=', 'fcm');
  return (await found.executeTakeFirst())?.id;
}

/**
 * The host behind it, such as `web.push.apple.com`. Of FCM it is the one that failed: Google lets us
 * in at another.
 */
export function hostOfService(origin: string, reason: string | null): string {
  if (origin !== 'fcm') return URL.canParse(origin) ? new URL(origin).host : origin;
  return reason?.startsWith('token-') ? 'oauth2.googleapis.com' : 'fcm.googleapis.com';
}

/**
 * The id of a push service, which is made known by asking. Until the transaction ends, it is not
 * forgotten.
 */
export async function findService(
  origin: string,
  transaction: Transaction<Tables>,
): Promise<number> {
  const known = transaction.selectFrom('push_services').select('id').where('origin', '=', origin);
  // Known to another transaction and forgotten by a third: then it is made known once more.
  for (;;) {
    const found =
      (await held(known, transaction).executeTakeFirst()) ??
      (await transaction
        .insertInto('push_services')
        .values({ origin })
        .onConflict((taken) => taken.column('origin').doNothing())
        .returning('id')
        .executeTakeFirst());
    if (found !== undefined) return found.id;
  }
}

/**
 * It has accepted a push: from now on it has slots of its own, unless there are too many such
 * already. A service that somebody vouches for needs no room: those that clients made up, and that
 * accept whatever comes, must not be able to take it.
 */
export async function prove(
  id: number,
  db: Database,
  { now, isVouched = false }: { now: number; isVouched?: boolean },
): Promise<void> {
  await db
    .updateTable('push_services')
    .set({ proven_at: now })
    .where('id', '=', id)
    .where(({ or, eb, selectFrom, lit }) =>
      or([
        lit(isVouched),
        eb('proven_at', 'is not', null),
        eb(
          selectFrom('push_services')
            .where('proven_at', 'is not', null)
            .select(({ fn }) => fn.countAll<number>().as('proven')),
          '<',
          MAX_PROVEN,
        ),
      ]),
    )
    .execute();
}

/**
 * They have answered nothing for long: until they accept a push again, they share the slots of
 * those never proven.
 */
export async function disprove(ids: readonly number[], db: Database): Promise<void> {
  if (ids.length === 0) return;
  await db.updateTable('push_services').set({ proven_at: null }).where('id', 'in', ids).execute();
}

/**
 * Forgets those of these services that no device uses and that never accepted a push: one person
 * could otherwise make up hundreds in the hour until the next cleanup. One that another transaction
 * holds is about to be used, or to be forgotten there: it is passed over, not waited for.
 */
async function forgetUnused(
  ids: readonly number[],
  transaction: Transaction<Tables>,
): Promise<void> {
  if (ids.length === 0) return;
  const unproven = transaction
    .selectFrom('push_services')
    .select('id')
    .where('id', 'in', ids)
    .where('proven_at', 'is', null);
  const free = await takenIfFree(unproven, transaction).execute();
  if (free.length === 0) return;
  // A statement of its own: it sees devices that were stored while the rows were being locked.
  await transaction
    .deleteFrom('push_services')
    .where(
      'id',
      'in',
      free.map(({ id }) => id),
    )
    .where(isDeserted)
    .execute();
}

/** No device belongs to it. */
const isDeserted = ({ not, exists, selectFrom }: ExpressionBuilder<Tables, 'push_services'>) =>
  not(
    exists(
      selectFrom('devices')
        .select('devices.id')
        .whereRef('devices.service_id', '=', 'push_services.id'),
    ),
  );

/** What devices leave behind that have just gone: the push services of no one else. */
export const forgetServicesOf = (
  gone: readonly Pick<DeviceRow, 'service_id'>[],
  transaction: Transaction<Tables>,
): Promise<void> =>
  forgetUnused([...new Set(gone.map(({ service_id }) => service_id))], transaction);

/**
 * Takes the proof of those not heard of for a month, or for a day without any device, and forgets services without any device. They
 * may have been made up by the hundred thousand, so it goes in steps.
 * @returns where to go on; 0 at the end
 */
export async function forgetServices(db: Database, now: number, after = 0): Promise<number> {
  if (after === 0)
    await db
      .updateTable('push_services')
      .set({ proven_at: null })
      .where('proven_at', '<', now - DESERTED_MILLISECONDS)
      .where((row) => row.or([row('proven_at', '<', now - PROVEN_MILLISECONDS), isDeserted(row)]))
      .execute();
  const rows = await db
    .selectFrom('push_services')
    .select('id')
    .where('id', '>', after)
    .orderBy('id')
    .limit(FORGET_AT_ONCE)
    .execute();
  const ids = rows.map(({ id }) => id);
  await inTransaction(db, (transaction) => forgetUnused(ids, transaction));
  return ids.length < FORGET_AT_ONCE ? 0 : (ids.at(-1) ?? 0);
}
