import { readId } from '../http/route';
import type { AddRoute } from '../http/route';
import type { Services } from '../services';
import { KEYS_LOCK, NO_SUCH_KEY, addKey, listKeys, revokeKey } from './keys';
import { NO_SUCH_TOPIC, findTopic } from './topics';

export function addKeyRoutes(add: AddRoute, { db, now }: Services): void {
  add('GET /api/admin/topics/:id/keys', {
    action: 'keys.read',
    answer: async ({ params }) => {
      const topic = await findTopic(readId(params.id, NO_SUCH_TOPIC), db);
      return { keys: await listKeys(topic.id, db, now()) };
    },
  });
  add('POST /api/admin/topics/:id/keys', {
    action: 'keys.change',
    status: 201,
    answer: ({ params, body: { name }, transact }) =>
      transact(
        async (transaction) => {
          const topic = await findTopic(readId(params.id, NO_SUCH_TOPIC), transaction);
          return addKey(topic, name, transaction, now());
        },
        { lock: KEYS_LOCK },
      ),
  });
  add('DELETE /api/admin/keys/:id', {
    action: 'keys.change',
    answer: async ({ params, transact }) => {
      await transact((transaction) => revokeKey(readId(params.id, NO_SUCH_KEY), transaction));
      return { message: 'The key was revoked.' };
    },
  });
}
