/** Messages as their senders and their recipients have them. */
import * as v from 'valibot';
import type {
  Audience,
  InboxMessage,
  People,
  Recipient,
  SentMessage,
  Template,
} from '../../../src/shared/contract';
import { shapeOf } from '../call';
import { role } from '../../../src/shared/contract/accounts';
import { count, id, maybeText, maybeTime, text, time, uuid } from './common';
import { topicName } from '../../../src/shared/contract/topics';

export const priority = v.picklist(['info', 'normal', 'urgent']);
const answers = v.pipe(
  v.array(text),
  v.description('None to three texts. Without any, nothing is asked.'),
);
const link = v.pipe(maybeText, v.description('A path of the app, or an https address.'));

export const people = shapeOf<People>()(
  v.object({
    total: count,
    unreachable: count,
    muted: count,
    held: count,
    displayed: count,
    read: count,
    acknowledged: count,
    pending: v.exactOptional(
      v.pipe(count, v.description('Not displayed, as the next two and the first three.')),
    ),
    accepted: v.exactOptional(count),
    failed: v.exactOptional(count),
  }),
);

export const sentMessage = shapeOf<SentMessage>()(
  v.object({
    id: uuid,
    topic: v.nullable(topicName),
    message: text,
    createdAt: time,
    total: v.pipe(count, v.description('Devices, as are the next four counts.')),
    accepted: count,
    failed: count,
    gone: count,
    pending: count,
    title: maybeText,
    link,
    priority,
    answers,
    topics: v.array(topicName),
    sender: maybeText,
    state: v.picklist(['scheduled', 'sending', 'sent', 'cancelled', 'expired', 'resolved']),
    sendAt: time,
    expiresAt: time,
    people,
    tally: v.pipe(v.record(text, count), v.description('How many chose each answer.')),
  }),
);

export const recipient = shapeOf<Recipient>()(
  v.object({
    user: v.nullable(
      v.object({
        id,
        username: text,
        role,
        status: v.exactOptional(v.picklist(['PENDING', 'ACTIVE'])),
        registrationToken: v.exactOptional(text),
      }),
    ),
    state: v.pipe(
      v.picklist([
        'unreachable',
        'muted',
        'held',
        'pending',
        'failed',
        'accepted',
        'displayed',
        'read',
        'acknowledged',
      ]),
      v.description('The furthest that it got.'),
    ),
    answer: maybeText,
    late: v.pipe(v.boolean(), v.description('Whether the answer came after its end.')),
    displayedAt: maybeTime,
    readAt: maybeTime,
    acknowledgedAt: maybeTime,
    devices: v.pipe(count, v.description('To how many devices it went.')),
    heldUntil: v.exactOptional(
      v.pipe(maybeTime, v.description('Of `held`: when it rings, unless it has ended by then.')),
    ),
    failure: v.exactOptional(
      v.pipe(
        v.picklist(['expired', 'cancelled', 'gone', 'refused', 'unwanted']),
        v.description('Of `failed`: why its last push was not accepted.'),
      ),
    ),
  }),
);

export const template = shapeOf<Template>()(
  v.object({
    id,
    name: text,
    title: maybeText,
    message: text,
    priority,
    answers,
    link,
  }),
);

export const audience = shapeOf<Audience>()(
  v.object({
    people: v.pipe(count, v.description('The sum of the next four.')),
    reachable: count,
    muted: count,
    unreachable: count,
    held: count,
    heldUntil: v.exactOptional(maybeTime),
    canUndo: v.exactOptional(
      v.pipe(v.boolean(), v.description('Whether `undoSeconds` is known here.')),
    ),
  }),
);

export const inboxMessage = shapeOf<InboxMessage>()(
  v.object({
    id: uuid,
    seq: v.pipe(id, v.description('Counts up from 1 for each person, without gaps.')),
    title: text,
    message: text,
    topic: v.nullable(topicName),
    link,
    priority,
    answers,
    state: v.picklist(['sent', 'cancelled', 'resolved']),
    createdAt: time,
    expiresAt: time,
    readAt: maybeTime,
    acknowledgedAt: maybeTime,
    answer: maybeText,
    ringsAgain: v.exactOptional(
      v.pipe(v.literal(true), v.description('A policy rings it again until it is stopped.')),
    ),
  }),
);
