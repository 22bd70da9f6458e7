import { requestLanguage } from '../translation/accept-language';
import { translateSent } from '../translation/translate';
import { prioritySchema } from '../../src/shared/contract/message-fields';
import { sentFilterStateSchema } from '../../src/shared/contract/messages';
import { recordAudit } from '../audit/record-audit';
import { respondWithDownload, CSV_TYPE } from '../http/downloads';
import { readIdempotencyKey } from '../http/idempotency';
import { readOption, readSearchWords } from '../http/paging';
import { respondWithEtag } from '../http/etag';
import { readId } from '../http/route';
import type { AddRoute } from '../http/route';
import type { Services } from '../services';
import { readTopicFilter } from '../topics/topic-filter';
import { NO_SUCH_TOPIC } from '../topics/topics';
import { auditTargetOfRow } from './audit-target';
import { cancelMessage } from './cancel';
import { addAllClear } from './corrections/all-clear';
import { correctMessage } from './corrections/correct';
import { requireLockedMessage } from './lock-message';
import { listMessages, readSentMessage } from './progress/progress';
import { countLanguages } from './progress/languages';
import { listRecipientPage, readRecipientFilter, readRecipientStates } from './progress/recipients';
import { createRecipientsCsv } from './progress/recipients-csv';
import { notifyRecipientsAgain } from './notify-again-request';
import { sendMessage } from './sending/send';
import { releaseMessage } from './sending/withheld';
import { wakeWorkers } from './wake-workers';

export function addMessageRoutes(add: AddRoute, services: Services): void {
  const { db, now } = services;
  add('POST /api/admin/notifications/send-topic/:topicId', {
    action: 'messages.send',
    status: 202,
    respond: async ({ params, body, user, transact, header }) => {
      const topicId = readId(params.topicId, NO_SUCH_TOPIC);
      const idempotencyKey = readIdempotencyKey(header);
      const response = await sendMessage(
        { ...body, to: { topicId }, senderId: user.id, idempotencyKey },
        transact,
        now(),
      );
      wakeWorkers(services);
      return translateSent(response, requestLanguage(header));
    },
  });
  add('POST /api/admin/messages', {
    action: 'messages.send',
    status: 202,
    respond: async ({ body: { topicIds = [], userIds = [], teamIds, ...body }, ...call }) => {
      const { user, transact, header } = call;
      const idempotencyKey = readIdempotencyKey(header);
      // Without teams the field stays absent, so that older requests keep their fingerprints.
      const to = { topicIds, userIds, ...(teamIds && teamIds.length > 0 && { teamIds }) };
      const response = await sendMessage(
        { ...body, to, senderId: user.id, idempotencyKey },
        transact,
        now(),
      );
      wakeWorkers(services);
      return translateSent(response, requestLanguage(header));
    },
  });
  add('POST /api/admin/messages/:id/repeat', {
    action: 'messages.repeat',
    status: 202,
    respond: async ({ params, body: { userIds, state }, user, transact }) => {
      const recipientFilter = { userIds, states: readRecipientStates(state) };
      const round = await transact((transaction) =>
        notifyRecipientsAgain(params.id, recipientFilter, user.id, transaction, now()),
      );
      wakeWorkers(services);
      return round;
    },
  });
  add('POST /api/admin/messages/:id/cancel', {
    action: 'messages.cancel',
    respond: async ({ params, user, transact }) => {
      await transact((transaction) => cancelMessage(params.id, user.id, transaction, now()));
      wakeWorkers(services);
      return readSentMessage(params.id, db, now());
    },
  });
  add('POST /api/admin/messages/:id/correct', {
    action: 'messages.correct',
    respond: async ({ params, body, transact }) => {
      await transact((transaction) => correctMessage(params.id, body, transaction, now()));
      wakeWorkers(services);
      return readSentMessage(params.id, db, now());
    },
  });
  add('POST /api/admin/messages/:id/all-clear', {
    action: 'messages.correct',
    respond: async ({ params, body, user, transact }) => {
      await transact((transaction) =>
        addAllClear(params.id, body.message, user.id, transaction, now()),
      );
      wakeWorkers(services);
      return readSentMessage(params.id, db, now());
    },
  });
  add('POST /api/admin/messages/:id/release', {
    action: 'messages.release',
    respond: async ({ params, transact }) => {
      await transact((transaction) => releaseMessage(params.id, transaction, now()));
      wakeWorkers(services);
      return readSentMessage(params.id, db, now());
    },
  });
  add('GET /api/admin/messages', {
    action: 'messages.read',
    respond: async ({ paging, query }) => {
      const filter = {
        priority: readOption('priority', prioritySchema.options, query),
        state: readOption('state', sentFilterStateSchema.options, query),
        topicId: await readTopicFilter(query, db),
        sender: readSearchWords(query, 'sender'),
      };
      return listMessages(paging, filter, db, now());
    },
  });
  add('GET /api/admin/messages/:id', {
    action: 'messages.read',
    respond: async ({ params, header }) =>
      respondWithEtag(await readSentMessage(params.id, db, now()), header('if-none-match')),
  });
  add('GET /api/admin/messages/:id/recipients', {
    action: 'messages.read',
    respond: ({ params, query, paging, user }) =>
      listRecipientPage(
        params.id,
        readRecipientFilter(query),
        paging,
        user.role === 'ADMIN',
        services,
      ),
  });
  add('GET /api/admin/messages/:id/languages', {
    action: 'messages.read',
    respond: ({ params }) => countLanguages(params.id, services),
  });
  add('GET /api/admin/messages/:id/recipients.csv', {
    action: 'messages.export',
    respond: (call) => {
      const { id } = call.params;
      const states = readRecipientStates(call.query.get('state'));
      const name = `recipients-${id.replace(/[^\w-]/g, '')}.csv`;
      const file = { type: CSV_TYPE, name };
      return respondWithDownload(call, services, file, async () => {
        await call.transact(async (transaction) => {
          const message = await requireLockedMessage(id, transaction);
          const entry = { ...auditTargetOfRow(message), detail: 'Recipients of a message' };
          await recordAudit({ action: 'export', ...entry }, transaction);
        });
        return createRecipientsCsv(id, { states }, db);
      });
    },
  });
}
