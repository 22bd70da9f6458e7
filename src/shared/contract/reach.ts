/** How reachable devices and people are. */
import * as v from 'valibot';
import { role } from './accounts';
import { count, described, id, page, paging, sample, text, time } from './common';
import type { CallTable } from './common';
import { device, deviceType } from './devices';
import { rowId } from './fields';
import { deviceTest } from './tests';

/** From good to bad; the last two apply to people only. */
const STATES = [
  'reachable',
  'late',
  'untested',
  'silent',
  'failing',
  'no_device',
  'pending',
] as const;
const state = v.picklist(STATES);
const displayedAt = '2026-11-20T06:58:01.300Z';

export const reachDevice = v.object({
  id,
  state: described(state, 'Never `no_device` or `pending`. What the last 14 days say.'),
  deviceType,
  browser: described(v.string(), 'Empty if it cannot be told.', 'Chrome'),
  model: described(v.string(), 'As the browser names it; empty if it does not.', 'SM-A047F'),
  installed: described(v.nullable(v.boolean()), 'Null if it never said so.', true),
  lastSeenAt: device.entries.lastSeenAt,
  lastAcceptedAt: v.nullable(sample(time, '2026-11-20T06:58:00.410Z')),
  lastDisplayedAt: v.nullable(sample(time, displayedAt)),
  lastTest: v.nullable(deviceTest),
  unanswered: described(
    count,
    'Pushes that were accepted and not displayed since one last was: 0 to 8.',
    0,
  ),
  refusals: described(count, 'How often in a row it was refused last.', 0),
});
export const ownDevice = v.object({ ...device.entries, reach: v.exactOptional(reachDevice) });

export const lostDevice = v.object({
  at: time,
  why: described(
    v.picklist(['signed_out', 'removed', 'gone', 'blocked', 'replaced']),
    '`gone`: the push service knew it no longer. `blocked`: notifications were blocked there.',
  ),
});
export const reach = v.object({
  user: v.object({
    id: sample(id, 2),
    username: text('m.okafor'),
    role: sample(role, 'TECHNICIAN'),
  }),
  state,
  devices: v.array(reachDevice),
  lost: described(
    v.nullable(lostDevice),
    'How the last device was lost; only where there is none now.',
    null,
  ),
  invitation: described(
    v.nullable(v.object({ token: v.string(), createdAt: time })),
    'Only while registration is not completed.',
    null,
  ),
});
const reachSummary = v.object(
  Object.fromEntries(
    STATES.map((name) => [name, sample(count, name === 'reachable' ? 1 : 0)]),
  ) as Record<(typeof STATES)[number], typeof count>,
);
const leftOut = described(count, 'Left out, since their people have quiet hours.', 3);
export const reachPage = v.object({
  people: v.array(reach),
  summary: described(reachSummary, 'Of all that match query and topic, whatever the state.'),
  lastTests: described(
    v.nullable(
      v.object({
        at: sample(time, '2026-11-20T06:00:00.000Z'),
        devices: sample(count, 52),
        until: v.exactOptional(
          described(time, 'By when all of them leave.', '2026-11-20T06:00:13.000Z'),
        ),
        quietDevices: v.exactOptional(leftOut),
      }),
    ),
    'The last test of everybody’s devices.',
  ),
  ...page,
});
export const roundSize = v.object({
  devices: sample(count, 52),
  people: sample(count, 44),
  quietDevices: leftOut,
  quietPeople: sample(count, 2),
});
export const testsStarted = v.object({
  devices: sample(count, 1),
  quietDevices: v.exactOptional(sample(leftOut, 0)),
});

export type ReachState = v.InferOutput<typeof state>;
export type ReachDevice = v.InferOutput<typeof reachDevice>;
export type OwnDevice = v.InferOutput<typeof ownDevice>;
export type LostDevice = v.InferOutput<typeof lostDevice>;
export type Reach = v.InferOutput<typeof reach>;
export type ReachSummary = v.InferOutput<typeof reachSummary>;
export type RoundSize = v.InferOutput<typeof roundSize>;

/** Their devices, up to twenty each, are tested within the request. */
const MAX_TESTED_PEOPLE = 100;

export const ownDeviceCalls = {
  'GET /api/notifications/devices': {
    does: 'List one’s own devices',
    answer: v.array(ownDevice),
  },
} satisfies CallTable;

export const reachCalls = {
  'GET /api/admin/reach': {
    does: 'List who can be reached, who not and why',
    more: 'Who needs attention comes first, then by name.',
    query: {
      ...paging('in names'),
      state: described(
        v.string(),
        'One state, several with commas between them, or `attention`: all but `reachable` and `late`.',
      ),
      topic: described(id, 'Only subscribers of the topic with this id.', 1),
    },
    answer: reachPage,
    refusals: { 400: 'There is no such state, or no such topic.' },
  },
  'GET /api/admin/reach/tests': {
    does: 'Count the devices that a test of everybody would notify',
    more: 'People in their quiet hours are left out.',
    answer: roundSize,
  },
  'POST /api/admin/reach/tests': {
    does: 'Test all devices of some people, or of everybody',
    more: 'Without `userIds` everybody’s within a minute, but for people in their quiet hours, at most once in 5 minutes.',
    body: v.object({
      userIds: v.exactOptional(
        sample(
          v.pipe(
            v.array(v.unknown()),
            v.minLength(1, 'Choose people whose devices are to be tested.'),
            v.maxLength(
              MAX_TESTED_PEOPLE,
              `At most ${MAX_TESTED_PEOPLE} people can be tested at once.`,
            ),
            v.array(rowId('User')),
          ) as unknown as v.GenericSchema<number[]>,
          [2],
        ),
      ),
    }),
    answer: testsStarted,
    refusals: {
      400: 'What was sent cannot be taken, or there is no such user.',
      429: 'All devices were tested just now.',
    },
  },
} satisfies CallTable;
