/** What was sent in the last days, how far it got, and what people answered. */
import { randomUUID } from 'node:crypto';
import type { Database } from '../db/open';
import { foldCase } from '../lib/case-fold';
import { EVERYBODY, readAudience } from '../subscriptions/audience';
import type { Member } from '../subscriptions/audience';
import type { KeptPolicy } from '../escalation/plan';
import { escalate } from './escalation';
import * as names from './names';

const MINUTE = 60 * 1000;
const DAY = 24 * 60 * MINUTE;

/**
 * One message a day, the last one yesterday. Every other one asks for an answer.
 * @param policy of the last one
 * @param keys with which machines send, by the topic's title: all of its messages
 */
export async function insertMessages(
  db: Database,
  now: number,
  topics: { id: number; title: string }[],
  policy: KeptPolicy | undefined,
  keys: ReadonlyMap<string, { id: number; name: string }>,
): Promise<void> {
  const seqs = new Map<number, number>();
  for (const [index, [title, text]] of names.messages.entries()) {
    const topic = topics.find((row) => row.title === title);
    if (topic === undefined) throw new Error(`The sample has no topic called ${title}`);
    const [id, at] = [randomUUID(), now - (names.messages.length - index) * DAY];
    const audience = { topicIds: [topic.id], userIds: [] };
    const members = await readAudience(audience, EVERYBODY, db);
    const answers = index % 2 === 0 ? ['Got it'] : [];
    await db
      .insertInto('messages')
      .values({
        id,
        topic_id: topic.id,
        topic_title: title,
        sender_id: null,
        key_id: keys.get(title)?.id ?? null,
        key_name: keys.get(title)?.name ?? null,
        text,
        answers: JSON.stringify(answers),
        audience: JSON.stringify(audience),
        people: members.length,
        search_key: foldCase(`${title}\n${text}`),
        created_at: at,
        send_at: at,
        expires_at: at + DAY,
      })
      .execute();
    await db
      .insertInto('message_topics')
      .values({ message_id: id, topic_id: topic.id, position: 0 })
      .execute();
    const recipients = await insertOutcomes(db, { id, at, index, answers }, members, seqs);
    if (policy && index === names.messages.length - 1)
      await escalate(db, { id, at }, policy, recipients);
  }
  await db
    .insertInto('inboxes')
    .values([...seqs].map(([user_id, last_seq]) => ({ user_id, last_seq })))
    .execute();
}

interface Sent {
  id: string;
  at: number;
  index: number;
  answers: string[];
}

async function insertOutcomes(
  db: Database,
  { id, at, index, answers }: Sent,
  members: Member[],
  seqs: Map<number, number>,
) {
  const times = { attempts: 1, due_at: at, updated_at: at };
  const deliveries = members.flatMap(({ userId, devices }, nth) =>
    devices.map((device) => ({
      message_id: id,
      user_id: userId,
      device_id: device.id,
      device_type: device.type,
      ...(isGone(nth, index)
        ? { state: 'gone' as const, reason: 'unregistered' }
        : { state: 'accepted' as const, reason: null }),
      ...times,
    })),
  );
  if (deliveries.length > 0) await db.insertInto('deliveries').values(deliveries).execute();
  const recipients = members.map(({ userId, topicId, named, state, devices }, nth) => {
    const seq = (seqs.get(userId) ?? 0) + 1;
    seqs.set(userId, seq);
    const isReached = state === 'pending' && !isGone(nth, index);
    const pushed = isReached ? ('accepted' as const) : ('failed' as const);
    const came = (nth * 7 + index * 3) % 10;
    const after = (minutes: number, isSo: boolean) =>
      isReached && isSo ? at + minutes * MINUTE : null;
    const acknowledged_at = after(3 + came, came < 6 && answers.length > 0);
    return {
      message_id: id,
      user_id: userId,
      seq,
      topic_id: topicId,
      named,
      state: state === 'pending' ? pushed : state,
      devices: devices.length,
      displayed_at: after(0, came < 9),
      read_at: after(2 + came, came < 7),
      acknowledged_at,
      answer: acknowledged_at === null ? null : (answers[0] ?? null),
    };
  });
  if (recipients.length > 0) await db.insertInto('recipients').values(recipients).execute();
  return recipients;
}

const isGone = (nth: number, index: number): boolean => (nth + index) % 17 === 5;
