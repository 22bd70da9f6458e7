import type { Transaction } from 'kysely';
import { recordAudit } from '../audit/record-audit';
import type { CheckInRow, Tables } from '../db/schema';
import { readSentAlarms } from './sent-alarms';

/** The end says whether there was an alarm: the alarm's own entry may be far above. */
export async function recordEnd(
  { id, user_id: person }: CheckInRow,
  transaction: Transaction<Tables>,
  isSuspended = false,
): Promise<void> {
  const alarms = (await readSentAlarms([id], transaction)).get(id);
  const end = alarms === undefined ? 'Without an alarm' : 'After an alarm';
  const detail = isSuspended ? `User suspended, ${end.toLowerCase()}` : end;
  await recordAudit({ action: 'check-in.end', person, detail }, transaction);
}
