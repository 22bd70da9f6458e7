/** A digest: one notification for all held messages of a person, stored as a hidden message. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { isolateDirection } from '../../../src/shared/isolate-direction';
import type { Language } from '../../../src/shared/languages';
import { jsonTable } from '../../db/json-table';
import type { Tables } from '../../db/schema';
import { translate } from '../../translation/translate';

const MAX_TITLES_IN_DIGEST = 3;
const INBOX = '/messages';

export interface Digest {
  id: string;
  userId: number;
  title: string;
  text: string;
  expiresAt: number;
}

/**
 * @param messages several, oldest first. The digest is valid for as long as one of them.
 * @param language the person's
 */
export const createDigest = (
  messages: readonly { title: string; expiresAt: number }[],
  userId: number,
  language: Language,
): Digest => ({
  id: randomUUID(),
  userId,
  title: translate('{0} messages during your quiet hours', language, String(messages.length)),
  text: listTitles(messages, language),
  expiresAt: Math.max(...messages.map(({ expiresAt }) => expiresAt)),
});

function listTitles(messages: readonly { title: string }[], language: Language): string {
  const titles = [...new Set(messages.map(({ title }) => title).reverse())];
  const shownTitles = titles
    .slice(0, MAX_TITLES_IN_DIGEST)
    .map((title) => isolateDirection(title, language))
    .join(', ');
  return titles.length > MAX_TITLES_IN_DIGEST
    ? translate('{0} and more', language).replace('{0}', () => shownTitles)
    : shownTitles;
}

/** Digests are sent now, as silently as their messages. */
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
    from ${jsonTable(rows)}`.execute(transaction);
}
