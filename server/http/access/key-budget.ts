/** A topic key's hourly budget, shared by all processes. It refills continuously. */
import { actAs, recordAudit } from '../../audit/record-audit';
import { lockForUpdate } from '../../db/lock';
import type { Database } from '../../db/open';
import { inTransaction } from '../../db/transaction';
import { HttpError } from '../errors';
import type { ErrorStatus } from '../errors';
import { consumeLimitUpTo } from '../rate-limits';
import { countedNoun } from '../../lib/counted-noun';
import { sha256 } from '../../lib/sha256';
import { HOUR_MS } from '../../lib/durations';

/** Each message, and each resolved alert, adds an entry to the audit log. */
export const KEY_BUDGET = { messages: 2000, endings: 5000, kibibytes: 64 * 1024 };
interface BudgetedKey {
  id: number;
  name: string;
  topicTitle: string;
}
export type KeyBudgetUse = Partial<Record<keyof typeof KEY_BUDGET, number>>;

const budgetLimit = (keyId: number, part: keyof typeof KEY_BUDGET) => ({
  key: ['topic-key-budget', part, String(keyId)],
  max: KEY_BUDGET[part],
  windowMs: HOUR_MS,
});

/** Limits are ordered by name, to avoid deadlocks. */
const toLimitUses = (requested: KeyBudgetUse) =>
  (['endings', 'kibibytes', 'messages'] as const).flatMap((part) => {
    const count = requested[part] ?? 0;
    return count > 0 ? [{ part, count }] : [];
  });

/**
 * Consumes all or nothing.
 * @param listMessages the messages that are rejected otherwise
 */
export async function consumeKeyBudget(
  key: BudgetedKey,
  requested: KeyBudgetUse,
  status: ErrorStatus & (429 | 503),
  listMessages: () => readonly string[],
  db: Database,
  now: number,
): Promise<void> {
  const rejection = await inTransaction(db, async (transaction) => {
    for (const { part, count } of toLimitUses(requested)) {
      const { waitMilliseconds } = await consumeLimitUpTo(
        budgetLimit(key.id, part),
        count,
        transaction,
        now,
      );
      if (waitMilliseconds > 0)
        throw keyBudgetExceededError(status, Math.ceil(waitMilliseconds / 1000));
    }
  }).catch((error: unknown) => error);
  if (rejection instanceof HttpError) await recordKeyOverBudget(key, listMessages(), 0, db, now);
  if (rejection !== undefined) throw rejection;
}

/**
 * Consumes as much of each as there is.
 * @returns the amounts
 */
export function consumeKeyBudgetUpTo(
  keyId: number,
  requested: KeyBudgetUse,
  db: Database,
  now: number,
): Promise<Record<keyof typeof KEY_BUDGET, number>> {
  return inTransaction(db, async (transaction) => {
    const grantedUse = { messages: 0, endings: 0, kibibytes: 0 };
    for (const { part, count } of toLimitUses(requested))
      ({ granted: grantedUse[part] } = await consumeLimitUpTo(
        budgetLimit(keyId, part),
        count,
        transaction,
        now,
      ));
    return grantedUse;
  });
}

export const keyBudgetExceededError = (
  status: ErrorStatus & (429 | 503),
  seconds: number,
): HttpError =>
  new HttpError(
    status,
    `This key has exceeded one of its hourly limits: ${KEY_BUDGET.messages.toLocaleString('en')} messages, ${KEY_BUDGET.endings.toLocaleString('en')} resolved alerts or 64 MiB of requests.`,
    seconds,
  );

/** Each message sets one bit. A count above the number of bits is a minimum. */
const SEEN_BYTES = 2048;

/**
 * Sets each message's bit; a repeat sets none.
 * @returns the number of set bits
 */
function markSeen(seenBits: Buffer, messages: readonly string[]): number {
  for (const message of messages) {
    const bitIndex = Buffer.from(sha256(message), 'base64url').readUInt16BE() % (SEEN_BYTES * 8);
    seenBits[bitIndex >> 3] = (seenBits[bitIndex >> 3] ?? 0) | (1 << (bitIndex & 7));
  }
  return seenBits.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);
}

/**
 * Counts rejected messages for the list of keys, and records it once an hour.
 * @param unseenCount messages of unknown content, such as alerts that the sender cut off
 */
export function recordKeyOverBudget(
  { id, name, topicTitle }: BudgetedKey,
  messages: readonly string[],
  unseenCount: number,
  db: Database,
  now: number,
): Promise<void> {
  return inTransaction(db, async (transaction) => {
    const row = transaction.selectFrom('topic_keys').selectAll().where('id', '=', id);
    const formerKey = await lockForUpdate(row, transaction).executeTakeFirst();
    if (formerKey === undefined) return;
    const heldBackAt = formerKey.held_back_at;
    const isSameWindow = heldBackAt !== null && heldBackAt > now - HOUR_MS;
    const seenBits = Buffer.alloc(SEEN_BYTES);
    if (isSameWindow) Buffer.from(formerKey.held_back_seen ?? '', 'base64').copy(seenBits);
    const count = Math.max(
      isSameWindow ? (formerKey.held_back ?? 0) : 0,
      markSeen(seenBits, messages) + unseenCount,
    );
    if (isSameWindow && count === formerKey.held_back) return;
    await transaction
      .updateTable('topic_keys')
      .set({
        held_back: count,
        held_back_at: isSameWindow ? heldBackAt : now,
        held_back_seen: seenBits.toString('base64'),
      })
      .where('id', '=', id)
      .execute();
    if (isSameWindow) return;
    actAs({ by: { name: `key: ${name}` }, at: now }, transaction);
    const detail = `${name}: at least ${countedNoun(count, 'message')} rejected`;
    await recordAudit({ action: 'key.limit', on: topicTitle, detail }, transaction);
  });
}
