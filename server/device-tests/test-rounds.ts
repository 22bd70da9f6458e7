import type { Transaction } from 'kysely';
import { recordAudit } from '../audit/record-audit';
import { TEST_JOB } from '../db/jobs/kinds';
import { addJob } from '../db/jobs/jobs';
import type { Database } from '../db/open';
import type { MessageRow, Tables } from '../db/schema';
import { readSetting, writeSetting } from '../db/settings';
import type { Transact } from '../http/access/authority';
import { HttpError } from '../http/errors';
import { countedNoun } from '../lib/counted-noun';
import { findQuietHoursEnds } from '../quiet-hours/hours';
import { requireKnownIds } from '../subscriptions/audience';
import { MAX_CLOCK_SKEW_MS } from './own-tests';
import { countRound } from './round-size';
import { insertRound, insertTests } from './insert-tests';

/** Minimum time between two tests of all devices. */
const MIN_ROUND_INTERVAL_MS = 5 * 60_000;
/** Tests in one transaction, which must stay short on SQLite. */
const TESTS_PER_TRANSACTION = 1000;
/** Pushes to all devices are spread: four a second, over a minute at most. */
const ROUND_SPREAD_MS = { each: 250, max: 60_000 };
const LAST_ROUND = 'tests-of-everybody';

interface LastRound {
  /** Milliseconds since 1970. */
  at: number;
  devices: number;
  until: number;
  quietDevices: number;
}

interface StartedRound {
  devices: number;
  quietDevices: number;
}

/**
 * @param userIds undefined tests all devices; a job writes them.
 * @throws HttpError 400, 429
 */
export async function startRound(
  userIds: readonly number[] | undefined,
  transact: Transact,
  db: Database,
  now: number,
): Promise<StartedRound> {
  if (userIds !== undefined) {
    const devices = await transact((transaction) => testPeople(userIds, transaction, now));
    return { devices, quietDevices: 0 };
  }
  const { devices, quietDevices } = await countRound(db, now);
  const sizes = { devices, quietDevices };
  await transact((transaction) => testEverybody(sizes, transaction, now), { lock: LAST_ROUND });
  return sizes;
}

const testTimes = (createdAt: number, now: number) => ({
  isByAdmin: true,
  createdAt,
  announcedAt: now,
  sendAt: now,
});

const roundDuration = (devices: number): number =>
  Math.min(ROUND_SPREAD_MS.each * devices, ROUND_SPREAD_MS.max);

async function testPeople(
  userIds: readonly number[],
  transaction: Transaction<Tables>,
  now: number,
): Promise<number> {
  await requireKnownIds('users', userIds, 'userIds', transaction);
  const devices = await selectTested(transaction).where('user_id', 'in', userIds).execute();
  if (devices.length === 0) return 0;
  const times = testTimes(now, now);
  const round = { id: await insertRound('sent', times, transaction), next_key: now };
  await insertTests(round, devices, times, transaction, now);
  const counts = new Map<number, number>();
  for (const { user_id } of devices) counts.set(user_id, (counts.get(user_id) ?? 0) + 1);
  await recordAudit(
    [...counts].map(([person, count]) => ({
      action: 'reach.test',
      person,
      detail: countedNoun(count, 'device'),
    })),
    transaction,
  );
  return devices.length;
}

async function testEverybody(
  { devices, quietDevices }: StartedRound,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const lastRound = await readLastRound(transaction);
  const wait =
    lastRound === undefined || lastRound.at > now + MAX_CLOCK_SKEW_MS
      ? 0
      : lastRound.at + MIN_ROUND_INTERVAL_MS - now;
  if (wait > 0)
    throw new HttpError(
      429,
      'All devices were just tested. Please try again in a few minutes.',
      Math.ceil(wait / 1000),
    );
  if (devices === 0) return;
  const id = await insertRound('writing', testTimes(now, now), transaction);
  await addJob({ kind: TEST_JOB, subject: id }, transaction, now);
  const round: LastRound = { at: now, devices, until: now + roundDuration(devices), quietDevices };
  await writeSetting(LAST_ROUND, JSON.stringify(round), transaction);
  const skippedText = quietDevices > 0 ? `, ${quietDevices} skipped during quiet hours` : '';
  const detail = `${countedNoun(devices, 'device')}${skippedText}`;
  await recordAudit({ action: 'reach.test', on: 'everybody', detail }, transaction);
}

export async function readLastRound(db: Database): Promise<LastRound | undefined> {
  const storedRound = await readSetting(LAST_ROUND, db);
  return storedRound === undefined ? undefined : (JSON.parse(storedRound) as LastRound);
}

/**
 * A step of the job, which has locked the message.
 * @returns whether it is complete
 */
export async function writeSomeTests(
  message: MessageRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<boolean> {
  const devices = await selectTested(transaction)
    .where('id', '>', message.written_to)
    .limit(TESTS_PER_TRANSACTION)
    .execute();
  const people = [...new Set(devices.map(({ user_id }) => user_id))];
  const quietHoursEnds = await findQuietHoursEnds(people, transaction, now);
  const testedDevices = devices.filter(({ user_id }) => !quietHoursEnds.has(user_id));
  // Each chunk over the whole minute: together they are even, even if one comes late.
  const times = {
    ...testTimes(message.created_at, now),
    spread: roundDuration(testedDevices.length),
  };
  const { nextKey } = await insertTests(message, testedDevices, times, transaction, now);
  const isComplete = devices.length < TESTS_PER_TRANSACTION;
  await transaction
    .updateTable('messages')
    .set({
      state: isComplete ? 'sent' : 'writing',
      written_to: devices.at(-1)?.id ?? message.written_to,
      next_key: nextKey,
    })
    .where('id', '=', message.id)
    .execute();
  return isComplete;
}

const selectTested = (db: Database) =>
  db.selectFrom('devices').select(['id', 'user_id', 'type', 'service_id']).orderBy('id');
