import { readIdempotencyKey } from '../http/idempotency';
import { readId } from '../http/route';
import type { AddRoute } from '../http/route';
import type { Services } from '../services';
import { NO_SUCH_TOPIC } from '../topics/topics';
import { cancel } from './cancel';
import { toAudience, toTopic } from './fields';
import { listMessages, readMessage } from './progress';
import { repeat } from './repeat';
import { send } from './send';

export function addMessageRoutes(add: AddRoute, { db, now, wake, wakeWriting }: Services): void {
  const wakeAll = (): void => {
    wake();
    wakeWriting();
  };
  add('POST /api/admin/notifications/send-topic/:topicId', {
    access: 'admin',
    status: 202,
    body: toTopic,
    answer: async ({ params, body, user, transact, header }) => {
      const topicId = readId(params.topicId, NO_SUCH_TOPIC);
      const idempotencyKey = readIdempotencyKey(header);
      const sent = await send(
        { ...body, to: { topicId }, senderId: user.id, idempotencyKey },
        transact,
        now(),
      );
      wakeAll();
      return sent;
    },
  });
  add('POST /api/admin/messages', {
    access: 'admin',
    status: 202,
    body: toAudience,
    answer: async ({ body: { topicIds = [], userIds = [], ...body }, user, transact, header }) => {
      const idempotencyKey = readIdempotencyKey(header);
      const sent = await send(
        { ...body, to: { topicIds, userIds }, senderId: user.id, idempotencyKey },
        transact,
        now(),
      );
      wakeAll();
      return sent;
    },
  });
  add('POST /api/admin/messages/:id/repeat', {
    access: 'admin',
    status: 202,
    answer: async ({ params, transact }) => {
      const rung = await transact((transaction) => repeat(params.id, transaction, now()));
      wakeAll();
      return rung;
    },
  });
  add('POST /api/admin/messages/:id/cancel', {
    access: 'admin',
    answer: async ({ params, transact }) => {
      await transact((transaction) => cancel(params.id, transaction, now()));
      wakeAll();
      return readMessage(params.id, db);
    },
  });
  add('GET /api/admin/messages', {
    access: 'admin',
    answer: ({ paging }) => listMessages(paging, db),
  });
  add('GET /api/admin/messages/:id', {
    access: 'admin',
    answer: ({ params }) => readMessage(params.id, db),
  });
}
