/** Ends what a person's alarms still do to others. */
import type { Transaction } from 'kysely';
import { idList } from '../db/json-table';
import { lockForUpdate } from '../db/lock';
import type { Tables } from '../db/schema';
import { isEscalating, stopEscalation } from './stop-escalation';

/** A deleted person's alarms stay, but notify no one again. Locks check-ins and messages. */
export async function stopAlarmsOfPerson(
  userId: number,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const ownCheckInIds = transaction
    .selectFrom('check_ins')
    .select('id')
    .where('user_id', '=', userId);
  const ids = (await lockForUpdate(ownCheckInIds.orderBy('id'), transaction).execute()).map(
    ({ id }) => id,
  );
  const openAlarmIds = transaction
    .selectFrom('check_in_messages')
    .where('check_in_id', 'in', idList(ids))
    .where('kind', '=', 'alarm')
    .where('state', '=', 'open')
    .select('message_id');
  const alarms = transaction.selectFrom('messages').selectAll().where('id', 'in', openAlarmIds);
  const messages = await lockForUpdate(alarms.orderBy('id'), transaction).execute();
  const end = { stopped: 'cancelled' as const, at: now, userId: null };
  for (const message of messages)
    if (isEscalating(message, now)) await stopEscalation(message.id, end, transaction);
}
