/** What accounts need to know of a person's check-in. */
import type { Database } from './open';
import type { CheckInsTable } from './tables/check-ins';

interface CurrentCheckIn {
  state: 'running' | 'due' | 'missed' | 'help';
  /** Whether no one has given the all-clear for its alarm. */
  isAlarmOpen: boolean;
}

/** Returns undefined if all check-ins of the person have ended. */
export async function readCurrentCheckInState(
  userId: number,
  db: Database,
  now: number,
): Promise<CurrentCheckIn | undefined> {
  const row = await db
    .selectFrom('check_ins')
    .leftJoin('messages as alarm', 'alarm.id', 'check_ins.alarm_id')
    .where('check_ins.user_id', '=', userId)
    .where('ended_at', 'is', null)
    .select(['check_ins.state', 'ask_at', 'owes', 'alarm.all_clear_at'])
    .executeTakeFirst();
  if (row === undefined || row.state === 'ended') return undefined;
  const isAlarm = row.state === 'missed' || row.state === 'help';
  return {
    state: row.state === 'running' && row.ask_at <= now ? 'due' : row.state,
    // The all-clear was for an earlier call, while a new one waits to be sent.
    isAlarmOpen: isAlarm && (row.owes === 'help' || row.all_clear_at === null),
  };
}

/** A check-in that runs, or whose end others are still to learn. */
export const findOpenCheckIn = (
  userId: number,
  db: Database,
): Promise<Pick<CheckInsTable, 'ended_at'> | undefined> =>
  db
    .selectFrom('check_ins')
    .where('user_id', '=', userId)
    .where(({ eb, or }) => or([eb('ended_at', 'is', null), eb('owes', '=', 'all-clear')]))
    .select('ended_at')
    .orderBy('started_at', 'desc')
    .executeTakeFirst();
