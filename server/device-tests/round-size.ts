/** Counts the devices that a test of all devices would notify, and those in quiet hours. */
import type { RoundSize } from '../../src/shared/contract';
import type { Database } from '../db/open';
import { yieldToEventLoop } from '../lib/loop';
import { createQuietHoursEndCache } from '../quiet-hours/hours';

/** Each device takes some ten microseconds; other work runs between batches. */
const DEVICES_PER_SLICE = 200;

export async function countRound(db: Database, now: number): Promise<RoundSize> {
  const totals = await db
    .selectFrom('devices')
    .select(({ fn }) => [
      fn.countAll<number>().as('devices'),
      fn.count<number>('user_id').distinct().as('people'),
    ])
    .executeTakeFirstOrThrow();
  const hours = await db
    .selectFrom('quiet_hours')
    .innerJoin('devices', 'devices.user_id', 'quiet_hours.user_id')
    .select(({ fn }) => [
      'time_zone',
      'rules',
      fn.countAll<number>().as('devices'),
      fn.count<number>('devices.user_id').distinct().as('people'),
    ])
    .groupBy(['time_zone', 'rules'])
    .execute();
  const quietTotals = { devices: 0, people: 0 };
  const findQuietHoursEnd = createQuietHoursEndCache(now);
  for (const [index, row] of hours.entries()) {
    if (index % DEVICES_PER_SLICE === DEVICES_PER_SLICE - 1) await yieldToEventLoop();
    if (findQuietHoursEnd(row) === undefined) continue;
    quietTotals.devices += row.devices;
    quietTotals.people += row.people;
  }
  return {
    devices: totals.devices - quietTotals.devices,
    people: totals.people - quietTotals.people,
    quietDevices: quietTotals.devices,
    quietPeople: quietTotals.people,
  };
}
