/** What a person pressed during a check-in. The row keeps only the last of each kind. */
import type { CheckIn } from '../../src/shared/contract';
import { readIsoTime } from '../../src/shared/iso-time';
import type { Database } from '../db/open';
import type { CheckInRow } from '../db/schema';
import { toTime } from '../lib/clock';
import { isLatePress } from './check-in-rules';

const MAX_LISTED_PRESSES = 20;
const PRESS_KIND_BY_ACTION = { 'check-in.ok': 'ok', 'check-in.help': 'help' } as const;
type PressAction = keyof typeof PRESS_KIND_BY_ACTION;

/** The detail of an audited press that arrived much later. */
const LATE_PRESS_PREFIX = 'Button pressed at ';
export const writeLatePress = (at: number): string => LATE_PRESS_PREFIX + toTime(at);
const readLatePress = (detail: string): number | undefined =>
  detail.startsWith(LATE_PRESS_PREFIX)
    ? readIsoTime(detail.slice(LATE_PRESS_PREFIX.length))
    : undefined;

/**
 * The last ones since the start, oldest first, as the audit log has them. The last of each kind has
 * the row's time: the log has the arrival of a press that was only some seconds late.
 */
export async function readPresses(
  {
    user_id,
    started_at,
    answered_at,
    help_at,
  }: Pick<CheckInRow, 'user_id' | 'started_at' | 'answered_at' | 'help_at'>,
  db: Database,
): Promise<CheckIn['presses'] & {}> {
  const entries = await db
    .selectFrom('audit_entries')
    .where('target_id', '=', user_id)
    .where('action', 'in', Object.keys(PRESS_KIND_BY_ACTION) as PressAction[])
    .where('at', '>=', started_at)
    .orderBy('id', 'desc')
    .limit(MAX_LISTED_PRESSES)
    .select(['action', 'at', 'detail'])
    .execute();
  const lastTimes: Record<'ok' | 'help', number | null> = { ok: answered_at, help: help_at };
  return entries
    .map(({ action, at, detail }) => {
      const kind = PRESS_KIND_BY_ACTION[action as PressAction];
      const rowTime = lastTimes[kind];
      const loggedTime = readLatePress(detail) ?? at;
      // The row has no time of an “I’m OK” that may be older than the alarm.
      if (rowTime === null || isLatePress(rowTime, loggedTime)) return { kind, at: loggedTime };
      lastTimes[kind] = null;
      return { kind, at: rowTime };
    })
    .sort((one, other) => one.at - other.at)
    .map(({ kind, at }) => ({ kind, at: toTime(at) }));
}
