/** The administrator's overview, and public calls about the server. */
import * as v from 'valibot';
import {
  countSchema,
  withDescription,
  nullableTimestampSchema,
  withExamples,
  sampleText,
  timestampSchema,
} from './common';
import type { CallTable } from './common';
import { sentMessageSchema } from './messages';

const serviceStateSchema = withDescription(
  v.picklist([
    'accepting',
    'refusing',
    'throttled',
    'unreachable',
    'reachable',
    'quiet',
    'unknown',
    'not_set_up',
  ]),
  'The last known state. `throttled`: the service asked this server to send less, so the server sends it at most 900 pushes a minute, urgent ones first. `reachable`: the service responds again, but has not accepted a push yet. `quiet`: the server sent the service no push in the last five minutes. `unknown`: the last push failed more than ten minutes ago, and the server has not tried again since. `not_set_up`: pushes wait for FCM, but this server has no service account.',
);
const sinceSchema = v.nullable(withExamples(timestampSchema, '2026-11-20T06:00:00.000Z'));
const acceptedAtSchema = v.nullable(withExamples(timestampSchema, '2026-11-20T06:10:00.000Z'));
export const pushServiceHealthSchema = v.object({
  name: withExamples(
    v.picklist(['FCM', 'Google', 'Mozilla', 'Apple', 'Microsoft', 'Others']),
    'Mozilla',
  ),
  state: serviceStateSchema,
  since: sinceSchema,
  host: withDescription(
    v.string(),
    'The host name of the push service. If the service has several hosts, the host in the worst state.',
    'updates.push.services.mozilla.com',
  ),
  reason: withDescription(
    v.nullable(v.string()),
    'Why pushes fail: a short code, such as `status-503` or `timeout`. Null if they do not.',
    null,
  ),
  throttledUntil: v.exactOptional(
    withDescription(
      timestampSchema,
      'When the server tries again to send at full speed. Absent unless the state is `throttled`.',
    ),
  ),
  acceptedAt: acceptedAtSchema,
  triedAt: acceptedAtSchema,
  waiting: withDescription(countSchema, 'How many pushes the service has not accepted yet.', 0),
  oldestAt: withDescription(
    nullableTimestampSchema,
    'When the oldest push in `waiting` was queued.',
    null,
  ),
});

export type PushServiceHealth = v.InferOutput<typeof pushServiceHealthSchema>;
export type PushServiceHealthState = PushServiceHealth['state'];

const deliveryHealthSchema = v.picklist(['ok', 'late', 'refused']);
const versionSchema = sampleText('0.2.0');
const healthyServerSchema = v.object({
  status: v.literal('ok'),
  version: versionSchema,
  delivery: deliveryHealthSchema,
  pushServices: v.object({
    state: v.picklist([
      'accepting',
      'refusing',
      'throttled',
      'unreachable',
      'reachable',
      'quiet',
      'unknown',
      'unused',
    ]),
    since: sinceSchema,
  }),
  mail: v.picklist(['ok', 'late', 'failing']),
});

export const overviewSchema = v.object({
  people: v.object({
    total: withExamples(countSchema, 60),
    reachable: withDescription(countSchema, 'How many people are `reachable` or `late`.', 44),
    pending: withExamples(countSchema, 5),
  }),
  topics: v.object({
    total: withExamples(countSchema, 12),
    withoutSubscribers: withExamples(countSchema, 1),
  }),
  messages: withDescription(v.array(sentMessageSchema), 'The eight newest messages.'),
  withheld: v.exactOptional(
    withDescription(
      countSchema,
      'How many messages an administrator must send or cancel, because their senders may no longer send them. Absent if there are none.',
      1,
    ),
  ),
  ownDevices: withDescription(countSchema, 'How many devices the caller has.', 1),
  health: v.object({
    delivery: deliveryHealthSchema,
    pushServices: withDescription(
      v.array(pushServiceHealthSchema),
      'The push services that this server sends to.',
    ),
    waiting: withDescription(
      countSchema,
      'How many pushes all server processes together still have to send.',
      0,
    ),
    mail: v.picklist(['ok', 'late', 'failing', 'not_set_up']),
    mailSentAt: withDescription(
      nullableTimestampSchema,
      'When the mail server last accepted an email.',
      '2026-11-20T05:40:00.000Z',
    ),
    webhooks: v.object({
      failing: withExamples(countSchema, 0),
      off: withExamples(countSchema, 0),
      total: withExamples(countSchema, 1),
      waiting: withExamples(countSchema, 0),
      succeededAt: withExamples(nullableTimestampSchema, '2026-11-20T05:42:00.000Z'),
    }),
    heldBack: withDescription(
      v.array(
        v.object({
          key: v.string(),
          topic: v.string(),
          alerts: countSchema,
          since: timestampSchema,
        }),
      ),
      'The five topic keys that most recently exceeded their limit in the last 24 hours. For each key, at least `alerts` messages were rejected.',
      [],
    ),
    ownEmail: withDescription(v.boolean(), 'Whether the caller has an email address.'),
    lastBackupAt: v.exactOptional(
      withDescription(
        nullableTimestampSchema,
        'When the database was last backed up. If no backup is recorded: null for SQLite, absent for PostgreSQL.',
        '2026-11-20T02:00:00.000Z',
      ),
    ),
    version: versionSchema,
  }),
});
export type Overview = v.InferOutput<typeof overviewSchema>;

export const overviewCalls = {
  'GET /api/admin/overview': {
    does: 'Get the dashboard',
    response: overviewSchema,
  },
} satisfies CallTable;

export const operationCalls = {
  'GET /api/health': {
    does: 'Check the server’s health',
    more: 'Returns 503 with the reason in `status` while the database is unreachable or rejects writes, or while the server is stopping. `delivery` is `refused` if a push service rejects pushes. It is `late` if a push service is unreachable, or if pushes are more than five minutes overdue. `pushServices` shows the worst state of any push service, or `unused` if there is none yet. `mail` is `failing` if the mail server accepts no email, and `late` if emails are more than five minutes overdue. Problems with pushes or emails do not cause a 503.',
    response: healthyServerSchema,
  },
  'GET /api/openapi.json': {
    does: 'Get this document',
    more: '`/api/docs` shows this document as a web page.',
    hasTag: true,
    response: v.looseObject({ openapi: sampleText('3.1.1') }),
  },
} satisfies CallTable;
