/** People test their own devices, and report whether they heard it. */
import { randomInt } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { DeviceTest } from '../../src/shared/contract';
import type { Database } from '../db/open';
import { sanitizeIdFromUrl } from '../lib/url-id';
import type { Tables, TestRow } from '../db/schema';
import { requireDevice } from '../devices/devices';
import type { Transact } from '../http/access/authority';
import { HttpError, notFoundError } from '../http/errors';
import { toTest } from './device-test';
import { insertRound, insertTests } from './insert-tests';
import { HOUR_MS } from '../lib/durations';

const TESTS_AN_HOUR = 10;
/** A delayed test leaves within this time after its announced moment, to prevent cheating. */
const MAX_RANDOM_DELAY_MS = 60_000;
/** Larger clock differences between machines are errors; such times are ignored. */
export const MAX_CLOCK_SKEW_MS = 60_000;

interface TestRequest {
  deviceId: number;
  /** The pause before the push, in seconds. */
  delay?: number;
}

/** @throws HttpError 404 if the device is not the person's; 429 with the time of the next test */
export async function startTest(
  { deviceId, delay = 0 }: TestRequest,
  userId: number,
  transact: Transact,
  now: number,
): Promise<DeviceTest> {
  return transact(
    async (transaction) => {
      const device = await requireDevice(deviceId, userId, transaction);
      await requireFew(userId, transaction, now);
      const announcedAt = now + delay * 1000;
      const times = {
        isByAdmin: false,
        createdAt: now,
        announcedAt,
        sendAt: delay > 0 ? announcedAt + randomInt(1, MAX_RANDOM_DELAY_MS + 1) : now,
      };
      const round = { id: await insertRound('sent', times, transaction), next_key: now };
      const { ids } = await insertTests(round, [device], times, transaction, now);
      return toTest(await readRow(ids[0] ?? '', userId, transaction), now);
    },
    { isExclusive: true },
  );
}

async function requireFew(userId: number, db: Database, now: number): Promise<void> {
  const oldestTest = await db
    .selectFrom('tests')
    .select('created_at')
    .where('user_id', '=', userId)
    .where('created_at', '>', now - HOUR_MS)
    .where('created_at', '<=', now + MAX_CLOCK_SKEW_MS)
    .where('by_admin', '=', 0)
    .orderBy('created_at', 'desc')
    .offset(TESTS_AN_HOUR - 1)
    .limit(1)
    .executeTakeFirst();
  if (oldestTest === undefined) return;
  const seconds = Math.ceil((oldestTest.created_at + HOUR_MS - now) / 1000);
  throw new HttpError(429, 'You have run ten tests in the last hour.', seconds);
}

/** @throws HttpError 404 if it does not exist or is someone else's */
export async function readDeviceTest(
  id: string,
  userId: number,
  db: Database,
  now: number,
): Promise<DeviceTest> {
  const { isDeviceThere, ...row } = await readRow(id, userId, db);
  return toTest(row, now, isDeviceThere);
}

/**
 * The last report counts.
 * @throws HttpError 404
 */
export async function recordSoundAnswer(
  id: string,
  heard: boolean,
  userId: number,
  transaction: Transaction<Tables>,
  now: number,
): Promise<DeviceTest> {
  const { heard_at } = await readRow(id, userId, transaction);
  const change: Partial<TestRow> = heard
    ? { heard_at: heard_at ?? now, failure_stage: null, failure_reason: null }
    : { heard_at: null, failure_stage: 'heard', failure_reason: 'silent' };
  await transaction.updateTable('tests').set(change).where('id', '=', id).execute();
  return readDeviceTest(id, userId, transaction, now);
}

async function readRow(
  id: string,
  userId: number,
  db: Database,
): Promise<TestRow & { isDeviceThere: boolean }> {
  const row = await db
    .selectFrom('tests')
    .leftJoin('devices', (join) =>
      join
        .onRef('devices.id', '=', 'tests.device_id')
        .onRef('devices.user_id', '=', 'tests.user_id'),
    )
    .selectAll('tests')
    .select('devices.id as presentId')
    .where('tests.id', '=', sanitizeIdFromUrl(id))
    .where('tests.user_id', '=', userId)
    .executeTakeFirst();
  if (row === undefined) throw notFoundError('This test does not exist.');
  const { presentId, ...test } = row;
  return { ...test, isDeviceThere: presentId !== null };
}
