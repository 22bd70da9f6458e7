/** What administrators, and people themselves, are told of devices. */
import { sql } from 'kysely';
import type { ReachDevice, Test } from '../../src/shared/contract';
import type { Database } from '../db/open';
import { someIds } from '../db/json-table';
import type { DeviceReachRow, DeviceRow, TestRow } from '../db/schema';
import { browserOf } from '../devices/browser';
import { toTest } from '../device-tests/test';
import { RECENT, deviceState } from './states';
import type { DeviceState } from './states';
import { toTimeOrNull } from '../lib/clock';

/** The devices of these people, by person, last seen first. */
export async function listReachDevices(
  userIds: readonly number[],
  db: Database,
  now: number,
): Promise<Map<number, ReachDevice[]>> {
  const wanted = someIds(userIds);
  const rows = await db
    .selectFrom('devices')
    .leftJoin('device_reach', 'device_reach.device_id', 'devices.id')
    .where('devices.user_id', 'in', wanted)
    .select([
      'devices.id',
      'devices.user_id',
      'devices.type',
      'devices.user_agent',
      'devices.model',
      'devices.installed',
      'devices.last_seen_at',
      'device_reach.accepted_at',
      'device_reach.displayed_at',
      'device_reach.recent',
      'device_reach.refusals',
      deviceState(now).as('state'),
    ])
    .orderBy('devices.user_id')
    .orderBy('devices.last_seen_at', 'desc')
    .orderBy('devices.id', 'desc')
    .execute();
  const tests = await findLastTests(
    rows.map(({ id }) => id),
    db,
    now,
  );
  const devices = new Map<number, ReachDevice[]>();
  for (const row of rows) {
    const own = devices.get(row.user_id) ?? [];
    own.push(toReachDevice(row, tests.get(row.id) ?? null, now));
    devices.set(row.user_id, own);
  }
  return devices;
}

/** The newest of each device, as far as it is its person's. */
async function findLastTests(
  deviceIds: readonly number[],
  db: Database,
  now: number,
): Promise<Map<number, Test>> {
  if (deviceIds.length === 0) return new Map();
  const { rows } = await sql<TestRow>`select tests.* from ${someIds(deviceIds)} as wanted
    inner join tests on tests.id = (select newest.id from tests as newest
      where newest.device_id = wanted.id order by newest.created_at desc, newest.id desc limit 1)`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.device_id, toTest(row, now)]));
}

type Row = Pick<
  DeviceRow,
  'id' | 'type' | 'user_agent' | 'model' | 'installed' | 'last_seen_at'
> & {
  [Column in 'accepted_at' | 'displayed_at' | 'recent' | 'refusals']: DeviceReachRow[Column] | null;
} & { state: DeviceState };

function toReachDevice(row: Row, lastTest: Test | null, now: number): ReachDevice {
  return {
    id: row.id,
    state: row.state,
    deviceType: row.type,
    browser: browserOf(row.user_agent),
    model: row.model ?? '',
    installed: row.installed === null ? null : row.installed === 1,
    lastSeenAt: new Date(row.last_seen_at).toISOString(),
    lastAcceptedAt: toTimeOrNull(row.accepted_at),
    lastDisplayedAt: toTimeOrNull(row.displayed_at),
    lastTest,
    unanswered: countUnanswered(row.recent ?? '[]', now),
    refusals: row.refusals ?? 0,
  };
}

/** A push that a device was sent; one may be displayed before its accept is known. */
type Push = [message: string, acceptedAt: number | null, displayedAt: number | null];

/** Of the last pushes, newest first, those that came after the last one displayed. */
export function countUnanswered(recent: string, now: number): number {
  const pushes = JSON.parse(recent) as Push[];
  const displayed = pushes.findIndex(([, , at]) => at !== null);
  return (displayed === -1 ? pushes : pushes.slice(0, displayed)).filter(
    ([, at]) => at !== null && at >= now - RECENT,
  ).length;
}
