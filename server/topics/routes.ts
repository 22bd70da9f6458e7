import { POLICIES_LOCK } from '../escalation/policies';
import { readIdempotencyKey, repeatable } from '../http/idempotency';
import { readId } from '../http/route';
import type { AddRoute } from '../http/route';
import type { Services } from '../services';
import {
  NO_SUCH_TOPIC,
  addTopic,
  changeTopic,
  deleteTopic,
  listSubscribers,
  listTopics,
} from './topics';

export function addTopicRoutes(add: AddRoute, { db, now }: Services): void {
  add('GET /api/admin/topics', {
    action: 'topics.read',
    answer: ({ paging }) => listTopics(paging, db),
  });
  add('POST /api/admin/topics', {
    action: 'topics.change',
    status: 201,
    answer: ({ body, user, transact, header }) => {
      const request = repeatable('topic', user.id, readIdempotencyKey(header), body);
      return transact((transaction) => addTopic(body, request, transaction, now()));
    },
  });
  add('PUT /api/admin/topics/:id', {
    action: 'topics.change',
    answer: ({ params, body, transact }) =>
      transact((transaction) =>
        changeTopic(readId(params.id, NO_SUCH_TOPIC), body, transaction, now()),
      ),
  });
  add('DELETE /api/admin/topics/:id', {
    action: 'topics.change',
    answer: async ({ params, transact }) => {
      await transact((transaction) => deleteTopic(readId(params.id, NO_SUCH_TOPIC), transaction), {
        lock: POLICIES_LOCK,
      });
      return { message: 'The topic was deleted.' };
    },
  });
  add('GET /api/admin/topics/:id/subscribers', {
    action: 'subscribers.read',
    answer: ({ params }) => listSubscribers(readId(params.id, NO_SUCH_TOPIC), db),
  });
}
