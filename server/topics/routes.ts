import { POLICIES_LOCK } from '../escalation/policies';
import { readIdempotencyKey, idempotentRequest } from '../http/idempotency';
import { readId } from '../http/route';
import type { AddRoute } from '../http/route';
import type { Services } from '../services';
import { KEYS_LOCK, NO_SUCH_KEY, addKey, listKeys, revokeKey } from './keys';
import { listSubscribers } from './subscribers';
import {
  NO_SUCH_TOPIC,
  addTopic,
  updateTopic,
  deleteTopic,
  requireTopic,
  listTopics,
  toTopic,
} from './topics';

export function addTopicRoutes(add: AddRoute, { db, now }: Services): void {
  add('GET /api/admin/topics', {
    action: 'topics.read',
    respond: ({ paging }) => listTopics(paging, db),
  });
  add('POST /api/admin/topics', {
    action: 'topics.change',
    status: 201,
    respond: ({ body, user, transact, header }) => {
      const request = idempotentRequest('topic', user.id, readIdempotencyKey(header), body);
      return transact((transaction) => addTopic(body, request, transaction, now()));
    },
  });
  add('GET /api/admin/topics/:id', {
    action: 'topics.read',
    respond: async ({ params }) =>
      toTopic(await requireTopic(readId(params.id, NO_SUCH_TOPIC), db)),
  });
  add('PUT /api/admin/topics/:id', {
    action: 'topics.change',
    respond: ({ params, body, transact }) =>
      transact((transaction) =>
        updateTopic(readId(params.id, NO_SUCH_TOPIC), body, transaction, now()),
      ),
  });
  add('DELETE /api/admin/topics/:id', {
    action: 'topics.change',
    respond: async ({ params, transact }) => {
      await transact((transaction) => deleteTopic(readId(params.id, NO_SUCH_TOPIC), transaction), {
        lock: POLICIES_LOCK,
      });
      return { message: 'The topic was deleted.' };
    },
  });
  add('GET /api/admin/topics/:id/subscribers', {
    action: 'subscribers.read',
    respond: ({ params }) => listSubscribers(readId(params.id, NO_SUCH_TOPIC), db),
  });
}

export function addTopicKeyRoutes(add: AddRoute, { db, now }: Services): void {
  add('GET /api/admin/topics/:id/keys', {
    action: 'keys.read',
    respond: async ({ params }) => {
      const topic = await requireTopic(readId(params.id, NO_SUCH_TOPIC), db);
      return { keys: await listKeys(topic.id, db, now()) };
    },
  });
  add('POST /api/admin/topics/:id/keys', {
    action: 'keys.change',
    status: 201,
    respond: ({ params, body: { name }, transact }) =>
      transact(
        async (transaction) => {
          const topic = await requireTopic(readId(params.id, NO_SUCH_TOPIC), transaction);
          return addKey(topic, name, transaction, now());
        },
        { lock: KEYS_LOCK },
      ),
  });
  add('DELETE /api/admin/keys/:id', {
    action: 'keys.change',
    respond: async ({ params, transact }) => {
      await transact((transaction) => revokeKey(readId(params.id, NO_SUCH_KEY), transaction));
      return { message: 'The key was revoked.' };
    },
  });
}
