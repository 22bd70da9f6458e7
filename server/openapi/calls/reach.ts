/** Who can be reached, and what an administrator sees first. */
import * as v from 'valibot';
import type { DeviceCalls, ReachCalls } from '../../../src/shared/contract';
import { idOf } from '../call';
import type { Area } from '../call';
import { paging } from '../parameters';
import { device, reachDevice, sent, storms, technician } from '../samples';
import { count, done, maybeText, maybeTime, page, text, time } from '../shapes/common';
import { reach, reachSummary } from '../shapes/devices';
import { sentMessage } from '../../../src/shared/contract/messages';

const delivery = v.picklist(['ok', 'late', 'refused']);
const pushService = v.object({
  name: v.picklist(['FCM', 'Google', 'Mozilla', 'Apple', 'Microsoft', 'Others']),
  state: v.pipe(
    v.picklist([
      'accepting',
      'refusing',
      'unreachable',
      'reachable',
      'quiet',
      'unknown',
      'not_set_up',
    ]),
    v.description(
      'As it was last seen. `reachable`: it answers again, and has not accepted a push since. `quiet`: there was no push for some minutes. `unknown`: it was in trouble when it was last tried.',
    ),
  ),
  since: maybeTime,
  host: text,
  reason: v.pipe(maybeText, v.description('A short code, such as `status-503` or `timeout`.')),
  acceptedAt: maybeTime,
  triedAt: maybeTime,
  waiting: v.pipe(count, v.description('Pushes that it has not accepted so far.')),
  oldestAt: v.pipe(maybeTime, v.description('When the oldest of these was written.')),
});
const overview = v.object({
  people: v.object({ total: count, reachable: count, pending: count }),
  topics: v.object({ total: count, withoutSubscribers: count }),
  messages: v.pipe(v.array(sentMessage), v.description('The newest three.')),
  ownDevices: count,
  health: v.object({
    delivery,
    pushServices: v.exactOptional(v.array(pushService)),
    waiting: v.pipe(count, v.description('Pushes that wait, of all processes together.')),
    mail: v.picklist(['ok', 'late', 'failing', 'not_set_up']),
    mailSentAt: v.exactOptional(
      v.pipe(maybeTime, v.description('When the mail server last accepted a mail.')),
    ),
    webhooks: v.exactOptional(
      v.object({
        failing: count,
        off: count,
        total: v.exactOptional(count),
        waiting: v.exactOptional(count),
        succeededAt: v.exactOptional(maybeTime),
      }),
    ),
    heldBack: v.exactOptional(
      v.pipe(
        v.array(v.object({ key: text, topic: text, alerts: count, since: time })),
        v.description(
          'Topic keys that went over their limit within a day, the newest five, each with at least so many alerts.',
        ),
      ),
    ),
    ownEmail: v.boolean(),
    lastBackupAt: v.exactOptional(
      v.pipe(maybeTime, v.description('Null if there was none; absent if unknowable.')),
    ),
    version: text,
  }),
});

const leftOut = v.pipe(count, v.description('Left out, since their people have quiet hours.'));

export const reachCalls = {
  'GET /api/admin/overview': {
    does: 'Read what an administrator sees first',
    shape: overview,
    answer: {
      people: { total: 60, reachable: 44, pending: 5 },
      topics: { total: 12, withoutSubscribers: 1 },
      messages: [sent],
      ownDevices: 1,
      health: {
        delivery: 'ok',
        pushServices: [
          {
            name: 'Mozilla',
            state: 'accepting',
            since: '2026-11-20T06:00:00.000Z',
            host: 'updates.push.services.mozilla.com',
            reason: null,
            acceptedAt: '2026-11-20T06:10:00.000Z',
            triedAt: '2026-11-20T06:10:00.000Z',
            waiting: 0,
            oldestAt: null,
          },
        ],
        waiting: 0,
        mail: 'ok',
        mailSentAt: '2026-11-20T05:40:00.000Z',
        webhooks: {
          failing: 0,
          off: 0,
          total: 1,
          waiting: 0,
          succeededAt: '2026-11-20T05:42:00.000Z',
        },
        heldBack: [],
        ownEmail: true,
        lastBackupAt: '2026-11-20T02:00:00.000Z',
        version: '0.1.0',
      },
    },
  },
  'GET /api/admin/reach': {
    does: 'List who can be reached, who not and why',
    more: 'Who needs attention comes first, then by name.',
    query: {
      ...paging('in names'),
      state: {
        description:
          'One state, several with commas between them, or `attention`: all but `reachable` and `late`.',
        schema: { type: 'string' },
      },
      topic: {
        description: 'Only subscribers of the topic with this id.',
        schema: { type: 'integer', minimum: 1 },
        example: storms.id,
      },
    },
    shape: v.object({
      people: v.array(reach),
      summary: v.pipe(
        reachSummary,
        v.description('Of all that match query and topic, whatever the state.'),
      ),
      lastTests: v.pipe(
        v.nullable(
          v.object({
            at: time,
            devices: count,
            until: v.exactOptional(v.pipe(time, v.description('By when all of them leave.'))),
            quietDevices: v.exactOptional(leftOut),
          }),
        ),
        v.description('The last test of everybody’s devices.'),
      ),
      ...page,
    }),
    answer: {
      people: [
        {
          user: { id: technician.id, username: technician.username, role: 'TECHNICIAN' },
          state: 'reachable',
          devices: [reachDevice],
          lost: null,
          invitation: null,
        },
      ],
      summary: {
        reachable: 1,
        late: 0,
        untested: 0,
        silent: 0,
        failing: 0,
        no_device: 0,
        pending: 0,
      },
      lastTests: {
        at: '2026-11-20T06:00:00.000Z',
        devices: 52,
        until: '2026-11-20T06:00:13.000Z',
        quietDevices: 3,
      },
      total: 1,
      page: 1,
      limit: 10,
    },
    refusals: { 400: 'There is no such state, or no such topic.' },
  },
  'GET /api/admin/reach/tests': {
    does: 'Count the devices that a test of everybody would notify',
    more: 'People in their quiet hours are left out.',
    shape: v.object({
      devices: count,
      people: count,
      quietDevices: leftOut,
      quietPeople: count,
    }),
    answer: { devices: 52, people: 44, quietDevices: 3, quietPeople: 2 },
  },
  'POST /api/admin/reach/tests': {
    does: 'Test all devices of some people, or of everybody',
    more: 'Without `userIds` everybody’s within a minute, but for people in their quiet hours, at most once in 5 minutes.',
    body: { userIds: [technician.id] },
    shape: v.object({ devices: count, quietDevices: v.exactOptional(leftOut) }),
    answer: { devices: 1, quietDevices: 0 },
    refusals: {
      400: 'What was sent cannot be taken, or there is no such user.',
      429: 'All devices were tested just now.',
    },
  },
  'DELETE /api/admin/devices/:id': {
    does: 'Remove anybody’s device',
    params: { id: idOf('device', device.id + 1) },
    shape: done,
    answer: { message: 'The device was removed.' },
  },
} satisfies Partial<Area<DeviceCalls & ReachCalls>>;
