/** Which messages a push replaces: it closes their notifications. */
import { sql } from 'kysely';
import { idTable } from '../json-table';
import type { Database } from '../open';

/** A push closes at most this many notifications. */
const MAX_CLOSED_NOTIFICATIONS = 3;
/** How far their entries may be from its own in the inbox. */
const MAX_SEQ_DISTANCE = 20;

/** Whether both tell others of the same person's check-ins, and the replaced message is earlier. */
const isOfSameCheckedPerson = sql<boolean>`(replaced.seq < replacing.seq and exists (
  select 1 from check_in_messages as newer
  inner join check_ins as newer_check_in on newer_check_in.id = newer.check_in_id
  inner join check_in_messages as earlier on earlier.message_id = replaced.message_id
  inner join check_ins as earlier_check_in on earlier_check_in.id = earlier.check_in_id
  where newer.message_id = replacing.message_id and newer.kind <> 'reminder'
    and earlier.kind <> 'reminder' and earlier_check_in.user_id = newer_check_in.user_id))`;

/**
 * Finds the messages that each claimed row replaces, at most three, by the row's id:
 * - “X is back” replaces “X is silent”.
 * - “X is silent” replaces the last “X is back”, which expired when the alert was created.
 * - An all-clear replaces each alarm that got it at the same time.
 * - A reminder replaces earlier reminders.
 * - An alarm or all-clear of a check-in replaces the person's earlier ones, before anything else.
 */
export async function readReplacedMessageIds(
  ids: number[],
  db: Database,
): Promise<Map<number, string[]>> {
  const byRow = new Map<number, string[]>();
  if (ids.length === 0) return byRow;
  const rows = await db
    .selectFrom(idTable(ids).as('requested'))
    .innerJoin('deliveries', 'deliveries.id', 'requested.id')
    .innerJoin('recipients as replacing', (join) =>
      join
        .onRef('replacing.message_id', '=', 'deliveries.message_id')
        .onRef('replacing.user_id', '=', 'deliveries.user_id'),
    )
    .innerJoin('messages as replacing_messages', 'replacing_messages.id', 'replacing.message_id')
    .innerJoin('recipients as replaced', (join) =>
      join
        .onRef('replaced.user_id', '=', 'replacing.user_id')
        .onRef('replaced.seq', '<>', 'replacing.seq')
        .on(
          sql<boolean>`replaced.seq between replacing.seq - ${sql.lit(MAX_SEQ_DISTANCE)} and replacing.seq + ${sql.lit(MAX_SEQ_DISTANCE)}`,
        ),
    )
    .innerJoin('messages', 'messages.id', 'replaced.message_id')
    .where(({ or, and, eb, ref }) =>
      or([
        and([
          eb('messages.state', '=', 'cancelled'),
          eb('replaced.seq', '<', ref('replacing.seq')),
        ]),
        and([
          eb('messages.kind', '=', 'message'),
          eb('messages.expires_at', '=', ref('replacing_messages.created_at')),
          eb('messages.topic_id', '=', ref('replacing_messages.topic_id')),
          eb('replaced.seq', '<', ref('replacing.seq')),
        ]),
        eb('messages.all_clear_at', '=', ref('replacing_messages.all_clear_at')),
        // A person has one check-in at a time.
        and([
          eb('replacing_messages.kind', '=', 'reminder'),
          eb('messages.kind', '=', 'reminder'),
          eb('replaced.seq', '<', ref('replacing.seq')),
        ]),
        isOfSameCheckedPerson,
      ]),
    )
    .orderBy(sql`case when ${isOfSameCheckedPerson} then 0 else 1 end`)
    .orderBy('replaced.seq', 'desc')
    .select(['deliveries.id', 'messages.id as messageId'])
    .execute();
  for (const { id, messageId } of rows) {
    const withdrawnIds = byRow.get(id) ?? [];
    if (withdrawnIds.length < MAX_CLOSED_NOTIFICATIONS) byRow.set(id, [...withdrawnIds, messageId]);
  }
  return byRow;
}
