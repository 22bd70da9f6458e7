/** What a person's check-in says now. Accounts, messages and check-ins share it. */
import type { Database } from './open';
import type { CheckInRow } from './schema';

interface CurrentCheckIn {
  state: 'running' | 'due' | 'missed' | 'help';
  /** Whether no one has given the all-clear for its alarm. */
  isAlarmOpen: boolean;
}

/** The state that people see: a running check-in is due once its person was asked. */
export const getShownState = (
  { state, ask_at }: Pick<CheckInRow, 'state' | 'ask_at'>,
  now: number,
): CheckInRow['state'] | 'due' => (state === 'running' && ask_at <= now ? 'due' : state);

/** Whether the person missed the check-in or asked for help, and has not answered since. */
export const isAlarm = ({ state }: Pick<CheckInRow, 'state'>): boolean =>
  state === 'missed' || state === 'help';

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
  if (row === undefined) return undefined;
  const state = getShownState(row, now);
  if (state === 'ended') return undefined;
  return {
    state,
    // The all-clear was for an earlier call, while a new one waits to be sent.
    isAlarmOpen: isAlarm(row) && (row.owes === 'help' || row.all_clear_at === null),
  };
}

/** A check-in that runs, or whose end others are still to learn. */
export const findOpenCheckIn = (
  userId: number,
  db: Database,
): Promise<Pick<CheckInRow, 'ended_at'> | undefined> =>
  db
    .selectFrom('check_ins')
    .where('user_id', '=', userId)
    .where(({ eb, or }) => or([eb('ended_at', 'is', null), eb('owes', '=', 'all-clear')]))
    .select('ended_at')
    .orderBy('started_at', 'desc')
    .executeTakeFirst();
