import { requestLanguage } from '../translation/accept-language';
import { translateSent } from '../translation/translate';
/** Calls of people who may send to topics without being administrators. */
import { recordAudit } from '../audit/record-audit';
import { NO_SUCH_TOPIC } from '../topics/topics';
import { respondWithDownload, CSV_TYPE } from '../http/downloads';
import { respondWithEtag } from '../http/etag';
import { HttpError } from '../http/errors';
import { readIdempotencyKey } from '../http/idempotency';
import { readId } from '../http/route';
import type { AddRoute } from '../http/route';
import { cancelMessage } from '../messages/cancel';
import { countLanguages } from '../messages/progress/languages';
import { addAllClear } from '../messages/corrections/all-clear';
import { correctMessage } from '../messages/corrections/correct';
import { readRecipientFilter, readRecipientStates } from '../messages/progress/recipients';
import { createRecipientsCsv } from '../messages/progress/recipients-csv';
import { notifyRecipientsAgain } from '../messages/notify-again-request';
import { sendMessage } from '../messages/sending/send';
import { wakeWorkers } from '../messages/wake-workers';
import type { Services } from '../services';
import { countAudience } from '../subscriptions/audience-size';
import { countSenderUse, readSenderTopicIds } from '../http/access/sender-rights';
import { changeSenders, readSenders } from './senders';
import {
  requireOwnMessage,
  findSenderTopics,
  listOwnMessages,
  pageOwnRecipients,
  readOwnMessage,
} from './sent-messages';
import { listSendingTopics } from './topics';

export function addSenderRoutes(add: AddRoute, { db }: Services): void {
  add('GET /api/admin/topics/:id/senders', {
    action: 'senders.read',
    respond: ({ params }) => readSenders(readId(params.id, NO_SUCH_TOPIC), db),
  });
  add('PUT /api/admin/topics/:id/senders', {
    action: 'senders.change',
    respond: ({ params, body, transact }) =>
      transact((transaction) => changeSenders(readId(params.id, NO_SUCH_TOPIC), body, transaction)),
  });
}

export function addSenderMessageRoutes(add: AddRoute, services: Services): void {
  const { db, now } = services;
  add('GET /api/sending/topics', {
    action: 'sending.read',
    respond: async ({ user }) => ({ topics: await listSendingTopics(user.id, db, now()) }),
  });
  add('POST /api/sending/messages', {
    action: 'sending.send',
    status: 202,
    respond: async ({ body: { topicIds, ...body }, user, transact, header }) => {
      const idempotencyKey = readIdempotencyKey(header);
      const response = await sendMessage(
        { ...body, to: { topicIds }, senderId: user.id, asSender: true, idempotencyKey },
        transact,
        now(),
      );
      wakeWorkers(services);
      return translateSent(response, requestLanguage(header));
    },
  });
  add('POST /api/sending/audience', {
    action: 'sending.send',
    respond: async ({ body, user }) => {
      const ownTopicIds = new Set(await readSenderTopicIds(user.id, db));
      if (!body.topicIds.every((id) => ownTopicIds.has(id)))
        throw new HttpError(403, 'At least one of these topics does not accept messages from you.');
      return { ...(await countAudience(body, db, now())), canUndo: true };
    },
  });
  add('GET /api/sending/messages', {
    action: 'sending.read',
    respond: ({ paging, user }) => listOwnMessages(user.id, paging, services),
  });
  add('GET /api/sending/messages/:id', {
    action: 'sending.read',
    respond: async ({ params, user, header }) =>
      respondWithEtag(await readOwnMessage(params.id, user.id, services), header('if-none-match')),
  });
  add('GET /api/sending/messages/:id/recipients', {
    action: 'sending.read',
    respond: ({ params, query, paging, user }) =>
      pageOwnRecipients(params.id, readRecipientFilter(query), user.id, paging, services),
  });
  add('GET /api/sending/messages/:id/languages', {
    action: 'sending.read',
    respond: async ({ params, user }) =>
      countLanguages(params.id, services, await findSenderTopics(params.id, user.id, db)),
  });
  add('GET /api/sending/messages/:id/recipients.csv', {
    action: 'sending.export',
    respond: (call) => {
      const { id } = call.params;
      const states = readRecipientStates(call.query.get('state'));
      const file = { type: CSV_TYPE, name: `recipients-${id.replace(/[^\w-]/g, '')}.csv` };
      const readTopics = () => findSenderTopics(id, call.user.id, db);
      return respondWithDownload(call, services, file, async () => {
        await call.transact(async (transaction) => {
          await findSenderTopics(id, call.user.id, transaction);
          const detail = 'Recipients of a message';
          await recordAudit({ action: 'export', messageId: id, detail }, transaction);
        });
        return createRecipientsCsv(id, { states, readTopics }, db);
      });
    },
  });
  add('POST /api/sending/messages/:id/repeat', {
    action: 'sending.repeat',
    status: 202,
    respond: async ({ params, body: { userIds, state }, user, transact }) => {
      const recipients = { userIds, states: readRecipientStates(state) };
      const round = await transact(async (transaction) => {
        await requireOwnMessage(params.id, user.id, transaction);
        await countSenderUse(user.id, transaction, now());
        return notifyRecipientsAgain(params.id, recipients, user.id, transaction, now());
      });
      wakeWorkers(services);
      return round;
    },
  });
  add('POST /api/sending/messages/:id/correct', {
    action: 'sending.correct',
    respond: async ({ params, body, user, transact }) => {
      await transact(async (transaction) => {
        await requireOwnMessage(params.id, user.id, transaction);
        await countSenderUse(user.id, transaction, now());
        await correctMessage(params.id, body, transaction, now());
      });
      wakeWorkers(services);
      return readOwnMessage(params.id, user.id, services);
    },
  });
  add('POST /api/sending/messages/:id/all-clear', {
    action: 'sending.correct',
    respond: async ({ params, body, user, transact }) => {
      await transact(async (transaction) => {
        await requireOwnMessage(params.id, user.id, transaction);
        await addAllClear(params.id, body.message, user.id, transaction, now());
      });
      wakeWorkers(services);
      return readOwnMessage(params.id, user.id, services);
    },
  });
  add('POST /api/sending/messages/:id/cancel', {
    action: 'sending.cancel',
    respond: async ({ params, user, transact }) => {
      await transact(async (transaction) => {
        await requireOwnMessage(params.id, user.id, transaction);
        await cancelMessage(params.id, user.id, transaction, now());
      });
      wakeWorkers(services);
      return readOwnMessage(params.id, user.id, services);
    },
  });
}
