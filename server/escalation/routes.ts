import { respondWithEtag } from '../http/etag';
import { readIdempotencyKey, idempotentRequest } from '../http/idempotency';
import { readId } from '../http/route';
import type { AddRoute } from '../http/route';
import type { Services } from '../services';
import {
  NO_SUCH_POLICY,
  POLICIES_LOCK,
  addPolicy,
  updatePolicy,
  deletePolicy,
  listPolicies,
} from './policies';
import { readTimeline } from './timeline';

export function addEscalationRoutes(add: AddRoute, services: Services): void {
  const { db, now } = services;
  add('GET /api/admin/policies', {
    action: 'policies.read',
    respond: () => listPolicies(services),
  });
  add('POST /api/admin/policies', {
    action: 'policies.change',
    status: 201,
    respond: ({ body, user, transact, header }) => {
      const request = idempotentRequest('policy', user.id, readIdempotencyKey(header), body);
      return transact((transaction) => addPolicy(body, request, transaction, now()), {
        lock: POLICIES_LOCK,
      });
    },
  });
  add('PUT /api/admin/policies/:id', {
    action: 'policies.change',
    respond: ({ params, body, transact }) =>
      transact(
        (transaction) => updatePolicy(readId(params.id, NO_SUCH_POLICY), body, transaction),
        {
          lock: POLICIES_LOCK,
        },
      ),
  });
  add('DELETE /api/admin/policies/:id', {
    action: 'policies.change',
    respond: async ({ params, transact }) => {
      await transact((transaction) => deletePolicy(readId(params.id, NO_SUCH_POLICY), transaction));
      return { message: 'The policy was deleted.' };
    },
  });
  add('GET /api/admin/messages/:id/escalation', {
    action: 'messages.read',
    respond: async ({ params, header, user }) => {
      const timeline = await readTimeline(params.id, user.role === 'ADMIN', db, now());
      return respondWithEtag(timeline, header('if-none-match'));
    },
  });
}
