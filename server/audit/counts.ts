/** Counts repeated actions, to keep the audit log readable and small. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { AuditAction } from '../../src/shared/audit-actions';
import type { Tables } from '../db/schema';
import { sha256 } from '../lib/sha256';

export const AUDIT_HOUR_MS = 60 * 60_000;
/** Entries an hour of the same action, by the same person, on the same target. */
export const MAX_REPEATED_ENTRIES = 30;

/**
 * Counts one more, in a row of the rate limits.
 * @returns the count within the hour
 */
export async function countWithinHour(
  key: string,
  at: number,
  transaction: Transaction<Tables>,
): Promise<number> {
  // A later end is from a clock that was set back since.
  const hasWindowEnded = sql`rate_limits.ends_at <= ${at} or rate_limits.ends_at > ${at + AUDIT_HOUR_MS}`;
  const row = await transaction
    .insertInto('rate_limits')
    .values({ key, count: 1, ends_at: at + AUDIT_HOUR_MS })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        count: sql<number>`case when ${hasWindowEnded} then 1 else rate_limits.count + 1 end`,
        ends_at: sql<number>`case when ${hasWindowEnded} then excluded.ends_at else rate_limits.ends_at end`,
      }),
    )
    .returning('count')
    .executeTakeFirstOrThrow();
  return row.count;
}

interface RepeatableAction {
  actor: number;
  network: string | null;
  /** Milliseconds since 1970. */
  at: number;
  action: AuditAction;
  person?: number | undefined;
  on?: string;
  detail?: string;
}

/**
 * Counts the action.
 * @returns false if it is only counted, for `recordRepeats`
 */
export async function countForOwnEntry(
  repeated: RepeatableAction,
  transaction: Transaction<Tables>,
): Promise<boolean> {
  const { actor, network, at, action, person, on = '', detail = '' } = repeated;
  // People choose the details of changes to their own account, so only the action counts.
  const isOwn = person === actor || (person === undefined && on === '');
  const key = sha256(JSON.stringify(isOwn ? [actor, action] : [actor, action, person, on, detail]));
  if ((await countWithinHour(key, at, transaction)) <= MAX_REPEATED_ENTRIES) return true;
  const entry = { network, target_id: person ?? null, target: on, detail };
  await transaction
    .insertInto('audit_repeats')
    .values({ key, actor_id: actor, action, ...entry, untold: 1, untold_since: at })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({ ...entry, untold: sql<number>`audit_repeats.untold + 1` }),
    )
    .execute();
  return false;
}
