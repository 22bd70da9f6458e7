/**
 * Taking a body of alerts: each that began is a message, each that is over closes its own. One
 * alert is one transaction, in which it is noted and its message written: a process that dies leaves
 * no half of one, and the same body again, from whichever Alertmanager, does what is left.
 */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { Hooked } from '../../src/shared/contract';
import { databaseFault } from '../db/errors';
import { isOnPostgres } from '../db/lock';
import type { Database } from '../db/open';
import { tableOfList } from '../db/json-table';
import type { Tables } from '../db/schema';
import { nextTurn } from '../lib/loop';
import type { Transact } from '../http/access/authority';
import { HttpError } from '../http/errors';
import { resolve } from '../messages/cancel';
import type { Services } from '../services';
import type { AlertId, AlertMessage } from './alert';

/** That an alert still goes on is noted so often. */
const SEEN_MILLISECONDS = 60_000;
const ALLOWED_AT_ONCE = 50;

type Allowed = Record<'messages' | 'endings', number>;
const kindOf = ({ isResolved }: AlertMessage) => (isResolved ? 'endings' : 'messages');

/** Who sends alerts, to which topic. */
export interface AlertReceiver {
  topicId: number;
  /** Writes the message of an alert. @returns its id */
  ring(alert: AlertMessage, transaction: Transaction<Tables>, now: number): Promise<string>;
  transact: Transact;
  /** How many may begin, and how many may end, of those that would. */
  allow(wanted: Partial<Allowed>): Promise<Allowed>;
  /** There is something to send. */
  wake(): void;
}

/**
 * Takes them in their order, as many as are allowed. One that fails keeps none of the others from
 * ringing.
 * @returns what became of them, and which were held back
 * @throws what the first failure was, so that the sender comes again; at once where the key is not
 * taken any more, or the database does not answer
 */
export async function takeAlerts(
  alerts: readonly AlertMessage[],
  receiver: AlertReceiver,
  { db, now }: Pick<Services, 'db' | 'now'>,
): Promise<Hooked & { heldBack: AlertId[] }> {
  const known = await findKnown(receiver.topicId, alerts, db);
  const isOld = (alert: AlertMessage): boolean => {
    const before = known.get(keyOf(alert));
    return before !== undefined && (!alert.isResolved || before.resolved_at !== null);
  };
  const wanted = { messages: 0, endings: 0 };
  for (const alert of alerts) if (!isOld(alert)) wanted[kindOf(alert)] += 1;
  const mayTake = createAllowance(wanted, receiver);
  const taken: Hooked = { sent: 0, resolved: 0, unchanged: 0 };
  const heldBack: AlertId[] = [];
  const again: AlertId[] = [];
  const failures: unknown[] = [];
  for (const alert of alerts) {
    if (isOld(alert)) {
      const seenAt = known.get(keyOf(alert))?.seen_at ?? 0;
      if (seenAt <= now() - SEEN_MILLISECONDS) again.push(alert);
      taken.unchanged += 1;
      continue;
    }
    if (!(await mayTake(kindOf(alert)))) {
      heldBack.push(alert);
      continue;
    }
    try {
      taken[await takeAlert(alert, receiver, now)] += 1;
    } catch (error) {
      if (error instanceof HttpError || databaseFault(error) === 'unavailable') throw error;
      failures.push(error);
    }
    receiver.wake();
    // On the embedded engine an alert is one piece of work: between two, all else is served.
    await nextTurn();
  }
  if (again.length > 0)
    await receiver.transact((transaction) => noteSeen(receiver.topicId, again, transaction, now()));
  if (failures.length > 0) throw failures[0];
  return { ...taken, heldBack };
}

/** Asks for some at a time: what a process that dies was allowed and did not take is lost. */
function createAllowance(wanted: Allowed, { allow }: AlertReceiver) {
  const left = { messages: 0, endings: 0 };
  return async (kind: keyof Allowed): Promise<boolean> => {
    if (left[kind] === 0 && wanted[kind] > 0) {
      const asked = Math.min(wanted[kind], ALLOWED_AT_ONCE);
      left[kind] = (await allow({ [kind]: asked }))[kind];
      wanted[kind] = left[kind] < asked ? 0 : wanted[kind] - asked;
    }
    if (left[kind] === 0) return false;
    left[kind] -= 1;
    return true;
  };
}

async function takeAlert(
  alert: AlertMessage,
  receiver: AlertReceiver,
  now: () => number,
): Promise<keyof Hooked> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await receiver.transact((transaction) =>
        alert.isResolved
          ? end(alert, receiver.topicId, transaction, now())
          : begin(alert, receiver, transaction, now()),
      );
    } catch (error) {
      // Somebody was deleted since they were looked up: once more, without them.
      if (databaseFault(error) !== 'missing-reference' || attempt >= 5) throw error;
    }
  }
}

async function begin(
  alert: AlertMessage,
  { topicId, ring }: AlertReceiver,
  transaction: Transaction<Tables>,
  now: number,
): Promise<keyof Hooked> {
  // Whoever takes the same one at this moment waits here, and then finds it.
  if (!(await note(alert, topicId, null, transaction, now))) return 'unchanged';
  const messageId = await ring(alert, transaction, now);
  await transaction
    .updateTable('alerts')
    .set({ message_id: messageId })
    .where('topic_id', '=', topicId)
    .where('fingerprint', '=', alert.fingerprint)
    .where('starts_at', '=', alert.startsAt)
    .execute();
  return 'sent';
}

/**
 * What is over is noted although it never began here: if its beginning comes after it, nothing
 * rings. An alert is in one state at a time, so whatever of it began earlier is over, too: an
 * Alertmanager may have lost that end, or moved the beginning.
 */
async function end(
  alert: AlertMessage,
  topicId: number,
  transaction: Transaction<Tables>,
  now: number,
): Promise<keyof Hooked> {
  const { fingerprint, startsAt, endsAt } = alert;
  await note(alert, topicId, now, transaction, now);
  const until = endsAt > startsAt ? endsAt : startsAt;
  const over = await transaction
    .updateTable('alerts')
    .set({ resolved_at: now, seen_at: now })
    .where('topic_id', '=', topicId)
    .where('fingerprint', '=', fingerprint)
    .where('starts_at', '<=', until)
    .where('resolved_at', 'is', null)
    .returning('message_id')
    .execute();
  const messageIds = over.flatMap(({ message_id }) => message_id ?? []).sort();
  for (const id of messageIds) await resolve(id, transaction, now);
  // Without its beginning the next one could not be told from this one.
  if (startsAt === '')
    await transaction
      .deleteFrom('alerts')
      .where('topic_id', '=', topicId)
      .where('fingerprint', '=', fingerprint)
      .where('starts_at', '=', '')
      .execute();
  return messageIds.length > 0 ? 'resolved' : 'unchanged';
}

/** @returns false if it was known */
async function note(
  { fingerprint, startsAt }: AlertId,
  topicId: number,
  resolvedAt: number | null,
  transaction: Transaction<Tables>,
  now: number,
): Promise<boolean> {
  const first = await transaction
    .insertInto('alerts')
    .values({
      topic_id: topicId,
      fingerprint,
      starts_at: startsAt,
      message_id: null,
      resolved_at: resolvedAt,
      seen_at: now,
    })
    .onConflict((known) => known.doNothing())
    .returning('fingerprint')
    .executeTakeFirst();
  return first !== undefined;
}

interface Known {
  fingerprint: string;
  starts_at: string;
  resolved_at: number | null;
  seen_at: number;
}

export const keyOf = ({ fingerprint, startsAt }: AlertId): string => `${fingerprint} ${startsAt}`;

/** Those that were taken before: mostly all of them, as every repeat brings all that goes on. */
async function findKnown(
  topicId: number,
  alerts: readonly AlertId[],
  db: Database,
): Promise<Map<string, Known>> {
  const { rows } = await sql<Known>`select fingerprint, starts_at, resolved_at, seen_at from alerts
    where topic_id = ${topicId} and (fingerprint, starts_at) in (select ${pairs} from ${tableOfAlerts(alerts)})`.execute(
    db,
  );
  return new Map(
    rows.map((row) => [keyOf({ fingerprint: row.fingerprint, startsAt: row.starts_at }), row]),
  );
}

async function noteSeen(
  topicId: number,
  alerts: readonly AlertId[],
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  // Those that another transaction holds are noted by it.
  const lock = isOnPostgres(transaction) ? sql`for no key update skip locked` : sql``;
  await sql`update alerts set seen_at = ${now} where topic_id = ${topicId} and (fingerprint, starts_at) in
    (select fingerprint, starts_at from alerts where topic_id = ${topicId}
      and (fingerprint, starts_at) in (select ${pairs} from ${tableOfAlerts(alerts)}) ${lock})`.execute(
    transaction,
  );
}

const pairs = sql`value->>0, value->>1`;
const tableOfAlerts = (alerts: readonly AlertId[]) =>
  tableOfList(alerts.map(({ fingerprint, startsAt }) => [fingerprint, startsAt]));
