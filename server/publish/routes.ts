import { readIdempotencyKey } from '../http/idempotency';
import type { AddRoute } from '../http/route';
import { sendMessage } from '../messages/sending/send';
import { wakeWorkers } from '../messages/wake-workers';
import type { Services } from '../services';
import { consumeKeyBudget } from '../http/access/key-budget';
import { readParameters } from './parameters';
import { publicationReader, topicInBodyReader } from './publication';
import { describePublished, readPublication } from './publish';

export function addPublishRoutes(add: AddRoute, services: Services): void {
  const { db, now } = services;
  for (const [endpoint, reader] of [
    ['POST /api/publish', topicInBodyReader],
    ['PUT /api/publish', topicInBodyReader],
    ['POST /api/publish/:topic', publicationReader],
    ['PUT /api/publish/:topic', publicationReader],
  ] as const)
    add(endpoint, {
      action: 'messages.publish',
      status: 202,
      reader,
      allowsTrailingSlash: true,
      respond: async ({ body, bytes, key, transact, header, query }) => {
        const idempotencyKey = readIdempotencyKey(header);
        const parameters = readParameters(header, query);
        const publicationRequest = readPublication(body, parameters, now());
        const quotaCost = { messages: 1, kibibytes: Math.ceil(bytes / 1024) };
        // A repeated request is the same message.
        const repeatKeys = () => [idempotencyKey ?? JSON.stringify([body, parameters])];
        await consumeKeyBudget(key, quotaCost, 429, repeatKeys, db, now());
        const audience = { topicId: key.topicId };
        const { messageId } = await sendMessage(
          { ...publicationRequest, to: audience, senderId: null, key, idempotencyKey },
          transact,
          now(),
        );
        wakeWorkers(services);
        return describePublished(messageId, db);
      },
    });
}
