/** Device tests: a push that takes the way of every message and is in no inbox. */
import * as v from 'valibot';
import { count, withDescription, id, maybeTime, sample, time, uuid } from './common';
import type { CallTable } from './common';
import { rowId } from './fields';

const TEST_ID = '5b0c1d6e-8a4f-4f7a-9c3e-2d1b0a9f8e7d';
const SENT_AT = '2026-11-20T06:58:00.000Z';

/** In their order. */
const stage = v.picklist(['queued', 'accepted', 'received', 'displayed', 'heard']);
const stageTime = (at: string) => v.nullable(sample(time, at));
export const deviceTest = v.object({
  id: withDescription(uuid, 'The `messageId` that the device reports.', TEST_ID),
  deviceId: id,
  createdAt: sample(time, SENT_AT),
  sendAt: withDescription(
    time,
    'When the test is sent. Until a delayed test is sent, this time is rounded down to the minute.',
    SENT_AT,
  ),
  stages: withDescription(
    v.object({
      queued: stageTime(SENT_AT),
      accepted: stageTime('2026-11-20T06:58:00.410Z'),
      received: stageTime('2026-11-20T06:58:01.120Z'),
      displayed: stageTime('2026-11-20T06:58:01.300Z'),
      heard: withDescription(maybeTime, 'When the person confirmed it.', null),
    }),
    'When each stage was reached.',
  ),
  failure: withDescription(
    v.nullable(
      v.object({
        stage,
        reason: withDescription(
          v.picklist(['gone', 'refused', 'unreachable', 'busy', 'expired', 'removed', 'silent']),
          'Why the stage was not reached. For `accepted`: `gone` (the push service no longer recognizes the device), `refused` (it rejects the test), `unreachable` (it does not respond), `busy` (it asks to wait), `expired` (it did not accept the test in time) or `removed` (the device was signed out). For `displayed`: `refused` (the phone’s system rejected the notification). For `heard`: `silent` (the person heard nothing).',
        ),
      }),
    ),
    'The last failure. Null again once that stage is reached.',
    null,
  ),
  lateBy: withDescription(
    v.nullable(count),
    'Milliseconds from `sendAt` to displayed, if over 30 s.',
    null,
  ),
});

export type DeviceTest = v.InferOutput<typeof deviceTest>;
export type TestStage = v.InferOutput<typeof stage>;
export type TestFailureReason = NonNullable<DeviceTest['failure']>['reason'];

const DELAY = 'Delay must be a number of seconds from 0 to 3,600.';
const ofTest = { id: withDescription(uuid, 'The id of the test.', TEST_ID) };

export const testCalls = {
  'POST /api/notifications/tests': {
    does: 'Test one of your devices',
    more: 'If `delay` is set, the server adds a random time of up to 60 seconds. It does not reveal the exact time.',
    body: v.object({
      deviceId: rowId('Device'),
      delay: v.exactOptional(
        sample(
          v.pipe(v.number(DELAY), v.integer(DELAY), v.minValue(0, DELAY), v.maxValue(3600, DELAY)),
          0,
        ),
      ),
    }),
    response: deviceTest,
    errors: { 404: 'The device does not exist.', 429: 'The limit is ten tests an hour.' },
  },
  'GET /api/notifications/tests/:id': {
    does: 'Get a test’s progress',
    params: ofTest,
    response: deviceTest,
  },
  'POST /api/notifications/tests/:id/heard': {
    does: 'Report whether a test was heard',
    more: 'The last report counts.',
    params: ofTest,
    body: v.object({ heard: v.boolean() }),
    response: deviceTest,
  },
} satisfies CallTable;
