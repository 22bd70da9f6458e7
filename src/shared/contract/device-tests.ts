/** A device test is a push sent like any message, but it is not stored in an inbox. */
import * as v from 'valibot';
import {
  countSchema,
  withDescription,
  idSchema,
  nullableTimestampSchema,
  withExamples,
  timestampSchema,
  uuidSchema,
} from './common';
import type { CallTable } from './common';
import { rowIdField } from './fields';

const EXAMPLE_TEST_ID = '5b0c1d6e-8a4f-4f7a-9c3e-2d1b0a9f8e7d';
const EXAMPLE_SENT_AT = '2026-11-20T06:58:00.000Z';

/** The stages of a test, in their order. */
const testStageSchema = v.picklist(['queued', 'accepted', 'received', 'displayed', 'heard']);
const stageTime = (at: string) => v.nullable(withExamples(timestampSchema, at));
export const deviceTestSchema = v.object({
  id: withDescription(
    uuidSchema,
    'The id of the test. Devices send it as `messageId` in their receipts.',
    EXAMPLE_TEST_ID,
  ),
  deviceId: idSchema,
  createdAt: withExamples(timestampSchema, EXAMPLE_SENT_AT),
  sendAt: withDescription(
    timestampSchema,
    'When the test is sent. Before a delayed test is sent, this is the earliest possible time. The server sends the test at most a minute later.',
    EXAMPLE_SENT_AT,
  ),
  stages: withDescription(
    v.object({
      queued: stageTime(EXAMPLE_SENT_AT),
      accepted: stageTime('2026-11-20T06:58:00.410Z'),
      received: stageTime('2026-11-20T06:58:01.120Z'),
      displayed: stageTime('2026-11-20T06:58:01.300Z'),
      heard: withDescription(
        nullableTimestampSchema,
        'When the person confirmed that they heard the test.',
        null,
      ),
    }),
    'When each stage was reached.',
  ),
  failure: withDescription(
    v.nullable(
      v.object({
        stage: testStageSchema,
        reason: withDescription(
          v.picklist(['gone', 'refused', 'unreachable', 'busy', 'expired', 'removed', 'silent']),
          'Why the stage was not reached. For `accepted`: `gone` (the push service no longer recognizes the device), `refused` (it rejects the test), `unreachable` (it does not respond), `busy` (it asks to wait), `expired` (it did not accept the test in time) or `removed` (the device is no longer registered). For `displayed`: `refused` (the phone’s system rejected the notification). For `heard`: `silent` (the person heard nothing).',
        ),
      }),
    ),
    'The last failure. Null if there was none, or if the test has reached that stage since.',
    null,
  ),
  lateBy: withDescription(
    v.nullable(countSchema),
    'How many milliseconds after `sendAt` the device displayed the test. Null if that was within 30 seconds, or if the device has not displayed the test.',
    null,
  ),
});

export type DeviceTest = v.InferOutput<typeof deviceTestSchema>;
export type TestStage = v.InferOutput<typeof testStageSchema>;
export type TestFailureReason = NonNullable<DeviceTest['failure']>['reason'];

const DELAY_RULE_TEXT = 'Delay must be a number of seconds from 0 to 3,600.';
const testParams = { id: withDescription(uuidSchema, 'The id of the test.', EXAMPLE_TEST_ID) };

export const testCalls = {
  'POST /api/notifications/tests': {
    does: 'Test one of your devices',
    more: 'If `delay` is more than 0, the server waits for up to 60 more seconds, and does not reveal how long.',
    body: v.object({
      deviceId: rowIdField('Device'),
      delay: v.exactOptional(
        withExamples(
          v.pipe(
            v.number(DELAY_RULE_TEXT),
            v.integer(DELAY_RULE_TEXT),
            v.minValue(0, DELAY_RULE_TEXT),
            v.maxValue(3600, DELAY_RULE_TEXT),
          ),
          0,
        ),
      ),
    }),
    response: deviceTestSchema,
    errors: {
      404: 'The device does not exist.',
      429: 'You have already run ten tests within an hour.',
    },
  },
  'GET /api/notifications/tests/:id': {
    does: 'Get a test’s progress',
    params: testParams,
    response: deviceTestSchema,
  },
  'POST /api/notifications/tests/:id/heard': {
    does: 'Report whether a test was heard',
    more: 'If you report several times, the last report counts.',
    params: testParams,
    body: v.object({ heard: v.boolean() }),
    response: deviceTestSchema,
  },
} satisfies CallTable;
