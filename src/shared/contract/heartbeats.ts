/** Heartbeats: a machine calls on schedule, or its topic is alerted. */
import * as v from 'valibot';
import {
  countSchema,
  withDescription,
  messageResponseWith,
  idSchema,
  idField,
  withExamples,
  sampleText,
  timestampSchema,
} from './common';
import type { CallTable, DescribedCall } from './common';

/** The limits of an interval, in seconds. */
export const HEARTBEAT_EVERY = { min: 60, max: 604_800 };
/** The default grace is half of `every`, within these limits. */
export const HEARTBEAT_GRACE = { min: 60, default: 3600 };
export const MAX_HEARTBEATS = { ofTopic: 100, ofKey: 50 };
export const HEARTBEAT_STATES = ['waiting', 'alive', 'late', 'silent', 'paused'] as const;

const EXAMPLE_NAME = 'nightly-backup';

export const heartbeatSchema = v.object({
  id: idSchema,
  name: sampleText(EXAMPLE_NAME),
  every: withDescription(
    countSchema,
    'How many seconds there should be between two heartbeats.',
    86_400,
  ),
  grace: withDescription(
    countSchema,
    'How many seconds a heartbeat may be late before the server sends an alert.',
    3600,
  ),
  lastAt: withDescription(timestampSchema, 'When the last heartbeat was received.'),
  dueAt: withDescription(timestampSchema, 'When the next heartbeat is due.'),
  state: withDescription(
    v.picklist(HEARTBEAT_STATES),
    '`waiting`: the machine has not called since an administrator resumed the heartbeat, or since Fieldbell recovered from an outage. `alive`: the last heartbeat was on time. `late`: a heartbeat is overdue, but no alert has been sent yet. `silent`: the alert has been sent. `paused`: the server sends no new alerts about this heartbeat.',
    'alive',
  ),
  isKeyRevoked: v.exactOptional(
    withDescription(
      v.literal(true),
      '`true` if the key of the last heartbeat was revoked. The machine needs another key of the topic. Absent otherwise.',
    ),
  ),
  alert: v.exactOptional(
    withDescription(
      v.object({
        messageId: sampleText('0e7f4c52-6f1b-4a3d-9b58-1c2d3e4f5a6b'),
        at: timestampSchema,
      }),
      'The alert that was sent because the machine is silent. Absent once the machine calls again.',
    ),
  ),
});
export const heartbeatsSchema = v.object({ heartbeats: v.array(heartbeatSchema) });
export const heartbeatReceivedSchema = v.object({
  name: sampleText(EXAMPLE_NAME),
  dueAt: withDescription(timestampSchema, 'When the next heartbeat is due.'),
});

export type Heartbeat = v.InferOutput<typeof heartbeatSchema>;

const seconds = (name: string, min: number, example: number, description: string) => {
  const { max } = HEARTBEAT_EVERY;
  const message = `\`${name}\` must be a whole number of seconds from ${min} to ${max}.`;
  const number = v.pipe(
    v.number(message),
    v.integer(message),
    v.minValue(min, message),
    v.maxValue(max, message),
  );
  return withDescription(number, description, example);
};
const times = {
  every: seconds(
    'every',
    HEARTBEAT_EVERY.min,
    86_400,
    'How many seconds until the next heartbeat. Required in the first call. Default in later calls: the previous value.',
  ),
  grace: seconds(
    'grace',
    HEARTBEAT_GRACE.min,
    3600,
    'How many seconds a heartbeat may be late. Default: the previous value. In the first call, and whenever `every` changes, the default is half of `every`, but at least a minute and at most an hour.',
  ),
};
export const heartbeatTimesSchema = v.object({
  every: v.exactOptional(times.every),
  grace: v.exactOptional(times.grace),
});
export type HeartbeatTimes = v.InferOutput<typeof heartbeatTimesSchema>;

const reportCall = {
  more: 'The first call creates the heartbeat and needs `every`. If the machine does not call in time, the server sends one alert to the topic. When the machine calls again, the server sends one more message.',
  params: {
    name: withDescription(
      v.string(),
      'The name of the heartbeat, unique in its topic regardless of case: up to 64 letters, digits, dots, hyphens and underscores. It must start and end with a letter or digit.',
      EXAMPLE_NAME,
    ),
  },
  query: times,
  response: heartbeatReceivedSchema,
  errors: {
    400: 'The name, `every` or `grace` is invalid, unknown fields were sent, a field was sent twice, or the first call has no `every`.',
    409: 'The topic already has 100 heartbeats, or the key already has 50.',
    429: 'The key sent too many heartbeats. It can send 60 at once, then one per second.',
  },
} satisfies Omit<DescribedCall, 'does'>;
const heartbeatParams = { id: idField('heartbeat') };

export const heartbeatCalls = {
  'POST /api/heartbeat/:name': {
    does: 'Report a heartbeat',
    ...reportCall,
    more: `${reportCall.more} The body can have up to 1 KiB.`,
    body: v.optional(withExamples(heartbeatTimesSchema, { every: 86_400, grace: 3600 }), {}),
  },
  'GET /api/heartbeat/:name': {
    does: 'Report a heartbeat with GET',
    ...reportCall,
  },
  'GET /api/admin/topics/:id/heartbeats': {
    does: 'List a topic’s heartbeats',
    more: 'The heartbeats are sorted by name.',
    params: { id: idField('topic') },
    response: heartbeatsSchema,
  },
  'PUT /api/admin/heartbeats/:id': {
    does: 'Pause or resume a heartbeat',
    more: 'While a heartbeat is paused, the server sends no new alerts about it. An alert that was already sent stays open until the machine calls again.',
    params: heartbeatParams,
    body: v.object({ paused: withExamples(v.boolean('Paused must be true or false.'), true) }),
    response: heartbeatSchema,
  },
  'DELETE /api/admin/heartbeats/:id': {
    does: 'Delete a heartbeat',
    more: 'If there is an alert, its escalation stops. If the machine calls again with `every`, that call creates the heartbeat again.',
    params: heartbeatParams,
    response: messageResponseWith('The heartbeat was deleted.'),
  },
} satisfies CallTable;
