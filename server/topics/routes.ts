import * as v from 'valibot';
import { policyId } from '../escalation/fields';
import { POLICIES_LOCK } from '../escalation/policies';
import { requiredLine, requiredText } from '../lib/fields';
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

const fields = v.object({
  title: requiredLine('Title', 200),
  description: requiredText('Description', 2000),
  policyId,
});

export function addTopicRoutes(add: AddRoute, { db, now }: Services): void {
  add('GET /api/admin/topics', {
    action: 'topics.read',
    answer: ({ paging }) => listTopics(paging, db),
  });
  add('POST /api/admin/topics', {
    action: 'topics.change',
    status: 201,
    body: fields,
    answer: ({ body, user, transact, header }) => {
      const request = repeatable('topic', user.id, readIdempotencyKey(header), body);
      return transact((transaction) => addTopic(body, request, transaction, now()));
    },
  });
  add('PUT /api/admin/topics/:id', {
    action: 'topics.change',
    body: fields,
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
