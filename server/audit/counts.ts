/** Counts what is done again and again, so that the audit log stays readable and small. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { AuditAction } from '../../src/shared/audit-actions';
import type { Tables } from '../db/schema';
import { sha256 } from '../lib/sha256';

export const AUDIT_HOUR = 60 * 60_000;
/** Entries an hour of the same action, by the same person, on the same thing. */
export const MAX_TOLD_EACH = 30;

/** Counts one more within the hour, in a row of the rate limits. @returns how many there are */
export async function countWithinHour(
  key: string,
  at: number,
  transaction: Transaction<Tables>,
): Promise<number> {
  // One that ends later was counted by a clock that has been set back since.
  const isOver = sql`rate_limits.ends_at <= ${at} or rate_limits.ends_at > ${at + AUDIT_HOUR}`;
  const row = await transaction
    .insertInto('rate_limits')
    .values({ key, count: 1, ends_at: at + AUDIT_HOUR })
    .onConflict((known) =>
      known.column('key').doUpdateSet({
        count: sql<number>`case when ${isOver} then 1 else rate_limits.count + 1 end`,
        ends_at: sql<number>`case when ${isOver} then excluded.ends_at else rate_limits.ends_at end`,
      }),
    )
    .returning('count')
    .executeTakeFirstOrThrow();
  return row.count;
}

/** What was done, and by whom, as the entry would say it. */
interface Deed {
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
 * Counts one more, for `tellRepeats` where there are too many. @returns whether it gets an entry of
 * its own
 */
export async function isTold(deed: Deed, transaction: Transaction<Tables>): Promise<boolean> {
  const { actor, network, at, action, person, on = '', detail = '' } = deed;
  // What people do to themselves counts by its action alone: they choose its detail.
  const isOwn = person === actor || (person === undefined && on === '');
  const key = sha256(JSON.stringify(isOwn ? [actor, action] : [actor, action, person, on, detail]));
  if ((await countWithinHour(key, at, transaction)) <= MAX_TOLD_EACH) return true;
  const shown = { network, target_id: person ?? null, target: on, detail };
  await transaction
    .insertInto('audit_repeats')
    .values({ key, actor_id: actor, action, ...shown, untold: 1, untold_since: at })
    .onConflict((known) =>
      known.column('key').doUpdateSet({ ...shown, untold: sql<number>`audit_repeats.untold + 1` }),
    )
    .execute();
  return false;
}
