import * as v from 'valibot';
import type { AddRoute } from '../http/route';
import { rowId } from '../../src/shared/contract/fields';
import type { Services } from '../services';
import { hear, readDeviceTest, startTest } from './own';
import { countRound } from './round-size';
import { MAX_TESTED_PEOPLE, startRound } from './rounds';

const DELAY = 'Delay must be a number of seconds from 0 to 3,600.';
const MAX_DELAY = 3600;

const asked = v.object({
  deviceId: rowId('Device'),
  delay: v.exactOptional(
    v.pipe(v.number(DELAY), v.integer(DELAY), v.minValue(0, DELAY), v.maxValue(MAX_DELAY, DELAY)),
  ),
});

const round = v.object({
  userIds: v.exactOptional(
    v.pipe(
      v.array(v.unknown()),
      v.minLength(1, 'Choose people whose devices are to be tested.'),
      v.maxLength(MAX_TESTED_PEOPLE, `At most ${MAX_TESTED_PEOPLE} people can be tested at once.`),
      v.array(rowId('User')),
    ),
  ),
});

export function addTestRoutes(add: AddRoute, services: Services): void {
  const { db, now, wake, wakeWriting } = services;
  add('POST /api/notifications/tests', {
    action: 'devices.test',
    status: 201,
    body: asked,
    answer: async ({ body, user, transact }) => {
      const test = await startTest(body, user.id, transact, now());
      wake();
      return test;
    },
  });
  add('GET /api/notifications/tests/:id', {
    action: 'devices.test',
    answer: ({ params, user }) => readDeviceTest(params.id, user.id, db, now()),
  });
  add('POST /api/notifications/tests/:id/heard', {
    action: 'devices.test',
    body: v.object({ heard: v.boolean() }),
    answer: ({ params, body, user, transact }) =>
      transact((transaction) => hear(params.id, body.heard, user.id, transaction, now())),
  });
  add('GET /api/admin/reach/tests', {
    action: 'reach.read',
    answer: () => countRound(db, now()),
  });
  add('POST /api/admin/reach/tests', {
    action: 'reach.test',
    status: 202,
    body: round,
    answer: async ({ body, transact }) => {
      const started = await startRound(body.userIds, transact, db, now());
      wake();
      wakeWriting();
      return started;
    },
  });
}
