/**
 * Push services (Google's, Mozilla's, any). Clients name their endpoints, so there may be any
 * number of services. One is proven once it accepts a push.
 */
import type { ExpressionBuilder, Transaction } from 'kysely';
import { lockForShare, lockSkippingLocked } from './lock';
import type { Database } from './open';
import type { DeviceRow, Tables } from './schema';
import { inTransaction } from './transaction';

/** The queue of devices without a push service. */
export const NO_SERVICE = 0;
/** Fewer services exist. The limit bounds the cost of scanning their queues. */
const MAX_PROVEN_SERVICES = 64;
/** The batches are small, so that no writer waits long. */
const MAX_SERVICES_PER_STATEMENT = 1000;
/** A service that accepts nothing for this time loses its place. */
const PROOF_LIFETIME_MS = 30 * 24 * 3600_000;
/** Shorter without devices: the address may name a person who was deleted a day ago. */
const UNUSED_SERVICE_LIFETIME_MS = 22 * 3600_000;

/** The origin of a Web Push endpoint, `fcm`, or `none` if the token is neither. */
export function getPushServiceName(token: string): string {
  if (!token.startsWith('{')) return 'fcm';
  try {
    return new URL((JSON.parse(token) as { endpoint: string }).endpoint).origin;
  } catch {
    return 'none';
  }
}

export async function findFcmService(db: Database): Promise<number | undefined> {
  const fcmQuery = db.selectFrom('push_services').select('id').where('origin', '=', 'fcm');
  return (await fcmQuery.executeTakeFirst())?.id;
}

/** The service's host, such as `web.push.apple.com`. FCM has a second one, for access tokens. */
export function hostOfService(origin: string, reason: string | null): string {
  if (origin !== 'fcm') return URL.canParse(origin) ? new URL(origin).host : origin;
  return reason?.startsWith('token-') ? 'oauth2.googleapis.com' : 'fcm.googleapis.com';
}

/** Finds or adds a push service, and keeps it from deletion until the transaction ends. */
export async function findOrAddService(
  origin: string,
  transaction: Transaction<Tables>,
): Promise<number> {
  const serviceQuery = transaction
    .selectFrom('push_services')
    .select('id')
    .where('origin', '=', origin);
  // Repeats if another transaction added the service and a third deleted it.
  for (;;) {
    const existingService =
      (await lockForShare(serviceQuery, transaction).executeTakeFirst()) ??
      (await transaction
        .insertInto('push_services')
        .values({ origin })
        .onConflict((conflict) => conflict.column('origin').doNothing())
        .returning('id')
        .executeTakeFirst());
    if (existingService !== undefined) return existingService.id;
  }
}

/**
 * Marks a service that accepted a push as proven: it gets its own slots, up to `MAX_PROVEN_SERVICES`
 * services. Allowed services need no room, so services that clients made up cannot displace them.
 */
export async function markProven(
  id: number,
  db: Database,
  { now, isAllowed = false }: { now: number; isAllowed?: boolean },
): Promise<void> {
  await db
    .updateTable('push_services')
    .set({ proven_at: now })
    .where('id', '=', id)
    .where(({ or, eb, selectFrom, lit }) =>
      or([
        lit(isAllowed),
        eb('proven_at', 'is not', null),
        eb(
          selectFrom('push_services')
            .where('proven_at', 'is not', null)
            .select(({ fn }) => fn.countAll<number>().as('proven')),
          '<',
          MAX_PROVEN_SERVICES,
        ),
      ]),
    )
    .execute();
}

/** Services that stopped responding share the slots of the unproven until they accept again. */
export async function markUnproven(ids: readonly number[], db: Database): Promise<void> {
  if (ids.length === 0) return;
  await db.updateTable('push_services').set({ proven_at: null }).where('id', 'in', ids).execute();
}

/**
 * Deletes unproven services without devices at once, because a person could make up hundreds before
 * the next deletion of old data. Skips those that another transaction holds.
 */
async function removeUnused(
  ids: readonly number[],
  transaction: Transaction<Tables>,
): Promise<void> {
  if (ids.length === 0) return;
  const unprovenServices = transaction
    .selectFrom('push_services')
    .select('id')
    .where('id', 'in', ids)
    .where('proven_at', 'is', null);
  const unlockedRows = await lockSkippingLocked(unprovenServices, transaction).execute();
  if (unlockedRows.length === 0) return;
  // A separate statement sees devices stored while the rows were locked.
  await transaction
    .deleteFrom('push_services')
    .where(
      'id',
      'in',
      unlockedRows.map(({ id }) => id),
    )
    .where(hasNoDevices)
    .execute();
}

const hasNoDevices = ({ not, exists, selectFrom }: ExpressionBuilder<Tables, 'push_services'>) =>
  not(
    exists(
      selectFrom('devices')
        .select('devices.id')
        .whereRef('devices.service_id', '=', 'push_services.id'),
    ),
  );

/** Deletes the services that only these removed devices used. */
export const removeUnusedPushServices = (
  goneDevices: readonly Pick<DeviceRow, 'service_id'>[],
  transaction: Transaction<Tables>,
): Promise<void> =>
  removeUnused([...new Set(goneDevices.map(({ service_id }) => service_id))], transaction);

/**
 * Withdraws old proofs and deletes services without devices. There may be 100,000, so it works in
 * steps.
 * @returns where to continue; 0 at the end
 */
export async function removeServices(db: Database, now: number, after = 0): Promise<number> {
  if (after === 0)
    await db
      .updateTable('push_services')
      .set({ proven_at: null })
      .where('proven_at', '<', now - UNUSED_SERVICE_LIFETIME_MS)
      .where((row) => row.or([row('proven_at', '<', now - PROOF_LIFETIME_MS), hasNoDevices(row)]))
      .execute();
  const rows = await db
    .selectFrom('push_services')
    .select('id')
    .where('id', '>', after)
    .orderBy('id')
    .limit(MAX_SERVICES_PER_STATEMENT)
    .execute();
  const ids = rows.map(({ id }) => id);
  await inTransaction(db, (transaction) => removeUnused(ids, transaction));
  return ids.length < MAX_SERVICES_PER_STATEMENT ? 0 : (ids.at(-1) ?? 0);
}
