/** How reachable devices and people are. */
import * as v from 'valibot';
import { roleSchema } from './accounts';
import {
  countSchema,
  withDescription,
  idSchema,
  pageFields,
  pagingFields,
  withExamples,
  sampleText,
  timestampSchema,
} from './common';
import type { CallTable } from './common';
import { deviceSchema, deviceTypeSchema } from './devices';
import { rowIdField } from './fields';
import { deviceTestSchema } from './device-tests';

/** The best state comes first; the last two apply to people only. */
const REACH_STATES = [
  'reachable',
  'late',
  'untested',
  'silent',
  'failing',
  'no_device',
  'pending',
] as const;
const reachStateSchema = v.picklist(REACH_STATES);
const displayedAt = '2026-11-20T06:58:01.300Z';

export const reachDeviceSchema = v.object({
  id: idSchema,
  state: withDescription(
    reachStateSchema,
    'The state of the device, based on its newest pushes. A device is never `no_device` or `pending`.',
  ),
  deviceType: deviceTypeSchema,
  browser: withDescription(v.string(), 'The name of the browser. Empty if unknown.', 'Chrome'),
  model: withDescription(
    v.string(),
    'The model of the phone, as the browser reports it. Empty if unknown.',
    'SM-A047F',
  ),
  installed: withDescription(
    v.nullable(v.boolean()),
    'Whether the app is installed on the device. Null if unknown.',
    true,
  ),
  lastSeenAt: deviceSchema.entries.lastSeenAt,
  lastAcceptedAt: v.nullable(withExamples(timestampSchema, '2026-11-20T06:58:00.410Z')),
  lastDisplayedAt: v.nullable(withExamples(timestampSchema, displayedAt)),
  lastTest: v.nullable(deviceTestSchema),
  unanswered: withDescription(
    countSchema,
    'Pushes accepted in the last 14 days, since the device last displayed one. Counts at most the newest 8.',
    0,
  ),
  refusals: withDescription(
    countSchema,
    'How many pushes in a row the push service has rejected, counted back from the newest.',
    0,
  ),
});
export const ownDeviceSchema = v.object({
  ...deviceSchema.entries,
  reach: v.exactOptional(reachDeviceSchema),
});

export const lostDeviceSchema = v.object({
  at: timestampSchema,
  why: withDescription(
    v.picklist(['signed_out', 'removed', 'gone', 'blocked', 'replaced']),
    'Why the device is no longer registered. `gone`: the push service no longer recognized the device. `blocked`: notifications were blocked on the device. `replaced`: someone else signed in on the device.',
  ),
});
export const reachSchema = v.object({
  user: v.object({
    id: withExamples(idSchema, 2),
    username: sampleText('m.okafor'),
    role: withExamples(roleSchema, 'TECHNICIAN'),
  }),
  state: reachStateSchema,
  devices: v.array(reachDeviceSchema),
  lost: withDescription(
    v.nullable(lostDeviceSchema),
    'When and why the person lost their last device. Null if the person has a device or never had one.',
    null,
  ),
  invitation: withDescription(
    v.nullable(v.object({ token: v.string(), createdAt: timestampSchema })),
    'The secret part of the registration link. Null once the person has registered.',
    null,
  ),
});
const reachSummarySchema = v.object(
  Object.fromEntries(
    REACH_STATES.map((name) => [name, withExamples(countSchema, name === 'reachable' ? 1 : 0)]),
  ) as Record<(typeof REACH_STATES)[number], typeof countSchema>,
);
const skippedDevicesSchema = withDescription(
  countSchema,
  'How many devices are not tested because their owners are in their quiet hours.',
  3,
);
export const reachPageSchema = v.object({
  people: v.array(reachSchema),
  summary: withDescription(
    reachSummarySchema,
    'How many people are in each state. Counts the people who match `query`, `topic` and `team`, regardless of `state`.',
  ),
  suspended: v.exactOptional(
    withDescription(
      countSchema,
      'How many people are suspended. `summary` does not include them. With `topic`, this counts only subscribers of the topic; with `team`, only members of the team.',
      2,
    ),
  ),
  lastTests: withDescription(
    v.nullable(
      v.object({
        at: withExamples(timestampSchema, '2026-11-20T06:00:00.000Z'),
        devices: withExamples(countSchema, 52),
        until: v.exactOptional(
          withDescription(
            timestampSchema,
            'When the server sends the last of these tests.',
            '2026-11-20T06:00:13.000Z',
          ),
        ),
        quietDevices: v.exactOptional(skippedDevicesSchema),
      }),
    ),
    'The last time that all devices were tested. Null if they never were.',
  ),
  ...pageFields,
});
export const roundSizeSchema = v.object({
  devices: withExamples(countSchema, 52),
  people: withExamples(countSchema, 44),
  quietDevices: skippedDevicesSchema,
  quietPeople: withExamples(countSchema, 2),
});
export const testsStartedSchema = v.object({
  devices: withExamples(countSchema, 1),
  quietDevices: v.exactOptional(withExamples(skippedDevicesSchema, 0)),
});

export type ReachState = v.InferOutput<typeof reachStateSchema>;
export type ReachDevice = v.InferOutput<typeof reachDeviceSchema>;
export type OwnDevice = v.InferOutput<typeof ownDeviceSchema>;
export type LostDevice = v.InferOutput<typeof lostDeviceSchema>;
export type ReachBoardPerson = v.InferOutput<typeof reachSchema>;
export type ReachSummary = v.InferOutput<typeof reachSummarySchema>;
export type RoundSize = v.InferOutput<typeof roundSizeSchema>;

/** Their devices, up to twenty each, are tested within the request. */
const MAX_TESTED_PEOPLE = 100;

export const ownDeviceCalls = {
  'GET /api/notifications/devices': {
    does: 'List your devices',
    response: v.array(ownDeviceSchema),
  },
} satisfies CallTable;

export const reachCalls = {
  'GET /api/admin/reach': {
    does: 'List who is reachable, who is not, and why',
    more: 'People who need attention come first. People in the same state are sorted by name.',
    query: {
      ...pagingFields('Text to search for in names.'),
      state: withDescription(
        v.string(),
        'Only people in these states, separated by commas. `attention` stands for all states except `reachable` and `late`.',
      ),
      topic: withDescription(idSchema, 'Only subscribers of the topic with this id.', 1),
      team: withDescription(idSchema, 'Only members of the team with this id.', 1),
    },
    response: reachPageSchema,
    errors: { 400: 'The state, the topic or the team does not exist.' },
  },
  'GET /api/admin/reach/tests': {
    does: 'Count the devices that “Test all devices” would test',
    more: 'Devices of people in their quiet hours are counted separately, because they are not tested.',
    response: roundSizeSchema,
  },
  'POST /api/admin/reach/tests': {
    does: 'Test the devices of some people, or all devices',
    more: 'Without `userIds`, the server tests all devices within a minute, except devices of people in their quiet hours. This is possible once every 5 minutes.',
    body: v.object({
      userIds: v.exactOptional(
        withExamples(
          v.pipe(
            v.array(v.unknown()),
            v.minLength(1, 'Choose at least one person.'),
            v.maxLength(
              MAX_TESTED_PEOPLE,
              `At most ${MAX_TESTED_PEOPLE} people can be tested at once.`,
            ),
            v.array(rowIdField('User')),
          ) as unknown as v.GenericSchema<number[]>,
          [2],
        ),
      ),
    }),
    response: testsStartedSchema,
    errors: {
      400: 'The body is invalid, or a user does not exist.',
      429: 'All devices were tested within the last 5 minutes.',
    },
  },
} satisfies CallTable;
