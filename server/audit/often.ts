/**
 * What one person does again and again: the first times of an hour have an entry each, the others are
 * counted, and one entry tells how many they were.
 */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { AuditAction } from '../../src/shared/audit-actions';
import type { Tables } from '../db/schema';
import { sha256 } from '../lib/sha256';

export const HOUR = 60 * 60_000;
/** Of the same action, by the same person, on the same thing. */
export const MOST_TOLD_EACH = 30;

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
 * What people do to themselves counts by its action alone: they choose its detail, such as a
 * device's name.
 */
const keyOf = ({ actor, action, person, on = '', detail = '' }: Deed): string =>
  sha256(
    JSON.stringify(
      person === actor || (person === undefined && on === '')
        ? [actor, action]
        : [actor, action, person, on, detail],
    ),
  );

/** Counts one more. @returns whether it gets an entry of its own */
export async function isTold(deed: Deed, transaction: Transaction<Tables>): Promise<boolean> {
  const { actor, network, at, action, person, on = '', detail = '' } = deed;
  const shown = { network, target_id: person ?? null, target: on, detail };
  // One that ends later was counted by a clock that has been set back since.
  const isOver = sql`audit_repeats.ends_at <= ${at} or audit_repeats.ends_at > ${at + HOUR}`;
  const times = sql<number>`case when ${isOver} then 1 else audit_repeats.times + 1 end`;
  const isCounted = sql`not (${isOver}) and audit_repeats.times >= ${MOST_TOLD_EACH}`;
  const row = await transaction
    .insertInto('audit_repeats')
    .values({
      key: keyOf(deed),
      actor_id: actor,
      action,
      ...shown,
      times: 1,
      untold: 0,
      untold_since: null,
      ends_at: at + HOUR,
    })
    .onConflict((known) =>
      known.column('key').doUpdateSet({
        ...shown,
        times,
        untold: sql<number>`case when ${isCounted} then audit_repeats.untold + 1 else audit_repeats.untold end`,
        untold_since: sql<number>`case when ${isCounted} then coalesce(audit_repeats.untold_since, ${at}) else audit_repeats.untold_since end`,
        ends_at: sql<number>`case when ${isOver} then excluded.ends_at else audit_repeats.ends_at end`,
      }),
    )
    .returning('times')
    .executeTakeFirstOrThrow();
  return row.times <= MOST_TOLD_EACH;
}
