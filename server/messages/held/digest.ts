/** A digest: one notification for all held messages of a person, stored as a hidden message. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { tableOf } from '../../db/json-table';
import type { Tables } from '../../db/schema';

const MAX_TITLES = 3;
const INBOX = '/messages';

export interface Digest {
  id: string;
  userId: number;
  title: string;
  text: string;
  expiresAt: number;
}

/** @param messages several, oldest first. The digest is valid for as long as one of them. */
export const makeDigest = (
  messages: readonly { title: string; expiresAt: number }[],
  userId: number,
): Digest => ({
  id: randomUUID(),
  userId,
  title: `${messages.length} messages during your quiet hours`,
  text: listTitles(messages),
  expiresAt: Math.max(...messages.map(({ expiresAt }) => expiresAt)),
});

function listTitles(messages: readonly { title: string }[]): string {
  const titles = [...new Set(messages.map(({ title }) => title).reverse())];
  const shown = titles.slice(0, MAX_TITLES).join(', ');
  return titles.length > MAX_TITLES ? `${shown} and more` : shown;
}

/** They are sent now, as silently as their messages. */
export async function insertDigests(
  digests: readonly Digest[],
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  if (digests.length === 0) return;
  const rows = digests.map(({ id, userId, title, text, expiresAt }, index): [number, unknown] => [
    index,
    [id, JSON.stringify({ topicIds: [], userIds: [userId] }), title, text, expiresAt],
  ]);
  const at = sql`cast(${now} as bigint)`;
  await sql`insert into messages (id, kind, topic_title, audience, title, text, link, priority, people, send_at, next_key, created_at, expires_at)
    select value->>0, 'digest', '', value->>1, value->>2, value->>3, ${sql.lit(INBOX)}, 'info', 1, ${at}, ${at}, ${at}, cast(value->>4 as bigint)
    from ${tableOf(rows)}`.execute(transaction);
}
