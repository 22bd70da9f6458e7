/** Writes a message's recipients and their pushes, in chunks. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { MESSAGE_ORDER_SPACING } from '../../db/outbox/queue-order';
import { idList, jsonTable, idTable, jsonTableOfList } from '../../db/json-table';
import type { MessageRow, Tables } from '../../db/schema';
import {
  FULL_RANGE,
  type AudienceIds,
  type AudienceMember,
  type IdRange,
  findRangeEnd,
  readAudience,
} from '../../subscriptions/audience';
import { recipientRanges } from '../recipient-ranges';
import { holdForQuietHours } from '../held-messages/hold';
import type { LedgerMember } from '../held-messages/hold';

/** How many people are written before the response, at most. */
export const MAX_RECIPIENTS_WRITTEN_AT_ONCE = 5000;
/** People in a statement: SQLite blocks this process while it writes. */
export const LEDGER_CHUNK_SIZE = 1000;
/** The revision of a message that was not corrected. */
export const FIRST_REVISION = 1;

interface LedgerCursor {
  writtenTo: number;
  /** The `sort_key` of the next push. The keys of a message follow one another. */
  nextKey: number;
}

interface WrittenChunk extends LedgerCursor {
  people: number;
  reached: number;
  held: number;
  isComplete: boolean;
}

/** People who are written after a correction only get its text. */
type WrittenMessage = Pick<MessageRow, 'id' | 'priority' | 'revision'>;

/** Reads everything once, so that ledger and outbox agree whatever people switch meanwhile. */
export async function writeRecipients(
  message: WrittenMessage,
  audience: AudienceIds,
  { writtenTo, nextKey }: LedgerCursor,
  transaction: Transaction<Tables>,
  now: number,
): Promise<WrittenChunk> {
  const upTo = await findRangeEnd(audience, writtenTo, LEDGER_CHUNK_SIZE, transaction);
  const range = { after: writtenTo, upTo };
  const members = await readAudience(audience, range, transaction);
  await increaseCounters(members, transaction);
  const entries =
    message.priority === 'info' ? await holdForQuietHours(members, transaction, now) : members;
  const topics = await readTopicsOfEach(audience, range, transaction);
  await insertRecipients(
    entries.map((member) => ({ messageId: message.id, member })),
    { topics, revision: message.revision },
    transaction,
  );
  const pushes = pushesTo(entries, message.id);
  return {
    writtenTo: upTo,
    nextKey: await insertDeliveries(pushes, { round: 0, firstKey: nextKey }, transaction, now),
    people: entries.length,
    reached: countInState('pending', entries),
    held: countInState('held', entries),
    isComplete: upTo === FULL_RANGE.upTo,
  };
}

/** Writes messages that each go to one other person, also during quiet hours. */
export async function writePersonalMessages(
  messages: readonly { id: string; userId: number }[],
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const messageIdByUser = new Map(messages.map(({ id, userId }) => [userId, id]));
  const people = { topicIds: [], userIds: [...messageIdByUser.keys()] };
  const members = await readAudience(people, FULL_RANGE, transaction);
  await increaseCounters(members, transaction);
  const entries = members.flatMap((member) => {
    const messageId = messageIdByUser.get(member.userId);
    return messageId === undefined ? [] : [{ messageId, member }];
  });
  await insertRecipients(entries, { topics: new Map(), revision: FIRST_REVISION }, transaction);
  const pushes = entries.flatMap(({ messageId, member }) => pushesTo([member], messageId));
  await insertDeliveries(pushes, { round: 0, firstKey: now }, transaction, now);
}

const countInState = (
  countedState: LedgerMember['state'],
  writtenMembers: readonly LedgerMember[],
): number => writtenMembers.filter(({ state }) => state === countedState).length;

/** Locks inboxes in the order of people, so that two sends can't deadlock. */
async function increaseCounters(
  members: readonly AudienceMember[],
  transaction: Transaction<Tables>,
): Promise<void> {
  if (members.length === 0) return;
  await sql`insert into inboxes (user_id, last_seq) select id, 1 from ${idTable(members.map(({ userId }) => userId))} as given where true order by id
    on conflict (user_id) do update set last_seq = inboxes.last_seq + 1`.execute(transaction);
}

/** Returns each person's topics if there are several: a sender of any of them sees the person. */
async function readTopicsOfEach(
  { topicIds }: AudienceIds,
  { after, upTo }: IdRange,
  transaction: Transaction<Tables>,
): Promise<ReadonlyMap<number, number[]>> {
  const topics = new Map<number, number[]>();
  if (topicIds.length < 2) return topics;
  const rows = await transaction
    .selectFrom('subscriptions')
    .where('topic_id', 'in', idList(topicIds))
    .where('user_id', '>', after)
    .where('user_id', '<=', upTo)
    .select(['user_id', 'topic_id'])
    .execute();
  for (const { user_id, topic_id } of rows) {
    const ownTopics = topics.get(user_id);
    if (ownTopics === undefined) topics.set(user_id, [topic_id]);
    else ownTopics.push(topic_id);
  }
  return topics;
}

function listOtherTopics(
  { userId, topicId }: LedgerMember,
  topics: ReadonlyMap<number, readonly number[]>,
): string | null {
  const otherTopics = (topics.get(userId) ?? []).filter((id) => id !== topicId);
  return otherTopics.length > 0 ? `,${otherTopics.join()},` : null;
}

async function insertRecipients(
  entries: readonly { messageId: string; member: LedgerMember }[],
  { topics, revision }: { topics: ReadonlyMap<number, readonly number[]>; revision: number },
  transaction: Transaction<Tables>,
): Promise<void> {
  if (entries.length === 0) return;
  const entryTable = sql`(select cast(key as bigint) as user_id, value->>0 as message_id, cast(value->>1 as bigint) as topic_id,
    cast(value->>2 as integer) as named, value->>3 as state, cast(value->>4 as integer) as devices,
    value->>5 as more_topics
    from ${jsonTable(
      entries.map(({ messageId, member }) => [
        member.userId,
        [
          messageId,
          member.topicId,
          member.named,
          member.state,
          member.devices.length,
          listOtherTopics(member, topics),
        ],
      ]),
    )}) as given`;
  await sql`insert into recipients (message_id, user_id, seq, topic_id, more_topics, named, state, devices, waiting, revision)
    select given.message_id, given.user_id, inboxes.last_seq, given.topic_id, given.more_topics, given.named, given.state, given.devices, given.devices, cast(${revision} as integer)
    from ${entryTable} inner join inboxes on inboxes.user_id = given.user_id order by given.user_id`.execute(
    transaction,
  );
}

export interface NewPush {
  messageId: string;
  userId: number;
  device: AudienceMember['devices'][number];
}

export const pushesTo = (
  members: readonly Pick<AudienceMember, 'userId' | 'devices'>[],
  messageId: string,
): NewPush[] =>
  members.flatMap(({ userId, devices }) =>
    devices.map((device) => ({ messageId, userId, device })),
  );

/**
 * Rows are spaced in the outbox, so that other messages come between.
 * @returns the next key
 */
export async function insertDeliveries(
  pushes: readonly NewPush[],
  { round, firstKey }: { round: number; firstKey: number },
  transaction: Transaction<Tables>,
  now: number,
): Promise<number> {
  if (pushes.length === 0) return firstKey;
  const rows = pushes.map(({ messageId, userId, device: { id, type, serviceId } }) => [
    messageId,
    userId,
    id,
    type,
    serviceId,
  ]);
  await sql`insert into deliveries (message_id, round, state, due_at, updated_at, created_at, user_id, device_id, device_type, service_id, sort_key)
    select value->>0, cast(${round} as integer), 'pending', cast(${now} as bigint), cast(${now} as bigint), cast(${now} as bigint),
      cast(value->>1 as bigint), cast(value->>2 as bigint), value->>3, cast(value->>4 as bigint),
      cast(${firstKey} as bigint) + ${sql.lit(MESSAGE_ORDER_SPACING)} * cast(key as bigint)
    from ${jsonTableOfList(rows)}`.execute(transaction);
  return firstKey + MESSAGE_ORDER_SPACING * rows.length;
}

/** The final number: the audience may have changed during the writing. */
export async function countWritten(
  messageId: string,
  transaction: Transaction<Tables>,
): Promise<number> {
  let total = 0;
  for await (const { after, upTo } of recipientRanges(messageId, transaction)) {
    const { people } = await transaction
      .selectFrom('recipients')
      .where('message_id', '=', messageId)
      .where('user_id', '>', after)
      .where('user_id', '<=', upTo)
      .select(({ fn }) => fn.countAll<number>().as('people'))
      .executeTakeFirstOrThrow();
    total += people;
  }
  return total;
}
