/** One notification for all that waited: a message that nobody finds, for one person. */
import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Tables } from '../../db/schema';

/** So many titles fit into a notification. */
const MAX_TITLES = 3;
const INBOX = '/messages';

interface Waited {
  title: string;
  expiresAt: number;
}

/**
 * It is wanted for as long as one of its messages is, and as they are makes no sound.
 * @param messages several, as they came
 * @returns its id
 */
export async function insertDigest(
  messages: readonly Waited[],
  userId: number,
  transaction: Transaction<Tables>,
  now: number,
): Promise<string> {
  const id = randomUUID();
  await transaction
    .insertInto('messages')
    .values({
      id,
      kind: 'digest',
      topic_id: null,
      topic_title: '',
      title: `${messages.length} messages while you were quiet`,
      text: describe(messages),
      link: INBOX,
      priority: 'info',
      audience: JSON.stringify({ topicIds: [], userIds: [userId] }),
      send_at: now,
      next_key: now,
      people: 1,
      created_at: now,
      expires_at: Math.max(...messages.map(({ expiresAt }) => expiresAt)),
    })
    .execute();
  return id;
}

/** Such as `Outages, Meters and more`; the newest first. */
function describe(messages: readonly Waited[]): string {
  const titles = [...new Set(messages.map(({ title }) => title).reverse())];
  const shown = titles.slice(0, MAX_TITLES).join(', ');
  return titles.length > MAX_TITLES ? `${shown} and more` : shown;
}
