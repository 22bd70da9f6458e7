/** Administrators test the devices of some people, or everybody's. */
import type { Transaction } from 'kysely';
import { record } from '../audit/record';
import { TEST_JOB } from '../db/jobs/kinds';
import { addJob } from '../db/jobs/jobs';
import type { Database } from '../db/open';
import type { MessageRow, Tables } from '../db/schema';
import { readSetting, writeSetting } from '../db/settings';
import type { Transact } from '../http/access/authority';
import { HttpError } from '../http/errors';
import { inNumber } from '../lib/in-number';
import { requireAll } from '../subscriptions/audience';
import { AHEAD } from './own';
import { insertRound, insertTests } from './write';

/** Their devices, twenty each at most, are written within the request. */
export const MOST_NAMED = 100;
/** Everybody's phone rings: not more often than this, whoever asks. */
const PAUSE = 5 * 60_000;
/** As messages do: on the embedded engine nothing else waits long for this process. */
const CHUNK = 1000;
const LAST_ROUND = 'tests-of-everybody';

/** The last test of everybody's devices. */
export interface LastRound {
  /** Milliseconds since 1970. */
  at: number;
  devices: number;
}

/**
 * @param userIds none: everybody with a device, written by a job behind the answer
 * @returns how many devices are tested
 * @throws HttpError 400 for people who do not exist; 429 while everybody was tested just now
 */
export function startRound(
  userIds: readonly number[] | undefined,
  transact: Transact,
  now: number,
): Promise<number> {
  return userIds === undefined
    ? transact((transaction) => testEverybody(transaction, now), { lock: LAST_ROUND })
    : transact((transaction) => testPeople(userIds, transaction, now));
}

const timesOf = (createdAt: number, now: number) => ({
  isByAdmin: true,
  createdAt,
  announcedAt: now,
  sendAt: now,
});

async function testPeople(
  userIds: readonly number[],
  transaction: Transaction<Tables>,
  now: number,
): Promise<number> {
  await requireAll('users', userIds, 'userIds', transaction);
  const devices = await selectTested(transaction).where('user_id', 'in', userIds).execute();
  if (devices.length === 0) return 0;
  const times = timesOf(now, now);
  const round = { id: await insertRound('sent', times, transaction), next_key: now };
  await insertTests(round, devices, times, transaction, now);
  const counts = new Map<number, number>();
  for (const { user_id } of devices) counts.set(user_id, (counts.get(user_id) ?? 0) + 1);
  await record(
    [...counts].map(([person, count]) => ({
      action: 'reach.test',
      person,
      detail: inNumber(count, 'device'),
    })),
    transaction,
  );
  return devices.length;
}

async function testEverybody(transaction: Transaction<Tables>, now: number): Promise<number> {
  const last = await readLastRound(transaction);
  const wait = last === undefined || last.at > now + AHEAD ? 0 : last.at + PAUSE - now;
  if (wait > 0)
    throw new HttpError(429, 'All devices were tested just now.', Math.ceil(wait / 1000));
  const { devices } = await transaction
    .selectFrom('devices')
    .select(({ fn }) => fn.countAll<number>().as('devices'))
    .executeTakeFirstOrThrow();
  if (devices === 0) return 0;
  const id = await insertRound('writing', timesOf(now, now), transaction);
  await addJob({ kind: TEST_JOB, subject: id }, transaction, now);
  const value = JSON.stringify({ at: now, devices } satisfies LastRound);
  await writeSetting(LAST_ROUND, value, transaction);
  const detail = inNumber(devices, 'device');
  await record({ action: 'reach.test', on: 'everybody', detail }, transaction);
  return devices;
}

/** Undefined if there never was one. */
export async function readLastRound(db: Database): Promise<LastRound | undefined> {
  const kept = await readSetting(LAST_ROUND, db);
  return kept === undefined ? undefined : (JSON.parse(kept) as LastRound);
}

/** A step of the job, which has locked the message. @returns whether nothing is left of it */
export async function writeSomeTests(
  message: MessageRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<boolean> {
  const devices = await selectTested(transaction)
    .where('id', '>', message.written_to)
    .limit(CHUNK)
    .execute();
  const times = timesOf(message.created_at, now);
  const { nextKey } = await insertTests(message, devices, times, transaction, now);
  const isComplete = devices.length < CHUNK;
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
