/**
 * What one key may have done in an hour, however much each of its requests holds. All processes
 * share it, and it refills bit by bit.
 */
import { actAs, record } from '../audit/record';
import type { Database } from '../db/open';
import { inTransaction } from '../db/transaction';
import type { KeyCaller } from '../http/access/topic-key';
import { HttpError } from '../http/errors';
import type { ErrorStatus } from '../http/errors';
import { takeFrom } from '../http/rate-limits';
import { inNumber } from '../lib/in-number';

const HOUR = 60 * 60_000;
/** Each message and each alert that ends leaves one entry in the audit log. */
export const KEY_BUDGET = { messages: 2000, endings: 5000, kibibytes: 64 * 1024 };
export type Spending = Partial<Record<keyof typeof KEY_BUDGET, number>>;

const limitOf = (keyId: number, what: keyof typeof KEY_BUDGET) => ({
  key: ['topic-key-budget', what, String(keyId)],
  max: KEY_BUDGET[what],
  windowMilliseconds: HOUR,
});

/** In the order of their names, so that no two wait for each other. */
const partsOf = (wanted: Spending) =>
  (['endings', 'kibibytes', 'messages'] as const).flatMap((what) => {
    const count = wanted[what] ?? 0;
    return count > 0 ? [{ what, count }] : [];
  });

/**
 * Takes all that is wanted out of the budget, or nothing. @throws HttpError of the status, with the
 * seconds until there is enough
 */
export function demandBudget(
  keyId: number,
  wanted: Spending,
  status: ErrorStatus & (429 | 503),
  db: Database,
  now: number,
): Promise<void> {
  return inTransaction(db, async (transaction) => {
    for (const { what, count } of partsOf(wanted)) {
      const { waitMilliseconds } = await takeFrom(limitOf(keyId, what), count, transaction, now);
      if (waitMilliseconds > 0) throw usedUp(status, Math.ceil(waitMilliseconds / 1000));
    }
  });
}

/** Takes as much of each as there is. @returns how much that is */
export function takeBudget(
  keyId: number,
  wanted: Spending,
  db: Database,
  now: number,
): Promise<Record<keyof typeof KEY_BUDGET, number>> {
  return inTransaction(db, async (transaction) => {
    const granted = { messages: 0, endings: 0, kibibytes: 0 };
    for (const { what, count } of partsOf(wanted))
      ({ granted: granted[what] } = await takeFrom(limitOf(keyId, what), count, transaction, now));
    return granted;
  });
}

export const usedUp = (status: ErrorStatus & (429 | 503), seconds: number): HttpError =>
  new HttpError(
    status,
    `This key has used up its limit: ${KEY_BUDGET.messages.toLocaleString('en')} messages and 64 MiB an hour. Please try again later.`,
    seconds,
  );

/**
 * Notes that alerts were held back, for the list of keys, and once an hour in the audit log. A body
 * that comes again brings the same ones, so the most of one body counts.
 */
export function noteHeldBack(
  { id, name, topicTitle }: KeyCaller,
  alerts: number,
  db: Database,
  now: number,
): Promise<void> {
  return inTransaction(db, async (transaction) => {
    const began = await transaction
      .updateTable('topic_keys')
      .set({ held_back: alerts, held_back_at: now })
      .where('id', '=', id)
      .where((row) =>
        row.or([row('held_back_at', 'is', null), row('held_back_at', '<=', now - HOUR)]),
      )
      .returning('id')
      .executeTakeFirst();
    if (began === undefined) {
      await transaction
        .updateTable('topic_keys')
        .set({ held_back: alerts })
        .where('id', '=', id)
        .where('held_back', '<', alerts)
        .execute();
      return;
    }
    actAs({ by: { name: `key: ${name}` }, at: now }, transaction);
    const detail = `${name}: ${inNumber(alerts, 'alert')} held back`;
    await record({ action: 'key.limit', on: topicTitle, detail }, transaction);
  });
}
