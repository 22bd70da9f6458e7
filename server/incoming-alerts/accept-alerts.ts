/**
 * Accepts a body of alerts: each new one becomes a message, each resolved one closes its message.
 * One transaction per alert, so after a crash the same body, sent again, does the rest.
 */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { AlertsResult } from '../../src/shared/contract';
import { databaseFault } from '../db/errors';
import { isOnPostgres } from '../db/lock';
import type { Database } from '../db/open';
import { jsonTableOfList } from '../db/json-table';
import type { Tables } from '../db/schema';
import { yieldToEventLoop } from '../lib/loop';
import type { Transact } from '../http/access/authority';
import { HttpError } from '../http/errors';
import { resolveAlertMessage } from '../messages/cancel';
import type { Services } from '../services';
import type { AlertId, AlertMessage } from './alert';

/** How often a repeated alert is recorded. */
const RECORD_SEEN_EVERY_MS = 60_000;
const ALERTS_AT_ONCE = 50;

type AllowedAlerts = Record<'messages' | 'endings', number>;
const alertBudgetKind = ({ isResolved }: AlertMessage) => (isResolved ? 'endings' : 'messages');

export interface AlertReceiver {
  topicId: number;
  /**
   * Writes an alert's message.
   * @returns its id
   */
  sendAlert(alert: AlertMessage, transaction: Transaction<Tables>, now: number): Promise<string>;
  transact: Transact;
  /** How many of these alerts may begin and end. */
  allow(requested: Partial<AllowedAlerts>): Promise<AllowedAlerts>;
  wakeWorkers(): void;
}

/**
 * Accepts alerts in order, as many as are allowed. A failed one does not stop the others.
 * @returns the counts, and the alerts over the limit
 * @throws the first failure at the end, so that the sender retries; at once if the key was revoked
 * or the database does not respond
 */
export async function acceptAlerts(
  alerts: readonly AlertMessage[],
  receiver: AlertReceiver,
  { db, now }: Pick<Services, 'db' | 'now'>,
): Promise<AlertsResult & { rateLimited: AlertId[] }> {
  const knownAlerts = await findKnown(receiver.topicId, alerts, db);
  const isUnchanged = (alert: AlertMessage): boolean => {
    const knownAlert = knownAlerts.get(alertKey(alert));
    return knownAlert !== undefined && (!alert.isResolved || knownAlert.resolved_at !== null);
  };
  const requestedCounts = { messages: 0, endings: 0 };
  for (const alert of alerts) if (!isUnchanged(alert)) requestedCounts[alertBudgetKind(alert)] += 1;
  const mayAccept = createAllowance(requestedCounts, receiver);
  const alertsResult: AlertsResult = { sent: 0, resolved: 0, unchanged: 0 };
  const rateLimited: AlertId[] = [];
  const repeatedAlerts: AlertId[] = [];
  const failures: unknown[] = [];
  for (const alert of alerts) {
    if (isUnchanged(alert)) {
      const seenAt = knownAlerts.get(alertKey(alert))?.seen_at ?? 0;
      if (seenAt <= now() - RECORD_SEEN_EVERY_MS) repeatedAlerts.push(alert);
      alertsResult.unchanged += 1;
      continue;
    }
    if (!(await mayAccept(alertBudgetKind(alert)))) {
      rateLimited.push(alert);
      continue;
    }
    try {
      alertsResult[await acceptAlert(alert, receiver, now)] += 1;
    } catch (error) {
      if (error instanceof HttpError || databaseFault(error) === 'unavailable') throw error;
      failures.push(error);
    }
    receiver.wakeWorkers();
    // The embedded engine blocks during an alert, so others get a turn between two.
    await yieldToEventLoop();
  }
  if (repeatedAlerts.length > 0)
    await receiver.transact((transaction) =>
      recordSeen(receiver.topicId, repeatedAlerts, transaction, now()),
    );
  if (failures.length > 0) throw failures[0];
  return { ...alertsResult, rateLimited };
}

/** Asks for a few at a time: a dying process loses what it was allowed and did not use. */
function createAllowance(allowance: AllowedAlerts, { allow }: AlertReceiver) {
  const remainingBudget = { messages: 0, endings: 0 };
  return async (kind: keyof AllowedAlerts): Promise<boolean> => {
    if (remainingBudget[kind] === 0 && allowance[kind] > 0) {
      const requestedCount = Math.min(allowance[kind], ALERTS_AT_ONCE);
      remainingBudget[kind] = (await allow({ [kind]: requestedCount }))[kind];
      allowance[kind] =
        remainingBudget[kind] < requestedCount ? 0 : allowance[kind] - requestedCount;
    }
    if (remainingBudget[kind] === 0) return false;
    remainingBudget[kind] -= 1;
    return true;
  };
}

async function acceptAlert(
  alert: AlertMessage,
  receiver: AlertReceiver,
  now: () => number,
): Promise<keyof AlertsResult> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await receiver.transact((transaction) =>
        alert.isResolved
          ? endAlert(alert, receiver.topicId, transaction, now())
          : beginAlert(alert, receiver, transaction, now()),
      );
    } catch (error) {
      // A recipient was deleted since the look-up; retry without them.
      if (databaseFault(error) !== 'missing-reference' || attempt >= 5) throw error;
    }
  }
}

async function beginAlert(
  alert: AlertMessage,
  { topicId, sendAlert }: AlertReceiver,
  transaction: Transaction<Tables>,
  now: number,
): Promise<keyof AlertsResult> {
  // A concurrent process with the same alert waits here, then finds it.
  if (!(await insertAlert(alert, topicId, null, transaction, now))) return 'unchanged';
  const messageId = await sendAlert(alert, transaction, now);
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
 * Records the end even of an unknown alert, so that a late beginning is ignored. Earlier
 * occurrences end too, because Alertmanager may have lost their end or moved the beginning.
 */
async function endAlert(
  alert: AlertMessage,
  topicId: number,
  transaction: Transaction<Tables>,
  now: number,
): Promise<keyof AlertsResult> {
  const { fingerprint, startsAt, endsAt } = alert;
  await insertAlert(alert, topicId, now, transaction, now);
  const expiresAt = endsAt > startsAt ? endsAt : startsAt;
  const endedAlerts = await transaction
    .updateTable('alerts')
    .set({ resolved_at: now, seen_at: now })
    .where('topic_id', '=', topicId)
    .where('fingerprint', '=', fingerprint)
    .where('starts_at', '<=', expiresAt)
    .where('resolved_at', 'is', null)
    .returning('message_id')
    .execute();
  const messageIds = endedAlerts.flatMap(({ message_id }) => message_id ?? []).sort();
  for (const id of messageIds) await resolveAlertMessage(id, transaction, now);
  // If an alert has no start time, its next occurrence would look the same.
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
async function insertAlert(
  { fingerprint, startsAt }: AlertId,
  topicId: number,
  resolvedAt: number | null,
  transaction: Transaction<Tables>,
  now: number,
): Promise<boolean> {
  const insertedAlert = await transaction
    .insertInto('alerts')
    .values({
      topic_id: topicId,
      fingerprint,
      starts_at: startsAt,
      message_id: null,
      resolved_at: resolvedAt,
      seen_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('fingerprint')
    .executeTakeFirst();
  return insertedAlert !== undefined;
}

interface KnownAlert {
  fingerprint: string;
  starts_at: string;
  resolved_at: number | null;
  seen_at: number;
}

export const alertKey = ({ fingerprint, startsAt }: AlertId): string =>
  `${fingerprint} ${startsAt}`;

/** Finds known alerts. Most are known, because each repetition sends all active alerts. */
async function findKnown(
  topicId: number,
  alerts: readonly AlertId[],
  db: Database,
): Promise<Map<string, KnownAlert>> {
  const { rows } =
    await sql<KnownAlert>`select fingerprint, starts_at, resolved_at, seen_at from alerts
    where topic_id = ${topicId} and (fingerprint, starts_at) in (select ${pairs} from ${tableOfAlerts(alerts)})`.execute(
      db,
    );
  return new Map(
    rows.map((row) => [alertKey({ fingerprint: row.fingerprint, startsAt: row.starts_at }), row]),
  );
}

async function recordSeen(
  topicId: number,
  alerts: readonly AlertId[],
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  // Rows locked by another transaction are recorded there.
  const lock = isOnPostgres(transaction) ? sql`for no key update skip locked` : sql``;
  await sql`update alerts set seen_at = ${now} where topic_id = ${topicId} and (fingerprint, starts_at) in
    (select fingerprint, starts_at from alerts where topic_id = ${topicId}
      and (fingerprint, starts_at) in (select ${pairs} from ${tableOfAlerts(alerts)}) ${lock})`.execute(
    transaction,
  );
}

const pairs = sql`value->>0, value->>1`;
const tableOfAlerts = (alerts: readonly AlertId[]) =>
  jsonTableOfList(alerts.map(({ fingerprint, startsAt }) => [fingerprint, startsAt]));
