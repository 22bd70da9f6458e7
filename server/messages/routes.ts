import * as v from 'valibot';
import { requiredText } from '../lib/fields';
import { readIdempotencyKey } from '../http/idempotency';
import { readId } from '../http/route';
import type { AddRoute } from '../http/route';
import type { Services } from '../services';
import { NO_SUCH_TOPIC } from '../topics/topics';
import { listMessages, readMessage } from './progress';
import { send } from './send';

const MAX_MESSAGE = 1000;

export function addMessageRoutes(add: AddRoute, { db, now, wake }: Services): void {
  add('POST /api/admin/notifications/send-topic/:topicId', {
    access: 'admin',
    status: 202,
    body: v.object({ message: requiredText('Message', MAX_MESSAGE) }),
    answer: async ({ params, body, user, transact, header }) => {
      const topicId = readId(params.topicId, NO_SUCH_TOPIC);
      const idempotencyKey = readIdempotencyKey(header);
      const sent = await send(
        { topicId, text: body.message, senderId: user.id, idempotencyKey },
        transact,
        now(),
      );
      wake();
      return sent;
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
