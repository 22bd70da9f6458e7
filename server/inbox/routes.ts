import { createConcurrencyLimiter } from '../http/access/person-limits';
import type { AddRoute } from '../http/route';
import { readOwnRights } from '../accounts/own-account/rights';
import { languageOfPerson } from '../translation/language-of-person';
import { toServerClock } from '../lib/receipt-time';
import type { Services } from '../services';
import { isNewestPage, readInbox, readInboxMessage, readInboxQuery } from './inbox';
import { createReceiptQueue } from './receipt-queue';

/** Limits the searches of one person: each reads a whole inbox. */
const SEARCHES = { atOnce: 1, waiting: 10 };

export function addInboxRoutes(add: AddRoute, services: Services): void {
  const { config, db, now } = services;
  const record = createReceiptQueue(services);
  const searchInTurn = createConcurrencyLimiter(SEARCHES);
  add('GET /api/notifications/messages', {
    action: 'inbox.read',
    respond: ({ user, query }) => {
      const parsedQuery = readInboxQuery(query);
      const readOwnInbox = () =>
        readInbox(user.id, parsedQuery, languageOfPerson(user, config), db);
      if (isNewestPage(parsedQuery))
        return Promise.all([readOwnInbox(), readOwnRights(user, db)]).then(([page, rights]) => ({
          ...page,
          ...rights,
        }));
      return parsedQuery.words.length > 0 ? searchInTurn(user.id, readOwnInbox) : readOwnInbox();
    },
  });
  add('GET /api/notifications/messages/:id', {
    action: 'inbox.read',
    respond: ({ user, params }) =>
      readInboxMessage(params.id, user.id, languageOfPerson(user, config), db),
  });
  // The transaction that writes the receipts checks the caller, for thousands at once.
  add('POST /api/notifications/receipts', {
    action: 'receipts.write',
    respond: async ({ claimed, body }) => {
      const at = now();
      const receipts = body.receipts.map((receipt) => toServerClock(receipt, body.sentAt, at));
      const { recorded, withdrawn } = await record({ claimed, receipts, at });
      return { recorded, ...(withdrawn.length > 0 && { withdrawn }) };
    },
  });
}
