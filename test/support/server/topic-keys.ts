import { hashTopicKey, generateTopicKey } from '../../../server/http/access/topic-key';
import type { TestServer } from './server';

export async function createTopicKey(
  { services: { db, now } }: Pick<TestServer, 'services'>,
  topicId: number,
  name = 'SCADA north',
): Promise<string> {
  const key = generateTopicKey();
  const row = { topic_id: topicId, name, prefix: key.slice(0, 8), hash: hashTopicKey(key) };
  await db
    .insertInto('topic_keys')
    .values({ ...row, created_at: now() })
    .execute();
  return key;
}

export const withTopicKey = (
  key: string,
  init: RequestInit & { headers?: Record<string, string> },
) => ({
  ...init,
  headers: { Authorization: `Bearer ${key}`, ...init.headers },
});
