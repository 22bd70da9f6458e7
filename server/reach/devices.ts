/** Devices on the reach board, and a person's own ones. */
import { sql } from 'kysely';
import type { OwnDevice, ReachDevice, DeviceTest } from '../../src/shared/contract';
import type { Database } from '../db/open';
import { idList } from '../db/json-table';
import type { DeviceReachRow, DeviceRow, TestRow } from '../db/schema';
import { parseBrowserName } from '../devices/browser';
import { toDevice } from '../devices/devices';
import { toTest } from '../device-tests/device-test';
import { RECENT_PUSH_MS, deviceState } from './states';
import type { DeviceState } from './states';
import { toTime, toTimeOrNull } from '../lib/clock';

export async function listReachDevices(
  userIds: readonly number[],
  db: Database,
  now: number,
): Promise<Map<number, ReachDevice[]>> {
  const ids = idList(userIds);
  const rows = await db
    .selectFrom('devices')
    .leftJoin('device_reach', 'device_reach.device_id', 'devices.id')
    .where('devices.user_id', 'in', ids)
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
    const ownDevices = devices.get(row.user_id) ?? [];
    ownDevices.push(toReachDevice(row, tests.get(row.id) ?? null, now));
    devices.set(row.user_id, ownDevices);
  }
  return devices;
}

async function findLastTests(
  deviceIds: readonly number[],
  db: Database,
  now: number,
): Promise<Map<number, DeviceTest>> {
  if (deviceIds.length === 0) return new Map();
  const { rows } = await sql<TestRow>`select tests.* from ${idList(deviceIds)} as wanted
    inner join tests on tests.id = (select newest.id from tests as newest
      where newest.device_id = wanted.id order by newest.created_at desc, newest.id desc limit 1)`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.device_id, toTest(row, now)]));
}

type ReachDeviceRow = Pick<
  DeviceRow,
  'id' | 'type' | 'user_agent' | 'model' | 'installed' | 'last_seen_at'
> & {
  [Column in 'accepted_at' | 'displayed_at' | 'recent' | 'refusals']: DeviceReachRow[Column] | null;
} & { state: DeviceState };

function toReachDevice(row: ReachDeviceRow, lastTest: DeviceTest | null, now: number): ReachDevice {
  return {
    id: row.id,
    state: row.state,
    deviceType: row.type,
    browser: parseBrowserName(row.user_agent),
    model: row.model ?? '',
    installed: row.installed === null ? null : row.installed === 1,
    lastSeenAt: toTime(row.last_seen_at),
    lastAcceptedAt: toTimeOrNull(row.accepted_at),
    lastDisplayedAt: toTimeOrNull(row.displayed_at),
    lastTest,
    unanswered: countUndisplayed(row.recent ?? '[]', now),
    refusals: row.refusals ?? 0,
  };
}

/** A push to a device. The device may display it before we know that it was accepted. */
type RecentPush = [message: string, acceptedAt: number | null, displayedAt: number | null];

/** Counts the last pushes, newest first, that came after the last displayed one. */
export function countUndisplayed(recent: string, now: number): number {
  const pushes = JSON.parse(recent) as RecentPush[];
  const displayedIndex = pushes.findIndex(([, , at]) => at !== null);
  return (displayedIndex === -1 ? pushes : pushes.slice(0, displayedIndex)).filter(
    ([, at]) => at !== null && at >= now - RECENT_PUSH_MS,
  ).length;
}

export async function listOwnDevices(
  userId: number,
  db: Database,
  now: number,
): Promise<OwnDevice[]> {
  const rows = await db
    .selectFrom('devices')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('last_seen_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  const reach = (await listReachDevices([userId], db, now)).get(userId) ?? [];
  return rows.map((row) => {
    const deviceReach = reach.find(({ id }) => id === row.id);
    return deviceReach === undefined ? toDevice(row) : { ...toDevice(row), reach: deviceReach };
  });
}
