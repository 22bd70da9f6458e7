/** Reads and writes the reach of many devices at once. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { isOnPostgres } from '../lock';
import { idList, jsonTable } from '../json-table';
import type { DeviceReachRow, Tables } from '../schema';
import { type DeviceReach, type ReachPush, type PushEvent, reachAfter } from './pushes';

export type DeviceEvent = PushEvent & { deviceId: number };

/** A device that now is `failing` (`reach/states.ts`). */
export interface FailingDevice {
  deviceId: number;
  /** A short code, never an address. */
  reason: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** Whether the query's device has a row. With `exists`, PostgreSQL may read the whole table. */
export const hasReach = sql<
  boolean | 0 | 1
>`((select device_id from device_reach where device_reach.device_id = devices.id) is not null)`;

/**
 * Adds missing rows, which locks their devices. A transaction calls it before it changes other rows,
 * to keep the lock order.
 */
export async function addReach(
  deviceIds: readonly number[],
  transaction: Transaction<Tables>,
): Promise<void> {
  if (deviceIds.length === 0) return;
  const ids = idList(deviceIds);
  const devicesWithoutReach = sql`select id from devices where id in ${ids} and not ${hasReach} order by id`;
  // Waits for a concurrent deletion of the device, then skips it.
  const lock = isOnPostgres(transaction) ? sql`for key share of devices` : sql``;
  await sql`insert into device_reach (device_id) ${devicesWithoutReach} ${lock} on conflict (device_id) do nothing`.execute(
    transaction,
  );
}

/**
 * Applies push events in order, in the transaction that records them. Locks the rows by device as
 * the transaction's last locks; devices without a row are skipped (`addReach`).
 * @returns the devices that start to fail with these events
 */
export async function updateReach(
  events: readonly DeviceEvent[],
  transaction: Transaction<Tables>,
): Promise<FailingDevice[]> {
  if (events.length === 0) return [];
  const lockedReach = await lockReach(
    [...new Set(events.map(({ deviceId }) => deviceId))],
    transaction,
  );
  const changedReach = new Map<number, DeviceReach>();
  for (const { deviceId, ...event } of events) {
    const formerReach = changedReach.get(deviceId) ?? lockedReach.get(deviceId);
    const newReach = formerReach && reachAfter(formerReach, event);
    if (newReach !== undefined) changedReach.set(deviceId, newReach);
  }
  await writeReach(changedReach, transaction);
  return [...changedReach].flatMap(([deviceId, { rejectedAt, rejectedReason }]) =>
    rejectedAt !== null && lockedReach.get(deviceId)?.rejectedAt === null
      ? [{ deviceId, reason: rejectedReason ?? '', at: rejectedAt }]
      : [],
  );
}

async function lockReach(
  deviceIds: readonly number[],
  transaction: Transaction<Tables>,
): Promise<Map<number, DeviceReach>> {
  const lock = isOnPostgres(transaction)
    ? sql`order by device_id for no key update of device_reach`
    : sql``;
  const { rows } = await sql<DeviceReachRow>`select * from device_reach
    where device_id in ${idList(deviceIds)} ${lock}`.execute(transaction);
  return new Map(rows.map((row) => [row.device_id, toReach(row)]));
}

const toReach = (row: DeviceReachRow): DeviceReach => ({
  acceptedAt: row.accepted_at,
  thirdAcceptedAt: row.third_accepted_at,
  displayedAt: row.displayed_at,
  displayedAcceptedAt: row.displayed_accepted_at,
  rejectedAt: row.refused_at,
  rejectedReason: row.refused_reason,
  rejections: row.refusals,
  medianDelay: row.median_delay,
  recent: JSON.parse(row.recent) as ReachPush[],
});

async function writeReach(
  changedReach: ReadonlyMap<number, DeviceReach>,
  transaction: Transaction<Tables>,
): Promise<void> {
  if (changedReach.size === 0) return;
  const rows = [...changedReach].map(([deviceId, reach]): [number, unknown] => [
    deviceId,
    [
      reach.acceptedAt,
      reach.thirdAcceptedAt,
      reach.displayedAt,
      reach.displayedAcceptedAt,
      reach.rejectedAt,
      reach.rejectedReason,
      reach.rejections,
      reach.medianDelay,
      JSON.stringify(reach.recent),
    ],
  ]);
  const timeAt = (index: number) => sql`cast(value->>${sql.lit(index)} as bigint)`;
  await sql`update device_reach set accepted_at = given.accepted_at, third_accepted_at = given.third_accepted_at,
      displayed_at = given.displayed_at, displayed_accepted_at = given.displayed_accepted_at, refused_at = given.refused_at,
      refused_reason = given.refused_reason, refusals = given.refusals, median_delay = given.median_delay, recent = given.recent
    from (select cast(key as bigint) as device_id, ${timeAt(0)} as accepted_at, ${timeAt(1)} as third_accepted_at, ${timeAt(2)} as displayed_at,
      ${timeAt(3)} as displayed_accepted_at, ${timeAt(4)} as refused_at, value->>5 as refused_reason,
      cast(value->>6 as integer) as refusals, ${timeAt(7)} as median_delay, value->>8 as recent from ${jsonTable(rows)}) as given
    where device_reach.device_id = given.device_id`.execute(transaction);
}
