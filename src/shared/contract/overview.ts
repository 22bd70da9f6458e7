/** The administrator's overview, and public calls about the server. */
import * as v from 'valibot';
import { count, described, maybeTime, sample, text, time } from './common';
import type { CallTable } from './common';
import { sentMessage } from './messages';

const serviceState = described(
  v.picklist([
    'accepting',
    'refusing',
    'unreachable',
    'reachable',
    'quiet',
    'unknown',
    'not_set_up',
  ]),
  'As it was last seen. `reachable`: it answers again, and has not accepted a push since. `quiet`: there was no push for some minutes. `unknown`: it was in trouble when it was last tried.',
);
const since = v.nullable(sample(time, '2026-11-20T06:00:00.000Z'));
const accepted = v.nullable(sample(time, '2026-11-20T06:10:00.000Z'));
export const pushServiceHealth = v.object({
  name: sample(v.picklist(['FCM', 'Google', 'Mozilla', 'Apple', 'Microsoft', 'Others']), 'Mozilla'),
  state: serviceState,
  since,
  host: described(
    v.string(),
    'Of the service that is worst off.',
    'updates.push.services.mozilla.com',
  ),
  reason: described(
    v.nullable(v.string()),
    'A short code, such as `status-503` or `timeout`.',
    null,
  ),
  acceptedAt: accepted,
  triedAt: accepted,
  waiting: described(count, 'Pushes that it has not accepted so far.', 0),
  oldestAt: described(maybeTime, 'When the oldest of these was written.', null),
});

export type PushServiceHealth = v.InferOutput<typeof pushServiceHealth>;
export type PushServiceStatus = PushServiceHealth['state'];

const delivery = v.picklist(['ok', 'late', 'refused']);
const version = text('0.1.0');
const healthyServer = v.object({
  status: v.literal('ok'),
  version,
  delivery,
  pushServices: v.object({
    state: v.picklist([
      'accepting',
      'refusing',
      'unreachable',
      'reachable',
      'quiet',
      'unknown',
      'unused',
    ]),
    since,
  }),
  mail: v.picklist(['ok', 'late', 'failing']),
});

export const overview = v.object({
  people: v.object({
    total: sample(count, 60),
    reachable: described(count, 'Those who are `reachable` or `late`.', 44),
    pending: sample(count, 5),
  }),
  topics: v.object({ total: sample(count, 12), withoutSubscribers: sample(count, 1) }),
  messages: described(v.array(sentMessage), 'The newest three.'),
  ownDevices: described(count, 'How many devices the caller has.', 1),
  health: v.object({
    delivery,
    pushServices: described(v.array(pushServiceHealth), 'Those of which something is known.'),
    waiting: described(count, 'Pushes that wait, of all processes together.', 0),
    mail: v.picklist(['ok', 'late', 'failing', 'not_set_up']),
    mailSentAt: described(
      maybeTime,
      'When the mail server last accepted a mail.',
      '2026-11-20T05:40:00.000Z',
    ),
    webhooks: v.object({
      failing: sample(count, 0),
      off: sample(count, 0),
      total: sample(count, 1),
      waiting: sample(count, 0),
      succeededAt: sample(maybeTime, '2026-11-20T05:42:00.000Z'),
    }),
    heldBack: described(
      v.array(v.object({ key: v.string(), topic: v.string(), alerts: count, since: time })),
      'Topic keys that went over their limit within a day, the newest five, each with at least so many alerts.',
      [],
    ),
    ownEmail: described(v.boolean(), 'Whether the caller has an email address.'),
    lastBackupAt: v.exactOptional(
      described(
        maybeTime,
        'Null if there was none; absent if unknowable.',
        '2026-11-20T02:00:00.000Z',
      ),
    ),
    version,
  }),
});
export type Overview = v.InferOutput<typeof overview>;

export const overviewCalls = {
  'GET /api/admin/overview': {
    does: 'Read what an administrator sees first',
    answer: overview,
  },
} satisfies CallTable;

export const operationCalls = {
  'GET /api/health': {
    does: 'Tell whether the server is well',
    more: 'While the database cannot be reached, takes no changes, or the server stops it is 503, and `status` says so. `delivery` is `refused` where a push service refuses our pushes, `late` where one cannot be reached or pushes should have been accepted minutes ago; `pushServices` is the one that is worst off, `unused` before the first push. `mail` is `failing` where the mail server takes none. Neither makes it fail.',
    answer: healthyServer,
  },
  'GET /api/openapi.json': {
    does: 'Read this document',
    more: 'For people it is at `/api/docs`.',
    hasTag: true,
    answer: v.looseObject({ openapi: text('3.1.1') }),
  },
} satisfies CallTable;
