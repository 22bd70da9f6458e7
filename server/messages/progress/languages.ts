/** Who reads a translated message in which language. */
import type { ResponseOf } from '../../../src/shared/contract';
import type { Language } from '../../../src/shared/languages';
import type { Database } from '../../db/open';
import { messageNotFoundError } from '../../http/errors';
import { translatedLanguages } from '../../translation/message-translations';
import { languageOfPerson } from '../../translation/language-of-person';
import { sanitizeIdFromUrl } from '../../lib/url-id';
import type { Services } from '../../services';
import { recipientRanges } from '../recipient-ranges';
import { wasReachedThrough } from './counts';
import { cacheCounts } from './counts-cache';

type LanguageCounts = ResponseOf<'GET /api/admin/messages/:id/languages'>;

/**
 * The languages into which a message is translated.
 * @throws HttpError 404
 */
export async function readMessageLanguages(
  id: string,
  db: Database,
): Promise<ReadonlySet<Language>> {
  const row = await db
    .selectFrom('messages')
    .select(['title', 'text', 'translations'])
    .where('id', '=', sanitizeIdFromUrl(id))
    .where('kind', '=', 'message')
    .executeTakeFirst();
  if (row === undefined) throw messageNotFoundError();
  return new Set(translatedLanguages(row));
}

/** @returns null for the message as it was written */
export function languageReadBy(
  person: Parameters<typeof languageOfPerson>[0],
  messageLanguages: ReadonlySet<Language>,
  config: Parameters<typeof languageOfPerson>[1],
): Language | null {
  const ownLanguage = languageOfPerson(person, config);
  return messageLanguages.has(ownLanguage) ? ownLanguage : null;
}

/**
 * @param topicIds only people reached through these topics.
 * @throws HttpError 404
 */
export async function countLanguages(
  id: string,
  { db, config }: Pick<Services, 'db' | 'config'>,
  topicIds?: readonly number[],
): Promise<LanguageCounts> {
  const messageLanguages = await readMessageLanguages(id, db);
  if (messageLanguages.size === 0) return { languages: [] };
  const viewer = topicIds === undefined ? '' : topicIds.join();
  return cacheCounts(`languages ${id} ${viewer}`, [...messageLanguages].join(), db, async () => {
    const counts = new Map<Language | null, number>();
    for await (const { after, upTo } of recipientRanges(id, db))
      for (const { people, ...person } of await db
        .selectFrom('recipients')
        .innerJoin('users', 'users.id', 'recipients.user_id')
        .where('recipients.message_id', '=', sanitizeIdFromUrl(id))
        .where('recipients.user_id', '>', after)
        .where('recipients.user_id', '<=', upTo)
        .$if(topicIds !== undefined, (query) => query.where(wasReachedThrough(topicIds ?? [])))
        .select(['users.language', 'users.browser_language'])
        .select(({ fn }) => fn.countAll<number>().as('people'))
        .groupBy(['users.language', 'users.browser_language'])
        .execute()) {
        const language = languageReadBy(person, messageLanguages, config);
        counts.set(language, (counts.get(language) ?? 0) + people);
      }
    return {
      languages: [...counts]
        .map(([language, people]) => ({ language, people }))
        .sort((one, other) => other.people - one.people),
    };
  });
}
