import type { Database } from '../db/open';
import { HttpError } from '../http/errors';
import { NO_SUCH_TOPIC } from './topics';

/**
 * @returns undefined without a filter.
 * @throws HttpError 400 for a topic that does not exist
 */
export async function readTopicFilter(
  query: URLSearchParams,
  db: Database,
): Promise<number | undefined> {
  const text = query.get('topicId') ?? '';
  if (text === '') return undefined;
  const createUnknownTopicError = () =>
    new HttpError(400, [{ message: NO_SUCH_TOPIC, path: 'topicId' }]);
  if (!/^[1-9]\d{0,14}$/.test(text)) throw createUnknownTopicError();
  const topic = db.selectFrom('topics').select('id').where('id', '=', Number(text));
  return (await topic.executeTakeFirstOrThrow(createUnknownTopicError)).id;
}
