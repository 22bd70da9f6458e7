/**
 * What one key may have done in an hour, however much each of its requests holds. All processes
 * share it, and it refills bit by bit.
 */
import { actAs, record } from '../audit/record';
import { lockForUpdate } from '../db/lock';
import type { Database } from '../db/open';
import { inTransaction } from '../db/transaction';
import { HttpError } from '../http/errors';
import type { ErrorStatus } from '../http/errors';
import { takeFrom } from '../http/rate-limits';
import { inNumber } from '../lib/in-number';
import { sha256 } from '../lib/sha256';

const HOUR = 60 * 60_000;
/** Each message and each alert that ends leaves one entry in the audit log. */
export const KEY_BUDGET = { messages: 2000, endings: 5000, kibibytes: 64 * 1024 };
/** A key, as far as its budget and its administrators are concerned. */
interface BudgetedKey {
  id: number;
  name: string;
  topicTitle: string;
}
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
 * Takes all that is wanted out of the budget, or nothing.
 * @param brought names each message that is held back otherwise
 * @throws HttpError of the status, with the seconds until there is enough
 */
export async function demandBudget(
  key: BudgetedKey,
  wanted: Spending,
  status: ErrorStatus & (429 | 503),
  brought: () => readonly string[],
  db: Database,
  now: number,
): Promise<void> {
  const refused = await inTransaction(db, async (transaction) => {
    for (const { what, count } of partsOf(wanted)) {
      const { waitMilliseconds } = await takeFrom(limitOf(key.id, what), count, transaction, now);
      if (waitMilliseconds > 0) throw usedUp(status, Math.ceil(waitMilliseconds / 1000));
    }
  }).catch((error: unknown) => error);
  if (refused instanceof HttpError) await noteHeldBack(key, brought(), 0, db, now);
  if (refused !== undefined) throw refused;
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

/** A bit for each message. More than there are bits in an hour are told as at least so many. */
const SEEN_BYTES = 2048;

/** Sets the bit of each: what comes again sets none. @returns how many are set */
function markSeen(seen: Buffer, messages: readonly string[]): number {
  for (const message of messages) {
    const bit = Buffer.from(sha256(message), 'base64url').readUInt16BE() % (SEEN_BYTES * 8);
    seen[bit >> 3] = (seen[bit >> 3] ?? 0) | (1 << (bit & 7));
  }
  return seen.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);
}

/**
 * Notes that messages were held back, for the list of keys, and once an hour in the audit log.
 * @param more messages of unknown content, such as alerts that the sender cut off
 */
export function noteHeldBack(
  { id, name, topicTitle }: BudgetedKey,
  messages: readonly string[],
  more: number,
  db: Database,
  now: number,
): Promise<void> {
  return inTransaction(db, async (transaction) => {
    const row = transaction.selectFrom('topic_keys').selectAll().where('id', '=', id);
    const before = await lockForUpdate(row, transaction).executeTakeFirst();
    if (before === undefined) return;
    const began = before.held_back_at;
    const goesOn = began !== null && began > now - HOUR;
    const seen = Buffer.alloc(SEEN_BYTES);
    if (goesOn) Buffer.from(before.held_back_seen ?? '', 'base64').copy(seen);
    const count = Math.max(goesOn ? (before.held_back ?? 0) : 0, markSeen(seen, messages) + more);
    if (goesOn && count === before.held_back) return;
    await transaction
      .updateTable('topic_keys')
      .set({
        held_back: count,
        held_back_at: goesOn ? began : now,
        held_back_seen: seen.toString('base64'),
      })
      .where('id', '=', id)
      .execute();
    if (goesOn) return;
    actAs({ by: { name: `key: ${name}` }, at: now }, transaction);
    const detail = `${name}: ${inNumber(count, 'message')} held back`;
    await record({ action: 'key.limit', on: topicTitle, detail }, transaction);
  });
}
