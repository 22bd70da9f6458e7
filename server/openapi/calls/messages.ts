/** Sending messages, and how far they got. */
import * as v from 'valibot';
import type { EscalationCalls, MessageCalls } from '../../../src/shared/contract';
import { idOf, uuidOf } from '../call';
import type { Area } from '../call';
import { paging } from '../parameters';
import { admin, policy, sent, storms, technician, template } from '../samples';
import { count, done, page, text, uuid } from '../shapes/common';
import { escalation } from '../shapes/escalation';
import { audience, recipient, sentMessage, template as templateShape } from '../shapes/messages';

const ofMessage = { id: uuidOf('message', sent.id) };
const state = {
  description:
    'One state, or several with commas between them; `not_answered` stands for all in which an answer may still come.',
  schema: { type: 'string' },
} as const;
const ofTemplate = { id: idOf('template', template.id) };
const { message, priority, answers } = sent;
const OPTIONS =
  '`link` is a path of the app or an https address, `sendAt` at most a year ahead, `expiresAt` after it (24 hours is the default). `policyId` is the first topic’s if left out; null means none. With `undoSeconds` (1 to 60) it leaves so many seconds later, and can be cancelled until then.';
const accepted = {
  message: 'Sent to 31 people.',
  messageId: sent.id,
  notified: true,
};
const NAME_TAKEN = 'Another template has this name, or there are too many.';

export const messageCalls = {
  'POST /api/admin/notifications/send-topic/:topicId': {
    does: 'Send a message to a topic',
    more: OPTIONS,
    params: { topicId: idOf('topic', storms.id) },
    body: { message, title: 'Storm from the west', priority, answers },
    isRepeatable: true,
    shape: v.object({
      message: text,
      messageId: uuid,
      notified: v.exactOptional(
        v.pipe(v.boolean(), v.description('False where it goes to no device.')),
      ),
    }),
    answer: accepted,
    refusals: { 409: 'The Idempotency-Key was used for another message.' },
  },
  'POST /api/admin/messages': {
    does: 'Send a message to topics and people',
    more: `Each person gets it once. ${OPTIONS}`,
    body: { topicIds: [storms.id], userIds: [technician.id], message, priority, answers },
    isRepeatable: true,
    shape: v.object({ message: text, messageId: uuid, notified: v.boolean() }),
    answer: accepted,
    refusals: {
      400: 'What was sent cannot be taken, or the audience of a message that leaves now is empty.',
      409: 'The Idempotency-Key was used for another message.',
    },
  },
  'POST /api/admin/messages/audience': {
    does: 'Count whom a message would be for',
    body: { topicIds: [storms.id], priority: 'info' },
    shape: audience,
    answer: {
      people: 31,
      reachable: 26,
      muted: 1,
      unreachable: 4,
      held: 0,
      heldUntil: null,
      canUndo: true,
    },
    refusals: { 400: 'What was sent cannot be taken, or an id does not exist.' },
  },
  'GET /api/admin/messages': {
    does: 'List sent messages',
    query: paging('in titles, texts and topics'),
    shape: v.object({ messages: v.array(sentMessage), ...page }),
    answer: { messages: [sent], total: 1, page: 1, limit: 10 },
  },
  'GET /api/admin/messages/:id': {
    does: 'Read how far a message got',
    params: ofMessage,
    hasTag: true,
    shape: sentMessage,
    answer: sent,
  },
  'GET /api/admin/messages/:id/recipients': {
    does: 'List a message’s recipients',
    params: ofMessage,
    query: {
      ...paging('in names'),
      state,
    },
    shape: v.object({ recipients: v.array(recipient), ...page }),
    answer: {
      recipients: [
        {
          user: { id: technician.id, username: technician.username, role: 'TECHNICIAN' },
          state: 'acknowledged',
          answer: 'On my way',
          late: false,
          displayedAt: '2026-11-20T14:02:02.000Z',
          readAt: '2026-11-20T14:02:40.000Z',
          acknowledgedAt: '2026-11-20T14:03:00.000Z',
          devices: 1,
        },
      ],
      total: 1,
      page: 1,
      limit: 10,
    },
    refusals: { 400: 'There is no such state.' },
  },
  'GET /api/admin/messages/:id/recipients.csv': {
    does: 'Download a message’s recipients',
    more: 'As RFC 4180 says, with a heading. A cell that a spreadsheet would calculate begins with an apostrophe.',
    params: ofMessage,
    query: { state },
    answerType: 'text/csv',
    shape: text,
    answer:
      'username,role,state,answer,late,displayedAt,readAt,acknowledgedAt\r\nm.okafor,TECHNICIAN,acknowledged,On my way,false,2026-11-20T14:02:02.000Z,2026-11-20T14:02:40.000Z,2026-11-20T14:03:00.000Z\r\n',
    refusals: { 400: 'There is no such state.' },
  },
  'POST /api/admin/messages/:id/repeat': {
    does: 'Ring again at those who have not answered',
    more: 'Or not read it where nothing was asked; with `userIds` only at those of them, with `state` only at those in these states, as in the list of recipients. The body may be left out.',
    params: ofMessage,
    body: { userIds: [technician.id] },
    shape: v.object({ messageId: uuid, people: count }),
    answer: { messageId: sent.id, people: 1 },
    refusals: {
      400: 'There is no such state.',
      409: 'It has ended, was cancelled, or is still to be sent.',
    },
  },
  'POST /api/admin/messages/:id/cancel': {
    does: 'Cancel what is still to leave',
    more: 'What people have in their inbox stays.',
    params: ofMessage,
    shape: sentMessage,
    answer: { ...sent, state: 'cancelled' },
    refusals: { 409: 'Nothing is left to cancel.' },
  },
  'GET /api/admin/messages/:id/escalation': {
    does: 'Read how a message goes on',
    params: ofMessage,
    hasTag: true,
    shape: escalation,
    answer: {
      policy: { id: 1, ...policy },
      stopped: 'quorum',
      stoppedAt: '2026-11-20T14:03:00.000Z',
      stoppedBy: technician.username,
      steps: [
        {
          action: 'repeat',
          dueAt: '2026-11-20T14:02:30.000Z',
          doneAt: '2026-11-20T14:02:30.000Z',
          people: 13,
          topic: null,
          by: admin.username,
          outcome: {
            people: 15,
            done: 12,
            failed: 1,
            notPossible: 2,
            notNeeded: 0,
            waiting: 0,
            unknown: 0,
            reasons: [
              { outcome: 'notPossible', reason: 'no-device', status: null, people: 2 },
              { outcome: 'failed', reason: 'push-refused', status: null, people: 1 },
            ],
          },
          messageId: null,
        },
      ],
    },
  },
  'GET /api/admin/templates': {
    does: 'List templates',
    shape: v.object({ templates: v.array(templateShape) }),
    answer: { templates: [template] },
  },
  'POST /api/admin/templates': {
    does: 'Save a template',
    body: { name: 'All clear', message: 'Work may go on.', priority: 'info', answers: [] },
    shape: templateShape,
    answer: {
      id: 2,
      name: 'All clear',
      title: null,
      message: 'Work may go on.',
      priority: 'info',
      answers: [],
      link: null,
    },
    refusals: { 409: NAME_TAKEN },
  },
  'PUT /api/admin/templates/:id': {
    does: 'Change a template',
    params: ofTemplate,
    body: { name: template.name, title: 'Storm from the west', message, priority, answers },
    shape: templateShape,
    answer: template,
    refusals: { 409: NAME_TAKEN },
  },
  'DELETE /api/admin/templates/:id': {
    does: 'Delete a template',
    params: ofTemplate,
    shape: done,
    answer: { message: 'The template was deleted.' },
  },
} satisfies Partial<Area<MessageCalls & EscalationCalls>>;
