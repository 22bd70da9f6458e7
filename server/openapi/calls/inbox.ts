/** A person's messages. */
import * as v from 'valibot';
import type { InboxCalls } from '../../../src/shared/contract';
import { shapeOf, uuidOf } from '../call';
import type { Area } from '../call';
import { limit, search } from '../parameters';
import { inInbox, sent } from '../samples';
import { count } from '../shapes/common';
import { inboxMessage } from '../shapes/messages';

const seq = { type: 'integer', minimum: 0 } as const;

export const inboxCalls = {
  'GET /api/notifications/messages': {
    does: 'Read one’s inbox',
    more: 'With `after` the oldest first, to catch up; else the newest first. `newest` is the highest `seq` that there is, 0 for none.',
    query: {
      after: { description: 'Only messages behind this `seq`.', schema: seq, example: 0 },
      before: { description: 'Only messages before this `seq`.', schema: seq },
      limit: limit(20),
      query: search('in titles and texts'),
      unread: {
        description: 'Only what was not read.',
        schema: { type: 'boolean', const: true },
      },
    },
    shape: shapeOf<InboxCalls['GET /api/notifications/messages']['answer']>()(
      v.object({
        messages: v.array(inboxMessage),
        unread: count,
        newest: count,
        closed: v.exactOptional(
          v.pipe(
            count,
            v.description('So many of the newest twenty are cancelled or resolved by now.'),
          ),
        ),
        answered: v.exactOptional(
          v.pipe(
            count,
            v.description('So many of the newest twenty are answered, on whichever device.'),
          ),
        ),
      }),
    ),
    answer: { messages: [inInbox], unread: 0, newest: 42, closed: 0, answered: 1 },
  },
  'GET /api/notifications/messages/:id': {
    does: 'Read one message of one’s inbox',
    params: { id: uuidOf('message', sent.id) },
    shape: inboxMessage,
    answer: inInbox,
    refusals: { 404: 'There is no such message, or it was not for the caller.' },
  },
  'POST /api/notifications/receipts': {
    does: 'Say that messages were displayed, read or answered',
    more: 'The first of a kind wins. What was not for that person, or not offered, is left out; `recorded` counts what was new. `received` and `refused` are of tests alone. By a device’s key, `displayed` proves that the device displays, and so do `read` and `acknowledged` without `inApp`.',
    body: {
      receipts: [
        { messageId: sent.id, kind: 'read' },
        {
          messageId: sent.id,
          kind: 'acknowledged',
          answer: 'On my way',
          at: '2026-11-20T14:03:00.000Z',
        },
      ],
    },
    shape: v.object({ recorded: count }),
    answer: { recorded: 2 },
  },
} satisfies Area<InboxCalls>;
